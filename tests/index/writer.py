"""Run as a program: fills a store and the index that follows it without end and prints what was confirmed, to be killed
at any moment: from outside, or, given a number, by itself at so manieth operation on the disk."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from edge.clock import SystemClock
from edge.engine.ports import EmbeddingRow, Vector
from edge.index import saving
from edge.index.index import SegmentedIndex
from edge.index.opening import open_index
from edge.memory.units import UnitId
from edge.store.sqlite import SqliteStore, open_store
from tests.index.making import small
from tests.store.making import ANN, NOON, fact, insert

DIMENSION = 16
EMBEDDER = f"made-up/{DIMENSION}"
MOST_UNITS = 500
FORGOTTEN_AT_ONCE = 40
CAPACITIES = (64, 150, 300)


def vector_of(unit: int, chunk: int = 0) -> Vector:
    """The vector of a chunk: of any other it differs."""
    row = np.random.default_rng((unit, chunk)).standard_normal(DIMENSION)
    unit_vector: Vector = (row / np.linalg.norm(row)).astype(np.float32)
    return unit_vector


def opened(folder: Path, capacity: int) -> tuple[SqliteStore, SegmentedIndex]:
    store = open_store(folder / "memory.db", SystemClock())
    store.recover(NOON)
    options = small(DIMENSION, head=16, capacity=capacity)
    return store, open_index(folder / "index", EMBEDDER, DIMENSION, store.vector_log, options)


def main(folder: str, seed: str, operations: str) -> None:
    if int(operations):
        die_at(int(operations))
    chance = random.Random(seed)
    saving.APART_BYTES = chance.choice((0, saving.APART_BYTES))
    linger(chance.choice((1, 50)))
    store, index = opened(Path(folder), chance.choice(CAPACITIES))
    present = set(store.vector_log.vectors_between(EMBEDDER, 0, None, 1_000_000).units.tolist())
    for number in count():
        act(store, index, chance, f"{seed}-{number}", present)


def act(store: SqliteStore, index: SegmentedIndex, chance: random.Random, name: str, present: set[int]) -> None:
    keep(store, index, chance, name, present)
    if chance.random() < 0.15 or len(present) > MOST_UNITS:
        forget(store, index, chance, present)
    if chance.random() < 0.02:
        index.rebuild()
        confirm("rebuilding")
    if chance.random() < 0.1:
        index.seal()
    for _ in range(chance.randint(0, 15)):
        due = index.step()
        confirm("stepped")
        if not due:
            break


def keep(store: SqliteStore, index: SegmentedIndex, chance: random.Random, name: str, present: set[int]) -> None:
    old = (UnitId(chance.choice(sorted(present))),) if present and chance.random() < 0.3 else ()
    added = keep_some(store, chance.randint(1, 9), name, old)
    index.follow()
    present.update(added)
    confirm("kept", *added)


def keep_some(store: SqliteStore, count: int, name: str = "", old: tuple[UnitId, ...] = ()) -> tuple[UnitId, ...]:
    """New units with their embeddings."""
    facts = [insert(fact(f"fact {name} {place} 天气"), supersedes=old) for place in range(count)]
    added = store.apply(ANN, facts, NOON).added
    rows = [EmbeddingRow(unit, chunk, vector_of(unit, chunk), b"") for unit in added for chunk in range(1 + unit % 2)]
    store.save_embeddings(EMBEDDER, rows)
    return added


def forget(store: SqliteStore, index: SegmentedIndex, chance: random.Random, present: set[int]) -> None:
    size = FORGOTTEN_AT_ONCE if len(present) > MOST_UNITS else chance.randint(1, 5)
    chosen = chance.sample(sorted(present), min(size, len(present)))
    gone = store.forget(ANN, [UnitId(unit) for unit in chosen])
    index.follow()
    present.difference_update(gone)
    confirm("gone", *gone)


def linger(times: int) -> None:
    """Let processes that write a graph bring it to the disk so often, as those of large graphs last longer."""
    sync = saving._sync

    def again_and_again(file: int) -> None:
        for _ in range(times):
            sync(file)

    saving._sync = again_and_again


def die_at(operations: int) -> None:
    """Be killed just before, or just after, one of the operations on the index's files."""
    left = count(1)

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            number = next(left)
            if number == operations and operations % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = function(*arguments, **named)
            if number == operations and answer != 0:  # a process that was just forked is given 0, and outlives this one
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return call

    for owner, names in (
        (os, ("fsync", "pwrite", "fork")),
        (Path, ("rename", "replace", "unlink", "write_bytes", "write_text")),
    ):
        for name in names:
            setattr(owner, name, counted(getattr(owner, name)))


def confirm(what: str, *ids: int) -> None:
    sys.stdout.write(" ".join([what, *map(str, ids)]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
