"""On a full disk nothing more is remembered, and what is to be forgotten still goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from edge.engine.forgetting_ports import Selection
from edge.engine.ports import EmbeddingRow
from edge.errors import DiskFull
from edge.memory.units import SessionId, TurnState, UnitId
from edge.store.database import Database
from edge.store.reserve import SMALLEST_RESERVE, Reserve
from edge.store.sqlite import SqliteStore, open_store
from tests.disks import mounted
from tests.store.conftest import NoonClock
from tests.store.making import ANN, MAIN, NOON, WORK, episode, fact, insert, scope

DISK = 16 * 1024 * 1024
RESERVE = DISK // 16


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", f"size={DISK}") as folder:
        yield folder


def reserve(disk: Path) -> int:
    """Bytes that are kept."""
    path = disk / "memory.db.reserve"
    return path.stat().st_blocks * 512 if path.exists() else 0


def fill(disk: Path) -> None:
    with (disk / "ballast").open("ab", buffering=0) as ballast:
        try:
            while ballast.write(bytes(4096)):
                pass
        except OSError:
            pass


def tell(store: SqliteStore, number: int, session: SessionId = MAIN) -> list[UnitId]:
    words = f"Box {number:04} is blue and stands on the shelf. 第{number:04}箱是蓝色的。"
    begun = store.begin_turn(ANN, session, words, [insert(episode(words)), insert(fact(words))], NOON)
    rows = [EmbeddingRow(unit, 0, np.ones(384, np.float32), b"c" * 960) for unit in begun.added]
    store.save_embeddings("mini/384", rows)
    assert begun.turn is not None
    store.finish_turn(ANN, begun.turn, "Noted.", TurnState.DONE, (), NOON)
    return list(begun.added)


def tell_refused(store: SqliteStore) -> None:
    with pytest.raises(DiskFull):
        any(not tell(store, number) for number in range(10_000))


@pytest.fixture
def full(disk: Path) -> Iterator[SqliteStore]:
    """A store of 400 units on a disk without a byte of room."""
    store = open_store(disk / "memory.db", NoonClock())
    for number in range(200):
        tell(store, number, WORK if number < 30 else MAIN)
    fill(disk)
    tell_refused(store)
    yield store
    store.close()


def test_units_are_forgotten_one_after_the_other_and_nothing_is_remembered(full: SqliteStore, disk: Path) -> None:
    for unit in (300, 301, 350, 351, 390):
        assert UnitId(unit) in full.forget(ANN, [UnitId(unit)])
        assert reserve(disk) == RESERVE
        fill(disk)
        tell_refused(full)
    assert full.search_text(scope(), "0149", 9) == []
    assert full._db.rows("PRAGMA quick_check") == [("ok",)]


def test_a_session_is_forgotten(full: SqliteStore, disk: Path) -> None:
    gone = full.forgetting.forget_selection(ANN, Selection(session=WORK, facts=True), None)
    assert len(gone.units) >= 60
    assert [info.id for info in full.sessions(ANN)] == [MAIN]
    assert reserve(disk) == RESERVE


def test_with_room_again_the_traces_go(full: SqliteStore, disk: Path) -> None:
    full.forget(ANN, [UnitId(300)])
    (disk / "ballast").unlink()
    assert not full.tidy()
    assert b"0149" not in b"".join(path.read_bytes() for path in disk.iterdir())


def test_what_is_too_much_for_the_reserve_is_refused_whole(full: SqliteStore, disk: Path) -> None:
    os.truncate(disk / "memory.db.reserve", 4096)
    fill(disk)
    tell_refused(full)
    ids = tuple(UnitId(unit) for (unit,) in full._db.rows("SELECT id FROM units"))
    with pytest.raises(DiskFull):
        full.forgetting.forget_selection(ANN, Selection(ids), None)
    assert full.counts(ANN)["units"] == len(ids)
    assert full._db.rows("PRAGMA quick_check") == [("ok",)]
    (disk / "ballast").unlink()


def test_a_reserve_that_could_not_be_kept_is_made_when_there_is_room(disk: Path) -> None:
    store = open_store(disk / "memory.db", NoonClock())
    (disk / "memory.db.reserve").unlink()
    fill(disk)
    store.tidy()
    assert reserve(disk) == 0
    (disk / "ballast").unlink()
    store.tidy()
    assert reserve(disk) == RESERVE
    store.close()


def test_a_disk_on_which_it_would_be_too_small_has_none(
    sqlite_store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.store.reserve._DISK_SHARE", 2**60)
    kept = Reserve(sqlite_store._db, tmp_path / "other.db")
    kept.keep()
    assert not (tmp_path / "other.db.reserve").exists()
    monkeypatch.undo()
    kept.keep()
    assert (tmp_path / "other.db.reserve").stat().st_size >= SMALLEST_RESERVE


def test_what_fails_for_another_reason_is_not_tried_again(sqlite_store: SqliteStore, database: Path) -> None:
    (unit,) = sqlite_store.apply(ANN, [insert(fact("it"))], NOON).added
    tried: list[bool] = []

    def work() -> None:
        tried.append(True)
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        sqlite_store._reserve.with_room(work)
    assert tried == [True]
    assert database.with_name("memory.db.reserve").exists()
    assert isinstance(sqlite_store._db, Database)
    assert sqlite_store.unit(ANN, unit)
