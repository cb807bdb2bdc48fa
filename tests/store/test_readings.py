"""Readings in SQLite and in the fake."""

from __future__ import annotations

import numpy as np
import pytest

from edge.engine.ports import MemoryStore
from edge.engine.reading_ports import ReadingStore
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.making import ANN, BOB, NOON, fact, insert

_NUMBERS = np.array([-0.5, -3.25, -20.0], dtype=np.float32)


class _Contract:
    """What both must hold; `store` and `readings` are of one memory."""

    def test_a_reading_comes_back_as_it_was_kept(self, store: MemoryStore, readings: ReadingStore) -> None:
        (unit,) = store.apply(ANN, [insert(fact("养了一只猫"))], NOON).added
        readings.keep_readings(ANN, "qwen/1", {unit: _NUMBERS})
        found = readings.readings(ANN, "qwen/1", [unit])
        assert found[unit].dtype == np.float32
        assert found[unit].tolist() == _NUMBERS.tolist()

    def test_a_reading_by_another_reader_takes_its_place(self, store: MemoryStore, readings: ReadingStore) -> None:
        (unit,) = store.apply(ANN, [insert(fact("has a cat"))], NOON).added
        readings.keep_readings(ANN, "qwen/1", {unit: _NUMBERS})
        readings.keep_readings(ANN, "qwen/2", {unit: 2 * _NUMBERS})
        assert readings.readings(ANN, "qwen/1", [unit]) == {}
        assert readings.readings(ANN, "qwen/2", [unit])[unit].tolist() == (2 * _NUMBERS).tolist()

    def test_another_owner_neither_sees_nor_writes_it(self, store: MemoryStore, readings: ReadingStore) -> None:
        (unit,) = store.apply(ANN, [insert(fact("has a cat"))], NOON).added
        readings.keep_readings(BOB, "qwen/1", {unit: _NUMBERS})
        assert readings.readings(ANN, "qwen/1", [unit]) == {}
        readings.keep_readings(ANN, "qwen/1", {unit: _NUMBERS})
        assert readings.readings(BOB, "qwen/1", [unit]) == {}

    def test_a_reading_is_gone_with_its_unit(self, store: MemoryStore, readings: ReadingStore) -> None:
        (unit,) = store.apply(ANN, [insert(fact("has a cat"))], NOON).added
        readings.keep_readings(ANN, "qwen/1", {unit: _NUMBERS})
        store.forget(ANN, [unit])
        assert readings.readings(ANN, "qwen/1", [unit]) == {}
        readings.keep_readings(ANN, "qwen/1", {unit: _NUMBERS})
        assert readings.readings(ANN, "qwen/1", [unit]) == {}


class TestSqliteReadings(_Contract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> MemoryStore:
        return sqlite_store

    @pytest.fixture
    def readings(self, sqlite_store: SqliteStore) -> ReadingStore:
        return sqlite_store.readings


class TestFakeReadings(_Contract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return FakeMemoryStore()

    @pytest.fixture
    def readings(self, store: FakeMemoryStore) -> ReadingStore:
        return store.readings
