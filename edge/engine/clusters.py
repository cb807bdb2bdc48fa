"""The person's view of their clusters: look, rename, merge, move, undo. Lives on the memory thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from edge.engine.cluster_ports import ClusterStore
from edge.engine.ports import Page
from edge.errors import ClusterMergeSelf
from edge.memory.clusters import (
    Change,
    ChangeRecord,
    Cluster,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    Run,
    RunId,
    StagedNumber,
    Why,
    check_key,
)
from edge.memory.units import ClusterId, OwnerId, UnitId

_NEW = StagedNumber(1)


@dataclass(frozen=True, slots=True)
class Done:
    """A run, and what it did to clusters."""

    run: Run
    changes: tuple[ChangeRecord, ...]


class Clusters:
    """Every edit is a run of its own, kept in the history and undone like any other."""

    def __init__(self, store: ClusterStore) -> None:
        self._store = store

    def all(self, owner: OwnerId, *, include_archived: bool) -> tuple[list[Cluster], int]:
        """The clusters of an owner, and how many units are in none."""
        return self._store.clusters(owner, include_archived=include_archived), self._store.count_unplaced(owner)

    def show(self, owner: OwnerId, cluster: ClusterId, before: UnitId | None, limit: int) -> tuple[Cluster, Page]:
        """A cluster and a page of its members. Raises ClusterNotFound."""
        return self._store.cluster(owner, cluster), self._store.members(owner, cluster, limit=limit, before=before)

    def history(self, owner: OwnerId, before: RunId | None, limit: int) -> tuple[list[Run], RunId | None]:
        """Runs, newest first, and the cursor that asks for the next."""
        found = self._store.runs(owner, limit=limit + 1, before=before)
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    def run(self, owner: OwnerId, run: RunId) -> Done:
        """One run. Raises ClusterRunNotFound."""
        return Done(self._store.run(owner, run), tuple(self._store.changes(owner, run)))

    def undo(self, owner: OwnerId, run: RunId | None, at: datetime) -> Done:
        """Take a run back, the newest in force where none is named. Raises as `ClusterStore.undo` does."""
        return self.run(owner, self._store.undo(owner, run, at).id)

    def rename(self, owner: OwnerId, cluster: ClusterId, key: str, at: datetime) -> tuple[Run, Cluster]:
        """Give a cluster another key, which no run changes any more. Raises ClusterNotFound, ClusterKeyInvalid,
        ClusterKeyTaken."""
        known = self._store.cluster(owner, cluster)
        profile = replace(known.profile, key=check_key(key), named_by=NamedBy.PERSON)
        run = self._store.edit(owner, "rename", [Reprofile(cluster, profile, known.centroid, "")], [], at)
        return run, self._store.cluster(owner, cluster)

    def merge(self, owner: OwnerId, cluster: ClusterId, into: ClusterId, at: datetime) -> tuple[Run, Cluster]:
        """Put all units of a cluster into another, and dissolve it. Raises ClusterNotFound, ClusterMergeSelf."""
        if cluster == into:
            raise ClusterMergeSelf(f"Cluster {cluster} cannot be merged into itself.", cluster=cluster)
        run = self._store.edit(owner, "merge", [Dissolve(cluster, "", into=into)], [], at)
        return run, self._store.cluster(owner, into)

    def move(self, owner: OwnerId, unit: UnitId, to: ClusterId | None, at: datetime) -> Run:
        """Put a unit into a cluster, or out of any: it stays there whatever later runs think. Raises MemoryNotFound,
        ClusterNotFound."""
        return self._place(owner, unit, [], to, at)

    def move_to_new(self, owner: OwnerId, unit: UnitId, key: str, at: datetime) -> Run:
        """Put a unit into a new cluster of that key. Raises MemoryNotFound, ClusterKeyInvalid, ClusterKeyTaken."""
        profile = Profile(check_key(key), named_by=NamedBy.PERSON)
        return self._place(owner, unit, [Create(_NEW, profile, None, "")], _NEW, at)

    def _place(
        self, owner: OwnerId, unit: UnitId, changes: list[Change], to: ClusterId | StagedNumber | None, at: datetime
    ) -> Run:
        return self._store.edit(owner, "move", changes, [Placement(unit, to, Why.PERSON, 1.0)], at)
