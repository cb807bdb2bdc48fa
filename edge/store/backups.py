"""Backups of the database: whole copies in one folder, made while it is used.

`VACUUM INTO` over a connection of its own that only reads: it sees the database as it stood when it began, holds up no
writer, and copies rows and not pages, so that what forgetting left in unused parts of pages stays behind. The backup
interface of SQLite copies pages, with all that.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from edge.clock import Clock
from edge.disk import cause_of, sync_file, sync_folder
from edge.engine.night_ports import Backup
from edge.errors import Cancelled, StoreDamaged
from edge.store.faults import named_faults

_NAME = re.compile(r"memory-(\d{6,})-\d{8}T\d{6}Z\.db")
_UNFINISHED = "unfinished.tmp"
_STEPS = 2000
"""Steps of SQLite's machine between two looks at whether to stop: about a millisecond."""


class FileBackups:
    """The `Backups` of a database, in a folder. Their names count up, whatever the clock says."""

    def __init__(self, database: Path, folder: Path, keep: int, clock: Clock) -> None:
        self._database = database.absolute()
        self._folder = folder
        self._keep = keep
        self._clock = clock
        self._making = threading.Lock()

    def make(self, stop: Callable[[], bool]) -> Backup:
        with self._making, _file_faults(self._folder), named_faults():
            try:
                made = self._make(stop)
            except Cancelled:
                raise
            except BaseException:
                self._remove_stale()
                raise
            removed = self._remove_stale() + self._remove_oldest()
            return Backup(made.name, made.stat().st_size, removed)

    def add(self, stop: Callable[[], bool]) -> Path:
        """One more, and none goes for it: what a restore keeps. Raises as `make` does."""
        with self._making, _file_faults(self._folder), named_faults():
            return self._make(stop)

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self._folder

    def listed(self) -> list[Path]:
        """All of them, newest first."""
        with _file_faults(self._folder):
            return [path for _, path in reversed(self._numbered())]

    def size(self) -> int:
        """Bytes of the database that is copied."""
        return _size(self._database)

    def written(self) -> int:
        """Bytes so far of the one that is being made."""
        return _size(self._folder / _UNFINISHED)

    def are_stale(self) -> bool:
        with _file_faults(self._folder), named_faults():
            return bool(self._stale())

    def _make(self, stop: Callable[[], bool]) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = self._folder / _UNFINISHED
        unfinished.unlink(missing_ok=True)
        try:
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, 0o600))
            with _stopping(self._database, stop) as db:
                db.execute("VACUUM INTO ?", (str(unfinished),))
            _verify(unfinished, stop)
            sync_file(unfinished)
            made = self._folder / self._next_name()
            unfinished.rename(made)
            sync_folder(self._folder)
        finally:
            unfinished.unlink(missing_ok=True)
        return made

    def _next_name(self) -> str:
        last = max((number for number, _ in self._numbered()), default=0)
        return f"memory-{last + 1:06}-{self._clock.now():%Y%m%dT%H%M%SZ}.db"

    def _numbered(self) -> list[tuple[int, Path]]:
        """All of them, oldest first. Other files in the folder are somebody else's."""
        if not self._folder.is_dir():
            return []
        found = ((_NAME.fullmatch(path.name), path) for path in self._folder.iterdir())
        return sorted((int(name[1]), path) for name, path in found if name is not None)

    def _stale(self) -> list[Path]:
        if not (backups := self._numbered()):
            return []
        now = forgettings_in(self._database)
        return [path for _, path in backups if _known_forgettings(path, now) < now]

    def _remove_stale(self) -> int:
        return self._remove(self._stale())

    def _remove_oldest(self) -> int:
        return self._remove([path for _, path in self._numbered()[: -self._keep]])

    def _remove(self, paths: list[Path]) -> int:
        for path in paths:
            path.unlink(missing_ok=True)
        if paths:
            sync_folder(self._folder)
        return len(paths)


@contextmanager
def _stopping(database: Path, stop: Callable[[], bool]) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, and ends what it does when it is to stop. Raises Cancelled then."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, isolation_level=None)) as db:
        db.set_progress_handler(stop, _STEPS)
        try:
            yield db
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            raise Cancelled("The backup was stopped on request.") from None


def _verify(backup: Path, stop: Callable[[], bool]) -> None:
    with _stopping(backup, stop) as db:
        found = [text for (text,) in db.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise StoreDamaged(f"A backup did not come out sound: {found[0].strip()}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def forgettings_in(database: Path) -> int:
    """How often something was forgotten in a database, which is only read."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as db:
        row = db.execute("SELECT value FROM meta WHERE name = 'forgettings'").fetchone()
    return 0 if row is None else int(row[0])


def _known_forgettings(backup: Path, unknown: int) -> int:
    """The same of a backup; `unknown` for one that cannot be read, which leaves with the oldest."""
    try:
        return forgettings_in(backup)
    except sqlite3.Error:
        return unknown


@contextmanager
def _file_faults(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cause_of(error)(f"Backups in {folder} cannot be kept: {error}.") from error
