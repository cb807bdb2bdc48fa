"""Killed while it forgets, a store has forgotten a session whole, with every trace, or not at all."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from edge.memory.units import SessionId
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.forgetter import TURNS, word
from tests.store.making import ANN, NOON
from tests.store.test_forgetting import raw_bytes


def live_and_die(database: Path, seed: int, lines: int) -> tuple[set[str], set[str]]:
    """Sessions that were told, and those of them that were forgotten, as far as it was said."""
    command = [sys.executable, "-m", "tests.store.forgetter", str(database), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as forgetter:
        assert forgetter.stdout is not None
        said = [forgetter.stdout.readline() for _ in range(lines)]
        forgetter.kill()
        rest = forgetter.stdout.read()
    said += rest[: rest.rfind("\n") + 1].splitlines()
    pairs = [line.split() for line in said]
    told, gone = ({session for what, session in pairs if what == wanted} for wanted in ("told", "gone"))
    return told, gone


def check_whole_or_not_at_all(store: SqliteStore, database: Path, session: str) -> None:
    turns = store.turns(ANN, SessionId(session), last=9)
    units = store._db.rows("SELECT session IS NOT NULL FROM units WHERE content LIKE ?", (f"%{word(session)}%",))
    if turns:
        assert len(turns) == TURNS
        assert sorted(units) == [(0,)] * TURNS + [(1,)] * TURNS
    else:
        assert units == []
        assert word(session).encode() not in raw_bytes(database)


def kill_again_and_again(database: Path, times: int) -> None:
    chance = random.Random(times)
    for seed in range(times):
        told, gone = live_and_die(database, seed, chance.randint(1, 6))
        store = open_store(database, NoonClock())
        store.recover(NOON)
        assert store._db.rows("PRAGMA quick_check") == [("ok",)]
        assert store._db.rows("PRAGMA foreign_key_check") == []
        for session in told:
            check_whole_or_not_at_all(store, database, session)
        left = {info.id for info in store.sessions(ANN)}
        assert not left & gone
        store.close()


def test_twelve_kills(database: Path) -> None:
    kill_again_and_again(database, 12)


@pytest.mark.long
def test_two_hundred_kills(database: Path) -> None:
    kill_again_and_again(database, 200)
