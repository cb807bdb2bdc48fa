"""What a disk answers when it cannot do what was asked, and what makes a name outlive a power cut."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from edge.errors import DiskFull, EdgeError, StoreFailed, StoreReadOnly

_FULL = {errno.ENOSPC, errno.EDQUOT}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


def cause_of(error: OSError) -> type[EdgeError]:
    """DiskFull, StoreReadOnly, or StoreFailed for anything else."""
    if error.errno in _FULL:
        return DiskFull
    return StoreReadOnly if error.errno in _READ_ONLY else StoreFailed


def sync_file(path: Path) -> None:
    """Write what is in a file to the disk."""
    _sync(path, os.O_RDONLY)


def sync_folder(folder: Path) -> None:
    """Write a folder's names to the disk, so that what was renamed or made in it is there after a power cut."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _sync(path: Path, how: int) -> None:
    descriptor = os.open(path, how)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
