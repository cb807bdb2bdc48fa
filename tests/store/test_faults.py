"""What a full, read-only or failing disk does to a store: a named error, nothing half done, and it goes on."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.errors import DiskFull, EdgeError, RequestInvalid, StoreDamaged, StoreFailed, StoreReadOnly
from edge.memory.units import TurnState, UnitId
from edge.store.faults import named_faults
from edge.store.sqlite import SqliteStore, open_store
from tests.disks import mounted
from tests.store.conftest import NoonClock
from tests.store.making import ANN, MAIN, NOON, episode, fact, insert, scope


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", "size=2m") as folder:
        yield folder


def fill_up(store: SqliteStore) -> int:
    """Turns that were confirmed until there was no room for one more."""
    for number in range(10_000):
        try:
            store.begin_turn(ANN, MAIN, f"turn {number}", [insert(episode(f"words {number} " * 50))], NOON)
        except DiskFull:
            return number
    raise AssertionError("the disk never filled")


def check_it_goes_on(store: SqliteStore, confirmed: int) -> None:
    assert store.counts(ANN)["turns"] == store.counts(ANN)["units"] == confirmed
    assert len(store.search_text(scope(), "words", 9999)) == confirmed
    assert store._db.rows("PRAGMA quick_check") == [("ok",)]


def test_a_full_disk(small_disk: Path) -> None:
    store = open_store(small_disk / "memory.db", NoonClock())
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 600_000)
    confirmed = fill_up(store)
    assert confirmed > 0
    check_it_goes_on(store, confirmed)
    ballast.unlink()
    store.begin_turn(ANN, MAIN, "room again", [insert(episode("words again"))], NOON)
    check_it_goes_on(store, confirmed + 1)
    store.close()


def test_a_database_that_may_not_grow(sqlite_store: SqliteStore) -> None:
    pages = sqlite_store._db.rows("PRAGMA page_count")[0][0]
    sqlite_store._db.rows(f"PRAGMA max_page_count = {pages + 20}")
    confirmed = fill_up(sqlite_store)
    check_it_goes_on(sqlite_store, confirmed)
    sqlite_store._db.rows("PRAGMA max_page_count = 100000")
    sqlite_store.begin_turn(ANN, MAIN, "room again", [insert(episode("words again"))], NOON)
    check_it_goes_on(sqlite_store, confirmed + 1)


def test_a_disk_that_turned_read_only(sqlite_store: SqliteStore) -> None:
    (unit,) = sqlite_store.apply(ANN, [insert(fact("before"))], NOON).added
    sqlite_store._db.rows("PRAGMA query_only = ON")
    with pytest.raises(StoreReadOnly):
        sqlite_store.apply(ANN, [insert(fact("lost"))], NOON)
    with pytest.raises(StoreReadOnly):
        sqlite_store.forget(ANN, [unit])
    assert sqlite_store.unit(ANN, unit).content == "before"
    sqlite_store._db.rows("PRAGMA query_only = OFF")
    sqlite_store.apply(ANN, [insert(fact("after"))], NOON)
    assert sqlite_store.visible(scope()).sum() == 2


def test_a_read_only_disk_at_start(small_disk: Path) -> None:
    open_store(small_disk / "memory.db", NoonClock()).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreReadOnly):
        open_store(small_disk / "memory.db", NoonClock())


def test_a_failure_in_the_middle_undoes_all_of_it(sqlite_store: SqliteStore) -> None:
    begun = sqlite_store.begin_turn(ANN, MAIN, "hello", (), NOON)
    assert begun.turn is not None
    with pytest.raises(RequestInvalid):
        sqlite_store.finish_turn(
            ANN, begun.turn, "r", TurnState.DONE, [insert(fact("good")), insert(fact("half \ud83d"))], NOON
        )
    assert sqlite_store.turns(ANN, MAIN, last=1) == []
    assert len(sqlite_store.visible(scope())) == 0
    assert sqlite_store.search_text(scope(), "good", 5) == []
    sqlite_store.finish_turn(ANN, begun.turn, "r", TurnState.DONE, (), NOON)


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (sqlite3.SQLITE_FULL, DiskFull),
        (sqlite3.SQLITE_READONLY_DBMOVED, StoreReadOnly),
        (sqlite3.SQLITE_CORRUPT, StoreDamaged),
        (sqlite3.SQLITE_CORRUPT_VTAB, StoreDamaged),
        (sqlite3.SQLITE_NOTADB, StoreDamaged),
        (sqlite3.SQLITE_IOERR_WRITE, StoreFailed),
        (sqlite3.SQLITE_BUSY, StoreFailed),
        (None, StoreFailed),
    ],
)
def test_causes(code: int | None, cause: type[EdgeError]) -> None:
    error = sqlite3.OperationalError("it broke")
    if code is not None:
        error.sqlite_errorcode = code
    with pytest.raises(cause, match="it broke") as raised, named_faults():
        raise error
    assert type(raised.value) is cause


def test_a_file_that_breaks_while_it_is_open(sqlite_store: SqliteStore, database: Path) -> None:
    sqlite_store.apply(ANN, [insert(episode(f"words {number} " * 300)) for number in range(300)], NOON)
    sqlite_store.checkpoint()
    sqlite_store._db.rows("PRAGMA shrink_memory")
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(StoreDamaged):
        sqlite_store.unit(ANN, UnitId(200))


@pytest.mark.parametrize("replaced", [False, True])
def test_a_database_that_is_removed_under_it_confirms_nothing(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "state" / "memory.db"
    store = open_store(path, NoonClock())
    store.begin_turn(ANN, MAIN, "before", [insert(episode("before"))], NOON)
    aside = path.parent.rename(tmp_path / "aside")
    if replaced:
        path.parent.mkdir()
        path.touch()
    with pytest.raises(StoreFailed, match="removed or replaced"):
        store.begin_turn(ANN, MAIN, "after", [insert(episode("after"))], NOON)
    if replaced:
        path.unlink()
        path.parent.rmdir()
    aside.rename(path.parent)
    store.begin_turn(ANN, MAIN, "put back", [insert(episode("put back"))], NOON)
    assert store.counts(ANN)["turns"] == 2
    store.close()
