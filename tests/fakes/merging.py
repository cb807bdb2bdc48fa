"""A MergingStore over the units of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from edge.engine.merging_ports import MERGED_KINDS, Double, Merged, Replaced
from edge.memory.units import ClusterId, Ending, OwnerId, Unit, UnitId
from tests.fakes.truth import Marked

if TYPE_CHECKING:
    from tests.fakes.memory_store import FakeMemoryStore


class FakeMerging:
    """See MergingStore."""

    def __init__(self, store: FakeMemoryStore) -> None:
        self._store = store
        self._merged: dict[UnitId, ClusterId | None] = {}

    def unmerged(self, owner: OwnerId, limit: int) -> list[Unit]:
        active = [each.id for each in self._store.clusters.clusters(owner)]
        for cluster in active:
            new = [unit for unit in self.fellows(owner, cluster) if self._merged.get(unit.id) != cluster]
            if new:
                return new[:limit]
        return []

    def fellows(self, owner: OwnerId, cluster: ClusterId) -> list[Unit]:
        return [
            unit
            for unit in sorted(self._store._units.values(), key=lambda unit: unit.id)
            if (unit.owner, unit.cluster, unit.slot, unit.archived_at) == (owner, cluster, None, None)
            and unit.kind in MERGED_KINDS
            and self._is_current(unit.id)
        ]

    def keep_merged(
        self, owner: OwnerId, compared: Sequence[Unit], changes: Sequence[Double | Replaced], at: datetime
    ) -> Merged:
        doubles = replaced = 0
        for change in changes:
            if isinstance(change, Double):
                doubles += self._store.truth.merge_same(owner, change.kept, change.double, at)
            else:
                replaced += self._replace(owner, change)
        for unit in compared:
            known = self._store._owned(owner, unit.id)
            if known is not None and known.cluster == unit.cluster:
                self._merged[unit.id] = unit.cluster
        return Merged(doubles, replaced)

    def _replace(self, owner: OwnerId, change: Replaced) -> bool:
        older, newer = self._store._owned(owner, change.older), self._store._owned(owner, change.newer)
        if older is None or newer is None or older is newer:
            return False
        if not (self._is_current(older.id) and self._is_current(newer.id)):
            return False
        until = max(newer.valid_from, older.valid_from)
        if older.valid_until is not None and older.valid_until < newer.valid_from:
            until = older.valid_until
        ended = replace(older, superseded_by=newer.id, valid_until=until, ended_why=Ending.NEWER)
        self._store._units[older.id] = ended
        self._store._supersede(older.id)
        if change.is_doubted:
            marked = self._store.truth._marked
            marked[len(marked) + 1] = Marked(owner, older.id, newer.id)
        return True

    def _is_current(self, unit: UnitId) -> bool:
        return unit not in self._store._superseded
