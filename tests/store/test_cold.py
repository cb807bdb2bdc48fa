"""The contract of ColdStore on SQLite and on the fake, and that its questions go through indexes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edge.memory.units import ClusterId, UnitId
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.cold_contract import BEFORE, THEN, ColdContract, Cooling, cooled
from tests.store.making import ANN
from tests.store.test_isolation import SCANS, planning


class TestSqliteCold(ColdContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Cooling:
        return sqlite_store


class TestFakeCold(ColdContract):
    @pytest.fixture
    def store(self) -> Cooling:
        return FakeMemoryStore()


QUESTIONS: dict[str, Callable[[SqliteStore, ClusterId, UnitId], object]] = {
    "cold": lambda store, *_: store.cold.cold(ANN, BEFORE, THEN, 9),
    "put_away": lambda store, cluster, _: store.cold.put_away(ANN, cluster, BEFORE, THEN),
    "bring_back": lambda store, _, unit: store.cold.bring_back(ANN, [unit], THEN),
    "mend": lambda store, *_: store.cold.mend(ANN, THEN, 9),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_all_units(sqlite_store: SqliteStore, name: str) -> None:
    cluster, units = cooled(sqlite_store, "the kettle is blue", "the lamp is old")
    with planning(sqlite_store) as planned:
        QUESTIONS[name](sqlite_store, cluster, units[0])
    assert [line for line in planned if line.startswith(SCANS)] == []
    assert [line for line in planned if "SEARCH" in line]
