"""The contract of ClusterStore on SQLite and on the fake, and what only a disk can do."""

from __future__ import annotations

import pytest

from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.cluster_forgetting_contract import ClusterForgettingContract
from tests.store.clusters_contract import ClusterStoreContract, Stores


class TestSqliteStore(ClusterStoreContract, ClusterForgettingContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Stores:
        return sqlite_store


class TestFakeStore(ClusterStoreContract, ClusterForgettingContract):
    @pytest.fixture
    def store(self) -> Stores:
        return FakeMemoryStore()
