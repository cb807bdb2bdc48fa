"""Made-up vectors in clusters, in a file, and the log that an index is built from: it stands in for the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from edge.engine.model_ports import Embedded, QueryEmbedding, TextEmbedder
from edge.engine.ports import Ids, Vector
from edge.engine.vector_ports import VectorRows

DIMENSION = 384
_CENTRES = 2000
_SPREAD = 0.7
_BATCH = 50_000


def clustered(count: int, seed: int) -> Vector:
    """Vectors of length 1 around centres that are the same for every seed."""
    centres = np.random.default_rng(7).standard_normal((_CENTRES, DIMENSION), dtype=np.float32)
    random = np.random.default_rng(seed)
    rows = centres[random.integers(0, _CENTRES, count)]
    rows += _SPREAD * random.standard_normal((count, DIMENSION), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def write_vectors(path: Path, count: int) -> None:
    """A file of float32 vectors; the first ones are the same for every count."""
    with path.open("wb") as file:
        for batch, first in enumerate(range(0, count, _BATCH)):
            file.write(clustered(_BATCH, batch)[: count - first].tobytes())


def read_vectors(path: Path) -> Vector:
    """The file, mapped."""
    vectors: Vector = np.memmap(path, dtype=np.float32, mode="r").reshape(-1, DIMENSION)
    return vectors


class RepeatingEmbedder:
    """An embedder that embeds the first texts and gives each later one the embedding of an earlier: it stands in where
    many are needed and only speed is measured. Questions are embedded as they are."""

    def __init__(self, embedder: TextEmbedder, embedded: int) -> None:
        self._embedder = embedder
        self._embedded = embedded
        self._kept: list[Embedded] = []
        self._given = 0

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        fresh = self._embedder.embed(texts[: max(0, self._embedded - len(self._kept))])
        self._kept += fresh
        repeated = [self._next() for _ in texts[len(fresh) :]]
        return [*fresh, *repeated]

    def _next(self) -> Embedded:
        self._given += 1
        return self._kept[(self._given - 1) % len(self._kept)]

    def split(self, text: str) -> list[str]:
        return self._embedder.split(text)

    def embed_query(self, text: str) -> Vector:
        return self._embedder.embed_query(text)

    def read_query(self, text: str) -> QueryEmbedding:
        return self._embedder.read_query(text)


class FileLog:
    """A `VectorLog` over a file: embedding n is the vector of unit n. Nothing is ever forgotten or superseded."""

    def __init__(self, path: Path) -> None:
        self._vectors = read_vectors(path)
        self._mark = path.with_suffix(".mark")

    def last_number(self, embedder: str) -> int:
        return len(self._vectors)

    def vectors_between(self, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
        last = len(self._vectors) if through is None else min(through, len(self._vectors))
        return self._rows(np.arange(after + 1, min(after + limit, last) + 1))

    def vectors_of(self, embedder: str, units: Ids) -> VectorRows:
        return self._rows(units)

    def newest_between(self, embedder: str, after: int, through: int, limit: int) -> VectorRows:
        return self._rows(np.arange(max(after, through - limit) + 1, through + 1)[::-1])

    def superseded(self, embedder: str) -> Ids:
        return np.zeros(0, dtype=np.int64)

    def forgotten_after(self, embedder: str, number: int) -> tuple[int, Ids]:
        return number, np.zeros(0, dtype=np.int64)

    def keep_mark(self, embedder: str, mark: str) -> None:
        self._mark.write_text(mark)

    def has_mark(self, embedder: str, mark: str) -> bool:
        return self._mark.exists() and self._mark.read_text() == mark

    def prune(self, embedder: str, *, keep: str, forgotten: int) -> None:
        """There is one mark only."""

    def _rows(self, units: Ids) -> VectorRows:
        return VectorRows(units, units, self._vectors[units - 1], np.zeros(len(units), dtype=np.bool_))
