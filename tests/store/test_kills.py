"""Killed at any moment, a store has all that it confirmed, and nothing that it confirmed to have forgotten."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edge.memory.units import TurnState
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, MAIN, NOON, scope
from tests.store.writer import EMBEDDER


class Confirmed:
    """What a writer said it did, over all its lives."""

    def __init__(self) -> None:
        self.begun: set[int] = set()
        self.done: set[int] = set()
        self.units: set[int] = set()
        self.gone: set[int] = set()
        self.saved: set[int] = set()
        self.marks: set[int] = set()

    def read(self, line: str) -> None:
        what, *rest = line.split()
        ids = [int(number) for number in rest]
        if what == "begun":
            self.begun.add(ids[0])
            self.units.update(ids[1:])
        else:
            {"done": self.done, "gone": self.gone, "saved": self.saved, "marked": self.marks}[what].update(ids)

    def check(self, store: SqliteStore) -> None:
        assert store._db.rows("PRAGMA quick_check") == [("ok",)]
        store._db.rows("INSERT INTO units_text (units_text) VALUES ('integrity-check')")
        turns = {turn.id: turn for turn in store.turns(ANN, MAIN, last=100_000)}
        assert turns.keys() >= self.begun
        assert all(turns[number].state is TurnState.DONE for number in turns if number in self.done)
        assert not any(turn.state is TurnState.OPEN for turn in turns.values())
        present = set(np.flatnonzero(store.visible(scope())).tolist())
        assert present == {unit for (unit,) in store._db.rows("SELECT rowid FROM units_text")}
        assert not present & self.gone
        # A kill may fall between the commit of one forgetting and its being told: at most a turn's units more are gone.
        assert len(self.units - self.gone - present) <= 3
        self.units &= present
        self.check_log(store, present)

    def check_log(self, store: SqliteStore, present: set[int]) -> None:
        rows = store.vector_log.vectors_between(EMBEDDER, 0, None, 100_000)
        units = set(rows.units.tolist())
        _, forgotten = store.vector_log.forgotten_after(EMBEDDER, 0)
        assert len(units) == len(rows.units)
        assert units <= present
        assert units >= self.saved & present
        assert set(forgotten.tolist()) >= self.saved & self.gone
        assert set(forgotten.tolist()).isdisjoint(present)
        assert {unit for unit, _ in store.missing_embeddings(EMBEDDER, 100_000)} == present - units
        assert all(store.vector_log.has_mark(EMBEDDER, str(number)) for number in self.marks)


def live_and_die(database: Path, seed: int, lines: int, confirmed: Confirmed) -> None:
    command = [sys.executable, "-m", "tests.store.writer", str(database), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(lines):
            confirmed.read(writer.stdout.readline())
        writer.kill()
        rest = writer.stdout.read()
    for line in rest[: rest.rfind("\n") + 1].splitlines():
        confirmed.read(line)


def kill_again_and_again(database: Path, times: int) -> None:
    confirmed, chance = Confirmed(), random.Random(times)
    for seed in range(times):
        live_and_die(database, seed, chance.randint(1, 40), confirmed)
        store = open_store(database, NoonClock())
        store.recover(NOON)
        confirmed.check(store)
        store.close()
    assert confirmed.gone
    assert confirmed.saved & confirmed.gone
    assert confirmed.marks


def test_fifteen_kills(database: Path) -> None:
    kill_again_and_again(database, 15)


@pytest.mark.long
def test_two_hundred_kills(database: Path) -> None:
    kill_again_and_again(database, 200)
