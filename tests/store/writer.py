"""Run as a program: writes to a store without end and prints what was confirmed, to be killed at any moment."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np

from edge.clock import SystemClock
from edge.engine.ports import EmbeddingRow
from edge.memory.units import TurnState, UnitId
from edge.store.sqlite import SqliteStore, open_store
from tests.store.making import ANN, MAIN, NOON, episode, fact, insert

EMBEDDER = "mini/8"


def main(path: str, seed: str) -> None:
    store = open_store(Path(path), SystemClock())
    store.recover(NOON)
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        write(store, chance, f"{seed}-{number}")


def write(store: SqliteStore, chance: random.Random, name: str) -> None:
    message = f"told {name} 天气"
    begun = store.begin_turn(ANN, MAIN, message, [insert(episode(message)), insert(fact(f"fact {name}"))], NOON)
    assert begun.turn is not None
    confirm("begun", begun.turn, *begun.added)
    store.finish_turn(ANN, begun.turn, f"reply {name}", TurnState.DONE, [insert(fact(f"more {name}"))], NOON)
    confirm("done", begun.turn)
    waiting = [unit for unit, _ in store.missing_embeddings(EMBEDDER, 4)]
    store.save_embeddings(EMBEDDER, [EmbeddingRow(unit, 0, np.ones(8, np.float32), b"") for unit in waiting])
    confirm("saved", *waiting)
    if chance.random() < 0.1:
        number = store.vector_log.last_number(EMBEDDER)
        store.vector_log.keep_mark(EMBEDDER, str(number))
        confirm("marked", number)
    if chance.random() < 0.2:
        gone = store.forget(ANN, [UnitId(chance.randint(1, begun.added[-1]))])
        confirm("gone", *gone)
    if chance.random() < 0.05:
        store.checkpoint()


def confirm(what: str, *ids: int) -> None:
    sys.stdout.write(" ".join([what, *map(str, ids)]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
