"""Killed at any moment, an index has all that was confirmed, and nothing that was confirmed to have been forgotten."""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from edge.index.index import SegmentedIndex
from edge.store.sqlite import SqliteStore
from tests.index.making import bytes_of_folder, drain
from tests.index.writer import CAPACITIES, EMBEDDER, FORGOTTEN_AT_ONCE, opened, vector_of

EVERYTHING = 1_000_000


class Confirmed:
    """What a writer said it did, over all its lives."""

    def __init__(self) -> None:
        self.kept: set[int] = set()
        self.gone: set[int] = set()
        self.lines: Counter[str] = Counter()

    def read(self, line: str) -> None:
        what, *rest = line.split()
        self.lines[what] += 1
        if what == "kept":
            self.kept.update(map(int, rest))
        elif what == "gone":
            self.gone.update(map(int, rest))

    def check(self, store: SqliteStore, index: SegmentedIndex, chance: random.Random) -> None:
        present = set(store.vector_log.vectors_between(EMBEDDER, 0, None, EVERYTHING).units.tolist())
        assert not present & self.gone
        # A kill may fall between the commit of one forgetting and its being told.
        lost = self.kept - self.gone - present
        assert len(lost) <= FORGOTTEN_AT_ONCE
        self.gone |= lost
        assert index.state().unfit == ()
        self.check_answers(index, present, chance)
        drain(index)
        self.check_answers(index, present, chance)
        assert index.state().missing == 0
        assert list(index.verify())[-1].faults == ()

    def check_answers(self, index: SegmentedIndex, present: set[int], chance: random.Random) -> None:
        found = [int(unit) for unit, _ in index.search(vector_of(1), EVERYTHING, None)]
        assert len(found) == len(set(found))
        assert set(found) == present
        for unit in chance.sample(sorted(present), min(30, len(present))):
            best, cosine = index.search(vector_of(unit, unit % 2), 1, None)[0]
            assert best == unit
            assert cosine == pytest.approx(1.0, abs=1e-5)

    def check_files(self, folder: Path) -> None:
        content = bytes_of_folder(folder)
        for unit in self.gone:
            assert not any(vector_of(unit, chunk).tobytes() in content for chunk in range(2)), unit


def live_and_die(folder: Path, seed: int, chance: random.Random, confirmed: Confirmed) -> None:
    """Killed from outside, at any line or some milliseconds after it, or by itself at an operation on the disk."""
    lines, delay = chance.randint(1, 150), chance.uniform(0, 0.02)
    operations = chance.randint(1, 120) if chance.random() < 0.5 else 0
    command = [sys.executable, "-m", "tests.index.writer", str(folder), str(seed), str(operations)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(lines):
            if not (line := writer.stdout.readline()).endswith("\n"):
                break
            confirmed.read(line)
        with suppress(subprocess.TimeoutExpired):
            writer.wait(delay)
        writer.kill()
        rest = writer.stdout.read()
    for line in rest[: rest.rfind("\n") + 1].splitlines():
        confirmed.read(line)


def kill_again_and_again(folder: Path, times: int) -> Confirmed:
    confirmed, chance = Confirmed(), random.Random(times)
    for seed in range(times):
        live_and_die(folder, seed, chance, confirmed)
        store, index = opened(folder, chance.choice(CAPACITIES))
        confirmed.check(store, index, chance)
        if seed % 3 == 0:
            confirmed.check_files(folder / "index")
        index.close()
        store.close()
    confirmed.check_files(folder / "index")
    return confirmed


def test_a_process_that_writes_on_after_the_kill_harms_nothing(tmp_path: Path) -> None:
    """The next one has the database and the index at once, and builds where the other still writes."""
    os.mkfifo(tmp_path / "gate")
    command = [sys.executable, "-m", "tests.index.outlived", str(tmp_path)]
    here = {**os.environ, "PYTHONPATH": os.getcwd()}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=here) as killed:
        assert killed.stdout is not None
        orphan = os.pidfd_open(int(killed.stdout.readline()))
        killed.kill()
        assert killed.stdout.read() == "", "nothing that it wrote to is held open"
    store, index = opened(tmp_path, 64)
    drain(index)
    before = bytes_of_folder(tmp_path / "index")
    (tmp_path / "gate").write_bytes(b"write")
    assert select.select([orphan], [], [], 60)[0], "it ends"
    assert bytes_of_folder(tmp_path / "index") == before
    present = set(store.vector_log.vectors_between(EMBEDDER, 0, None, EVERYTHING).units.tolist())
    assert len(present) == 20
    Confirmed().check_answers(index, present, random.Random(1))
    assert index.state().fresh < 16
    assert list(index.verify())[-1].faults == ()
    index.close()
    store.close()
    os.close(orphan)


def test_fifteen_kills(tmp_path: Path) -> None:
    confirmed = kill_again_and_again(tmp_path, 15)
    assert confirmed.lines["stepped"] > 300
    assert confirmed.gone


@pytest.mark.long
def test_three_hundred_kills(tmp_path: Path) -> None:
    confirmed = kill_again_and_again(tmp_path, 300)
    assert confirmed.lines["rebuilding"] > 10
    assert len(confirmed.gone) > 500
