"""Writes a graph to its file, a large one from a forked process, so that nobody waits for it.

hnswlib writes a file in one call and lets no other thread run meanwhile: a second for 224 MB. A forked process has
the graph as it stood at the fork and writes that, as Redis' BGSAVE does; the pages are shared until somebody writes to
them, and nobody does. It may be forked from a process with other threads, for all that it calls is `save_index`, some
calls of the system, and `_exit`: no lock is needed that another thread may have held but malloc's, and those are set
right by the C library.
"""

from __future__ import annotations

import errno
import mmap
import os
import select
import shutil
import signal
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import hnswlib

APART_BYTES = 1 << 20
"""Files from this size on are written apart: under it the writing takes 0.2 ms, less than a fork does (0.5 to 4)."""
WAIT_SECONDS = 0.004
"""The longest that a step waits for the process that writes, and a turn for such a step."""
_SPARE_BYTES = 1 << 20
_SYNC_BYTES = 4 << 20
"""What is brought to the disk at once: a process that waits for it cannot be killed meanwhile."""
_NICE = 10


def save(path: Path, graph: hnswlib.Index) -> Generator[None]:
    """Write a graph, which must not change meanwhile, in place of the file that was there, and bring it to the disk.

    Each step waits some milliseconds at most. Raises OSError; closing the generator ends the writing. A process that
    outlives this one goes on with the file it was given, which has lost its name then: it cannot harm a later one.
    """
    expected = graph.index_file_size()
    if shutil.disk_usage(path.parent).free < expected + _SPARE_BYTES:
        raise OSError(errno.ENOSPC, "no room for the vector index")
    path.unlink(missing_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if expected < APART_BYTES:
            _write(file, graph)
            os.fsync(file)
        else:
            yield from _write_apart(file, graph)
        if os.fstat(file).st_size != expected:  # hnswlib reports no failure to write
            raise OSError(errno.EIO, "the vector index was written short")
    finally:
        os.close(file)


def _write(file: int, graph: hnswlib.Index) -> None:
    """By the open file, not by a name that may be another's by now."""
    graph.save_index(f"/proc/self/fd/{file}")


def _write_apart(file: int, graph: hnswlib.Index) -> Generator[None]:
    ended, lives = os.pipe()
    try:
        try:
            writer = _fork(file, lives, graph)
        finally:
            os.close(lives)
        yield from _wait(writer, ended)
    finally:
        os.close(ended)


def _fork(file: int, lives: int, graph: hnswlib.Index) -> int:
    """Start the process that writes; gives its id. No signal reaches it but SIGKILL: others are for the daemon, and
    its handlers must not run twice."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        writer = os.fork()
        if not writer:
            _write_and_exit(file, lives, graph)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return writer


def _write_and_exit(file: int, lives: int, graph: hnswlib.Index) -> NoReturn:
    """All that the forked process does. Its exit status is an errno, 0 for none."""
    status = errno.EIO
    try:
        _close_all_but(file, lives)
        with suppress(OSError):
            os.nice(_NICE)
        _write(file, graph)
        _sync(file)
        status = 0
    except OSError as error:
        status = error.errno or status
    finally:
        os._exit(status)


def _close_all_but(*kept: int) -> None:
    """The lock of the state folder and the sockets must not live on in a process that outlives the daemon."""
    first = 0
    for file in sorted(kept):
        os.closerange(first, file)
        first = file + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def _sync(file: int) -> None:
    with mmap.mmap(file, 0) as mapped:
        for first in range(0, len(mapped), _SYNC_BYTES):
            mapped.flush(first, min(_SYNC_BYTES, len(mapped) - first))
    os.fsync(file)


def _wait(writer: int, ended: int) -> Generator[None]:
    """Until it has ended, which its end of the pipe tells. Where nobody waits any more, it is killed."""
    running = True
    try:
        while not select.select([ended], [], [], WAIT_SECONDS)[0]:
            yield
        running = False
    finally:
        if running:
            os.kill(writer, signal.SIGKILL)
        _, status = os.waitpid(writer, 0)
    _check(os.waitstatus_to_exitcode(status))


def _check(code: int) -> None:
    if code < 0:
        raise OSError(errno.EIO, f"the process that writes the vector index was ended by signal {-code}")
    if code > 0:
        raise OSError(code, f"the vector index was not written: {os.strerror(code)}")
