"""The contract of DistillingStore on SQLite and on the fake, and what only a disk can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.errors import RequestInvalid
from edge.memory.units import Insert
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.conftest import NoonClock
from tests.store.distilling_contract import DistillingContract, Stores, distilled, say, unread
from tests.store.making import ANN, NOON, scope


class TestSqliteStore(DistillingContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Stores:
        return sqlite_store


class TestFakeStore(DistillingContract):
    @pytest.fixture
    def store(self) -> Stores:
        return FakeMemoryStore()


def test_how_far_it_was_read_is_known_after_a_restart(database: Path) -> None:
    store = open_store(database, NoonClock())
    turn, words = say(store, "I keep bees in Rostock")
    store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], NOON)
    store.close()
    store = open_store(database, NoonClock())
    assert unread(store) == []
    assert store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], NOON) == ()
    store.close()


def test_where_one_unit_cannot_be_kept_none_is_and_the_words_stay_unread(sqlite_store: SqliteStore) -> None:
    turn, words = say(sqlite_store, "I keep bees in Rostock")
    drawn = [distilled(turn, words), distilled(turn, words, "a lone surrogate: \ud800")]
    with pytest.raises(RequestInvalid):
        sqlite_store.distilling.keep_distilled(ANN, words, drawn, NOON)
    assert unread(sqlite_store) == ["I keep bees in Rostock"]
    (change,) = drawn[0].changes
    assert isinstance(change, Insert)
    assert sqlite_store.known(scope(), [change.key]) == {}


def test_no_trace_of_what_was_drawn_is_left_in_any_file(sqlite_store: SqliteStore, database: Path) -> None:
    turn, words = say(sqlite_store, "I keep bees in Zabaglione")
    drawn = distilled(turn, words, "The user keeps bees in Zabaglione.")
    sqlite_store.distilling.keep_distilled(ANN, words, [drawn], NOON)
    sqlite_store.forget(ANN, [words])
    left = b"".join(path.read_bytes() for path in database.parent.iterdir())
    assert not any(word in left for word in (b"Zabaglione", b"zabaglion"))
