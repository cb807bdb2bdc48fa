"""A vector index without a graph or files: every search is exact, and its background work is what a test says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edge.engine.ports import Mask, Vector
from edge.engine.vector_ports import IndexState, IndexWork, VectorLog, Verified
from edge.errors import EdgeError
from edge.memory.units import UnitId

_ROWS = 100


class ExactIndex:
    """A `VectorIndex` that compares with everything.

    `due` says how many steps of work there are to do, `lost` how many vectors are missing until they are done, and
    `failure` what a step raises. `broken` are the faults that a verification finds; a rebuild takes `rebuild_steps`.
    """

    rebuild_steps = 3

    def __init__(self, log: VectorLog, embedder: str = "hash/64", dimension: int = 64) -> None:
        self._log = log
        self._embedder = embedder
        self._dimension = dimension
        self._units = np.zeros(0, dtype=np.int64)
        self._vectors = np.zeros((0, dimension), dtype=np.float32)
        self._last = 0
        self._forgotten = 0
        self.due = 0
        self.task = "seal"
        self.lost = 0
        self.failure: EdgeError | None = None
        self.broken: tuple[str, ...] = ()
        self.unfit: tuple[str, ...] = ()
        self.rebuilds = 0
        self.seals = 0
        self.closed = False
        self.follow()

    def follow(self) -> None:
        assert not self.closed
        while len((rows := self._log.vectors_between(self._embedder, self._last, None, _ROWS)).numbers):
            self._check(rows.vectors, 2)
            self._units = np.concatenate([self._units, rows.units])
            self._vectors = np.concatenate([self._vectors, rows.vectors])
            self._last = int(rows.numbers[-1])
        self._forgotten, gone = self._log.forgotten_after(self._embedder, self._forgotten)
        stays = ~np.isin(self._units, gone)
        self._units, self._vectors = self._units[stays], self._vectors[stays]

    def search(self, vector: Vector, limit: int, allowed: Mask | None) -> list[tuple[UnitId, float]]:
        assert not self.closed
        self._check(vector, 1)
        if limit < 0:
            raise ValueError(f"a limit of {limit}")
        best: dict[UnitId, float] = {}
        for unit, cosine in zip(self._units.tolist(), (self._vectors @ vector).tolist(), strict=True):
            if allowed is None or (unit < len(allowed) and allowed[unit]):
                best[UnitId(unit)] = max(cosine, best.get(UnitId(unit), -2.0))
        return sorted(best.items(), key=lambda found: -found[1])[:limit]

    def step(self) -> bool:
        assert not self.closed
        if self.failure is not None and self.due:
            raise self.failure
        self.due = max(0, self.due - 1)
        self.lost = self.lost if self.due else 0
        return self.due > 0

    def seal(self) -> None:
        assert not self.closed
        self.seals += 1

    def rebuild(self) -> None:
        self.due, self.task = self.rebuild_steps, "rebuild"
        self.rebuilds += 1

    def verify(self) -> Iterator[Verified]:
        total = self._count
        for done in range(total):
            yield Verified(done, total, ())
        if self.broken:
            self.rebuild()
            self.lost, self.unfit, found = total, self.broken, self.broken
            self.broken = ()
            yield Verified(total, total, found)
        else:
            yield Verified(total, total, ())

    def state(self) -> IndexState:
        work = IndexWork(self.task, self.rebuild_steps - self.due, self.rebuild_steps) if self.due else None
        return IndexState(self._count, self._count, self.lost, (), work, self.unfit)

    @property
    def _count(self) -> int:
        return max(0, len(self._units) - self.lost)

    def memory_bytes(self) -> int:
        return self._units.nbytes + self._vectors.nbytes

    def close(self) -> None:
        self.closed = True

    def _check(self, vectors: Vector, axes: int) -> None:
        if vectors.ndim != axes or vectors.shape[-1] != self._dimension:
            raise ValueError(f"vectors of shape {vectors.shape} in an index of {self._dimension} dimensions")
        if not np.all(np.abs(np.linalg.norm(vectors, axis=-1) - 1.0) <= 1e-3):
            raise ValueError("a vector is not of length 1")
