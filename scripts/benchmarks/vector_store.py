"""Made-up vectors in a real database, as embeddings of made-up units: what an index is built from in the daemon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from edge.clock import SystemClock
from edge.engine.ports import EmbeddingRow
from edge.memory.text import content_key
from edge.memory.units import Draft, Insert, Kind, OwnerId
from edge.store.sqlite import SqliteStore, open_store
from scripts.benchmarks.made_up_vectors import read_vectors

_OWNER = OwnerId("uid:1000")
_AT = datetime(2030, 1, 1, tzinfo=UTC)
_BATCH = 1000
_CODES = bytes(10 * 48)
"""Token codes of a short sentence."""


def fill_store(path: Path, embedder: str, vectors: Path) -> None:
    """Make a database whose unit n has the n-th vector of a file."""
    with vector_store(path) as store:
        rows = read_vectors(vectors)
        for first in range(0, len(rows), _BATCH):
            batch = rows[first : first + _BATCH]
            added = store.apply(_OWNER, [_unit(first + place) for place in range(len(batch))], _AT).added
            embeddings = [EmbeddingRow(unit, 0, vector, _CODES) for unit, vector in zip(added, batch, strict=True)]
            store.save_embeddings(embedder, embeddings)


@contextmanager
def vector_store(path: Path) -> Iterator[SqliteStore]:
    """The database, open in the block."""
    store = open_store(path, SystemClock())
    try:
        yield store
    finally:
        store.close()


def _unit(number: int) -> Insert:
    draft = Draft(Kind.FACT_REFERENCE, f"Box {number} is on shelf {number // 7}.")
    return Insert(draft, None, content_key(draft.kind, draft.subject, draft.source, draft.content), _AT)
