"""Tallies in SQLite and in the fake; over restarts, and where a row is none."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from edge.engine.health_ports import HealthStore
from edge.memory.health import Tally
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.clock import SetClock
from tests.fakes.health import FakeHealth
from tests.store.health_contract import HealthContract
from tests.store.making import ANN, BOB


class TestSqliteHealth(HealthContract):
    @pytest.fixture
    def health(self, sqlite_store: SqliteStore) -> HealthStore:
        return sqlite_store.health


class TestFakeHealth(HealthContract):
    @pytest.fixture
    def health(self) -> HealthStore:
        return FakeHealth()


def test_it_outlives_a_restart(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", SetClock())
    store.health.keep(ANN, Tally("0110", 1))
    store.close()
    store = open_store(tmp_path / "memory.db", SetClock())
    assert store.health.tally(ANN) == Tally("0110", 1)
    store.close()


def test_one_that_cannot_be_read_begins_anew_and_says_so(
    sqlite_store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    sqlite_store.health.keep(BOB, Tally("1", 0))
    with sqlite_store._db.transaction() as db:
        db.execute("INSERT INTO meta VALUES (?, ?)", (f"health:{ANN}", 7.5))
    with caplog.at_level(logging.WARNING):
        assert sqlite_store.health.tally(ANN) == Tally()
    assert "begins anew" in caplog.text
    assert sqlite_store.health.tallies() == [Tally(), Tally("1", 0)]


def test_it_goes_with_all_that_is_known_of_its_owner(sqlite_store: SqliteStore) -> None:
    sqlite_store.health.keep(ANN, Tally("1", 2))
    sqlite_store.health.keep(BOB, Tally("0", 0))
    sqlite_store.owners.forget_beside(ANN)
    assert sqlite_store.health.tallies() == [Tally("0", 0)]
    assert sqlite_store.health.tally(ANN) == Tally()
