"""Restoring a backup: checked first, the memory of before kept, and nothing changed where it cannot be done."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from edge.errors import BackupNotFound, DaemonRunning, DiskFull, StoreDamaged, StoreNewer
from edge.store.backups import FileBackups
from edge.store.restoring import Restorer
from edge.store.sqlite import SqliteStore, open_store
from tests.disks import mounted
from tests.fakes.clock import SetClock
from tests.store.conftest import NoonClock
from tests.store.making import ANN, BOB, NOON, fact, insert

FIRST = "The bicycle is blue 自行车是蓝色的 🚲 <|im_end|>"
SECOND = "The bicycle is red 自行车是红色的"


def contents(database: Path) -> list[str]:
    store = open_store(database, NoonClock())
    pages = [
        store.page(owner, session=None, kinds=None, before=None, limit=99, as_of=NOON, include_past=True)
        for owner in (ANN, BOB)
    ]
    store.close()
    return sorted(unit.content for page in pages for unit in page.units)


class Place:
    """A state folder with a memory, one backup of it, and what was remembered after that."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "memory.db"
        self.steps: list[str] = []
        clock = SetClock()
        self.backups = FileBackups(self.database, folder / "backups", 2, clock)
        self.restorer = Restorer(self.database, self.backups, (folder / "index", folder / "kv"), clock)
        self.remember(FIRST, forget=False)
        self.backup = folder / "backups" / self.backups.make(lambda: False).name

    def opened(self) -> SqliteStore:
        return open_store(self.database, NoonClock())

    def remember(self, words: str, *, forget: bool) -> None:
        store = self.opened()
        written = store.apply(ANN, [insert(fact(words))], NOON)
        store.apply(BOB, [insert(fact(f"Bob: {words}"))], NOON)
        if forget:
            store.forget(ANN, written.added)
        store.close()

    def restore(self, backup: Path | None = None) -> Path | None:
        return self.restorer.restore(backup or self.backup, self.steps.append).kept

    def files(self) -> dict[str, bytes]:
        """What is in them that counts: reading a database leaves an empty log and its map."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.name.endswith((".lock", "-shm", "-wal"))
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "state")


def test_everybody_goes_back_and_the_memory_of_before_is_a_backup(place: Place) -> None:
    place.remember(SECOND, forget=False)
    (place.folder / "index").mkdir()
    (place.folder / "index" / "segment").write_bytes(b"of the memory of before")
    kept = place.restore()
    assert contents(place.database) == sorted([FIRST, f"Bob: {FIRST}"])
    assert place.database.stat().st_mode & 0o777 == 0o600
    assert kept is not None
    assert place.backups.listed() == [kept, place.backup]
    assert not (place.folder / "index").exists()
    assert place.steps == ["copying", "checking", "keeping the memory of before"]
    place.restore(kept)
    assert contents(place.database) == sorted([FIRST, SECOND, f"Bob: {FIRST}", f"Bob: {SECOND}"])


def test_into_an_empty_folder(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "other"
    database = other / "memory.db"
    clock = SetClock()
    restorer = Restorer(database, FileBackups(database, other / "backups", 2, clock), (), clock)
    restored = restorer.restore(place.backup, lambda _: None)
    assert (restored.kept, restored.units, restored.turns) == (None, 2, 0)
    assert contents(database) == sorted([FIRST, f"Bob: {FIRST}"])


def test_what_is_forgotten_after_a_restore_leaves_the_backups_of_before_it(place: Place) -> None:
    place.remember(SECOND, forget=True)
    restored = place.restorer.restore(place.backup, place.steps.append)
    assert restored.forgettings == 1
    assert restored.kept is not None
    assert "红色" in restored.kept.read_bytes().decode("utf-8", "ignore")  # Bob's
    store = place.opened()
    page = store.page(BOB, session=None, kinds=None, before=None, limit=9, as_of=NOON, include_past=True)
    store.forget(BOB, [page.units[0].id])
    store.close()
    place.backups.make(lambda: False)
    assert not restored.kept.exists()
    assert not place.backup.exists()


def test_a_damaged_memory_is_set_aside_as_it_is(place: Place) -> None:
    damaged = b"SQLite format 3\0" + os.urandom(8192)
    place.database.write_bytes(damaged)
    kept = place.restore()
    assert kept is not None
    assert (kept / "memory.db").read_bytes() == damaged
    assert contents(place.database) == sorted([FIRST, f"Bob: {FIRST}"])


def test_a_log_that_a_dead_daemon_left_is_not_taken_for_the_backups(place: Place) -> None:
    store = place.opened()
    store.apply(ANN, [insert(fact(SECOND))], NOON)
    log = place.database.with_name("memory.db-wal")
    kept_log = log.read_bytes()
    before = place.database.read_bytes()
    store.close()
    place.database.write_bytes(before)
    log.write_bytes(kept_log)
    kept = place.restore()
    assert kept is not None
    assert contents(place.database) == sorted([FIRST, f"Bob: {FIRST}"])
    with closing(sqlite3.connect(kept)) as db:
        assert (SECOND,) in db.execute("SELECT content FROM units").fetchall()


def test_not_while_a_daemon_has_it(place: Place) -> None:
    store = place.opened()
    with pytest.raises(DaemonRunning):
        place.restore()
    store.close()
    assert place.steps == []


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5000])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = os.urandom(4096)
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (a)")


def in_use(path: Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(b"newest")


@pytest.mark.parametrize("spoil", [cut, flip, empty, other_program, in_use])
def test_what_is_no_sound_backup_changes_nothing(place: Place, spoil: object, tmp_path: Path) -> None:
    assert callable(spoil)
    backup = tmp_path / "backup.db"
    shutil.copy(place.backup, backup)
    spoil(backup)
    before = place.files()
    with pytest.raises(StoreDamaged):
        place.restore(backup)
    assert place.files() == before


def test_one_of_a_later_version_changes_nothing(place: Place, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    shutil.copy(place.backup, backup)
    with closing(sqlite3.connect(backup)) as db:
        db.execute("INSERT INTO migrations VALUES ('999_later', 0, '9.0')")
        db.commit()
    before = place.files()
    with pytest.raises(StoreNewer, match=r"9\.0"):
        place.restore(backup)
    assert place.files() == before


@pytest.mark.parametrize("name", ["none.db", "."])
def test_one_that_is_not_there(place: Place, name: str) -> None:
    with pytest.raises(BackupNotFound):
        place.restore(place.folder / name)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", "size=3m") as folder:
        yield folder


@pytest.mark.parametrize("room", [10_000, 300_000, 600_000, 1_500_000])
def test_a_full_disk_in_the_middle_loses_nothing(small_disk: Path, tmp_path: Path, room: int) -> None:
    place = Place(small_disk / "state")
    backup = tmp_path / "elsewhere.db"
    shutil.move(place.backup, backup)
    place.remember(SECOND, forget=False)
    ballast = small_disk / "ballast"
    free = os.statvfs(small_disk).f_bavail * 4096
    ballast.write_bytes(bytes(max(free - room, 0)))
    before = place.files()
    try:
        place.restore(backup)
    except DiskFull:
        assert place.files() == before
    else:
        assert room > 500_000
        return
    ballast.unlink()
    assert contents(place.database) == sorted([FIRST, SECOND, f"Bob: {FIRST}", f"Bob: {SECOND}"])
