"""Which vector belongs to which unit: a growing table whose row numbers are the labels of the graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edge.engine.ports import Ids, Vector
from edge.memory.units import UnitId

FIRST_CAPACITY = 1024
_BLOCK = 1024

Rows = npt.NDArray[np.int64]
"""Row numbers."""
Found = list[tuple[UnitId, float]]


class Table:
    """Units and vectors by row. A row is never used twice; a removed one has unit 0 and a vector of zeros."""

    def __init__(self, units: Ids, vectors: Vector) -> None:
        self._count = len(units)
        self._units = units
        self._vectors = vectors
        self._by_unit: Rows | None = None
        self.live = int(np.count_nonzero(units))
        """Rows that are not removed."""

    @property
    def count(self) -> int:
        """Rows, with the removed ones."""
        return self._count

    @property
    def capacity(self) -> int:
        """Rows for which there is room."""
        return len(self._units)

    @property
    def units(self) -> Ids:
        """The unit of each row, 0 where it was removed."""
        return self._units[: self._count]

    @property
    def vectors(self) -> Vector:
        """The vector of each row, (count, dimension)."""
        return self._vectors[: self._count]

    @property
    def nbytes(self) -> int:
        """Bytes of its rows."""
        return self.units.nbytes + self.vectors.nbytes

    def append(self, units: Ids, vectors: Vector) -> Rows:
        """Add rows at the end; gives their numbers."""
        first, last = self._count, self._count + len(units)
        self._grow(last)
        self._units[first:last] = units
        self._vectors[first:last] = vectors
        self._count, self.live, self._by_unit = last, self.live + len(units), None
        return np.arange(first, last, dtype=np.int64)

    def remove(self, units: Ids) -> Rows:
        """Take the rows of ascending units out; gives those that there were."""
        rows = self.of(units)
        self._units[rows] = 0
        self._vectors[rows] = 0.0
        self.live, self._by_unit = self.live - len(rows), None
        return rows

    def all(self) -> Rows:
        """Every row that is not removed, by ascending unit."""
        if self._by_unit is None:
            order = np.argsort(self.units, kind="stable")
            self._by_unit = order[self._count - self.live :]
        return self._by_unit

    def of(self, units: Ids) -> Rows:
        """The rows of ascending units, in their order."""
        rows = self.all()
        known = self.units[rows]
        if len(units) < len(rows):
            return rows[_positions(known, units)]
        places = np.searchsorted(units, known)
        return rows[units[np.minimum(places, len(units) - 1)] == known] if len(units) else rows[:0]

    def cosines(self, query: Vector, rows: Rows) -> Vector:
        """Cosine of a query with each of the rows.

        `vecdot` and not `@`: a BLAS that spreads one product over threads waits for them while the language model
        has the cores (12 ms in place of 0.2 ms, measured).
        """
        cosines = np.empty(len(rows), dtype=np.float32)
        for first in range(0, len(rows), _BLOCK):
            block = rows[first : first + _BLOCK]
            np.vecdot(self._vectors.take(block, axis=0), query, out=cosines[first : first + _BLOCK])
        return cosines

    def best(self, rows: Rows, cosines: Vector, limit: int) -> Found:
        """The first `limit` units of rows that are given best first, each with its best cosine."""
        units, firsts = np.unique(self._units[rows], return_index=True)
        best = np.argsort(firsts)[:limit]
        return [
            (UnitId(unit), cosine)
            for unit, cosine in zip(units[best].tolist(), cosines[firsts[best]].tolist(), strict=True)
        ]

    def _grow(self, needed: int) -> None:
        if needed > self.capacity:
            capacity = max(2 * self.capacity, needed, FIRST_CAPACITY)
            units = np.zeros(capacity, dtype=np.int64)
            vectors = np.zeros((capacity, self._vectors.shape[1]), dtype=np.float32)
            units[: self._count], vectors[: self._count] = self.units, self.vectors
            self._units, self._vectors = units, vectors


def _positions(known: Ids, wanted: Ids) -> Rows:
    """Positions in `known` (ascending, with repeats) of each of `wanted` (ascending)."""
    lows = np.searchsorted(known, wanted, side="left")
    counts = np.searchsorted(known, wanted, side="right") - lows
    before = np.cumsum(counts) - counts
    return np.repeat(lows - before, counts) + np.arange(counts.sum())
