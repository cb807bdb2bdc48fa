"""Fresh vectors, in memory until they are sealed: searched exactly.

There is no graph among them: comparing with 4,096 vectors takes 0.2 ms, no more than a graph that would cost 0.2 ms for
each vector it takes in while a person waits, and a filter costs nothing.
"""

from __future__ import annotations

import numpy as np

from edge.engine.ports import Ids, Mask, Vector
from edge.engine.vector_ports import VectorRows
from edge.index.parts import EMPTY, Part, allowed_rows, best_of, cosines_of

_FIRST_CAPACITY = 256


class Head:
    """The rows of the embeddings with the greatest numbers, in their order. `start`: numbers up to it are not here."""

    def __init__(self, dimension: int, start: int) -> None:
        self.start = start
        self.last = start
        """The greatest number that was taken in."""
        self._count = 0
        self._numbers = np.zeros(0, dtype=np.int64)
        self._units = np.zeros(0, dtype=np.int64)
        self._vectors = np.zeros((0, dimension), dtype=np.float32)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self._numbers.nbytes + self._units.nbytes + self._vectors.nbytes

    def append(self, rows: VectorRows) -> None:
        """Take in rows whose numbers follow."""
        if not len(rows.numbers):
            return  # a store that keeps none yet knows no dimension
        first, last = self._count, self._count + len(rows.units)
        if last > len(self._units):
            self._resize(max(2 * len(self._units), last, _FIRST_CAPACITY))
        self._numbers[first:last] = rows.numbers
        self._units[first:last] = rows.units
        self._vectors[first:last] = rows.vectors
        self._count = last
        self.last = int(rows.numbers[-1])

    def remove(self, units: Ids) -> None:
        """Take units out, with their vectors."""
        self._keep(~np.isin(self._units[: self._count], units))

    def drop_through(self, number: int) -> None:
        """Take out what is sealed."""
        self._keep(self._numbers[: self._count] > number)
        self.start = max(self.start, number)
        self.last = max(self.last, number)

    def search(self, query: Vector, wanted: int, allowed: Mask | None) -> Part:
        """The best rows."""
        units = self._units[: self._count]
        rows = allowed_rows(units, allowed)
        if not self._count or (rows is not None and not rows.any()):
            return EMPTY
        cosines = cosines_of(self._vectors[: self._count], query)
        if rows is not None and not rows.all():
            units, cosines = units[rows], cosines[rows]
        return best_of(units, cosines, wanted)

    def greatest_unit(self) -> int:
        """The greatest unit here, 0 where there is none."""
        return int(self._units[: self._count].max()) if self._count else 0

    def _keep(self, rows: Mask) -> None:
        """Only these rows, in arrays of their own size: what is taken out does not stay in memory."""
        if not rows.all():
            self._numbers = self._numbers[: self._count][rows]
            self._units = self._units[: self._count][rows]
            self._vectors = self._vectors[: self._count][rows]
            self._count = len(self._units)

    def _resize(self, capacity: int) -> None:
        numbers, units = np.zeros((2, capacity), dtype=np.int64)
        vectors = np.zeros((capacity, self._vectors.shape[1]), dtype=np.float32)
        numbers[: self._count] = self._numbers[: self._count]
        units[: self._count] = self._units[: self._count]
        vectors[: self._count] = self._vectors[: self._count]
        self._numbers, self._units, self._vectors = numbers, units, vectors
