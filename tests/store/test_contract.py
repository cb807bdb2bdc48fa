"""The contracts of MemoryStore and VectorLog on SQLite and on the fake."""

from __future__ import annotations

import pytest

from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.memory_store_contract import MemoryStoreContract, Store
from tests.store.vector_log_contract import VectorLogContract


class TestSqliteStore(MemoryStoreContract, VectorLogContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Store:
        return sqlite_store


class TestFakeMemoryStore(MemoryStoreContract, VectorLogContract):
    @pytest.fixture
    def store(self) -> Store:
        return FakeMemoryStore()
