"""Room on the disk that is kept for forgetting: who may ask for nothing else on a full disk may ask for that.

Forgetting adds to the disk before it takes away: the pages that it blanks go through the write-ahead log. One memory
took 70 KB there, at most 170 (20,000 memories with vectors of 384 numbers, 98 MB; smaller ones take less), a session of
100 turns with its facts 1.6 MB, 100 memories at once from all over the database 5.7 MB. A file of that size stands
beside the database, and is removed where forgetting meets a full disk. When the log is moved into the database, which
does not grow by what was forgotten, the room is free again for the next file.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from edge.errors import DiskFull, EdgeError
from edge.store.database import Database

RESERVE_BYTES = 16 * 1024 * 1024
SMALLEST_RESERVE = 256 * 1024
"""A smaller one would not hold what a single memory takes."""
_DISK_SHARE = 16
"""Of a small disk, so much is kept at most."""

_log = logging.getLogger(__name__)


class Reserve:
    """The reserve of one database. Without room for it there is none; that is no failure."""

    def __init__(self, db: Database, database: Path) -> None:
        self._db = db
        self._path = database.with_name(f"{database.name}.reserve")

    def keep(self) -> None:
        """Make it, where it is not there and there is room."""
        if self._path.exists():
            return
        try:
            disk = os.statvfs(self._path.parent)
            wanted = min(RESERVE_BYTES, disk.f_blocks * disk.f_frsize // _DISK_SHARE)
            if SMALLEST_RESERVE <= wanted <= disk.f_bavail * disk.f_frsize:
                self._make(wanted)
        except OSError as error:
            _log.warning("no room could be kept for forgetting: %s", error)
            self._remove()

    def with_room(self, work: Callable[[], None]) -> None:
        """Do something; where the disk is full, again in the room that is kept. Raises DiskFull where that is not
        enough, or there is none."""
        try:
            work()
        except DiskFull:
            if not self._remove():
                raise
            _log.warning("the disk is full: this forgetting takes the room that was kept for it")
            self._empty_log()
            try:
                work()
            finally:
                self._empty_log()
                self.keep()

    def _empty_log(self) -> None:
        """What is in it is in the database then, which may have to grow for what was remembered before."""
        with suppress(EdgeError):
            self._db.checkpoint()

    def _make(self, size: int) -> None:
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.posix_fallocate(file, 0, size)
        finally:
            os.close(file)

    def _remove(self) -> bool:
        """Whether there was one."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True
