"""Memory of this process that no file stands behind, with that of a process that it forked to write a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SAMPLE_SECONDS = 0.01
_PRIVATE = ("Private_Clean:", "Private_Dirty:")


def private_bytes() -> int:
    """Of this process alone."""
    return _kilobytes(Path("/proc/self/status"), ("RssAnon:",)) * 1024


@contextmanager
def peak_of_private_bytes() -> Iterator[list[int]]:
    """Private bytes at their peak above those at the start, once the block is left."""
    before, peak, done = private_bytes(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(_SAMPLE_SECONDS):
            peak[0] = max(peak[0], private_bytes() + bytes_of_forked() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def bytes_of_forked() -> int:
    """What processes that the main thread forked do not share with this one."""
    forked = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    total = 0
    for process in forked:
        with suppress(OSError):  # it has ended
            total += _kilobytes(Path(f"/proc/{process}/smaps_rollup"), _PRIVATE) * 1024
    return total


def _kilobytes(path: Path, names: tuple[str, ...]) -> int:
    fields = (line.split() for line in path.read_text().splitlines())
    return sum(int(field[1]) for field in fields if field[0] in names)
