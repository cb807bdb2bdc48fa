"""The contract of EvolvingStore on SQLite and on the fake, and that its questions go through indexes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edge.memory.units import ClusterId, UnitId
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.clusters_contract import made
from tests.store.cold_contract import noted
from tests.store.evolving_contract import TEA, Evolving, EvolvingContract, kept, looked_at
from tests.store.making import ANN
from tests.store.test_isolation import SCANS, planning


class TestSqliteEvolving(EvolvingContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Evolving:
        return sqlite_store


class TestFakeEvolving(EvolvingContract):
    @pytest.fixture
    def store(self) -> Evolving:
        return FakeMemoryStore()


QUESTIONS: dict[str, Callable[[SqliteStore, ClusterId, tuple[UnitId, ...]], object]] = {
    "changed": lambda store, *_: store.evolving.changed(ANN, 9),
    "look": lambda store, cluster, _: kept(store, looked_at(store, cluster)),
    "rename": lambda store, cluster, units: kept(store, looked_at(store, cluster, TEA, *units)),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_all_units(sqlite_store: SqliteStore, name: str) -> None:
    units = noted(sqlite_store, "the kettle is blue", "the lamp is old")
    cluster = made(sqlite_store, *units)
    with planning(sqlite_store) as planned:
        QUESTIONS[name](sqlite_store, cluster, units)
    assert [line for line in planned if line.startswith((*SCANS, "SCAN e"))] == []
    assert [line for line in planned if "SEARCH" in line]
