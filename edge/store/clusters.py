"""`SqliteClusters`: the engine's ClusterStore in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from edge.engine.cluster_ports import LEADING_KINDS, Unplaced
from edge.engine.ports import Page, Vector
from edge.errors import (
    ClusterKeyTaken,
    ClusterNotFound,
    ClusterRunOpen,
    ClusterUndoNothing,
    ClusterUndoOrder,
    MemoryNotFound,
)
from edge.memory.cluster_runs import edited, same_key
from edge.memory.clusters import (
    PERSON_TRIGGER,
    Change,
    ChangeRecord,
    Cluster,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    Run,
    RunId,
    RunState,
    Staged,
    StagedNumber,
    check_key,
)
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.store.cluster_applying import HELD, IS_LED, put_in_force, take_back
from edge.store.cluster_rows import (
    CLUSTERS,
    cluster_from,
    read_changes,
    read_placements,
    read_profiles,
    read_records,
    read_run,
    read_runs,
    require_open,
)
from edge.store.cluster_settling import settle
from edge.store.cluster_staging import abandon, insert_run, stage_changes, stage_placements
from edge.store.database import Database
from edge.store.rows import UNIT_COLUMNS, json_ids, unit_from, vector_from

_MEMBERS = f"""
    SELECT {UNIT_COLUMNS} FROM units u INDEXED BY units_in_cluster JOIN clusters c ON c.id = u.cluster
    WHERE u.owner = :owner AND u.cluster = :cluster AND u.superseded = 0
        AND (u.archived_at IS NULL OR c.archived_at IS NOT NULL) AND (:before IS NULL OR u.id < :before)
    ORDER BY u.id DESC LIMIT :limit
"""
_TO_PLACE = f"""
    FROM units u INDEXED BY units_unplaced
    WHERE u.owner = :owner AND u.cluster IS NULL AND u.superseded = 0 AND u.archived_at IS NULL
        AND u.kind IN ({", ".join(f"'{kind.value}'" for kind in sorted(LEADING_KINDS))})
        AND (u.kind <> 'episode' OR u.source IN ('user', 'import'))
        AND NOT {IS_LED}
        AND NOT EXISTS (SELECT 1 FROM cluster_placements s JOIN cluster_runs o ON o.id = s.run
            WHERE s.unit = u.id AND o.state = 'open')
        AND NOT {HELD}
"""
_UNPLACED = f"""
    SELECT {UNIT_COLUMNS}, (SELECT count(*) FROM cluster_placements p JOIN cluster_runs r ON r.id = p.run
        WHERE p.unit = u.id AND r.state = 'done' AND p.cluster IS NULL)
    {_TO_PLACE} AND u.id > :after ORDER BY u.id LIMIT :limit
"""
_VECTORS = """
    SELECT u.id, v.vector FROM units u JOIN embeddings v ON v.unit = u.id AND v.chunk = 0
    WHERE u.owner = :owner AND u.id IN (SELECT value FROM json_each(:ids)) AND v.embedder = (
        SELECT id FROM embedders WHERE name = (SELECT value FROM meta WHERE name = 'embedder'))
"""
_NOTE = "UPDATE cluster_runs SET phase = ?, note = ? WHERE id = ? AND owner = ?"
_NEWEST = "AND r.state = 'done' ORDER BY r.sequence DESC LIMIT 1"


class SqliteClusters:
    """See ClusterStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # --- reading ---

    def clusters(self, owner: OwnerId, *, include_archived: bool = False) -> list[Cluster]:
        active = "" if include_archived else "AND c.archived_at IS NULL"
        rows = self._db.rows(f"{CLUSTERS} {active} GROUP BY c.id ORDER BY c.id", {"owner": owner})
        return [cluster_from(row) for row in rows]

    def cluster(self, owner: OwnerId, cluster: ClusterId) -> Cluster:
        row = self._db.row(f"{CLUSTERS} AND c.id = :id GROUP BY c.id", {"owner": owner, "id": cluster})
        if row is None:
            raise _unknown(cluster)
        return cluster_from(row)

    def members(self, owner: OwnerId, cluster: ClusterId, *, limit: int, before: UnitId | None = None) -> Page:
        self.cluster(owner, cluster)
        asked = {"owner": owner, "cluster": cluster, "before": before, "limit": limit + 1}
        rows = self._db.rows(_MEMBERS, asked)
        units = tuple(unit_from(row) for row in rows[:limit])
        return Page(units, units[-1].id if units and len(rows) > limit else None)

    def unplaced(self, owner: OwnerId, *, limit: int, after: UnitId | None = None) -> list[Unplaced]:
        rows = self._db.rows(_UNPLACED, {"owner": owner, "limit": limit, "after": after or 0})
        vectors = self.vectors(owner, [UnitId(row[0]) for row in rows])
        return [Unplaced(unit_from(row), vectors.get(UnitId(row[0])), row[-1]) for row in rows]

    def count_unplaced(self, owner: OwnerId) -> int:
        row = self._db.row(f"SELECT count(*) {_TO_PLACE}", {"owner": owner})
        assert row is not None
        return int(row[0])

    def vectors(self, owner: OwnerId, ids: Collection[UnitId]) -> dict[UnitId, Vector]:
        found = {}
        for unit, blob in self._db.rows(_VECTORS, {"owner": owner, "ids": json_ids(ids)}):
            vector = vector_from(blob)
            assert vector is not None
            found[UnitId(unit)] = vector
        return found

    # --- a run ---

    def open_run(self, owner: OwnerId) -> Run | None:
        with self._db.reading() as db:
            found = read_runs(db, owner, "AND r.state = 'open'", {})
        return found[0] if found else None

    def begin_run(
        self,
        owner: OwnerId,
        *,
        trigger: str,
        seed: int,
        attempt: int,
        model: str | None,
        prompts: str | None,
        embedder: str | None,
        at: datetime,
    ) -> RunId:
        with self._db.relaxed_transaction() as writing:
            running = read_runs(writing, owner, "AND r.state = 'open'", {})
            if running:
                raise ClusterRunOpen(f"Run {running[0].id} is open already.", run=running[0].id)
            return insert_run(
                writing,
                owner,
                trigger=trigger,
                seed=seed,
                attempt=attempt,
                model=model,
                prompts=prompts,
                embedder=embedder,
                at=at,
            )

    def note(self, owner: OwnerId, run: RunId, phase: str, state: str) -> None:
        with self._db.relaxed_transaction() as writing:
            require_open(writing, owner, run)
            writing.execute(_NOTE, (phase, state, run, owner))

    def stage(
        self,
        owner: OwnerId,
        run: RunId,
        changes: Sequence[Change] = (),
        placements: Sequence[Placement] = (),
        *,
        note: tuple[str, str] | None = None,
    ) -> None:
        with self._db.relaxed_transaction() as writing:
            require_open(writing, owner, run)
            stage_changes(writing, owner, run, changes)
            stage_placements(writing, owner, run, placements)
            if note is not None:
                writing.execute(_NOTE, (*note, run, owner))

    def staged(self, owner: OwnerId, run: RunId) -> Staged:
        with self._db.reading() as db:
            if read_run(db, owner, run).ended_at is not None:
                return Staged()
            changes, placements = read_changes(db, owner, run), read_placements(db, owner, run)
        return Staged(tuple(each.change for each in changes), tuple(each.placement for each in placements))

    def apply_run(self, owner: OwnerId, run: RunId, at: datetime) -> Run:
        with self._db.transaction() as writing:
            put_in_force(writing, owner, require_open(writing, owner, run), at)
            return read_run(writing, owner, run)

    def abandon_run(self, owner: OwnerId, run: RunId, why: str, at: datetime) -> None:
        with self._db.transaction() as writing:
            require_open(writing, owner, run)
            abandon(writing, owner, run, why, at)

    # --- history ---

    def runs(self, owner: OwnerId, *, limit: int, before: RunId | None = None) -> list[Run]:
        with self._db.reading() as db:
            asked = {"before": before, "limit": limit}
            return read_runs(
                db, owner, "AND (:before IS NULL OR r.id < :before) ORDER BY r.id DESC LIMIT :limit", asked
            )

    def run(self, owner: OwnerId, run: RunId) -> Run:
        with self._db.reading() as db:
            return read_run(db, owner, run)

    def changes(self, owner: OwnerId, run: RunId) -> list[ChangeRecord]:
        with self._db.reading() as db:
            is_open = read_run(db, owner, run).state is RunState.OPEN
            return [] if is_open else read_records(db, owner, run)

    def undo(self, owner: OwnerId, run: RunId | None, at: datetime) -> Run:
        with self._db.transaction() as writing:
            undone = _to_undo(writing, owner, run)
            take_back(writing, owner, undone, at)
            return read_run(writing, owner, undone.id)

    def settle(self, owner: OwnerId, kept: int) -> bool:
        with self._db.transaction() as writing:
            return settle(writing, owner, kept) is not None

    # --- the person's edits ---

    def edit(
        self, owner: OwnerId, what: str, changes: Sequence[Change], placements: Sequence[Placement], at: datetime
    ) -> Run:
        with self._db.transaction() as writing:
            homes = _require_all(writing, owner, changes, placements)
            run = insert_run(writing, owner, trigger=PERSON_TRIGGER, at=at, is_open=False)
            writing.execute("UPDATE cluster_runs SET why = ? WHERE id = ?", (what, run))
            profiles = read_profiles(writing, owner)
            stage_changes(writing, owner, run, edited(changes, placements, homes, profiles))
            stage_placements(writing, owner, run, placements)
            put_in_force(writing, owner, read_run(writing, owner, run), at)
            return read_run(writing, owner, run)


def _require_all(
    db: sqlite3.Connection, owner: OwnerId, changes: Sequence[Change], placements: Sequence[Placement]
) -> dict[UnitId, ClusterId | None]:
    """Raise for what an edit names that is not there, or may not be. Where the units are that it places."""
    profiles = read_profiles(db, owner)
    homes = {}
    for placement in placements:
        row = db.execute("SELECT cluster FROM units WHERE id = ? AND owner = ?", (placement.unit, owner)).fetchone()
        if row is None:
            raise MemoryNotFound(f"There is no memory {placement.unit}.", id=placement.unit)
        homes[placement.unit] = row[0]
    named = [each.to for each in placements]
    for change in changes:
        if isinstance(change, Dissolve):
            named += [change.cluster, change.into]
        else:
            named += [] if isinstance(change, Create) else [change.cluster]
            _require_free_key(change, profiles)
    for cluster in named:
        if cluster is not None and not isinstance(cluster, StagedNumber) and cluster not in profiles:
            raise _unknown(cluster)
    return homes


def _require_free_key(change: Create | Reprofile, profiles: Mapping[ClusterId, Profile]) -> None:
    key = check_key(change.profile.key)
    for cluster, profile in profiles.items():
        is_own = isinstance(change, Reprofile) and change.cluster == cluster
        if not is_own and same_key(profile.key, key):
            raise ClusterKeyTaken(f"Cluster {cluster} is called {profile.key!r} already.", cluster=cluster)


def _to_undo(db: sqlite3.Connection, owner: OwnerId, run: RunId | None) -> Run:
    wanted = None if run is None else read_run(db, owner, run)
    newest = next(iter(read_runs(db, owner, _NEWEST, {})), None)
    if newest is None or not newest.undoable:
        raise ClusterUndoNothing("No run is in force that can be undone.")
    if wanted is not None and wanted.id != newest.id:
        state = "is not the newest in force" if wanted.state is RunState.DONE else f"is {wanted.state}"
        raise ClusterUndoOrder(f"Run {wanted.id} {state}; the newest is run {newest.id}.", newest=newest.id)
    return newest


def _unknown(cluster: ClusterId) -> ClusterNotFound:
    return ClusterNotFound(f"There is no cluster {cluster}.", id=cluster)
