"""Putting a backup in the place of the database, while no daemon has it.

What is put there was checked as the copy that it is, and the database of before is kept: as one more backup where it is
sound, so that forgetting and the count of backups reach it; else as it is, in a folder of its own.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from edge.clock import Clock
from edge.disk import cause_of, sync_file, sync_folder
from edge.errors import BackupNotFound, EdgeError, StoreDamaged, StoreFailed, StoreNewer
from edge.store.backups import FileBackups, forgettings_in
from edge.store.database import refuse_unfit, take_lock
from edge.store.faults import named_faults
from edge.store.migrations import applied_migrations, refuse_newer
from edge.store.schema import APPLICATION_ID

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_PIECE = 1024 * 1024
_OTHER = "The memory is as it was. `edge restore` without a name lists the backups; take another."
_COUNTED = "SELECT (SELECT count(*) FROM units), (SELECT count(*) FROM turns)"
_KEEP_COUNT = "INSERT INTO meta VALUES ('forgettings', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


@dataclass(frozen=True, slots=True)
class Restored:
    """What came of a restore: where the memory of before is kept (None where there was none), and what came back.
    `forgettings` were made after the backup: what they removed is there again."""

    kept: Path | None
    units: int
    turns: int
    forgettings: int


@dataclass(frozen=True, slots=True)
class Restorer:
    """Restores into the place of one database. `derived` are folders of files that are made from it anew."""

    database: Path
    backups: FileBackups
    derived: tuple[Path, ...]
    clock: Clock

    def restore(self, backup: Path, tell: Callable[[str], None]) -> Restored:
        """Check a backup, keep the memory of before, and put the backup in its place.

        `tell` is given the step that begins. Raises BackupNotFound, DaemonRunning, StoreDamaged, StoreNewer, DiskFull,
        StoreReadOnly, StoreFailed: nothing was changed then. Ends in one rename; a crash before it leaves all as it
        was, but for derived files.
        """
        with _file_faults(self.database.parent), _locked(self.database), named_faults():
            coming = self.database.with_name(f"{self.database.name}.restoring")
            try:
                tell("copying")
                _copy(backup, coming)
                tell("checking")
                units, turns, theirs = _checked(coming, backup)
                tell("keeping the memory of before")
                ours = self._forgettings()
                kept = self._keep()
                _count_on(coming, max(ours, theirs))
                self._replace(coming)
            finally:
                for path in _with_logs(coming):
                    path.unlink(missing_ok=True)
            return Restored(kept, units, turns, max(ours - theirs, 0))

    def _forgettings(self) -> int:
        """How often something was forgotten until now; 0 where that cannot be read."""
        if not self.database.exists():
            return 0
        try:
            return forgettings_in(self.database.absolute())
        except sqlite3.Error:
            return 0

    def _keep(self) -> Path | None:
        if not self.database.exists():
            return None
        try:
            refuse_unfit(self.database)
            kept = self.backups.add(lambda: False)
        except (StoreDamaged, StoreNewer, StoreFailed, sqlite3.DatabaseError):
            return self._set_aside()
        _give_to_owner(kept)
        return kept

    def _set_aside(self) -> Path:
        """A second name for a database that cannot be copied, with its log: nobody reads them, or removes them."""
        aside = _new_folder(self.database.parent, f"replaced-{self.clock.now():%Y%m%dT%H%M%SZ}")
        for path in _with_logs(self.database):
            if path.exists():
                os.link(path, aside / path.name)
        sync_folder(aside)
        return aside

    def _replace(self, coming: Path) -> None:
        """The log of the database of before goes first: it would be taken for the new one's."""
        for folder in self.derived:
            shutil.rmtree(folder, ignore_errors=True)
        sync_file(coming)
        _give_to_owner(coming)
        for log in _with_logs(self.database)[1:]:
            log.unlink(missing_ok=True)
        sync_folder(self.database.parent)
        coming.replace(self.database)
        sync_folder(self.database.parent)


def _copy(backup: Path, coming: Path) -> None:
    coming.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = backup.with_name(f"{backup.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreDamaged(
            f"{backup} is a database in use and no backup: what is newest is in {log.name}.",
            hint="`edge backup` makes a backup of it.",
        )
    coming.unlink(missing_ok=True)
    try:
        with backup.open("rb") as source, os.fdopen(os.open(coming, _NEW, 0o600), "wb") as target:
            shutil.copyfileobj(source, target, _PIECE)
            target.flush()
            os.fsync(target.fileno())
    except (FileNotFoundError, IsADirectoryError):
        raise BackupNotFound(f"There is no backup {backup}.", path=str(backup)) from None


def _checked(coming: Path, backup: Path) -> tuple[int, int, int]:
    """Units, turns and forgettings of what is whole, ours and not newer. Raises StoreDamaged, StoreNewer."""
    try:
        with closing(_reading(coming)) as db:
            (application_id,) = db.execute("PRAGMA application_id").fetchone()
            if application_id != APPLICATION_ID or not applied_migrations(db):
                raise StoreDamaged(f"{backup} is no backup of a memory.", hint=_OTHER)
            found = [text for (text,) in db.execute("PRAGMA integrity_check(1)")]
            if found != ["ok"]:
                raise StoreDamaged(f"The backup {backup} is damaged: {found[0].strip()}.", hint=_OTHER)
            refuse_newer(db)
            units, turns = db.execute(_COUNTED).fetchone()
            return units, turns, forgettings_in(coming.absolute())
    except sqlite3.DatabaseError as error:
        raise StoreDamaged(f"The backup {backup} cannot be read: {error}.", hint=_OTHER) from error


def _count_on(coming: Path, forgettings: int) -> None:
    """Backups that hold what was forgotten are told by this count, so it may not go back."""
    with closing(sqlite3.connect(coming, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = MEMORY").fetchall()
        db.execute(_KEEP_COUNT, (forgettings,))


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _with_logs(database: Path) -> tuple[Path, ...]:
    return database, *(database.with_name(f"{database.name}{end}") for end in ("-wal", "-shm"))


def _new_folder(parent: Path, name: str) -> Path:
    number = 0
    while True:
        path = parent / (f"{name}-{number}" if number else name)
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            number += 1
        else:
            _give_to_owner(path)
            return path


def _give_to_owner(path: Path) -> None:
    """Root restores for the user who runs the daemon: a file belongs to whom its folder belongs to."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


@contextmanager
def _locked(database: Path) -> Iterator[None]:
    """Keep daemons out while the block runs."""
    lock = take_lock(database)
    try:
        _give_to_owner(database.with_name(f"{database.name}.lock"))
        yield
    finally:
        os.close(lock)


@contextmanager
def _file_faults(folder: Path) -> Iterator[None]:
    try:
        yield
    except EdgeError:
        raise
    except OSError as error:
        raise cause_of(error)(f"The backup cannot be restored into {folder}: {error}.") from error
