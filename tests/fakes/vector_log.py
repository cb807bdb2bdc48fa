"""A log of embeddings in memory, written by hand."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from edge.engine.ports import Ids, Mask, Vector
from edge.engine.vector_ports import VectorRows


class VectorLog:
    """The `VectorLog` of one embedder; `keep`, `forget` and `supersede` are what a store would note."""

    def __init__(self, dimension: int) -> None:
        self._numbers = np.zeros(0, dtype=np.int64)
        self._units = np.zeros(0, dtype=np.int64)
        self._vectors = np.zeros((0, dimension), dtype=np.float32)
        self._next = 1
        self._gone: list[tuple[int, int]] = []
        self._next_gone = 1
        self._superseded: set[int] = set()
        self.marks: list[str] = []

    def keep(self, units: Ids, vectors: Vector) -> None:
        """New embeddings."""
        numbers = np.arange(self._next, self._next + len(units), dtype=np.int64)
        self._next += len(units)
        self._numbers = np.concatenate([self._numbers, numbers])
        self._units = np.concatenate([self._units, units])
        self._vectors = np.concatenate([self._vectors, vectors])

    def forget(self, units: Iterable[int]) -> None:
        """Remove units for good."""
        gone = np.intersect1d(np.array(sorted(units), dtype=np.int64), self._units)
        self._gone += [(self._next_gone + place, unit) for place, unit in enumerate(gone.tolist())]
        self._next_gone += len(gone)
        stays = ~np.isin(self._units, gone)
        self._numbers, self._units, self._vectors = self._numbers[stays], self._units[stays], self._vectors[stays]

    def supersede(self, units: Iterable[int], *, undo: bool = False) -> None:
        """Give units a successor, or take it away again."""
        self._superseded = self._superseded - set(units) if undo else self._superseded | set(units)

    def last_number(self, embedder: str) -> int:
        return int(self._numbers[-1]) if len(self._numbers) else 0

    def vectors_between(self, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
        first, last = self._places(after, through)
        return self._rows(np.arange(first, min(last, first + limit)))

    def vectors_of(self, embedder: str, units: Ids) -> VectorRows:
        found = np.flatnonzero(np.isin(self._units, units))
        return self._rows(found[np.argsort(self._units[found], kind="stable")])

    def newest_between(self, embedder: str, after: int, through: int, limit: int) -> VectorRows:
        first, last = self._places(after, through)
        return self._rows(np.arange(max(first, last - limit), last)[::-1])

    def superseded(self, embedder: str) -> Ids:
        return np.unique(self._units[self._is_superseded(self._units)])

    def forgotten_after(self, embedder: str, number: int) -> tuple[int, Ids]:
        found = [(at, unit) for at, unit in self._gone if at > number]
        return (found[-1][0] if found else number), np.array([unit for _, unit in found], dtype=np.int64)

    def keep_mark(self, embedder: str, mark: str) -> None:
        self.marks.append(mark)

    def has_mark(self, embedder: str, mark: str) -> bool:
        return mark in self.marks

    def prune(self, embedder: str, *, keep: str, forgotten: int) -> None:
        self.marks = [keep]
        self._gone = [(at, unit) for at, unit in self._gone if at > forgotten]

    def _places(self, after: int, through: int | None) -> tuple[int, int]:
        first = int(np.searchsorted(self._numbers, after, side="right"))
        last = len(self._numbers) if through is None else int(np.searchsorted(self._numbers, through, side="right"))
        return first, max(first, last)

    def _rows(self, places: Ids) -> VectorRows:
        units = self._units[places]
        return VectorRows(self._numbers[places], units, self._vectors[places], self._is_superseded(units))

    def _is_superseded(self, units: Ids) -> Mask:
        return np.isin(units, np.array(sorted(self._superseded), dtype=np.int64))
