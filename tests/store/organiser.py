"""Run as a program: organises clusters without end, to be killed at any moment.

Each step is done to a plain store first, so that it can print what is to be in the database before it does it there.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable
from pathlib import Path

from edge.clock import SystemClock
from edge.errors import MemoryNotFound
from edge.memory.clusters import (
    Change,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    RunId,
    StagedNumber,
    Why,
)
from edge.memory.units import Source, TurnState, UnitId
from edge.store.sqlite import open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.clusters_contract import Stores, begin
from tests.store.making import ANN, MAIN, NOON, episode, fact, insert

FACTS, TURNS = 60, 20
UNITS = [UnitId(number) for number in range(1, FACTS + 2 * TURNS + 1)]
_NAMES = ["tea", "beans", "cats", "nginx", "chess", "咖啡", "旅行", "猫粮"]


def digest(store: Stores) -> str:
    """All that is to be whole: where units are, clusters, runs, and what the open one has staged."""
    homes = [_home(store, unit) for unit in UNITS]
    runs = store.clusters.runs(ANN, limit=1000)
    told = [(run, store.clusters.changes(ANN, run.id), store.clusters.staged(ANN, run.id)) for run in runs]
    clusters = [(cluster.id, cluster.profile, cluster.size) for cluster in store.clusters.clusters(ANN)]
    return hashlib.blake2b(repr((homes, told, clusters)).encode(), digest_size=16).hexdigest()


def fill(store: Stores) -> None:
    """The units: facts, and turns with both sides' words."""
    store.apply(ANN, [insert(fact(f"fact {number} of {_NAMES[number % 8]}")) for number in range(FACTS)], NOON)
    for number in range(TURNS):
        begun = store.begin_turn(ANN, MAIN, f"turn {number}", [insert(episode(f"turn {number}"))], NOON)
        assert begun.turn is not None
        said = [insert(episode(f"reply {number}", Source.ASSISTANT))]
        store.finish_turn(ANN, begun.turn, f"reply {number}", TurnState.DONE, said, NOON)


def main(path: str, seed: str) -> None:
    real, plain, chance = open_store(Path(path), SystemClock()), FakeMemoryStore(), random.Random(seed)
    for store in (real, plain):
        fill(store)
    _say("is", digest(plain))
    while True:
        step = _step(plain, chance)
        step(plain)
        _say("next", digest(plain))
        step(real)
        _say("is", digest(plain))


def _step(plain: FakeMemoryStore, chance: random.Random) -> Callable[[Stores], object]:
    running = plain.clusters.open_run(ANN)
    known = [cluster.id for cluster in plain.clusters.clusters(ANN)]
    if running is None and plain.clusters.runs(ANN, limit=1) and chance.random() < 0.4:
        return _undo
    if known and chance.random() < 0.2:
        unit, to = chance.choice([unit for unit in UNITS if plain.find(unit)]), chance.choice(known)
        return lambda store: store.clusters.edit(ANN, "move", [], [Placement(unit, to, Why.PERSON)], NOON)
    if chance.random() < 0.05:
        forgotten = chance.choice(UNITS)
        return lambda store: store.forget(ANN, [forgotten])
    if running is None:
        return begin
    if chance.random() < 0.4:
        return lambda store: store.clusters.apply_run(ANN, running.id, NOON)
    return _stage(running.id, plain, chance)


def _stage(run: RunId, plain: FakeMemoryStore, chance: random.Random) -> Callable[[Stores], object]:
    numbers = [StagedNumber(number) for number in (1, 2)]
    known = [cluster.id for cluster in plain.clusters.clusters(ANN)]
    changes: list[Change] = [Create(number, _profile(chance), None, "together") for number in numbers]
    if known:
        changes.append(Reprofile(chance.choice(known), _profile(chance), None, "renamed"))
    if len(known) > 3:
        changes.append(Dissolve(known[0], "merged", into=known[-1]))
    placements = [Placement(unit, chance.choice([*known, *numbers, None]), Why.CENTROID) for unit in UNITS[: FACTS + 9]]
    return lambda store: store.clusters.stage(ANN, run, changes, placements, note=("placing", '{"next": 2}'))


def _profile(chance: random.Random) -> Profile:
    return Profile(" ".join(chance.sample(_NAMES, 3)), "", tuple(chance.sample(_NAMES, 2)), NamedBy.MODEL)


def _undo(store: Stores) -> None:
    if any(run.undoable for run in store.clusters.runs(ANN, limit=1000)):
        store.clusters.undo(ANN, None, NOON)


def _home(store: Stores, unit: UnitId) -> object:
    try:
        return store.unit(ANN, unit).cluster
    except MemoryNotFound:
        return "forgotten"


def _say(what: str, digest_: str) -> None:
    sys.stdout.write(f"{what} {digest_}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
