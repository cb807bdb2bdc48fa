"""The full text's levels: forgetting often never fills them up, and a database in which they are full is mended."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from edge.memory.units import UnitId
from edge.store.full_text import merge_terms
from edge.store.migrations import migrate
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, NOON, episode, insert, scope

FULL = 2_000
"""Levels at which FTS5 takes its record of them for damage."""
_RECORD = "SELECT block FROM units_text_data WHERE id = 10"


def tell(store: SqliteStore, words: str) -> UnitId:
    return store.apply(ANN, [insert(episode(words))], NOON).added[0]


def finds(store: SqliteStore, query: str) -> list[UnitId]:
    return sorted(unit for unit, _ in store.search_text(scope(), query, 10))


def test_terms_can_be_merged_for_ever() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db, NoonClock())
        db.execute("INSERT INTO units_text (rowid, terms) VALUES (1, 'zeppelin 飞艇')")
        boxes = [(number, f"box number{number}") for number in range(2, FULL)]
        db.executemany("INSERT INTO units_text (rowid, terms) VALUES (?, ?)", boxes)
        for number in range(2, FULL - 1):
            db.execute("BEGIN")
            db.execute("DELETE FROM units_text WHERE rowid = ?", (number,))
            merge_terms(db)
            db.execute("COMMIT")
        for term, count in ("zeppelin", 1), ("飞艇", 1), ("box", 1):
            assert db.execute("SELECT count(*) FROM units_text WHERE units_text MATCH ?", (term,)).fetchone() == (
                count,
            )
        db.execute("INSERT INTO units_text (units_text) VALUES ('integrity-check')")


def test_segments_are_merged_a_little_at_a_time_and_no_level_is_left_behind(sqlite_store: SqliteStore) -> None:
    kept = [tell(sqlite_store, f"Zeppelin {number} leaves at nine. 飞艇{number}号。") for number in range(9)]
    for _ in range(3):
        while sqlite_store.merge_text():
            pass
    assert finds(sqlite_store, "zeppelin") == finds(sqlite_store, "飞艇") == kept
    assert not sqlite_store.merge_text()
    assert len(sqlite_store._db.rows("SELECT DISTINCT segid FROM units_text_idx")) == 1
    ((record,),) = sqlite_store._db.rows(_RECORD)
    assert len(record) < 100


def test_forgetting_empties_levels_that_are_half_full(database: Path) -> None:
    with closing(open_store(database, NoonClock())) as store:
        kept, gone = tell(store, "The zeppelin leaves at nine. 飞艇九点起飞。"), tell(store, "Box 1 is empty.")
    fill_levels(database, FULL // 2)
    with closing(open_store(database, NoonClock())) as store:
        store.forget(ANN, [gone])
        assert finds(store, "zeppelin") == finds(store, "飞艇") == [kept]
        assert finds(store, "box") == []
    assert record_bytes(database) < 100


def test_a_database_whose_levels_are_full_is_mended_when_it_is_opened(database: Path) -> None:
    with closing(open_store(database, NoonClock())) as store:
        kept = [tell(store, f"Box {number} holds oranges. 第{number}箱是橙子。") for number in range(3)]
    fill_levels(database, FULL + 2)
    with closing(open_store(database, NoonClock())) as store:
        assert finds(store, "oranges") == finds(store, "橙子") == kept
        added = tell(store, "More oranges.")
        store.forget(ANN, kept[:1])
        assert finds(store, "oranges") == [*kept[1:], added]
    assert record_bytes(database) < 100


def fill_levels(database: Path, levels: int) -> None:
    """As many optimizations did: a record of so many levels; all but the first are empty."""
    with closing(sqlite3.connect(database)) as db, db:
        (record,) = db.execute(_RECORD).fetchone()
        head, segments = record[:4], record[4:]
        assert segments[0] < levels
        record = head + varint(levels) + segments[1:] + bytes(2 * (levels - segments[0]))
        db.execute("UPDATE units_text_data SET block = ? WHERE id = 10", (record,))


def varint(number: int) -> bytes:
    return bytes([0x80 | number >> 7, number & 0x7F])


def record_bytes(database: Path) -> int:
    with closing(sqlite3.connect(database)) as db:
        return len(db.execute(_RECORD).fetchone()[0])
