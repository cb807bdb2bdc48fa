"""The one connection: how it is opened and locked, what a transaction is, and how it is closed.

A database that is damaged or newer is refused before anything is written: it is looked at through a read-only
connection first.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from edge.clock import Clock
from edge.disk import cause_of
from edge.errors import DaemonRunning, StoreDamaged, StoreFailed
from edge.memory.text import holds
from edge.store.faults import named_faults
from edge.store.full_text import mend_levels
from edge.store.migrations import migrate, refuse_newer
from edge.store.rows import Row
from edge.store.schema import APPLICATION_ID

Parameters = Mapping[str, Any] | Sequence[Any]

_JOURNAL_LIMIT = 8 * 1024 * 1024
_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA busy_timeout = 5000",
    f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT}",
    "PRAGMA cache_size = -8192",
)


class Database:
    """One SQLite connection, used by the thread that opened it, and the lock that keeps other processes out."""

    def __init__(self, connection: sqlite3.Connection, path: Path, lock: int) -> None:
        self._connection = connection
        self._path = path
        self._file = _identity(path)
        self._lock: int | None = lock

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of a query."""
        with named_faults():
            return self._connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """The first row of a query, if it has one."""
        with named_faults():
            found: Row | None = self._connection.execute(sql, parameters).fetchone()
            return found

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection for several queries that change nothing."""
        with named_faults():
            yield self._connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing. What was done is on the disk when it ends."""
        self._refuse_if_gone()
        with named_faults():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def relaxed_transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, reaching the disk with the next `transaction` or checkpoint: for what can be made again.

        A power cut may undo it, whole and together with everything relaxed after it, never in part. The write-ahead
        log is one file: when a later `transaction` has synced it, all that was appended to it before is durable too.
        """
        self._set("PRAGMA synchronous = NORMAL")
        try:
            with self.transaction() as db:
                yield db
        finally:
            self._set("PRAGMA synchronous = FULL")

    def _refuse_if_gone(self) -> None:
        """SQLite goes on writing to a file that was removed under it, and all that is lost when the process ends."""
        if _identity(self._path) != self._file:
            raise StoreFailed(
                f"The memory's database {self._path} was removed or replaced while it was open.",
                hint="Stop the daemon, put the state folder back if you can, and start it again.",
            )

    def _set(self, pragma: str) -> None:
        with named_faults():
            self._connection.execute(pragma)

    def define(self, name: str, function: Callable[[int], None]) -> None:
        """Let SQL call a function of one number, which must not touch the database."""
        self._connection.create_function(name, 1, function)

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database and empty it."""
        with named_faults():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def rewrite(self) -> None:
        """Write the whole database anew, without what stands in the unused parts of its pages."""
        with named_faults():
            self._connection.execute("VACUUM")
        self.checkpoint()

    def size(self) -> int:
        """Bytes of the database itself."""
        row = self.row("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        assert row is not None
        return int(row[0])

    def close(self) -> None:
        """Checkpoint, close, and let another process in. Doing it again does nothing."""
        if self._lock is None:
            return
        try:
            self.checkpoint()
        finally:
            self._connection.close()
            os.close(self._lock)
            self._lock = None


def open_database(path: Path, clock: Clock) -> Database:
    """Open a database, made if there is none, and bring its schema up to date.

    Raises DaemonRunning while another process has it, StoreDamaged, StoreNewer, StoreReadOnly, DiskFull, StoreFailed.
    """
    path = path.absolute()
    lock = take_lock(path)
    try:
        with named_faults():
            refuse_unfit(path)
            return Database(_connect(path, clock), path, lock)
    except BaseException:
        os.close(lock)
        raise


def _connect(path: Path, clock: Clock) -> sqlite3.Connection:
    with _file_faults(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    try:
        for setting in _SETTINGS:
            connection.execute(setting).fetchall()
        connection.create_function("holds", 2, holds, deterministic=True)
        migrate(connection, clock)
        mend_levels(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def refuse_unfit(path: Path) -> None:
    """Raise StoreDamaged or StoreNewer for a database that is not to be used; it is only read."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as db:
        (application_id,) = db.execute("PRAGMA application_id").fetchone()
        if application_id != APPLICATION_ID and db.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise StoreDamaged(f"{path} is a database of another program.")
        found = [text for (text,) in db.execute("PRAGMA quick_check(3)")]
        if found != ["ok"]:
            raise StoreDamaged(f"The memory's database {path} is damaged: {found[0].strip()}")
        refuse_newer(db)


def take_lock(path: Path) -> int:
    """Hold `<path>.lock` until the descriptor is closed; the process's id stands in it. Raises DaemonRunning."""
    with _file_faults(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with _file_faults(path):
            os.pwrite(lock, f"{os.getpid():<10}\n".encode(), 0)
    except BlockingIOError:
        holder = _holder(lock)
        os.close(lock)
        raise DaemonRunning(f"Process {holder} has the memory {path} open.", pid=holder) from None
    except BaseException:
        os.close(lock)
        raise
    return lock


def _holder(lock: int) -> int | None:
    with suppress(ValueError):
        return int(os.pread(lock, 32, 0))
    return None


@contextmanager
def _file_faults(path: Path) -> Iterator[None]:
    try:
        yield
    except BlockingIOError:
        raise
    except OSError as error:
        raise cause_of(error)(f"The memory's folder {path.parent} cannot be written: {error}.") from error
