"""Killed at any moment of organising, a store holds what was before the step at hand or what is after it, and what was
in force can be undone down to the first placement."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from edge.errors import ClusterUndoNothing
from edge.memory.clusters import RunState
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, NOON
from tests.store.organiser import digest


def live_and_die(database: Path, seed: int, lines: int) -> set[str]:
    """What was in the database at last as far as was said, or may be in it since."""
    command = [sys.executable, "-m", "tests.store.organiser", str(database), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as organiser:
        assert organiser.stdout is not None
        said = [organiser.stdout.readline() for _ in range(lines)]
        organiser.kill()
        rest = organiser.stdout.read()
    said += rest[: rest.rfind("\n") + 1].splitlines()
    told = [line.split() for line in said]
    last = max(number for number, (what, _) in enumerate(told) if what == "is")
    return {found for _, found in told[last:]}


def undo_all(store: SqliteStore) -> None:
    """An open run goes on where it was; then all is taken back."""
    running = store.clusters.open_run(ANN)
    if running is not None:
        store.clusters.apply_run(ANN, running.id, NOON)
    while any(run.undoable for run in store.clusters.runs(ANN, limit=1000)):
        store.clusters.undo(ANN, None, NOON)
    with pytest.raises(ClusterUndoNothing):
        store.clusters.undo(ANN, None, NOON)


def kill_again_and_again(folder: Path, times: int) -> None:
    chance = random.Random(times)
    for seed in range(times):
        database = folder / str(seed) / "memory.db"
        may_be = live_and_die(database, seed, chance.randint(1, 90))
        store = open_store(database, NoonClock())
        store.recover(NOON)
        assert store._db.rows("PRAGMA quick_check") == [("ok",)]
        assert store._db.rows("PRAGMA foreign_key_check") == []
        assert digest(store) in may_be
        undo_all(store)
        assert store._db.rows("SELECT count(*) FROM units WHERE cluster NOTNULL") == [(0,)]
        assert store.clusters.clusters(ANN) == []
        assert {run.state for run in store.clusters.runs(ANN, limit=1000)} <= {RunState.UNDONE}
        store.close()


def test_six_kills(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 6)


@pytest.mark.long
def test_a_hundred_kills(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 100)
