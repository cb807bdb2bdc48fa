"""The benchmark of the index in a tiny form, and the database that it may take its vectors from."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from scripts.benchmarks.__main__ import bench
from scripts.benchmarks.made_up_vectors import FileLog, write_vectors
from scripts.benchmarks.private_memory import bytes_of_forked, private_bytes
from scripts.benchmarks.vector_store import fill_store, vector_store

EMBEDDER = "made-up/384"
MIB = 1 << 20


@pytest.mark.parametrize("more", [[], ["--store"]])
def test_it_builds_and_asks(more: list[str]) -> None:
    told = CliRunner().invoke(bench, ["index", "--sizes", "700", "--questions", "5", *more], catch_exceptions=False)
    assert told.exit_code == 0
    assert told.output.count("\n  700 ") == 7
    assert "5 of 5" in told.output
    assert "longest ms" in told.output


def test_a_database_holds_the_vectors_of_the_file(tmp_path: Path) -> None:
    write_vectors(tmp_path / "vectors", 1300)
    fill_store(tmp_path / "memory.db", EMBEDDER, tmp_path / "vectors")
    wanted = FileLog(tmp_path / "vectors").vectors_between(EMBEDDER, 990, None, 20)
    with vector_store(tmp_path / "memory.db") as store:
        rows = store.vector_log.vectors_between(EMBEDDER, 990, None, 20)
        assert store.vector_log.last_number(EMBEDDER) == 1300
    assert rows.units.tolist() == wanted.units.tolist() == list(range(991, 1011))
    assert np.array_equal(rows.vectors, wanted.vectors)


def test_memory_is_that_of_this_process_and_of_one_it_forked() -> None:
    before, alone = private_bytes(), bytes_of_forked()
    # From the system itself: the allocator may hand out pages that this process already holds.
    held = np.frombuffer(mmap.mmap(-1, 64 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    held[:] = 1.0
    assert private_bytes() - before > 32 * MIB, "less what else of this process was let go meanwhile"
    ended, lives = os.pipe()
    stop, go = os.pipe()
    forked = os.fork()
    if not forked:
        try:
            os.close(go)
            held[: 32 * MIB // 8] = 2.0
            os.write(lives, b"x")
            os.read(stop, 1)
        finally:
            os._exit(0)
    assert os.read(ended, 1)
    assert 30 * MIB < bytes_of_forked() - alone < 50 * MIB
    for file in (ended, lives, stop, go):
        os.close(file)
    os.waitpid(forked, 0)
    assert bytes_of_forked() == alone
