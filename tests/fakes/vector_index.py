"""A vector index without a graph: every search is exact."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from edge.engine.ports import Ids, Vector
from edge.memory.units import UnitId


class ExactIndex:
    """A `VectorIndex` that compares with everything. `saved` is the generation of the last save."""

    def __init__(self, dimension: int = 64) -> None:
        self._dimension = dimension
        self._units = np.zeros(0, dtype=np.int64)
        self._vectors = np.zeros((0, dimension), dtype=np.float32)
        self.saved: int | None = None

    def __len__(self) -> int:
        return len(self._units)

    def add(self, ids: Ids, vectors: Vector) -> None:
        self._check(vectors, 2)
        if ids.shape != (len(vectors),) or (ids <= 0).any():
            raise ValueError("one positive id for each vector")
        self._units = np.concatenate([self._units, ids])
        self._vectors = np.concatenate([self._vectors, vectors])

    def remove(self, ids: Collection[UnitId]) -> None:
        stays = ~np.isin(self._units, np.fromiter(ids, dtype=np.int64))
        self._units, self._vectors = self._units[stays], self._vectors[stays]

    def search(self, vector: Vector, limit: int, allowed: Ids | None) -> list[tuple[UnitId, float]]:
        self._check(vector, 1)
        if limit < 0:
            raise ValueError(f"a limit of {limit}")
        best: dict[UnitId, float] = {}
        for unit, cosine in zip(self._units.tolist(), (self._vectors @ vector).tolist(), strict=True):
            if allowed is None or unit in allowed:
                best[UnitId(unit)] = max(cosine, best.get(UnitId(unit), -2.0))
        return sorted(best.items(), key=lambda found: -found[1])[:limit]

    def memory_bytes(self) -> int:
        return self._units.nbytes + self._vectors.nbytes

    def save(self, generation: int) -> None:
        self.saved = generation

    def _check(self, vectors: Vector, axes: int) -> None:
        if vectors.ndim != axes or vectors.shape[-1] != self._dimension:
            raise ValueError(f"vectors of shape {vectors.shape} in an index of {self._dimension} dimensions")
        if not np.all(np.abs(np.linalg.norm(vectors, axis=-1) - 1.0) <= 1e-3):
            raise ValueError("a vector is not of length 1")
