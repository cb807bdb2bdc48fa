"""The contract of MemoryStore on SQLite and on the fake."""

from __future__ import annotations

import pytest

from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.memory_store_contract import MemoryStoreContract, Store


class TestSqliteStore(MemoryStoreContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Store:
        return sqlite_store


class TestFakeMemoryStore(MemoryStoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return FakeMemoryStore()
