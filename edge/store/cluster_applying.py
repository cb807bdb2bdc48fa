"""Putting a run in force, and taking it back. Every function works inside the caller's transaction.

A run that is in force keeps what was before: of each cluster that it changed the profile and centroid, of each unit
that it placed the cluster. The newest in force is taken back by writing those again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime

from edge.engine.cluster_ports import DRAWN_KINDS
from edge.memory.cluster_runs import Fitting, Standing, Target, fitting, mean_vector
from edge.memory.clusters import (
    PERSON_TRIGGER,
    Change,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    Run,
    StagedNumber,
    Why,
)
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.store.cluster_rows import (
    OF_RUN,
    profile_columns,
    profile_from,
    profile_json,
    read_changes,
    read_placements,
    read_profiles,
)
from edge.store.cluster_staging import clear_staged
from edge.store.rows import json_ids, micros, vector_blob, vector_from

MEAN_OF = 1000
"""Members whose vectors a centroid is the mean of: the newest."""

_HOMES = "SELECT id, cluster FROM units WHERE owner = :owner AND id IN (SELECT value FROM json_each(:ids))"
_IN_CLUSTERS = "SELECT id, cluster FROM units WHERE owner = :owner AND cluster IN (SELECT value FROM json_each(:ids))"
_DRAWN = ", ".join(f"'{kind.value}'" for kind in sorted(DRAWN_KINDS))
_IS_DRAWN = f"({{0}}.kind IN ({_DRAWN}) AND {{0}}.source = 'user')"
_IS_ECHO = "(f.kind = 'tool_result' OR (f.kind = 'episode' AND f.source IN ('assistant', 'tool')))"
_LEADER = """
    (SELECT min(l.id) FROM units l WHERE l.source_turn = {0}.source_turn AND l.owner = {0}.owner
        AND l.kind = 'episode' AND l.source IN ('user', 'import') AND {1})
"""
_HOLDS = "l.superseded = 0 AND l.archived_at IS NULL"
_LED_BY = _LEADER.format("f", f"({_IS_ECHO} OR ({_HOLDS}))")
"""The words of the person that a unit of the same turn goes with; a fact whose words hold no more stands for itself."""
_IS_FOLLOWER = f"({_IS_ECHO} OR {_IS_DRAWN.format('f')})"
IS_LED = f"(u.source_turn NOTNULL AND {_IS_DRAWN.format('u')} AND {_LEADER.format('u', _HOLDS)} NOTNULL)"
"""Whether unit `u` goes with the words that it was drawn from."""
_FOLLOWERS = f"""
    SELECT f.id, f.cluster, {_LED_BY} FROM units f INDEXED BY units_by_turn
    WHERE f.owner = :owner AND {_IS_FOLLOWER} AND f.source_turn NOTNULL AND f.source_turn IN (
        SELECT u.source_turn FROM units u WHERE u.id IN (SELECT value FROM json_each(:ids)) AND u.source_turn NOTNULL)
"""
_STRAGGLERS = f"""
    SELECT f.id, f.cluster, {_LED_BY} FROM units f INDEXED BY units_in_cluster
    WHERE f.owner = :owner AND f.cluster IS NULL AND f.source_turn NOTNULL AND {_IS_FOLLOWER}
"""
_LAST_PLACED_BY_PERSON = f"""
    (SELECT p.why FROM cluster_placements p JOIN cluster_runs r ON r.id = p.run
        WHERE p.unit = u.id AND r.state = 'done' ORDER BY r.sequence DESC LIMIT 1) IS '{Why.PERSON.value}'
"""
HELD = f"""
    (EXISTS (SELECT 1 FROM cluster_placements p WHERE p.unit = u.id AND p.why = '{Why.PERSON.value}')
        AND {_LAST_PLACED_BY_PERSON})
"""
"""Whether unit `u` is where the person put it, or in no cluster since the person took it out of one."""
_VECTORS = """
    SELECT v.vector FROM units u INDEXED BY units_in_cluster
        CROSS JOIN embeddings v ON v.unit = u.id AND v.chunk = 0 AND v.embedder = (
            SELECT id FROM embedders WHERE name = (SELECT value FROM meta WHERE name = 'embedder'))
    WHERE u.owner = :owner AND u.cluster = :cluster AND u.superseded = 0 ORDER BY u.id DESC LIMIT :limit
"""
_CREATE = """
    INSERT INTO clusters (owner, key, description, tags, named_by, coarse, centroid, embedder, made_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REPROFILE = """
    UPDATE clusters SET key = ?, description = ?, tags = ?, named_by = ?, coarse = ?, centroid = ?, embedder = ?
    WHERE id = ? AND owner = ?
"""
_RECORD = """
    INSERT INTO cluster_changes (run, action, cluster, before, before_centroid, before_embedder, after, why)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_BEFORE = "action, cluster, before, before_centroid, before_embedder"
_IN_FORCE = """
    UPDATE cluster_runs SET state = 'done', phase = '', note = '{}', counts = :counts, ended_at = :at, sequence = 1 + (
        SELECT ifnull(max(sequence), 0) FROM cluster_runs WHERE owner = :owner AND state = 'done')
    WHERE id = :run AND owner = :owner
"""
_MOVE_UNITS = """
    UPDATE units SET cluster = p.{0} FROM cluster_placements p
    WHERE p.run = :run AND p.unit = units.id AND units.owner = :owner AND units.cluster IS NOT p.{0}
"""


def put_in_force(db: sqlite3.Connection, owner: OwnerId, run: Run, at: datetime) -> None:
    """Make what a run prepared true, as far as it fits, and keep what was before."""
    profiles = read_profiles(db, owner)
    fit = _fit(db, owner, run, profiles)
    clear_staged(db, owner, run.id)
    ids = _change_clusters(db, owner, run, fit.changes, profiles, at)
    _move_units(db, owner, run, [(each, _settled(each.to, ids)) for each in fit.placements])
    recentre(db, owner, _without_centroid(fit.changes, ids))
    counts = json.dumps(asdict(fit.counts()))
    db.execute(_IN_FORCE, {"owner": owner, "run": run.id, "counts": counts, "at": micros(at)})


def take_back(db: sqlite3.Connection, owner: OwnerId, run: Run, at: datetime) -> None:
    """Restore what was before a run, which must be the newest in force."""
    rows = db.execute(f"SELECT {_BEFORE} FROM cluster_changes WHERE {OF_RUN}", (run.id, owner)).fetchall()
    lost = []
    for action, cluster, before, centroid, embedder in rows:
        if action == "create":
            db.execute("UPDATE clusters SET gone = 1, centroid = NULL WHERE id = ? AND owner = ?", (cluster, owner))
            continue
        _restore_cluster(db, owner, cluster, before, centroid, embedder)
        if centroid is None:
            lost.append(ClusterId(cluster))
    db.execute(_MOVE_UNITS.format("before"), {"owner": owner, "run": run.id})
    recentre(db, owner, lost)
    db.execute("UPDATE cluster_changes SET before_centroid = NULL WHERE run = ?", (run.id,))
    db.execute(
        "UPDATE cluster_runs SET state = 'undone', sequence = NULL, ended_at = ? WHERE id = ? AND owner = ?",
        (micros(at), run.id, owner),
    )


def recentre(db: sqlite3.Connection, owner: OwnerId, clusters: Iterable[ClusterId]) -> None:
    """Make the centroids of clusters the means of their members' vectors."""
    name = db.execute("SELECT value FROM meta WHERE name = 'embedder'").fetchone()
    for cluster in clusters:
        asked = {"owner": owner, "cluster": cluster, "limit": MEAN_OF}
        vectors = [vector_from(blob) for (blob,) in db.execute(_VECTORS, asked).fetchall()]
        centroid = mean_vector([vector for vector in vectors if vector is not None])
        embedder = None if centroid is None else name[0]
        db.execute(
            "UPDATE clusters SET centroid = ?, embedder = ? WHERE id = ? AND owner = ?",
            (vector_blob(centroid), embedder, cluster, owner),
        )


# --- what fits ---------------------------------------------------------------------------------------------------


def _fit(db: sqlite3.Connection, owner: OwnerId, run: Run, profiles: Mapping[ClusterId, Profile]) -> Fitting:
    changes, placements = read_changes(db, owner, run.id), read_placements(db, owner, run.id)
    dissolved = [staged.change.cluster for staged in changes if isinstance(staged.change, Dissolve)]
    homes = _homes(db, _HOMES, owner, [staged.placement.unit for staged in placements])
    homes |= _homes(db, _IN_CLUSTERS, owner, dissolved)
    followers = _followers(db, owner, homes)
    homes |= _homes(db, _HOMES, owner, list(followers.values()))
    held = () if run.trigger == PERSON_TRIGGER else _held(db, owner, homes)
    return fitting(changes, placements, Standing(profiles, homes, held, followers))


def _homes(db: sqlite3.Connection, sql: str, owner: OwnerId, ids: Iterable[int]) -> dict[UnitId, ClusterId | None]:
    rows = db.execute(sql, {"owner": owner, "ids": json_ids(list(ids))}).fetchall()
    return {UnitId(unit): None if home is None else ClusterId(home) for unit, home in rows}


def _followers(db: sqlite3.Connection, owner: OwnerId, homes: dict[UnitId, ClusterId | None]) -> dict[UnitId, UnitId]:
    """Each follower with its leader; `homes` learns where the followers are."""
    rows = db.execute(_FOLLOWERS, {"owner": owner, "ids": json_ids(list(homes))}).fetchall()
    rows += db.execute(_STRAGGLERS, {"owner": owner}).fetchall()
    for unit, home, _ in rows:
        homes.setdefault(UnitId(unit), None if home is None else ClusterId(home))
    return {UnitId(unit): UnitId(leader) for unit, _, leader in rows if leader is not None}


def _held(db: sqlite3.Connection, owner: OwnerId, homes: Iterable[UnitId]) -> frozenset[UnitId]:
    rows = db.execute(
        f"SELECT u.id FROM units u WHERE u.owner = ? AND u.id IN (SELECT value FROM json_each(?)) AND {HELD}",
        (owner, json_ids(list(homes))),
    )
    return frozenset(UnitId(unit) for (unit,) in rows.fetchall())


# --- making it true ----------------------------------------------------------------------------------------------


def _change_clusters(
    db: sqlite3.Connection,
    owner: OwnerId,
    run: Run,
    changes: Iterable[Change],
    profiles: Mapping[ClusterId, Profile],
    at: datetime,
) -> dict[StagedNumber, ClusterId]:
    """Make the changes and keep what was before; the ids of new clusters."""
    ids: dict[StagedNumber, ClusterId] = {}
    for change in changes:
        if isinstance(change, Create):
            columns = (*profile_columns(change.profile), vector_blob(change.centroid), run.embedder)
            number = db.execute(_CREATE, (owner, *columns, micros(at))).lastrowid
            assert number is not None
            ids[change.number] = ClusterId(number)
            after = profile_json(change.profile)
            db.execute(_RECORD, (run.id, "create", number, None, None, None, after, change.why))
        else:
            _change_known(db, owner, run, change, profiles[change.cluster])
    return ids


def _change_known(
    db: sqlite3.Connection, owner: OwnerId, run: Run, change: Reprofile | Dissolve, before: Profile
) -> None:
    centroid, embedder = db.execute(
        "SELECT centroid, embedder FROM clusters WHERE id = ? AND owner = ?", (change.cluster, owner)
    ).fetchone()
    action, after = "dissolve", None
    if isinstance(change, Dissolve):
        db.execute("UPDATE clusters SET gone = 1, centroid = NULL WHERE id = ? AND owner = ?", (change.cluster, owner))
    else:
        action, after = "reprofile", profile_json(change.profile)
        columns = (*profile_columns(change.profile), vector_blob(change.centroid), run.embedder or embedder)
        db.execute(_REPROFILE, (*columns, change.cluster, owner))
    db.execute(_RECORD, (run.id, action, change.cluster, profile_json(before), centroid, embedder, after, change.why))


def _move_units(
    db: sqlite3.Connection, owner: OwnerId, run: Run, moves: list[tuple[Placement, ClusterId | None]]
) -> None:
    db.executemany(
        """
        INSERT INTO cluster_placements (run, unit, before, cluster, why, score, checked)
        SELECT ?, id, cluster, ?, ?, ?, ? FROM units WHERE id = ? AND owner = ?
        """,
        [(run.id, to, each.why.value, each.score, each.checked, each.unit, owner) for each, to in moves],
    )
    db.execute(_MOVE_UNITS.format("cluster"), {"owner": owner, "run": run.id})


def _settled(to: Target | None, ids: dict[StagedNumber, ClusterId]) -> ClusterId | None:
    return ids[to] if isinstance(to, StagedNumber) else to


def _without_centroid(changes: Iterable[Change], ids: dict[StagedNumber, ClusterId]) -> list[ClusterId]:
    return [
        ids[change.number] if isinstance(change, Create) else change.cluster
        for change in changes
        if not isinstance(change, Dissolve) and change.centroid is None
    ]


def _restore_cluster(
    db: sqlite3.Connection, owner: OwnerId, cluster: int, before: str, centroid: bytes | None, embedder: str | None
) -> None:
    profile = profile_from(before)
    assert profile is not None
    db.execute(_REPROFILE, (*profile_columns(profile), centroid, embedder, cluster, owner))
    db.execute("UPDATE clusters SET gone = 0 WHERE id = ? AND owner = ?", (cluster, owner))
