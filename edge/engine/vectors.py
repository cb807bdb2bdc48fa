"""The embedder and the index it fills, together: what is searched by meaning. May be absent for a while."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from edge.engine.ports import Embedded, EmbeddingRow, Ids, MemoryStore, TextEmbedder, VectorIndex
from edge.errors import EmbedderFailed
from edge.memory.units import UnitId


class Vectors:
    """Search by meaning. Until `attach` is called (no model file yet) it says so, and nothing else suffers."""

    def __init__(self) -> None:
        self._pair: tuple[TextEmbedder, VectorIndex] | None = None
        self._long: _Long | None = None

    def attach(self, embedder: TextEmbedder, index: VectorIndex) -> None:
        """Put an embedder and an index of its vectors to use."""
        self._pair = (embedder, index)

    @property
    def index(self) -> VectorIndex | None:
        """The index, where there is one."""
        return self._pair[1] if self._pair else None

    @property
    def embedder(self) -> TextEmbedder | None:
        """The embedder, where there is one."""
        return self._pair[0] if self._pair else None

    def search(self, query: str, limit: int, allowed: Ids) -> dict[UnitId, float]:
        """The nearest of the allowed units with their cosine. Raises EmbedderFailed, also where there is none."""
        if self._pair is None:
            raise EmbedderFailed("There is no embedder on this machine yet.")
        embedder, index = self._pair
        return dict(index.search(embedder.embed_query(query), limit, allowed))

    def remove(self, ids: Collection[UnitId]) -> None:
        """Take units out."""
        if self._pair is not None and ids:
            self._pair[1].remove(ids)
        if self._long is not None and self._long.unit in ids:
            self._long = None

    def embed_backlog(self, store: MemoryStore, limit: int) -> bool:
        """Embed up to `limit` chunks of units that have no vector yet; True while work is left.

        A long text takes several calls: its chunks are gathered here and stored together, so that a turn never waits
        for a whole pasted document.
        """
        if self._pair is None:
            return False
        embedder = self._pair[0]
        if self._long is None:
            waiting = store.missing_embeddings(embedder.id, limit)
            if not waiting:
                return False
            chunks = [(unit, embedder.split(content)) for unit, content in waiting]
            self._long = next((_Long(unit, parts) for unit, parts in chunks if len(parts) > 1), None)
            self._embed_short(store, [(unit, parts[0]) for unit, parts in chunks if len(parts) == 1])
            return True
        if self._long.embed_next(embedder, limit):
            self._keep(store, self._long.rows())
            self._long = None
        return True

    def _embed_short(self, store: MemoryStore, texts: Sequence[tuple[UnitId, str]]) -> None:
        if self._pair is None or not texts:
            return
        embedded = self._pair[0].embed([text for _, text in texts])
        self._keep(store, [row for (unit, _), text in zip(texts, embedded, strict=True) for row in _rows(unit, [text])])

    def _keep(self, store: MemoryStore, rows: Sequence[EmbeddingRow]) -> None:
        assert self._pair is not None
        embedder, index = self._pair
        store.save_embeddings(embedder.id, rows)
        index.add(np.array([row.unit for row in rows], dtype=np.int64), np.stack([row.vector for row in rows]))


class _Long:
    """A unit of several chunks on its way through the embedder."""

    def __init__(self, unit: UnitId, parts: Sequence[str]) -> None:
        self.unit = unit
        self._parts = list(parts)
        self._done: list[Embedded] = []

    def embed_next(self, embedder: TextEmbedder, limit: int) -> bool:
        """Embed the next chunks; whether that was all."""
        batch = self._parts[:limit]
        self._done += embedder.embed(batch)
        self._parts = self._parts[limit:]
        return not self._parts

    def rows(self) -> list[EmbeddingRow]:
        """All chunks, as the store keeps them."""
        return _rows(self.unit, self._done)


def _rows(unit: UnitId, texts: Sequence[Embedded]) -> list[EmbeddingRow]:
    chunks = [pair for text in texts for pair in zip(text.vectors, text.codes, strict=True)]
    return [EmbeddingRow(unit, number, vector, codes) for number, (vector, codes) in enumerate(chunks)]
