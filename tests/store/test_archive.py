"""The contract of ArchiveStore on SQLite and on the fake, and that its questions go through indexes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edge.memory.archive import Decay, Restored, Why
from edge.memory.units import UnitId
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.archive_contract import ArchiveContract, Archiving
from tests.store.making import ANN, NOON, after, fact, insert, scope
from tests.store.test_isolation import SCANS, planning


class TestSqliteArchive(ArchiveContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Archiving:
        return sqlite_store


class TestFakeArchive(ArchiveContract):
    @pytest.fixture
    def store(self) -> Archiving:
        return FakeMemoryStore()


ARCHIVED = scope(present=True)
QUESTIONS: dict[str, Callable[[SqliteStore], object]] = {
    "standing": lambda store: store.archive.standing(ANN, [UnitId(1)]),
    "leaving": lambda store: store.archive.leaving(ANN, after(days=400), Decay(), 9),
    "undo_later": lambda store: store.archive.undo_later(ANN, after(days=1), 9),
    "page": lambda store: store.archive.page(ANN, session=None, kinds=None, before=None, limit=9),
    "visible": lambda store: store.visible(type(ARCHIVED)(ANN, None, NOON, None, True, True)),
    "archive": lambda store: store.archive.archive(ANN, [UnitId(1)], Why.BY_HAND, NOON),
    "restore": lambda store: store.archive.restore(ANN, UnitId(2), Restored(None, 1.0)),
    "weigh": lambda store: store.archive.weigh(ANN, {UnitId(1): 0.5}),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_all_units(sqlite_store: SqliteStore, name: str) -> None:
    sqlite_store.apply(ANN, [insert(fact(f"fact {number}")) for number in range(5)], NOON)
    sqlite_store.archive.archive(ANN, [UnitId(2)], Why.EXPIRED, after(days=99))
    with planning(sqlite_store) as planned:
        QUESTIONS[name](sqlite_store)
    assert [line for line in planned if line.startswith(SCANS)] == []
    assert [line for line in planned if "SEARCH" in line]
