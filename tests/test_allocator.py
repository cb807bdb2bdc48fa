"""What the allocator keeps, asked of a process of its own: the settings are the whole process's."""

from __future__ import annotations

import subprocess
import sys

import pytest

_ARENAS_OF_TWELVE_THREADS = """
import ctypes, sys, tempfile, threading
from edge.allocator import bound_arenas
if sys.argv[1] == "bound":
    bound_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
all_there = threading.Barrier(12)
def allocate():
    all_there.wait()
    libc.malloc(5000)
    all_there.wait()
threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with tempfile.TemporaryFile() as told:
    stream = ctypes.c_void_p(libc.fdopen(told.fileno(), b"w"))
    libc.malloc_info(0, stream)
    libc.fflush(stream)
    told.seek(0)
    print(told.read().count(b"<heap nr="))
"""
_KEPT_OF_200_MB = """
import ctypes
from edge.allocator import give_back_freed
from edge.daemon.resident import resident_bytes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
before = resident_bytes()
blocks = [libc.malloc(100_000) for _ in range(2000)]
for block in blocks: ctypes.memset(block, 1, 100_000)
for block in blocks[:-1]: libc.free(ctypes.c_void_p(block))
held = resident_bytes()
give_back_freed()
print((held - before) // 10**6, (resident_bytes() - before) // 10**6)
"""


def _told(script: str, *arguments: str) -> str:
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's arenas")
def test_threads_share_two_arenas() -> None:
    assert int(_told(_ARENAS_OF_TWELVE_THREADS, "unbound")) > 2
    assert int(_told(_ARENAS_OF_TWELVE_THREADS, "bound")) <= 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's malloc_trim")
def test_what_is_freed_below_what_is_held_goes_back_to_the_system() -> None:
    held, kept = map(int, _told(_KEPT_OF_200_MB).split())
    assert held > 150
    assert kept < 20
