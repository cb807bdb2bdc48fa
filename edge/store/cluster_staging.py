"""What a run prepares, beside what is in force. Every function works inside the caller's transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from edge.memory.cluster_runs import counts_of
from edge.memory.clusters import Change, Create, Dissolve, Placement, Profile, RunId, checked
from edge.memory.units import ClusterId, OwnerId
from edge.store.cluster_rows import (
    OF_RUN,
    profile_json,
    read_changes,
    read_placements,
    read_profiles,
    target_columns,
)
from edge.store.rows import micros, vector_blob

_BEGIN = """
    INSERT INTO cluster_runs (owner, trigger, seed, attempt, model, prompts, embedder, state, began_at, ended_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CHANGE = """
    INSERT OR REPLACE INTO cluster_changes
        (run, action, cluster, number, before, after, centroid, into_cluster, into_number, why)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PLACE = """
    INSERT OR REPLACE INTO cluster_placements (run, unit, before, cluster, number, why, score, checked)
    SELECT :run, id, cluster, :cluster, :number, :why, :score, :checked FROM units WHERE id = :unit AND owner = :owner
"""
_ABANDON = """
    UPDATE cluster_runs SET state = 'abandoned', phase = '', note = '{}', why = ?, counts = ?, ended_at = ?
    WHERE id = ? AND owner = ?
"""


def insert_run(
    db: sqlite3.Connection,
    owner: OwnerId,
    *,
    trigger: str,
    at: datetime,
    seed: int = 0,
    attempt: int = 1,
    model: str | None = None,
    prompts: str | None = None,
    embedder: str | None = None,
    is_open: bool = True,
) -> RunId:
    """A new run; one that is not open comes into force in the same transaction."""
    state, ended_at = ("open", None) if is_open else ("done", micros(at))
    row = (owner, trigger, seed, attempt, model, prompts, embedder, state, micros(at), ended_at)
    number = db.execute(_BEGIN, row).lastrowid
    assert number is not None
    return RunId(number)


def stage_changes(db: sqlite3.Connection, owner: OwnerId, run: RunId, changes: Sequence[Change]) -> None:
    """Keep changes; those to clusters that are not the owner's are passed over. Raises ClusterKeyInvalid."""
    profiles = read_profiles(db, owner)
    for change in changes:
        if isinstance(change, Create) or change.cluster in profiles:
            db.execute(_CHANGE, (run, *_columns(change, profiles), change.why))


def stage_placements(db: sqlite3.Connection, owner: OwnerId, run: RunId, placements: Sequence[Placement]) -> None:
    """Keep placements; those of units that are not the owner's are passed over."""
    for placement in placements:
        cluster, number = target_columns(placement.to)
        db.execute(
            _PLACE,
            {
                "owner": owner,
                "run": run,
                "unit": placement.unit,
                "cluster": cluster,
                "number": number,
                "why": placement.why.value,
                "score": placement.score,
                "checked": placement.checked,
            },
        )


def abandon(db: sqlite3.Connection, owner: OwnerId, run: RunId, why: str, at: datetime) -> None:
    """End a run: what it prepared goes, what it counted stays."""
    counts = counts_of(read_changes(db, owner, run), read_placements(db, owner, run))
    clear_staged(db, owner, run)
    db.execute(_ABANDON, (why, json.dumps(asdict(counts)), micros(at), run, owner))


def clear_staged(db: sqlite3.Connection, owner: OwnerId, run: RunId) -> None:
    """Remove what a run prepared."""
    for table in ("cluster_changes", "cluster_placements"):
        db.execute(f"DELETE FROM {table} WHERE {OF_RUN}", (run, owner))


def _columns(change: Change, profiles: dict[ClusterId, Profile]) -> tuple[object, ...]:
    if isinstance(change, Dissolve):
        before = profile_json(profiles[change.cluster])
        return ("dissolve", change.cluster, None, before, None, None, *target_columns(change.into))
    after, centroid = profile_json(checked(change.profile)), vector_blob(change.centroid)
    if isinstance(change, Create):
        return ("create", None, change.number.number, None, after, centroid, None, None)
    return ("reprofile", change.cluster, None, profile_json(profiles[change.cluster]), after, centroid, None, None)
