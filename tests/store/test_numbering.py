"""The change that numbers embeddings, on databases that the released schema filled; and marks on the disk."""

from __future__ import annotations

import hashlib
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from edge.memory.units import UnitId
from edge.store.migrations import migrate
from edge.store.schema import MIGRATIONS, Migration
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, NOON, after, embedding, fact, insert, scope

UNIT = """
    INSERT INTO units (owner, session, kind, content, subject, source, confidence, importance, created_at, valid_from,
        valid_until, superseded_by, key)
    VALUES ('uid:1000', NULL, 'user_profile', ?, 'self', 'user', 1.0, 0.5, 0, 0, ?, ?, ?)
"""


@contextmanager
def released(database: Path) -> Iterator[sqlite3.Connection]:
    """A database of the schema before, to be filled."""
    database.parent.mkdir()
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA foreign_keys = ON")
        migrate(db, NoonClock(), MIGRATIONS[:1])
        yield db


def add_units(db: sqlite3.Connection, *contents: str) -> None:
    for content in contents:
        db.execute(UNIT, (content, None, None, content))
        db.execute("INSERT INTO backlog VALUES (last_insert_rowid())")


def embed(db: sqlite3.Connection, embedder: str, unit: int, *vector: float, chunk: int = 0) -> None:
    packed = struct.pack(f"<{len(vector)}f", *vector)
    db.execute("INSERT INTO embeddings VALUES (?, ?, ?, ?, ?)", (unit, chunk, embedder, packed, f"码{unit}".encode()))
    db.execute("DELETE FROM backlog WHERE unit = ?", (unit,))


def name(db: sqlite3.Connection, embedder: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (embedder,))


@pytest.fixture
def two_embedders(database: Path) -> Path:
    with released(database) as db:
        add_units(db, "喜欢喝茶", "住在柏林", "a long story", "not embedded 还没有")
        db.execute("UPDATE units SET superseded_by = 3, valid_until = 9 WHERE id = 2")
        embed(db, "mini", 3, 0.0, 1.0, chunk=1)
        embed(db, "mini", 3, 1.0, 0.0)
        embed(db, "mini", 1, 0.5, 0.5)
        embed(db, "older", 2, 1.0, 0.0, 0.0)
        embed(db, "older", 1, 0.0, 1.0, 0.0)
        embed(db, "mini", 2, 0.25, 0.75)
        name(db, "mini")
    return database


def test_embeddings_are_numbered_in_the_order_of_their_units(two_embedders: Path) -> None:
    with closing(open_store(two_embedders, NoonClock())) as store:
        rows = store.vector_log.vectors_between("mini/2", 0, None, 99)
        assert rows.units.tolist() == [1, 2, 3, 3]
        assert rows.vectors.tolist() == [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.0, 1.0]]
        assert rows.superseded.tolist() == [False, True, False, False]
        assert sorted(set(rows.numbers.tolist())) == rows.numbers.tolist()
        older = store.vector_log.vectors_between("older/3", 0, None, 99)
        assert (older.units.tolist(), older.vectors.shape) == ([1, 2], (2, 3))
        codes = store._db.rows("SELECT unit, codes FROM embeddings ORDER BY number")
        assert all(kept == f"码{unit}".encode() for unit, kept in codes)
        assert len(codes) == 6


def test_embedders_are_named_with_their_dimension_and_have_a_backlog_each(two_embedders: Path) -> None:
    with closing(open_store(two_embedders, NoonClock())) as store:
        assert store.embedder() == "mini/2"
        assert store.retired_embedders() == ["older/3"]
        assert [unit for unit, _ in store.missing_embeddings("mini/2", 9)] == [4]
        assert [unit for unit, _ in store.missing_embeddings("older/3", 9)] == [4, 3]
        assert store.counts(ANN)["unembedded"] == 1
        store.save_embeddings("mini/2", [embedding(UnitId(4))])
        assert store.vector_log.last_number("mini/2") == 7
        with pytest.raises(ValueError, match="dimensions"):
            store.save_embeddings("older/3", [embedding(UnitId(4))])


def test_what_was_superseded_stays_so(two_embedders: Path) -> None:
    with closing(open_store(two_embedders, NoonClock())) as store:
        assert store.vector_log.superseded("mini/2").tolist() == [2]
        assert np.flatnonzero(store.visible(scope(present=True))).tolist() == [1, 3, 4]
        store.forget(ANN, [UnitId(3)])
        assert store.vector_log.superseded("mini/2").tolist() == [2]
        assert store.vector_log.forgotten_after("mini/2", 0)[1].tolist() == [3]


def test_the_old_tables_and_what_they_held_are_gone(two_embedders: Path) -> None:
    with closing(open_store(two_embedders, NoonClock())) as store:
        names = {table for (table,) in store._db.rows("SELECT name FROM sqlite_master")}
        assert {"embeddings", "embedders", "backlog", "forgotten", "marks"} <= names
        assert not {"embeddings_unnumbered", "embeddings_by_unit", "units_visible"} & names
        assert store._db.rows("SELECT name FROM meta") == [("embedder",)]
        assert store._db.rows("PRAGMA secure_delete") == [(1,)]
        assert store._db.rows("PRAGMA foreign_key_check") == []
        assert store._db.rows("PRAGMA integrity_check") == [("ok",)]


def test_forgetting_leaves_no_copy_that_the_change_made(database: Path) -> None:
    """The change leaves the old table's pages as they were; forgetting must not."""
    vector = [number / 500 for number in range(384)]
    with released(database) as db:
        add_units(db, *[f"第 {number} 句话" for number in range(100)])
        for unit in range(1, 101):
            embed(db, "mini", unit, *(vector if unit == 50 else [0.0] * 384))
    with closing(open_store(database, NoonClock())) as store:
        store.checkpoint()
        traces = [struct.pack("<100f", *vector[100:200]), "码50".encode()]
        assert all(trace in database.read_bytes() for trace in traces)
        store.forget(ANN, [UnitId(50)])
        left = b"".join(path.read_bytes() for path in database.parent.iterdir())
        assert [trace for trace in traces if trace in left] == []


def test_opening_again_changes_nothing(two_embedders: Path) -> None:
    open_store(two_embedders, NoonClock()).close()
    before = hashlib.sha256(two_embedders.read_bytes()).hexdigest()
    open_store(two_embedders, NoonClock()).close()
    assert hashlib.sha256(two_embedders.read_bytes()).hexdigest() == before


def test_a_database_without_anything(database: Path) -> None:
    with released(database):
        pass
    with closing(open_store(database, NoonClock())) as store:
        assert (store.embedder(), store.retired_embedders(), store.count_missing("mini/2")) == (None, [], 0)
        (unit,) = store.apply(ANN, [insert(fact("喜欢喝茶"))], NOON).added
        store.save_embeddings("mini/2", [embedding(unit)])
        assert store.vector_log.vectors_between("mini/2", 0, None, 9).units.tolist() == [unit]


def test_an_embedder_that_was_named_and_never_embedded_is_named_anew(database: Path) -> None:
    with released(database) as db:
        add_units(db, "喜欢喝茶", "住在柏林")
        name(db, "mini")
    with closing(open_store(database, NoonClock())) as store:
        assert store.embedder() is None
        assert [unit for unit, _ in store.missing_embeddings("mini/2", 9)] == [2, 1]
        assert store.counts(ANN)["unembedded"] == 2


def test_two_dimensions_under_one_name_come_apart(database: Path) -> None:
    with released(database) as db:
        add_units(db, "a", "b", "c")
        embed(db, "mini", 1, 1.0, 0.0)
        embed(db, "mini", 2, 1.0, 0.0, 0.0)
        name(db, "mini")
    with closing(open_store(database, NoonClock())) as store:
        assert store.embedder() == "mini/3"
        assert store.retired_embedders() == ["mini/2"]
        assert [unit for unit, _ in store.missing_embeddings("mini/3", 9)] == [3, 1]


def test_a_change_that_is_interrupted_is_made_when_it_is_opened_again(
    two_embedders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, *_ = MIGRATIONS
    broken = Migration(second.name, (*second.statements[:-1], "INSERT INTO nowhere VALUES (1)"))
    with closing(sqlite3.connect(two_embedders, isolation_level=None)) as db, pytest.raises(sqlite3.OperationalError):
        migrate(db, NoonClock(), (first, broken))
    with closing(open_store(two_embedders, NoonClock())) as store:
        assert store.vector_log.vectors_between("mini/2", 0, None, 99).units.tolist() == [1, 2, 3, 3]


# --- marks ---


def test_a_mark_waits_for_the_disk_also_when_it_is_there_already(sqlite_store: SqliteStore, database: Path) -> None:
    """An fsync of the write-ahead log at the mark's commit takes everything before it along."""
    log = database.with_name(database.name + "-wal")
    (unit,) = sqlite_store.apply(ANN, [insert(fact("x"))], NOON).added
    for mark in ("one", "one"):
        sqlite_store.save_embeddings("mini/2", [embedding(unit)])
        sqlite_store.checkpoint()
        said: list[str] = []
        sqlite_store._db._connection.set_trace_callback(said.append)
        sqlite_store.vector_log.keep_mark("mini/2", mark)
        sqlite_store._db._connection.set_trace_callback(None)
        assert not any("synchronous" in statement for statement in said)
        assert sqlite_store._db.rows("PRAGMA synchronous") == [(2,)]
        assert log.stat().st_size > 0


@pytest.mark.parametrize("saves", [True, False])
def test_saving_and_pruning_do_not_wait(sqlite_store: SqliteStore, saves: bool) -> None:
    (unit,) = sqlite_store.apply(ANN, [insert(fact("x"))], NOON).added
    said: list[str] = []
    sqlite_store._db._connection.set_trace_callback(said.append)
    if saves:
        sqlite_store.save_embeddings("mini/2", [embedding(unit)])
    else:
        sqlite_store.vector_log.prune("mini/2", keep="one", forgotten=0)
    sqlite_store._db._connection.set_trace_callback(None)
    begun = said.index("BEGIN IMMEDIATE")
    assert said[begun - 1] == "PRAGMA synchronous = NORMAL"
    assert said[-2:] == ["COMMIT", "PRAGMA synchronous = FULL"]


def test_a_restored_backup_does_not_know_later_marks(database: Path) -> None:
    store = open_store(database, NoonClock())
    (unit,) = store.apply(ANN, [insert(fact("苹果"))], NOON).added
    store.vector_log.keep_mark("mini/2", "before")
    store.close()
    backup = database.read_bytes()
    store = open_store(database, NoonClock())
    store.save_embeddings("mini/2", [embedding(unit)])
    store.vector_log.keep_mark("mini/2", "later")
    store.close()
    database.write_bytes(backup)
    with closing(open_store(database, NoonClock())) as store:
        assert store.vector_log.has_mark("mini/2", "before")
        assert not store.vector_log.has_mark("mini/2", "later")


def test_a_long_drop_forgets_who_waits_in_steps_too(sqlite_store: SqliteStore) -> None:
    sqlite_store.use_embedder("mini/2")
    sqlite_store.apply(ANN, [insert(fact(f"第 {number} 条")) for number in range(40)], NOON)
    sqlite_store.missing_embeddings("other/2", 1)
    assert sqlite_store.drop_embedder("other/2", 1)
    assert sqlite_store.drop_embedder("other/2", 1)
    assert not sqlite_store.drop_embedder("other/2", 1)
    assert sqlite_store._db.rows("SELECT DISTINCT embedder FROM backlog") == [(1,)]


def test_numbers_go_on_after_reopening(database: Path) -> None:
    store = open_store(database, NoonClock())
    a, b = store.apply(ANN, [insert(fact("苹果")), insert(fact("梨"), valid_from=after(hours=1))], NOON).added
    store.save_embeddings("mini/2", [embedding(a)])
    number = store.vector_log.last_number("mini/2")
    store.forget(ANN, [a])
    store.close()
    with closing(open_store(database, NoonClock())) as store:
        store.save_embeddings("mini/2", [embedding(b)])
        assert store.vector_log.last_number("mini/2") > number
        assert store.vector_log.forgotten_after("mini/2", 0)[1].tolist() == [a]
