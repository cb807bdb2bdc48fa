"""Large files on a disk that can fill up, turn read-only or lose its power."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.disk import cause_of, sync_folder
from edge.errors import DiskFull, EdgeError, StoreFailed, StoreReadOnly

CHUNK_BYTES = 256 * 1024
SPARE_BYTES = 32 * 1024 * 1024
"""What is left free on a disk, so that a model never takes the last byte from the database beside it."""

_HINTS: dict[type[EdgeError], str] = {
    StoreReadOnly: "Make the models' folder writable for this user, or run the command as the user that owns it.",
    StoreFailed: "Check the disk (dmesg).",
}
FreeBytes = Callable[[Path], int]
"""Tells how many bytes may still be written to the disk that a path is on."""


def free_bytes(path: Path) -> int:
    """Bytes that this user may still write to the disk of the path, which need not exist yet."""
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free


def require_space(folder: Path, needed: int, free_of: FreeBytes) -> None:
    """Raise DiskFull where fewer bytes are free than needed, plus a reserve."""
    free = free_of(folder)
    if free < needed + SPARE_BYTES:
        raise _disk_full(folder, needed=needed + SPARE_BYTES, free=free)


def _disk_full(folder: Path, *, needed: int | None = None, free: int | None = None) -> DiskFull:
    counts = "" if needed is None else f": {needed} bytes are needed, {free} are free"
    return DiskFull(
        f"There is no room left for the model in {folder}{counts}.",
        hint="Free some space, or let the models' folder be on another disk; then run the same command again.",
        folder=str(folder),
        needed_bytes=needed,
        free_bytes=free,
    )


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn what the disk answers while a model is written into DiskFull, StoreReadOnly or StoreFailed."""
    try:
        yield
    except OSError as failure:
        cause = cause_of(failure)
        if cause is DiskFull:
            raise _disk_full(folder) from failure
        message = f"{failure.filename or folder}: {failure.strerror or failure}."
        raise cause(message, hint=_HINTS[cause], folder=str(folder)) from failure


@contextmanager
def locked(folder: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the folder for one process; `waiting` is called where another one holds it. Freed when a process dies."""
    with (folder / ".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def chunks_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file, in chunks."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def sha256_of(path: Path, done: Callable[[int], None]) -> str:
    """Hex sha256 of a file; `done` is told how many bytes have been read."""
    digest = hashlib.sha256()
    count = 0
    for chunk in chunks_of(path):
        digest.update(chunk)
        count += len(chunk)
        done(count)
    return digest.hexdigest()


def put_in_place(temporary: Path, target: Path) -> None:
    """Rename a file that is synced already, so that the name survives a power cut too."""
    temporary.replace(target)
    sync_folder(target.parent)
