"""Serving: what a turn's memories did for it becomes their standing. Lives on the memory thread.

A reply that used a unit counts as its use; what the person says next, that it was wrong or right, is about the units
that the reply used. Which these were is kept until then, in memory: a restart in between loses one judgement.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from edge.engine.archive import Archive
from edge.engine.archive_ports import ArchiveStore
from edge.engine.ports import MemoryStore, Scope, Written
from edge.memory.relevance import Event, after
from edge.memory.rules_assent import Assent
from edge.memory.text import holds
from edge.memory.units import OwnerId, SessionId, Unit, UnitId
from edge.memory.usefulness import used_units, verdict

_KEPT_SESSIONS = 256


@dataclass(frozen=True, slots=True)
class Given:
    """What a reply could be made with: units that stood before the model, and what recall found. `told`: units from
    which the runtime itself made the reply."""

    window: Collection[UnitId]
    recalled: Sequence[Unit]
    told: Collection[UnitId] = ()


class Serving:
    """Keeps relevance, access counts and last uses."""

    def __init__(self, store: MemoryStore, weights: ArchiveStore, archive: Archive, assent: Assent) -> None:
        self._store = store
        self._weights = weights
        self._archive = archive
        self._assent = assent
        self._served: OrderedDict[tuple[OwnerId, SessionId], tuple[UnitId, ...]] = OrderedDict()

    def replied(self, scope: Scope, message: str, reply: str, given: Given) -> Sequence[UnitId]:
        """A reply was made: what it used of what it was given has served, and is told. What served from the archive is
        active again, and so is all of a cold cluster in which recall found something.

        The scope is the turn's, with its session.
        """
        owner, session = scope.owner, scope.session
        assert session is not None
        units = {recalled.id: recalled for recalled in given.recalled} | self._store.units(scope, given.window)
        used = [unit.id for unit in used_units(reply, message, units.values())]
        served = [unit for unit in units if unit in used or unit in given.told]
        self._keep((owner, session), served)
        self._archive.reopen(owner, given.recalled, scope.as_of)
        if not served:
            return ()
        archived = [unit for unit in served if units[unit].archived_at is not None]
        if archived:
            self._archive.bring_back(owner, archived, scope.as_of)
        self._store.mark_used(owner, served, scope.as_of)
        self._weigh(owner, served, Event.SERVED)
        return served

    def _keep(self, session: tuple[OwnerId, SessionId], served: Sequence[UnitId]) -> None:
        self._served[session] = tuple(served)
        self._served.move_to_end(session)
        while len(self._served) > _KEPT_SESSIONS:
            self._served.popitem(last=False)

    def heard(self, owner: OwnerId, session: SessionId, message: str, written: Written) -> None:
        """The person went on: what they said again is confirmed, and their words may judge what the last reply used.

        A unit that repeats what these words replaced misled.
        """
        self._weigh(owner, written.confirmed, Event.CONFIRMED)
        served = self._served.pop((owner, session), ())
        event = verdict(message, self._assent) if served else None
        if event is not None:
            self._weigh(owner, [unit for unit in served if unit not in written.confirmed], event)
        elif served and written.superseded:
            self._weigh(owner, self._repeating(owner, served, written.superseded), Event.MISLED)

    def _repeating(self, owner: OwnerId, served: Sequence[UnitId], ended: Sequence[UnitId]) -> list[UnitId]:
        values = [unit.value for unit in self._known(owner, ended) if unit.value]
        others = self._known(owner, [unit for unit in served if unit not in ended])
        return [unit.id for unit in others if any(holds(unit.content, value) for value in values)]

    def _weigh(self, owner: OwnerId, ids: Sequence[UnitId], event: Event) -> None:
        units = self._known(owner, ids)
        changed = {unit.id: after(unit.relevance, event, unit.kind) for unit in units}
        changed = {unit.id: changed[unit.id] for unit in units if changed[unit.id] != unit.relevance}
        if changed:
            self._weights.weigh(owner, changed)

    def _known(self, owner: OwnerId, ids: Sequence[UnitId]) -> list[Unit]:
        """Those that were not forgotten meanwhile."""
        return [each.unit for each in self._weights.standing(owner, ids)] if ids else []
