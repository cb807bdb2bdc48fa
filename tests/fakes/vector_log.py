"""A log of embeddings in memory, written by hand: in arrays, so that it is quick with thousands of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from edge.engine.ports import Ids, Mask, Vector
from edge.engine.vector_ports import VectorRows
from edge.errors import EdgeError


class VectorLog:
    """The `VectorLog` of one embedder; `keep`, `forget` and `supersede` are what a store would note.

    `failure` is what the next marks raise.
    """

    def __init__(self, dimension: int = 8) -> None:
        self.dimension = dimension
        self.numbers = np.zeros(0, dtype=np.int64)
        self.units = np.zeros(0, dtype=np.int64)
        self.vectors = np.zeros((0, dimension), dtype=np.float32)
        self.marks: list[str] = []
        self.failure: EdgeError | None = None
        self._next = 1
        self.gone: list[tuple[int, int]] = []
        self._next_gone = 1
        self._superseded: set[int] = set()

    def keep(self, units: Iterable[int], vectors: Vector) -> None:
        """New embeddings."""
        ids = np.fromiter(units, dtype=np.int64)
        numbers = np.arange(self._next, self._next + len(ids), dtype=np.int64)
        self._next += len(ids)
        self.numbers = np.concatenate([self.numbers, numbers])
        self.units = np.concatenate([self.units, ids])
        self.vectors = np.concatenate([self.vectors, vectors])

    def forget(self, units: Iterable[int]) -> None:
        """Remove units for good."""
        gone = np.intersect1d(np.fromiter(units, dtype=np.int64), self.units)
        self.gone += [(self._next_gone + place, unit) for place, unit in enumerate(gone.tolist())]
        self._next_gone += len(gone)
        stays = ~np.isin(self.units, gone)
        self.numbers, self.units, self.vectors = self.numbers[stays], self.units[stays], self.vectors[stays]

    def supersede(self, units: Iterable[int]) -> None:
        """Give units a successor."""
        self._superseded |= set(units)

    def last_number(self, embedder: str) -> int:
        return int(self.numbers[-1]) if len(self.numbers) else 0

    def vectors_between(self, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
        first, last = self._places(after, through)
        return self._rows(np.arange(first, min(last, first + limit)))

    def vectors_of(self, embedder: str, units: Ids) -> VectorRows:
        found = np.flatnonzero(np.isin(self.units, units))
        return self._rows(found[np.argsort(self.units[found], kind="stable")])

    def newest_between(self, embedder: str, after: int, through: int, limit: int) -> VectorRows:
        first, last = self._places(after, through)
        return self._rows(np.arange(max(first, last - limit), last)[::-1])

    def superseded(self, embedder: str) -> Ids:
        return np.unique(self.units[self._is_superseded(self.units)])

    def forgotten_after(self, embedder: str, number: int) -> tuple[int, Ids]:
        found = [(at, unit) for at, unit in self.gone if at > number]
        return (found[-1][0] if found else number), np.array([unit for _, unit in found], dtype=np.int64)

    def keep_mark(self, embedder: str, mark: str) -> None:
        if self.failure is not None:
            raise self.failure
        self.marks.append(mark)

    def has_mark(self, embedder: str, mark: str) -> bool:
        return mark in self.marks

    def prune(self, embedder: str, *, keep: str, forgotten: int) -> None:
        self.marks = [keep]
        self.gone = [(at, unit) for at, unit in self.gone if at > forgotten]

    def _places(self, after: int, through: int | None) -> tuple[int, int]:
        first = int(np.searchsorted(self.numbers, after, side="right"))
        last = len(self.numbers) if through is None else int(np.searchsorted(self.numbers, through, side="right"))
        return first, max(first, last)

    def _rows(self, places: Ids) -> VectorRows:
        units, vectors = self.units[places], self.vectors[places]
        if self._next == 1:
            vectors = np.zeros((0, 0), dtype=np.float32)  # no store knows the dimension before the first
        return VectorRows(self.numbers[places], units, vectors, self._is_superseded(units))

    def _is_superseded(self, units: Ids) -> Mask:
        return np.isin(units, np.array(sorted(self._superseded), dtype=np.int64))
