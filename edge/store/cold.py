"""`SqliteCold`: the engine's ColdStore in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from datetime import datetime

from edge.memory.archive import STAYS_WARM, Why
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.store.cluster_rows import CLUSTERS
from edge.store.database import Database
from edge.store.rows import json_ids, micros

_COLD = f"u.archived_why = '{Why.COLD.value}'"
_LEAVES = f"""
    u.superseded = 0 AND u.archived_at IS NULL AND u.slot IS NULL AND (u.valid_until IS NULL OR u.valid_until > :at)
    AND u.kind NOT IN ({", ".join(f"'{kind.value}'" for kind in sorted(STAYS_WARM))})
"""
_MEMBERS = "FROM units u INDEXED BY units_in_cluster WHERE u.owner = c.owner AND u.cluster = c.id"
_UNTOUCHED = f"""
    SELECT id FROM ({CLUSTERS} AND c.archived_at IS NULL AND (:cluster IS NULL OR c.id = :cluster) GROUP BY c.id
        HAVING max(c.made_at, ifnull(max(ifnull(u.last_accessed, u.created_at)), 0)) < :before) found
    WHERE EXISTS (SELECT 1 FROM clusters c JOIN units u INDEXED BY units_in_cluster ON u.owner = c.owner
        AND u.cluster = c.id WHERE c.id = found.id AND {_LEAVES})
    ORDER BY id LIMIT :limit
"""
_PUT_AWAY = f"""
    UPDATE units AS u SET archived_at = :at, archived_why = '{Why.COLD.value}'
    WHERE u.owner = :owner AND u.cluster = :cluster AND {_LEAVES} RETURNING id
"""
_CLOSE = "UPDATE clusters SET archived_at = :at WHERE id = :cluster AND owner = :owner"
_FOUND = f"""
    SELECT u.id, c.id FROM units u LEFT JOIN clusters c ON c.id = u.cluster AND c.archived_at IS NOT NULL
    WHERE u.owner = :owner AND u.id IN (SELECT value FROM json_each(:ids)) AND {_COLD}
"""
_BACK = "UPDATE units AS u SET archived_at = NULL, archived_why = NULL"
_TOGETHER = f"{_BACK} WHERE u.owner = :owner AND u.cluster = :cluster AND {_COLD} RETURNING id"
_ALONE = f"{_BACK}, last_accessed = :at WHERE u.id = :unit AND u.owner = :owner RETURNING id"
_OPEN = "UPDATE clusters SET archived_at = NULL WHERE id = :cluster AND owner = :owner"
_CAME = """
    EXISTS (SELECT 1 FROM cluster_placements p JOIN cluster_runs r ON r.id = p.run
        WHERE p.unit = u.id AND p.cluster = c.id AND r.state = 'done' AND r.ended_at > c.archived_at)
"""
_REOPEN = f"""
    UPDATE clusters AS c SET archived_at = NULL
    WHERE c.owner = :owner AND c.gone = 0 AND c.archived_at IS NOT NULL AND (
        c.archived_at > :at OR NOT EXISTS (SELECT 1 {_MEMBERS} AND {_COLD})
        OR EXISTS (SELECT 1 {_MEMBERS} AND {_LEAVES} AND (u.created_at > c.archived_at OR {_CAME})))
"""
_STRAY = f"""
    SELECT u.id FROM units u INDEXED BY units_archived WHERE u.owner = :owner AND u.archived_at IS NOT NULL AND {_COLD}
        AND NOT EXISTS (SELECT 1 FROM clusters c WHERE c.id = u.cluster AND c.archived_at IS NOT NULL AND c.gone = 0)
    LIMIT :limit
"""


class SqliteCold:
    """See ColdStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def cold(self, owner: OwnerId, before: datetime, at: datetime, limit: int) -> list[ClusterId]:
        asked = {"owner": owner, "cluster": None, "before": micros(before), "at": micros(at), "limit": limit}
        return [ClusterId(cluster) for (cluster,) in self._db.rows(_UNTOUCHED, asked)]

    def put_away(self, owner: OwnerId, cluster: ClusterId, before: datetime, at: datetime) -> tuple[UnitId, ...]:
        asked = {"owner": owner, "cluster": cluster, "before": micros(before), "at": micros(at), "limit": 1}
        with self._db.transaction() as writing:
            if writing.execute(_UNTOUCHED, asked).fetchone() is None:
                return ()
            left = _ids(writing, _PUT_AWAY, asked)
            writing.execute(_CLOSE, asked)
            return left

    def bring_back(self, owner: OwnerId, units: Collection[UnitId], at: datetime) -> tuple[UnitId, ...]:
        found = self._db.rows(_FOUND, {"owner": owner, "ids": json_ids(units)})
        if not found:
            return ()
        back: set[UnitId] = set()
        with self._db.transaction() as writing:
            for unit, _ in found:
                back.update(_ids(writing, _ALONE, {"owner": owner, "unit": unit, "at": micros(at)}))
            for cluster in {cluster for _, cluster in found if cluster is not None}:
                back.update(_ids(writing, _TOGETHER, {"owner": owner, "cluster": cluster}))
                writing.execute(_OPEN, {"owner": owner, "cluster": cluster})
        return tuple(sorted(back))

    def mend(self, owner: OwnerId, at: datetime, limit: int) -> int:
        asked = {"owner": owner, "at": micros(at), "limit": limit}
        with self._db.transaction() as writing:
            opened = writing.execute(_REOPEN, asked).rowcount
            strays = writing.execute(_STRAY, asked).fetchall()
            writing.executemany(f"{_BACK} WHERE u.id = ?", strays)
        return opened + len(strays)


def _ids(db: sqlite3.Connection, statement: str, parameters: Mapping[str, object]) -> tuple[UnitId, ...]:
    return tuple(sorted(UnitId(unit) for (unit,) in db.execute(statement, parameters).fetchall()))
