"""A DistillingStore over the dictionaries of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from edge.engine.distilling_ports import Distilled, Unread
from edge.engine.ports import Written
from edge.memory.units import Change, Kind, OwnerId, Source, TurnId, Unit, UnitId

_LOOKED_AT = 500


class FakeDistilling:
    """See DistillingStore. `change` makes changes in a turn, `confirmed_in` gives the turns in which a unit was said
    again, `is_superseded` says of a unit whether it was replaced."""

    def __init__(
        self,
        units: dict[UnitId, Unit],
        confirmed_in: dict[UnitId, set[TurnId]],
        is_superseded: Callable[[UnitId], bool],
        change: Callable[[OwnerId, TurnId | None, Sequence[Change], datetime], Written],
    ) -> None:
        self._units = units
        self._confirmed_in = confirmed_in
        self._is_superseded = is_superseded
        self._change = change
        self._through: dict[OwnerId, UnitId] = {}

    def unread(self, owner: OwnerId, limit: int) -> Unread | None:
        through = self._through.get(owner, UnitId(0))
        units = [unit for unit in self._units.values() if unit.owner == owner and unit.id > through][:_LOOKED_AT]
        if not units:
            return None
        episodes = tuple(unit for unit in units if self._is_to_read(unit))[:limit]
        if len(episodes) == limit:
            return Unread(episodes, episodes[-1].id, more=True)
        return Unread(episodes, units[-1].id, more=len(units) == _LOOKED_AT)

    def keep_distilled(
        self, owner: OwnerId, through: UnitId, distilled: Sequence[Distilled], at: datetime
    ) -> tuple[UnitId, ...]:
        if through <= self._through.get(owner, 0):
            return ()
        self._through[owner] = through
        kept: tuple[UnitId, ...] = ()
        for each in distilled:
            words = self._units.get(each.episode)
            if words is not None and words.owner == owner and self._is_in_force(words):
                kept += self._change(owner, each.turn, each.changes, at).added
        return kept

    def _is_in_force(self, unit: Unit) -> bool:
        return unit.archived_at is None and not self._is_superseded(unit.id)

    def _is_to_read(self, unit: Unit) -> bool:
        if unit.kind is not Kind.EPISODE or unit.source is not Source.USER or unit.source_turn is None:
            return False
        facts = (
            other
            for other in self._units.values()
            if other.source_turn == unit.source_turn and other.source is Source.USER and other.kind is not Kind.EPISODE
        )
        confirmed = any(unit.source_turn in turns for turns in self._confirmed_in.values())
        return self._is_in_force(unit) and not confirmed and next(facts, None) is None
