"""Backups: whole, verified, counted up, stopped on request, and without what was forgotten."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from edge.errors import Cancelled, EdgeError
from edge.memory.units import Unit, UnitId
from edge.store.backups import FileBackups
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.clock import SetClock
from tests.store.conftest import NoonClock
from tests.store.making import ANN, NOON, fact, insert

SECRET = "the zeppelin leaves at nine 飞艇九点起飞"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def backups(sqlite_store: SqliteStore, database: Path, folder: Path, clock: SetClock) -> FileBackups:
    sqlite_store.apply(ANN, [insert(fact(SECRET))], NOON)
    return FileBackups(database, folder, 2, clock)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def told(store: SqliteStore) -> list[Unit]:
    page = store.page(ANN, session=None, kinds=None, before=None, limit=9, as_of=NOON, include_past=True)
    return list(page.units)


def unit_of(store: SqliteStore) -> UnitId:
    (unit,) = told(store)
    return unit.id


def go_on() -> bool:
    return False


def test_a_backup_opens_as_the_memory_it_is_of(backups: FileBackups, folder: Path, tmp_path: Path) -> None:
    made = backups.make(go_on)
    assert names(folder) == [made.name]
    assert made.bytes == (folder / made.name).stat().st_size
    assert (folder / made.name).stat().st_mode & 0o777 == 0o600
    restored = tmp_path / "restored.db"
    restored.write_bytes((folder / made.name).read_bytes())
    store = open_store(restored, NoonClock())
    assert [unit.content for unit in told(store)] == [SECRET]
    store.close()


def test_the_newest_are_kept_whatever_the_clock_says(backups: FileBackups, folder: Path, clock: SetClock) -> None:
    made = [backups.make(go_on)]
    clock.set(clock.now().replace(year=1970))
    made += [backups.make(go_on), backups.make(go_on)]
    assert names(folder) == [each.name for each in made[1:]]
    assert [each.removed for each in made] == [0, 0, 1]


def test_what_was_forgotten_leaves_the_backups(backups: FileBackups, folder: Path, sqlite_store: SqliteStore) -> None:
    backups.make(go_on)
    assert not backups.are_stale()
    sqlite_store.forget(ANN, [unit_of(sqlite_store)])
    assert backups.are_stale()
    made = backups.make(go_on)
    assert made.removed == 1
    assert names(folder) == [made.name]
    assert not backups.are_stale()
    assert "飞艇".encode() not in (folder / made.name).read_bytes()


def test_one_that_is_stopped_leaves_nothing(backups: FileBackups, folder: Path, sqlite_store: SqliteStore) -> None:
    for number in range(40):
        sqlite_store.apply(ANN, [insert(fact(f"Box {number} is on a shelf. " * 20))], NOON)
    looks: list[int] = []

    def stop() -> bool:
        looks.append(1)
        return len(looks) > 2

    with pytest.raises(Cancelled):
        backups.make(stop)
    assert names(folder) == []


def test_one_that_cannot_be_made_takes_those_that_hold_what_was_forgotten_with_it(
    backups: FileBackups, folder: Path, sqlite_store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = backups.make(go_on)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("edge.store.backups.sync_file", fail)
    with pytest.raises(EdgeError):
        backups.make(go_on)
    assert names(folder) == [kept.name]
    sqlite_store.forget(ANN, [unit_of(sqlite_store)])
    with pytest.raises(EdgeError):
        backups.make(go_on)
    assert names(folder) == []


def test_a_damaged_backup_and_strange_files_are_left_alone(backups: FileBackups, folder: Path) -> None:
    made = backups.make(go_on)
    (folder / made.name).write_bytes(b"no database")
    (folder / "mine.db").write_bytes(b"mine")
    assert not backups.are_stale()
    assert set(names(folder)) >= {made.name, "mine.db"}


def test_a_copy_that_is_not_sound_is_not_kept(
    backups: FileBackups, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damage(path: Path, *_: object) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 1")
        raise EdgeError("not sound")

    monkeypatch.setattr("edge.store.backups._verify", damage)
    with pytest.raises(EdgeError, match="not sound"):
        backups.make(go_on)
    assert names(folder) == []
