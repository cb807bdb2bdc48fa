"""An EvolvingStore over the clusters of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from edge.engine.evolving_ports import Changed, Evolved
from edge.memory.clusters import EVOLVE_TRIGGER, Reprofile
from edge.memory.units import ClusterId, OwnerId

if TYPE_CHECKING:
    from tests.fakes.memory_store import FakeMemoryStore


class FakeEvolving:
    """See EvolvingStore."""

    def __init__(self, store: FakeMemoryStore) -> None:
        self._store = store
        self._looked_at: dict[ClusterId, Changed] = {}

    def changed(self, owner: OwnerId, limit: int) -> list[Changed]:
        found = []
        for cluster in self._store.clusters.clusters(owner):
            members = [unit.id for unit in self._store.clusters._current(cluster.id)]
            if members:
                found.append(Changed(cluster.id, len(members), max(members)))
        return [each for each in found if self._looked_at.get(each.cluster) != each][:limit]

    def keep_evolved(self, owner: OwnerId, evolved: Sequence[Evolved], at: datetime) -> tuple[ClusterId, ...]:
        clusters = self._store.clusters
        active = {each.id: each.profile for each in clusters.clusters(owner)}
        fit = [each for each in evolved if active.get(each.changed.cluster) == each.before and self._are_there(each)]
        for each in fit:
            self._looked_at[each.changed.cluster] = each.changed
            clusters.recentre(each.changed.cluster)
        better = [
            Reprofile(each.changed.cluster, each.after, None, each.why) for each in fit if each.after != each.before
        ]
        if not better:
            return ()
        run = clusters.in_force(owner, EVOLVE_TRIGGER, "", better, [], at)
        return tuple(record.cluster for record in clusters.changes(owner, run))

    def _are_there(self, evolved: Evolved) -> bool:
        members = {unit.id for unit in self._store.clusters._current(evolved.changed.cluster)}
        return members.issuperset(evolved.units)
