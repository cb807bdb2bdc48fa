"""The contract of MergingStore on SQLite and on the fake, and that its questions go through indexes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edge.engine.merging_ports import Double, Replaced
from edge.memory.units import ClusterId, UnitId
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.clusters_contract import made
from tests.store.cold_contract import noted
from tests.store.making import ANN, NOON
from tests.store.merging_contract import Merging, MergingContract
from tests.store.test_isolation import SCANS, planning


class TestSqliteMerging(MergingContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Merging:
        return sqlite_store


class TestFakeMerging(MergingContract):
    @pytest.fixture
    def store(self) -> Merging:
        return FakeMemoryStore()


QUESTIONS: dict[str, Callable[[SqliteStore, ClusterId, tuple[UnitId, ...]], object]] = {
    "unmerged": lambda store, *_: store.merging.unmerged(ANN, 9),
    "fellows": lambda store, cluster, _: store.merging.fellows(ANN, cluster),
    "join": lambda store, _, units: store.merging.keep_merged(
        ANN, [store.unit(ANN, units[0])], [Double(units[0], units[1])], NOON
    ),
    "replace": lambda store, _, units: store.merging.keep_merged(
        ANN, [], [Replaced(units[0], units[1], is_doubted=True)], NOON
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_all_units(sqlite_store: SqliteStore, name: str) -> None:
    units = noted(sqlite_store, "the kettle is blue", "the lamp is old")
    cluster = made(sqlite_store, *units)
    with planning(sqlite_store) as planned:
        QUESTIONS[name](sqlite_store, cluster, units)
    assert [line for line in planned if line.startswith((*SCANS, "SCAN m"))] == []
    assert [line for line in planned if "SEARCH" in line]


def test_a_forgotten_unit_leaves_no_row(sqlite_store: SqliteStore) -> None:
    units = noted(sqlite_store, "the user eats meat", "用户不吃鱼")
    made(sqlite_store, *units)
    compared = [sqlite_store.unit(ANN, unit) for unit in units]
    sqlite_store.merging.keep_merged(ANN, compared, [Replaced(units[0], units[1], is_doubted=True)], NOON)
    sqlite_store.forget(ANN, units)
    assert sqlite_store._db.rows("SELECT 1 FROM merged UNION ALL SELECT 1 FROM contradictions") == []
