"""Between rows and clusters, their runs, and what runs do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict

from edge.errors import ClusterRunEnded, ClusterRunNotFound
from edge.memory.cluster_runs import StagedChange, StagedPlacement
from edge.memory.clusters import (
    Change,
    ChangeRecord,
    Cluster,
    Coarse,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    Run,
    RunCounts,
    RunId,
    RunState,
    StagedNumber,
    Why,
)
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.store.rows import Row, moment, optional_moment, vector_from

CLUSTERS = """
    SELECT c.id, c.owner, c.key, c.description, c.tags, c.named_by, c.coarse, c.centroid, c.embedder, count(u.id),
        c.made_at, max(c.made_at, ifnull(max(ifnull(u.last_accessed, u.created_at)), 0)), c.archived_at
    FROM clusters c LEFT JOIN units u INDEXED BY units_in_cluster
        ON u.owner = c.owner AND u.cluster = c.id AND u.superseded = 0
        AND (u.archived_at IS NULL OR c.archived_at IS NOT NULL)
    WHERE c.owner = :owner AND c.gone = 0
"""
"""To be followed by further conditions and GROUP BY c.id."""
OF_RUN = "run = (SELECT r.id FROM cluster_runs r WHERE r.id = ? AND r.owner = ?)"
"""A condition on what belongs to a run of an owner; its parameters are the two."""
_RUNS = """
    SELECT r.id, r.owner, r.trigger, r.seed, r.attempt, r.model, r.prompts, r.embedder, r.state, r.phase, r.note,
        r.why, r.began_at, r.ended_at, r.counts,
        r.state = 'done' AND r.settled = 0 AND r.sequence = (
            SELECT max(n.sequence) FROM cluster_runs n WHERE n.owner = r.owner AND n.state = 'done')
    FROM cluster_runs r WHERE r.owner = :owner
"""


def cluster_from(row: Row) -> Cluster:
    """A cluster from a row of CLUSTERS."""
    return Cluster(
        id=ClusterId(row[0]),
        owner=OwnerId(row[1]),
        profile=profile_of(row[2:7]),
        centroid=vector_from(row[7]),
        embedder=row[8],
        size=row[9],
        made_at=moment(row[10]),
        touched_at=moment(row[11]),
        archived_at=optional_moment(row[12]),
    )


def read_profiles(db: sqlite3.Connection, owner: OwnerId) -> dict[ClusterId, Profile]:
    """The profiles of all clusters of an owner, archived ones too."""
    rows = db.execute(
        "SELECT id, key, description, tags, named_by, coarse FROM clusters WHERE owner = ? AND gone = 0 ORDER BY id",
        (owner,),
    )
    return {ClusterId(row[0]): profile_of(row[1:]) for row in rows.fetchall()}


def profile_columns(profile: Profile) -> tuple[str, str, str, str, str | None]:
    """key, description, tags, named_by and coarse, as they are stored."""
    tags = json.dumps(profile.tags, ensure_ascii=False, separators=(",", ":"))
    coarse = None if profile.coarse is None else profile.coarse.value
    return profile.key, profile.description, tags, profile.named_by.value, coarse


def profile_json(profile: Profile | None) -> str | None:
    """A profile as one text."""
    return None if profile is None else json.dumps(asdict(profile), ensure_ascii=False, separators=(",", ":"))


def profile_from(stored: str | None) -> Profile | None:
    """A profile from the text that `profile_json` made."""
    if stored is None:
        return None
    found = json.loads(stored)
    coarse = None if found["coarse"] is None else Coarse(found["coarse"])
    return Profile(found["key"], found["description"], tuple(found["tags"]), NamedBy(found["named_by"]), coarse)


def profile_of(columns: Row) -> Profile:
    """A profile from the columns that `profile_columns` made."""
    key, description, tags, named_by, coarse = columns
    tags = tuple(json.loads(tags))
    return Profile(key, description, tags, NamedBy(named_by), None if coarse is None else Coarse(coarse))


# --- runs --------------------------------------------------------------------------------------------------------


def read_runs(db: sqlite3.Connection, owner: OwnerId, more: str, parameters: Mapping[str, object]) -> list[Run]:
    """Runs of an owner; `more` are further conditions, order and limit."""
    return [_run(row) for row in db.execute(f"{_RUNS} {more}", {"owner": owner, **parameters}).fetchall()]


def read_run(db: sqlite3.Connection, owner: OwnerId, run: RunId) -> Run:
    """One run. Raises ClusterRunNotFound."""
    found = read_runs(db, owner, "AND r.id = :run", {"run": run})
    if not found:
        raise ClusterRunNotFound(f"There is no run {run}.", run=run)
    return found[0]


def require_open(db: sqlite3.Connection, owner: OwnerId, run: RunId) -> Run:
    """A run that is open. Raises ClusterRunNotFound, ClusterRunEnded."""
    found = read_run(db, owner, run)
    if found.state is not RunState.OPEN:
        raise ClusterRunEnded(f"Run {run} is {found.state}.", run=run)
    return found


def _run(row: Row) -> Run:
    return Run(
        id=RunId(row[0]),
        owner=OwnerId(row[1]),
        trigger=row[2],
        seed=row[3],
        attempt=row[4],
        model=row[5],
        prompts=row[6],
        embedder=row[7],
        state=RunState(row[8]),
        phase=row[9],
        note=row[10],
        why=row[11],
        began_at=moment(row[12]),
        ended_at=optional_moment(row[13]),
        counts=RunCounts(**json.loads(row[14])),
        undoable=bool(row[15]),
    )


# --- what a run does ---------------------------------------------------------------------------------------------


def read_changes(db: sqlite3.Connection, owner: OwnerId, run: RunId) -> list[StagedChange]:
    """What a run has staged: changes to clusters that are by their ids, then new ones."""
    rows = db.execute(
        f"""
        SELECT action, cluster, number, before, after, centroid, into_cluster, into_number, why FROM cluster_changes
        WHERE {OF_RUN} ORDER BY number, cluster
        """,
        (run, owner),
    )
    return [StagedChange(_change(row), profile_from(row[3])) for row in rows.fetchall()]


def read_placements(db: sqlite3.Connection, owner: OwnerId, run: RunId) -> list[StagedPlacement]:
    """Where a run puts units, by unit."""
    rows = db.execute(
        f"""
        SELECT unit, cluster, number, why, score, checked, before FROM cluster_placements WHERE {OF_RUN} ORDER BY unit
        """,
        (run, owner),
    )
    return [StagedPlacement(_placement(row), _optional_id(row[6])) for row in rows.fetchall()]


def read_records(db: sqlite3.Connection, owner: OwnerId, run: RunId) -> list[ChangeRecord]:
    """What a run that was applied did to clusters whose profiles it changed."""
    rows = db.execute(
        f"""
        SELECT cluster, before, after, why FROM cluster_changes
        WHERE {OF_RUN} AND before IS NOT after ORDER BY cluster
        """,
        (run, owner),
    )
    return [ChangeRecord(ClusterId(row[0]), profile_from(row[1]), profile_from(row[2]), row[3]) for row in rows]


def target_columns(to: ClusterId | StagedNumber | None) -> tuple[int | None, int | None]:
    """A cluster's id and a number of a new one: one of the two, or neither."""
    return (None, to.number) if isinstance(to, StagedNumber) else (to, None)


def _change(row: Row) -> Change:
    action, cluster, number, _, after, centroid, into_cluster, into_number, why = row
    if action == "dissolve":
        return Dissolve(ClusterId(cluster), why, _target(into_cluster, into_number))
    profile = profile_from(after)
    assert profile is not None
    if action == "create":
        return Create(StagedNumber(number), profile, vector_from(centroid), why)
    return Reprofile(ClusterId(cluster), profile, vector_from(centroid), why)


def _placement(row: Row) -> Placement:
    unit, cluster, number, why, score, checked, _ = row
    to = _target(cluster, number)
    return Placement(UnitId(unit), to, Why(why), score, None if checked is None else bool(checked))


def _target(cluster: int | None, number: int | None) -> ClusterId | StagedNumber | None:
    return _optional_id(cluster) if number is None else StagedNumber(number)


def _optional_id(cluster: int | None) -> ClusterId | None:
    return None if cluster is None else ClusterId(cluster)
