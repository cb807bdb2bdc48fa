"""What an embedder has yet to embed, worked off in steps so short that a turn need not wait long for one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial

from edge.engine.model_ports import Embedded, TextEmbedder
from edge.engine.ports import EmbeddingRow, MemoryStore
from edge.errors import EmbedderFailed
from edge.memory.units import UnitId

_log = logging.getLogger(__name__)
_PROBE = "a"
"""A text at which only an embedder fails that fails at everything."""
_Waiting = Sequence[tuple[UnitId, str]]


class Backlog:
    """The units that one embedder has yet to embed, newest first.

    A text at which it always fails does not hold up the others: it is tried again alone, and after that left out until
    the process ends. It can still be found by its words.
    """

    def __init__(self, embedder: TextEmbedder, key: str) -> None:
        """`key` is what the store knows the embedder by."""
        self._embedder = embedder
        self._key = key
        self._long: _Long | None = None
        self._suspects: set[UnitId] = set()
        self._skipped: set[UnitId] = set()

    def step(self, store: MemoryStore, limit: int) -> bool:
        """Embed up to `limit` chunks of units that wait; True while work is left.

        A long text takes several calls: its chunks are gathered here and stored together. Raises EmbedderFailed where
        the embedder fails at any text, and what keeping them raises; then they wait.
        """
        if self._long is not None:
            self._try([self._long.unit], partial(self._go_on, self._long, store, limit))
            return True
        waiting = self._waiting(store, limit)
        if waiting:
            self._try([unit for unit, _ in waiting], partial(self._begin, waiting, store))
        return bool(waiting)

    def is_done(self, store: MemoryStore) -> bool:
        """Whether nothing waits any more but what cannot be embedded."""
        return self._long is None and not self._waiting(store, 1)

    def remove(self, ids: Collection[UnitId]) -> None:
        """Let go of units that were forgotten."""
        self._suspects.difference_update(ids)
        self._skipped.difference_update(ids)
        if self._long is not None and self._long.unit in ids:
            self._long = None

    def _waiting(self, store: MemoryStore, limit: int) -> _Waiting:
        """The next units; those at which it failed once come last, one at a time."""
        missing = store.missing_embeddings(self._key, limit + len(self._skipped))
        waiting = [each for each in missing if each[0] not in self._skipped][:limit]
        return [each for each in waiting if each[0] not in self._suspects] or waiting[:1]

    def _begin(self, waiting: _Waiting, store: MemoryStore) -> None:
        chunks = [(unit, self._embedder.split(content)) for unit, content in waiting]
        self._long = next((_Long(unit, parts) for unit, parts in chunks if len(parts) > 1), None)
        short = [(unit, parts[0]) for unit, parts in chunks if len(parts) == 1]
        if short:
            embedded = self._embedder.embed([text for _, text in short])
            rows = [
                row for (unit, _), text in zip(short, embedded, strict=True) for row in embedding_rows(unit, [text])
            ]
            store.save_embeddings(self._key, rows)

    def _go_on(self, long: _Long, store: MemoryStore, limit: int) -> None:
        if long.embed_next(self._embedder, limit):
            store.save_embeddings(self._key, long.rows())
            self._long = None

    def _try(self, units: Sequence[UnitId], work: Callable[[], None]) -> None:
        """Embed; where that fails, find out whether it is the texts or the embedder."""
        try:
            work()
        except EmbedderFailed as failure:
            self._embedder.embed([_PROBE])
            self._suspect(units, failure)

    def _suspect(self, units: Sequence[UnitId], failure: EmbedderFailed) -> None:
        self._long = None
        if not self._suspects.issuperset(units):
            self._suspects.update(units)
            return
        self._skipped.update(units)
        _log.warning("unit %d is found by its words only, it cannot be embedded: %s", units[0], failure.message)


class _Long:
    """A unit of several chunks on its way through the embedder."""

    def __init__(self, unit: UnitId, parts: Sequence[str]) -> None:
        self.unit = unit
        self._parts = list(parts)
        self._done: list[Embedded] = []

    def embed_next(self, embedder: TextEmbedder, limit: int) -> bool:
        """Embed the next chunks; whether that was all."""
        batch = self._parts[:limit]
        if batch:
            self._done += embedder.embed(batch)
        self._parts = self._parts[limit:]
        return not self._parts

    def rows(self) -> list[EmbeddingRow]:
        """All chunks, as the store keeps them."""
        return embedding_rows(self.unit, self._done)


def embedding_rows(unit: UnitId, texts: Sequence[Embedded]) -> list[EmbeddingRow]:
    """All chunks of a unit, whose parts were embedded in this order, as the store keeps them."""
    chunks = [pair for text in texts for pair in zip(text.vectors, text.codes, strict=True)]
    return [EmbeddingRow(unit, number, vector, codes) for number, (vector, codes) in enumerate(chunks)]
