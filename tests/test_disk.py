"""What a disk answers, by its cause."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from edge.disk import cause_of, sync_folder
from edge.errors import DiskFull, EdgeError, StoreFailed, StoreReadOnly


@pytest.mark.parametrize(
    ("number", "cause"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EROFS, StoreReadOnly),
        (errno.EACCES, StoreReadOnly),
        (errno.EPERM, StoreReadOnly),
        (errno.EIO, StoreFailed),
        (errno.ENOENT, StoreFailed),
    ],
)
def test_an_answer_has_its_cause(number: int, cause: type[EdgeError]) -> None:
    assert cause_of(OSError(number, "no")) is cause


def test_a_folder_is_synced_and_a_missing_one_is_not(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "gone")
