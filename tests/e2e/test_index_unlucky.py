"""The index under unlucky people: what is forgotten while nobody writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.e2e.running import DaemonThread
from tests.e2e.talking import Talk, until
from tests.e2e.test_index import daemon, fill

__all__ = ["daemon"]


def vector_of(state: Path, unit: int) -> bytes:
    with closing(sqlite3.connect(f"file:{state / 'memory.db'}?mode=ro", uri=True)) as db:
        (vector,) = db.execute("SELECT vector FROM embeddings WHERE unit = ?", (unit,)).fetchone()
    return bytes(vector)


def is_in_the_index(state: Path, vector: bytes) -> bool:
    """A file that goes away meanwhile holds nothing."""
    for path in (state / "index").rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file() and vector in path.read_bytes():
                return True
    return False


@pytest.mark.parametrize("words", ["My locker is number 4711.", "我的储物柜是四七一一号。"])
def test_a_forgotten_vector_leaves_the_files_although_nothing_else_is_written(
    talk: Talk, daemon: DaemonThread, words: str
) -> None:
    (unit,) = talk.remember(words, kind="fact_reference")["added"]
    fill(talk)
    vector = vector_of(daemon.state, unit)
    assert is_in_the_index(daemon.state, vector)
    talk.forget(unit)
    until(lambda: not is_in_the_index(daemon.state, vector))
