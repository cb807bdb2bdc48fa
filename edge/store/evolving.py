"""`SqliteEvolving`: the engine's EvolvingStore in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from edge.engine.evolving_ports import Changed, Evolved
from edge.memory.clusters import EVOLVE_TRIGGER, Reprofile
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.store.cluster_applying import put_in_force, recentre
from edge.store.cluster_rows import read_profiles, read_records, read_run
from edge.store.cluster_staging import insert_run, stage_changes
from edge.store.database import Database
from edge.store.rows import json_ids

_CHANGED = """
    SELECT c.id, count(*), max(u.id) FROM clusters c
    JOIN units u INDEXED BY units_in_cluster ON u.owner = c.owner AND u.cluster = c.id
        AND u.superseded = 0 AND u.archived_at IS NULL
    LEFT JOIN evolved e ON e.cluster = c.id
    WHERE c.owner = :owner AND c.gone = 0 AND c.archived_at IS NULL
    GROUP BY c.id HAVING e.members IS NOT count(*) OR e.newest IS NOT max(u.id) ORDER BY c.id LIMIT :limit
"""
_THERE = """
    SELECT count(*) FROM units WHERE owner = :owner AND cluster = :cluster AND superseded = 0 AND archived_at IS NULL
        AND id IN (SELECT value FROM json_each(:ids))
"""
_NOTE = """
    INSERT INTO evolved (cluster, members, newest) VALUES (?, ?, ?)
    ON CONFLICT (cluster) DO UPDATE SET members = excluded.members, newest = excluded.newest
"""


class SqliteEvolving:
    """See EvolvingStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def changed(self, owner: OwnerId, limit: int) -> list[Changed]:
        rows = self._db.rows(_CHANGED, {"owner": owner, "limit": limit})
        return [Changed(ClusterId(cluster), members, UnitId(newest)) for cluster, members, newest in rows]

    def keep_evolved(self, owner: OwnerId, evolved: Sequence[Evolved], at: datetime) -> tuple[ClusterId, ...]:
        with self._db.transaction() as writing:
            profiles = read_profiles(writing, owner)
            fit = [
                each
                for each in evolved
                if profiles.get(each.changed.cluster) == each.before and _are_there(writing, owner, each)
            ]
            better = [each for each in fit if each.after != each.before]
            recentre(writing, owner, [each.changed.cluster for each in fit if each not in better])
            writing.executemany(
                _NOTE, [(each.changed.cluster, each.changed.members, each.changed.newest) for each in fit]
            )
            return _rename(writing, owner, better, at) if better else ()


def _rename(db: sqlite3.Connection, owner: OwnerId, better: Sequence[Evolved], at: datetime) -> tuple[ClusterId, ...]:
    run = insert_run(db, owner, trigger=EVOLVE_TRIGGER, at=at, is_open=False)
    stage_changes(db, owner, run, [Reprofile(each.changed.cluster, each.after, None, each.why) for each in better])
    put_in_force(db, owner, read_run(db, owner, run), at)
    return tuple(record.cluster for record in read_records(db, owner, run))


def _are_there(db: sqlite3.Connection, owner: OwnerId, evolved: Evolved) -> bool:
    """Whether the units are still members: of one that was forgotten no word may get into a profile."""
    asked = {"owner": owner, "cluster": evolved.changed.cluster, "ids": json_ids(evolved.units)}
    (there,) = db.execute(_THERE, asked).fetchone()
    return bool(there == len(evolved.units))
