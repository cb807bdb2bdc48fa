"""A ColdStore over the units and clusters of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from edge.memory.archive import STAYS_WARM, Why
from edge.memory.units import ClusterId, OwnerId, Unit, UnitId

if TYPE_CHECKING:
    from tests.fakes.memory_store import FakeMemoryStore


class FakeCold:
    """See ColdStore."""

    def __init__(self, store: FakeMemoryStore) -> None:
        self._store = store

    def cold(self, owner: OwnerId, before: datetime, at: datetime, limit: int) -> list[ClusterId]:
        active = self._store.clusters.clusters(owner)
        found = [each.id for each in active if each.touched_at < before and self._leaving(owner, each.id, at)]
        return found[:limit]

    def put_away(self, owner: OwnerId, cluster: ClusterId, before: datetime, at: datetime) -> tuple[UnitId, ...]:
        if cluster not in self.cold(owner, before, at, 1000):
            return ()
        leaving = self._leaving(owner, cluster, at)
        for unit in leaving:
            self._set(replace(unit, archived_at=at, archived_why=Why.COLD.value))
        self._store.clusters._kept[cluster].archived_at = at
        return tuple(unit.id for unit in leaving)

    def bring_back(self, owner: OwnerId, units: Collection[UnitId], at: datetime) -> tuple[UnitId, ...]:
        found = [unit for unit in self._cold(owner) if unit.id in set(units)]
        clusters = {unit.cluster for unit in found if self._is_archived(unit.cluster)}
        together = [unit for unit in self._cold(owner) if unit.cluster in clusters]
        for unit in together:
            self._set(_back(unit))
        for unit in found:
            self._set(replace(_back(unit), last_accessed=at))
        for cluster in clusters:
            assert cluster is not None
            self._store.clusters._kept[cluster].archived_at = None
        return tuple(sorted({unit.id for unit in [*found, *together]}))

    def mend(self, owner: OwnerId, at: datetime, limit: int) -> int:
        known = self._store.clusters.clusters(owner, include_archived=True)
        opened = [each.id for each in known if each.archived_at and self._is_to_open(owner, each.id, at)]
        for cluster in opened:
            self._store.clusters._kept[cluster].archived_at = None
        strays = [unit for unit in self._cold(owner) if not self._is_archived(unit.cluster)][:limit]
        for unit in strays:
            self._set(_back(unit))
        return len(opened) + len(strays)

    def _is_to_open(self, owner: OwnerId, cluster: ClusterId, at: datetime) -> bool:
        closed = self._store.clusters._kept[cluster].archived_at
        assert closed is not None
        is_empty = all(unit.cluster != cluster for unit in self._cold(owner))
        came = self._store.clusters.placed_since(owner, cluster, closed)
        new = [unit for unit in self._leaving(owner, cluster, at) if unit.created_at > closed or unit.id in came]
        return closed > at or is_empty or bool(new)

    def _leaving(self, owner: OwnerId, cluster: ClusterId, at: datetime) -> list[Unit]:
        return [
            unit
            for unit in self._current(owner)
            if (unit.cluster, unit.archived_at, unit.slot) == (cluster, None, None)
            and unit.kind not in STAYS_WARM
            and (unit.valid_until is None or unit.valid_until > at)
        ]

    def _current(self, owner: OwnerId) -> list[Unit]:
        mine = [unit for unit in self._store._units.values() if unit.owner == owner]
        return [unit for unit in mine if unit.id not in self._store._superseded]

    def _cold(self, owner: OwnerId) -> list[Unit]:
        return [
            unit for unit in self._store._units.values() if (unit.owner, unit.archived_why) == (owner, Why.COLD.value)
        ]

    def _is_archived(self, cluster: ClusterId | None) -> bool:
        kept = None if cluster is None else self._store.clusters._kept.get(cluster)
        return kept is not None and not kept.gone and kept.archived_at is not None

    def _set(self, unit: Unit) -> None:
        self._store._units[unit.id] = unit


def _back(unit: Unit) -> Unit:
    return replace(unit, archived_at=None, archived_why=None)
