"""The contract of TruthStore on SQLite and on the fake."""

from __future__ import annotations

import pytest

from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.truth_contract import Store, TruthContract


class TestSqliteTruth(TruthContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Store:
        return sqlite_store


class TestFakeTruth(TruthContract):
    @pytest.fixture
    def store(self) -> Store:
        return FakeMemoryStore()
