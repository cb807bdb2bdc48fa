"""The embedder and the index it fills, together: what is searched by meaning. May be absent for a while."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from edge.engine.ports import EmbeddingRow, Ids, MemoryStore, TextEmbedder, VectorIndex
from edge.errors import EmbedderFailed
from edge.memory.units import UnitId


class Vectors:
    """Search by meaning. Until `attach` is called (no model file yet) it says so, and nothing else suffers."""

    def __init__(self) -> None:
        self._pair: tuple[TextEmbedder, VectorIndex] | None = None

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

    def embed_backlog(self, store: MemoryStore, limit: int) -> int:
        """Embed up to `limit` units that have no vector yet, into the store and then the index; returns how many."""
        if self._pair is None:
            return 0
        embedder, index = self._pair
        waiting = store.missing_embeddings(embedder.id, limit)
        if not waiting:
            return 0
        embedded = embedder.embed([content for _, content in waiting])
        rows = [
            EmbeddingRow(unit, chunk, vector, codes)
            for (unit, _), text in zip(waiting, embedded, strict=True)
            for chunk, (vector, codes) in enumerate(zip(text.vectors, text.codes, strict=True))
        ]
        store.save_embeddings(embedder.id, rows)
        index.add(np.array([row.unit for row in rows], dtype=np.int64), np.stack([row.vector for row in rows]))
        return len(waiting)
