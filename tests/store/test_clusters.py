"""The contract of ClusterStore on SQLite and on the fake, and what only a disk can do."""

from __future__ import annotations

import pytest

from edge.memory.clusters import Reprofile
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.cluster_forgetting_contract import ClusterForgettingContract
from tests.store.clusters_contract import (
    COFFEE,
    ONE,
    SERVERS,
    ClusterStoreContract,
    Stores,
    embed,
    made,
    new,
    place,
    run,
    say,
)
from tests.store.making import ANN
from tests.store.test_isolation import SCANS, planning


class TestSqliteStore(ClusterStoreContract, ClusterForgettingContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Stores:
        return sqlite_store


class TestFakeStore(ClusterStoreContract, ClusterForgettingContract):
    @pytest.fixture
    def store(self) -> Stores:
        return FakeMemoryStore()


def test_a_settled_run_keeps_where_units_were_and_are_no_more(sqlite_store: SqliteStore) -> None:
    units = say(sqlite_store, "likes espresso", "grinds beans", "runs nginx", "has a cat")
    embed(sqlite_store, units[0], 1.0, 0.0)
    first = run(sqlite_store, [new(ONE, COFFEE)], [*place(units[:3], ONE), *place(units[3:], None)])
    (coffee,) = sqlite_store.clusters.clusters(ANN)
    servers = made(sqlite_store, profile=SERVERS)
    run(sqlite_store, [Reprofile(coffee.id, SERVERS, None, "")], place(units[2:3], servers))
    while sqlite_store.clusters.settle(ANN, 0):
        pass
    kept = sqlite_store._db.rows(
        "SELECT run = ?, unit, before, cluster FROM cluster_placements ORDER BY 1 DESC", (first,)
    )
    assert kept == [(1, units[2], None, coffee.id), (1, units[3], None, None), (0, units[2], coffee.id, servers)]
    assert sqlite_store._db.rows("SELECT 1 FROM cluster_changes WHERE before_centroid NOTNULL") == []


def test_settling_reads_no_table_whole(sqlite_store: SqliteStore) -> None:
    made(sqlite_store, *say(sqlite_store, "likes espresso"))
    with planning(sqlite_store) as planned:
        assert sqlite_store.clusters.settle(ANN, 0)
    assert [line for line in planned if line.startswith((*SCANS, "SCAN"))] == []
    assert [line for line in planned if "cluster_runs_in_force" in line]
