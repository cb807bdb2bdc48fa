"""The contracts of BatchStore and ContextStore on SQLite and on the fakes, and what only a disk can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.engine.ports import NewContext
from edge.errors import RequestInvalid
from edge.memory.batches import handle
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.conftest import NoonClock
from tests.store.making import ANN, MAIN, NOON
from tests.store.session_stores_contract import SessionStoresContract, Stores, begin


class TestSqliteStore(SessionStoresContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Stores:
        return sqlite_store


class TestFakeStores(SessionStoresContract):
    @pytest.fixture
    def store(self) -> Stores:
        return FakeMemoryStore()


def test_both_are_there_after_a_restart(database: Path) -> None:
    store = open_store(database, NoonClock())
    batch = handle(begin(store), 1, "没有邮箱", NOON)
    store.batches.save_batch(batch, None)
    store.contexts.save_context(ANN, MAIN, NewContext('{"current_tool":"订单"}'), NOON)
    store.close()
    store = open_store(database, NoonClock())
    assert store.batches.batch(ANN, batch.id) == batch
    found = store.contexts.context(ANN, MAIN)
    assert found is not None
    assert found.context == '{"current_tool":"订单"}'
    store.close()


def test_no_trace_of_a_forgotten_batch_is_left_in_any_file(sqlite_store: SqliteStore, database: Path) -> None:
    batch = begin(sqlite_store, "task-zabaglione", title="Adding quentinius")
    sqlite_store.batches.save_batch(handle(batch, 1, "mascarpone 没有邮箱", NOON), None)
    assert b"mascarpone" in b"".join(path.read_bytes() for path in database.parent.iterdir())
    sqlite_store.forget(ANN, [batch.unit])
    left = b"".join(path.read_bytes() for path in database.parent.iterdir())
    assert not any(word in left for word in (b"zabaglione", b"quentinius", b"mascarpone", "邮箱".encode()))


def test_a_turn_that_cannot_be_stored_changes_no_context(sqlite_store: SqliteStore) -> None:
    before = NewContext('{"current_tool":"a"}')
    sqlite_store.begin_turn(ANN, MAIN, "hello", (), NOON, before)
    with pytest.raises(RequestInvalid):
        sqlite_store.begin_turn(ANN, MAIN, "half \ud83d", (), NOON, NewContext('{"current_tool":"b"}'))
    kept = sqlite_store.contexts.context(ANN, MAIN)
    assert kept is not None
    assert kept.context == before.text
