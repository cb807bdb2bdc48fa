"""Archive: units leave the active set when they are due or by hand, and come back. Lives on the memory thread."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from edge.clock import Clock
from edge.engine.archive_ports import ArchiveStore, Standing
from edge.engine.cold_ports import ColdStore
from edge.engine.ports import Page
from edge.errors import MemoryNotFound
from edge.memory.archive import Decay, Why, due, restored
from edge.memory.lifecycle import Lifespans
from edge.memory.units import Kind, OwnerId, SessionId, Unit, UnitId

_BATCH = 64
"""Units that leave in one step: some milliseconds."""
_DAY = 86400.0


class Archive:
    """Puts units away and back. `step` goes through all owners at its first call, and then once a day."""

    def __init__(self, store: ArchiveStore, cold: ColdStore, lifespans: Lifespans, decay: Decay, clock: Clock) -> None:
        self._store = store
        self._cold = cold
        self._lifespans = lifespans
        self._decay = decay
        self._clock = clock
        self._owners: list[OwnerId] = []
        self._began: float | None = None

    def put_away(self, owner: OwnerId, ids: Collection[UnitId], why: Why, at: datetime) -> tuple[UnitId, ...]:
        """Take units out of the active set; those that were in it. Raises MemoryNotFound for an id that is not the
        owner's, and puts nothing away then."""
        self._look_up(owner, ids)
        return self._store.archive(owner, ids, why, at)

    def bring_back(self, owner: OwnerId, ids: Collection[UnitId], at: datetime) -> tuple[UnitId, ...]:
        """Put units back; those that were archived. What left with a cold cluster comes with all of it. Raises
        MemoryNotFound as `put_away` does."""
        found = self._look_up(owner, ids)
        together = self.reopen(owner, [each.unit for each in found], at)
        return tuple(
            each.unit.id
            for each in found
            if each.unit.id in together
            or self._store.restore(
                owner, each.unit.id, restored(each.unit, at, self._lifespans, superseded=each.superseded)
            )
        )

    def reopen(self, owner: OwnerId, units: Collection[Unit], at: datetime) -> tuple[UnitId, ...]:
        """Bring the cold clusters back whole from which some of the units are; ids of what came back."""
        cold = [unit.id for unit in units if unit.archived_why == Why.COLD]
        return self._cold.bring_back(owner, cold, at) if cold else ()

    def page(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        kinds: frozenset[Kind] | None,
        before: UnitId | None,
        limit: int,
    ) -> Page:
        """Archived units, newest first."""
        return self._store.page(owner, session=session, kinds=kinds, before=before, limit=limit)

    def step(self) -> bool:
        """Move some of what is due; True while there may be more. A clock that was ahead is made good first."""
        if not self._owners and not self._begin():
            return False
        owner, at = self._owners[-1], self._clock.now()
        if not (self._store.undo_later(owner, at, _BATCH) or self._move(owner, at)):
            self._owners.pop()
        return bool(self._owners)

    def _begin(self) -> bool:
        """Whether another round is due. By the clock that never goes back, so that setting the other starts none."""
        now = self._clock.monotonic()
        if self._began is not None and now - self._began < _DAY:
            return False
        self._owners, self._began = self._store.owners(), now
        return bool(self._owners)

    def _move(self, owner: OwnerId, at: datetime) -> int:
        leaving = self._store.leaving(owner, at, self._decay, _BATCH)
        moved = 0
        for why in Why:
            ids = [each.unit.id for each in leaving if self._why(each, at) is why]
            moved += len(self._store.archive(owner, ids, why, at)) if ids else 0
        return moved

    def _why(self, each: Standing, at: datetime) -> Why | None:
        return due(each.unit, at, self._decay, superseded=each.superseded)

    def _look_up(self, owner: OwnerId, ids: Collection[UnitId]) -> list[Standing]:
        found = self._store.standing(owner, ids)
        missing = set(ids) - {each.unit.id for each in found}
        if missing:
            unit = min(missing)
            raise MemoryNotFound(f"There is no memory {unit}.", id=unit)
        return found
