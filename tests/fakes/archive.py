"""An ArchiveStore over the dictionaries of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime

from edge.engine.archive_ports import Standing
from edge.engine.ports import Page
from edge.memory.archive import BY_TIME, Decay, Restored, Why, due
from edge.memory.units import Kind, OwnerId, SessionId, Unit, UnitId


class FakeArchive:
    """See ArchiveStore. `is_superseded` says of a unit whether it was replaced."""

    def __init__(self, units: dict[UnitId, Unit], is_superseded: Callable[[UnitId], bool]) -> None:
        self._units = units
        self._is_superseded = is_superseded

    def owners(self) -> list[OwnerId]:
        return sorted({unit.owner for unit in self._units.values()})

    def standing(self, owner: OwnerId, ids: Collection[UnitId]) -> list[Standing]:
        return [Standing(unit, self._is_superseded(unit.id)) for unit in self._owned(owner) if unit.id in set(ids)]

    def archive(self, owner: OwnerId, ids: Collection[UnitId], why: Why, at: datetime) -> tuple[UnitId, ...]:
        put_away = [unit for unit in self._owned(owner) if unit.id in set(ids) and unit.archived_at is None]
        for unit in put_away:
            self._units[unit.id] = replace(unit, archived_at=at, archived_why=why.value)
        return tuple(unit.id for unit in put_away)

    def restore(self, owner: OwnerId, unit: UnitId, how: Restored) -> bool:
        known = self._units.get(unit)
        if known is None or known.owner != owner or known.archived_at is None:
            return False
        back = replace(known, valid_until=how.valid_until, relevance=how.relevance)
        self._units[unit] = replace(back, archived_at=None, archived_why=None)
        return True

    def leaving(self, owner: OwnerId, at: datetime, decay: Decay, limit: int) -> list[Standing]:
        all_of_them = self.standing(owner, self._units.keys())
        return [each for each in all_of_them if due(each.unit, at, decay, superseded=each.superseded)][:limit]

    def undo_later(self, owner: OwnerId, at: datetime, limit: int) -> int:
        later = [
            unit
            for unit in self._owned(owner)
            if unit.archived_at is not None
            and unit.archived_at > at >= unit.created_at
            and unit.archived_why in BY_TIME
        ][:limit]
        for unit in later:
            self._units[unit.id] = replace(unit, archived_at=None, archived_why=None)
        return len(later)

    def weigh(self, owner: OwnerId, relevance: Mapping[UnitId, float]) -> None:
        for unit in self._owned(owner):
            if unit.id in relevance:
                self._units[unit.id] = replace(unit, relevance=relevance[unit.id])

    def page(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        kinds: frozenset[Kind] | None,
        before: UnitId | None,
        limit: int,
    ) -> Page:
        found = [
            unit
            for unit in reversed(self._owned(owner))
            if unit.archived_at is not None
            and (session is None or unit.session in {None, session})
            and (kinds is None or unit.kind in kinds)
            and (before is None or unit.id < before)
        ]
        units = tuple(found[:limit])
        return Page(units, units[-1].id if units and len(found) > limit else None)

    def _owned(self, owner: OwnerId) -> list[Unit]:
        return sorted((unit for unit in self._units.values() if unit.owner == owner), key=lambda unit: unit.id)
