"""The contract of IntentStore on SQLite and on the fake, and what only a disk can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.engine.forgetting_ports import Selection
from edge.memory.units import TurnState
from edge.store import intents
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.conftest import NoonClock
from tests.store.intents_contract import IntentStoreContract, Stores, say, vector
from tests.store.making import ANN, MAIN, NOON


class TestSqliteStore(IntentStoreContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Stores:
        return sqlite_store


class TestFakeStore(IntentStoreContract):
    @pytest.fixture
    def store(self) -> Stores:
        return FakeMemoryStore()


def test_intents_are_there_after_a_restart(database: Path) -> None:
    store = open_store(database, NoonClock())
    topic, turn, units = say(store, "the flight to Lisbon")
    store.intents.keep(ANN, topic, turn, vector("lisbon"))
    store.close()
    store = open_store(database, NoonClock())
    assert store.topics.topics(ANN, MAIN)[0].intent is not None
    assert set(store.intents.of_units(ANN, units)) == set(units)
    store.close()


def test_a_forgotten_session_leaves_no_vector_of_its_words(sqlite_store: SqliteStore) -> None:
    topic, turn, units = say(sqlite_store, "the flight to Lisbon")
    sqlite_store.intents.keep(ANN, topic, turn, vector("lisbon"))
    sqlite_store.finish_turn(ANN, turn, "", TurnState.DONE, [], NOON)
    sqlite_store.forgetting.forget_selection(ANN, Selection(session=MAIN), None)
    assert sqlite_store.intents.of_units(ANN, units) == {}
    assert sqlite_store.topics.topics(ANN, MAIN) == []


def test_a_common_term_is_counted_again_when_there_is_more(
    sqlite_store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intents, "_COMMON", 4)
    for number in range(8):
        say(sqlite_store, f"kim paints number {number}")
    before = sqlite_store.intents.rarities({"kim"})["kim"]
    say(sqlite_store, "nobody paints")
    near = sqlite_store.intents.rarities({"kim"})["kim"]
    assert near == pytest.approx(before, abs=0.02)
    for number in range(9):
        say(sqlite_store, f"nobody paints number {number}")
    assert sqlite_store.intents.rarities({"kim"})["kim"] > near + 0.3
