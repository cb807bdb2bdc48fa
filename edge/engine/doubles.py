"""The same thing told twice in other words: found in the background, when both have their vectors."""

from __future__ import annotations

import numpy as np

from edge.clock import Clock
from edge.engine.ports import MemoryStore, Scope
from edge.engine.truth_ports import TruthStore
from edge.engine.vector_ports import VectorLog
from edge.engine.vectors import Pair, Vectors
from edge.memory.sameness import may_be_same, say_the_same
from edge.memory.units import Unit, UnitId

_STEP = 4
_NEIGHBOURS = 8


class Doubles:
    """Compares each distilled unit that fills no slot once with those nearest to it, and joins what says the same: the
    newer ends and points to the older. Lives on the memory thread."""

    def __init__(self, store: MemoryStore, truth: TruthStore, log: VectorLog, vectors: Vectors, clock: Clock) -> None:
        self._store = store
        self._truth = truth
        self._log = log
        self._vectors = vectors
        self._clock = clock
        self._through = UnitId(0)

    def step(self) -> bool:
        """Compare a few units; True while some are left. Waits until all that can be embedded is."""
        serving = self._vectors.serving
        if serving is None or not serving.is_whole(self._store):
            return False
        units, through = self._truth.uncompared(_STEP)
        if through == self._through:
            return False
        for unit in units:
            self._compare(unit, serving)
        self._truth.note_compared(through)
        self._through = through
        return bool(units)

    def _compare(self, unit: Unit, serving: Pair) -> None:
        kept = self._told_before(unit, serving)
        if kept is not None:
            self._truth.merge_same(unit.owner, kept, unit.id, self._clock.now())

    def _told_before(self, unit: Unit, serving: Pair) -> UnitId | None:
        """The oldest unit that says the same, if any."""
        vectors = self._log.vectors_of(serving.key, np.array([unit.id], dtype=np.int64)).vectors
        if len(vectors) != 1:  # of several chunks: no sentence, and not compared
            return None
        scope = Scope(unit.owner, unit.session, self._clock.now(), frozenset({unit.kind}), present=True)
        near = self._vectors.nearest(vectors[0], _NEIGHBOURS, self._store.visible(scope))
        older = self._store.units(scope, [each for each in near if each < unit.id])
        same = [
            each.id
            for each in older.values()
            if each.slot is None and may_be_same(unit, each)
            if say_the_same(unit.content, each.content, near[each.id])
        ]
        return min(same, default=None)
