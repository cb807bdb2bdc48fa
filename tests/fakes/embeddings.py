"""The part of the fake store that keeps embeddings: a VectorLog in dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from edge.engine.ports import EmbeddingRow, Ids
from edge.engine.vector_ports import VectorRows
from edge.memory.units import UnitId


class FakeEmbeddings:
    """What was kept and forgotten for the length of a test. `_append`, `_erase`, `_supersede` and `_delete_some` are
    for the store that it is part of."""

    def __init__(self) -> None:
        self._embeddings: dict[tuple[str, int], EmbeddingRow] = {}
        self._forgotten: dict[tuple[str, int], UnitId] = {}
        self._marks: set[tuple[str, str]] = set()
        self._superseded: set[UnitId] = set()
        self._dimensions: dict[str, int] = {}
        self._last_given = 0
        self._last_forgotten = 0

    # --- the port ---

    def last_number(self, embedder: str) -> int:
        return max((number for known, number in self._embeddings if known == embedder), default=0)

    def vectors_between(self, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
        return self._rows(embedder, self._numbers(embedder, after, through)[:limit])

    def newest_between(self, embedder: str, after: int, through: int, limit: int) -> VectorRows:
        return self._rows(embedder, self._numbers(embedder, after, through)[::-1][:limit])

    def vectors_of(self, embedder: str, units: Ids) -> VectorRows:
        wanted = set(units.tolist())
        numbers = [number for number in self._numbers(embedder, 0, None) if self._row(embedder, number).unit in wanted]
        return self._rows(embedder, sorted(numbers, key=lambda number: self._place(embedder, number)))

    def superseded(self, embedder: str) -> Ids:
        units = {unit for unit, known in self._embedded() if known == embedder} & self._superseded
        return np.array(sorted(units), dtype=np.int64)

    def forgotten_after(self, embedder: str, number: int) -> tuple[int, Ids]:
        later = {
            noted: unit for (known, noted), unit in self._forgotten.items() if known == embedder and noted > number
        }
        return max(later, default=number), np.array([later[noted] for noted in sorted(later)], dtype=np.int64)

    def keep_mark(self, embedder: str, mark: str) -> None:
        self._marks.add((embedder, mark))

    def has_mark(self, embedder: str, mark: str) -> bool:
        return (embedder, mark) in self._marks

    def prune(self, embedder: str, *, keep: str, forgotten: int) -> None:
        self._marks = {pair for pair in self._marks if pair[0] != embedder or pair[1] == keep}
        self._forgotten = {
            pair: unit for pair, unit in self._forgotten.items() if pair[0] != embedder or pair[1] > forgotten
        }

    # --- for the store ---

    def _append(self, embedder: str, rows: Sequence[EmbeddingRow]) -> None:
        dimensions = {len(row.vector) for row in rows} | {self._dimensions.get(embedder)} - {None}
        if len(dimensions) > 1:
            raise ValueError(f"vectors of {dimensions} dimensions")
        known = {unit for unit, other in self._embedded() if other == embedder}
        for row in rows:
            self._dimensions[embedder] = len(row.vector)
            if row.unit not in known:
                self._last_given += 1
                self._embeddings[embedder, self._last_given] = row

    def _embedded(self) -> set[tuple[UnitId, str]]:
        return {(row.unit, embedder) for (embedder, _), row in self._embeddings.items()}

    def _erase(self, units: Iterable[UnitId]) -> None:
        gone = set(units)
        for unit, embedder in sorted(pair for pair in self._embedded() if pair[0] in gone):
            self._last_forgotten += 1
            self._forgotten[embedder, self._last_forgotten] = unit
        self._embeddings = {pair: row for pair, row in self._embeddings.items() if row.unit not in gone}

    def _supersede(self, unit: UnitId) -> None:
        self._superseded.add(unit)

    def _delete_some(self, embedder: str, limit: int) -> bool:
        """Up to `limit` embeddings; whether some are left. What was noted of the embedder goes at once."""
        self.prune(embedder, keep="", forgotten=self._last_forgotten)
        for number in self._numbers(embedder, 0, None)[:limit]:
            del self._embeddings[embedder, number]
        return bool(self._numbers(embedder, 0, None))

    def _codes(self, embedder: str, unit: UnitId) -> tuple[bytes, ...]:
        rows = [row for (known, _), row in self._embeddings.items() if known == embedder and row.unit == unit]
        return tuple(row.codes for row in sorted(rows, key=lambda row: row.chunk))

    # --- rows ---

    def _numbers(self, embedder: str, after: int, through: int | None) -> list[int]:
        return sorted(
            number
            for known, number in self._embeddings
            if known == embedder and after < number and (through is None or number <= through)
        )

    def _row(self, embedder: str, number: int) -> EmbeddingRow:
        return self._embeddings[embedder, number]

    def _place(self, embedder: str, number: int) -> tuple[int, int]:
        row = self._row(embedder, number)
        return row.unit, row.chunk

    def _rows(self, embedder: str, numbers: Sequence[int]) -> VectorRows:
        rows = [self._row(embedder, number) for number in numbers]
        vectors = np.zeros((len(rows), self._dimensions.get(embedder, 0)), dtype=np.float32)
        for place, row in enumerate(rows):
            vectors[place] = row.vector
        return VectorRows(
            np.array(numbers, dtype=np.int64),
            np.array([row.unit for row in rows], dtype=np.int64),
            vectors,
            np.array([row.unit in self._superseded for row in rows], dtype=np.bool_),
        )
