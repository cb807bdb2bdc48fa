"""Nights in SQLite and in the fake; what is counted, and forgettings."""

from __future__ import annotations

import pytest

from edge.engine.night_ports import NightStore
from edge.memory.nights import Seen, Trigger
from edge.memory.units import TurnState
from edge.store.sqlite import SqliteStore
from tests.fakes.nights import FakeNights
from tests.store.making import ANN, BOB, MAIN, NOON, after, fact, insert
from tests.store.nights_contract import PARTS, NightsContract


class TestSqliteNights(NightsContract):
    @pytest.fixture
    def nights(self, sqlite_store: SqliteStore) -> NightStore:
        return sqlite_store.nights


class TestFakeNights(NightsContract):
    @pytest.fixture
    def nights(self) -> NightStore:
        return FakeNights()


def test_what_an_owner_has_is_counted(sqlite_store: SqliteStore) -> None:
    sqlite_store.apply(BOB, [insert(fact("狗叫小白"))], NOON)
    old = sqlite_store.apply(ANN, [insert(fact("lives in Berlin"))], NOON).added
    sqlite_store.apply(ANN, [insert(fact("lives in Hamburg"), supersedes=old)], after(minutes=1))
    sqlite_store.apply(ANN, [insert(fact("the offer"), valid_until=after(hours=1))], NOON)
    turn = sqlite_store.begin_turn(ANN, MAIN, "hello", [], NOON).turn
    assert turn is not None
    sqlite_store.finish_turn(ANN, turn, "hi", TurnState.DONE, [], NOON)
    assert sqlite_store.nights.count(ANN, after(minutes=2)) == Seen(3, 1, 0, 2, 3)
    assert sqlite_store.nights.count(ANN, after(hours=2)) == Seen(3, 1, 0, 1, 3)
    assert sqlite_store.nights.owners() == [ANN, BOB]


def test_old_nights_are_forgotten(sqlite_store: SqliteStore) -> None:
    for _ in range(40):
        sqlite_store.nights.begin(Trigger.TASK, None, PARTS, {}, NOON)
    assert sqlite_store._db.row("SELECT count(*) FROM nights") == (30,)
    assert sqlite_store._db.row("SELECT count(*) FROM night_parts") == (30 * len(PARTS),)


def test_a_night_outlives_the_process(sqlite_store: SqliteStore) -> None:
    night = sqlite_store.nights.begin(Trigger.TASK, None, PARTS, {ANN: Seen(1, 2, 3)}, NOON)
    fresh = type(sqlite_store.nights)(sqlite_store._db)
    assert fresh.last() == night
