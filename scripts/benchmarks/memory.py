"""A memory of the engine's own parts in a folder: what the benchmarks fill and ask."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from edge.clock import Clock, SystemClock
from edge.config import load_settings
from edge.daemon.parts import FileModels, read_rules
from edge.engine.backlog import embedding_rows
from edge.engine.model_ports import TextEmbedder
from edge.engine.ports import Scope
from edge.engine.recall import Limits, Recall
from edge.engine.vectors import Vectors, embedder_key
from edge.index.opening import open_index
from edge.memory.ranking import Ranker
from edge.memory.rules import Rules
from edge.memory.units import SELF, Draft, Insert, Kind, OwnerId, SessionId, Source, TurnState, UnitId
from edge.memory.weights import WEIGHTS
from edge.settings import RecallSettings, Settings
from edge.store.sqlite import SqliteStore, open_store
from scripts.benchmarks.conversations import Memory

OWNER = OwnerId(f"uid:{os.getuid()}")
"""As whom a daemon knows the one who measures."""
SESSION = SessionId("bench")
ASKED_AT = datetime(2040, 1, 1, tzinfo=UTC)
"""When all is asked: after everything that was told."""
_BATCH = 256


def current_settings() -> Settings:
    """The settings in force for this user, for the places of the models."""
    return load_settings(os.environ, Path.home(), os.getuid())


def real_embedder() -> TextEmbedder:
    """The embedder of the settings. Raises ModelMissing where it was not fetched."""
    return FileModels(current_settings(), SystemClock()).load_embedder()


def weighing_clusters() -> Ranker:
    """A ranker for which search finds out how questions agree with clusters, whatever their weight in force."""
    return Ranker({language: replace(weights, cluster=1.0) for language, weights in WEIGHTS.items()})


@dataclass(slots=True)
class BenchMemory:
    """Store, vectors and rules of one owner."""

    store: SqliteStore
    vectors: Vectors
    rules: Rules
    clock: Clock = field(default_factory=SystemClock)
    count: int = field(default=0)

    @property
    def scope(self) -> Scope:
        """Of the one owner, at the time of all questions."""
        return Scope(OWNER, SESSION, ASKED_AT)

    def recall(self, units: int, threshold: float, companions: float) -> Recall:
        """The engine's recall, with the settings' number of candidates."""
        limits = Limits(RecallSettings().candidates, units, threshold, companions)
        return Recall(self.store, self.rules, self.vectors, limits, self.clock)

    def add(self, drafts: Sequence[Draft]) -> list[UnitId]:
        """Store and embed drafts, each a unit of its own, and let the index do what it does when nobody asks; gives
        their ids in order."""
        added: list[UnitId] = []
        for first in range(0, len(drafts), _BATCH):
            batch = drafts[first : first + _BATCH]
            changes = [self._insert(draft) for draft in batch]
            added += self.store.apply(OWNER, changes, ASKED_AT - timedelta(days=1)).added
            self._embed(added[first:], [draft.content for draft in batch])
        return added

    def tell(self, turns: Sequence[Memory], source: Source = Source.IMPORT) -> list[UnitId]:
        """Store turns of a conversation as turns of their sessions, as they were said: the words of each are one unit,
        with whose they are as its subject. Embeds them too; gives the units' ids in order."""
        added = [tell_turn(self.store, turn, source, self._next()) for turn in turns]
        for first in range(0, len(turns), _BATCH):
            batch = turns[first : first + _BATCH]
            self._embed(added[first : first + _BATCH], [turn.text for turn in batch])
        return added

    def nearest(self, text: str, limit: int) -> list[UnitId]:
        """Units by the cosine of their vectors alone, the nearest first."""
        assert self.vectors.embedder is not None
        vector = self.vectors.embedder.embed_query(text)
        return list(self.vectors.nearest(vector, limit, self.store.visible(self.scope)))

    def _embed(self, units: Sequence[UnitId], texts: Sequence[str]) -> None:
        embedder, index = self.vectors.embedder, self.vectors.index
        assert embedder is not None
        assert index is not None
        rows = [
            row for unit, text in zip(units, embedder.embed(texts), strict=True) for row in embedding_rows(unit, [text])
        ]
        self.store.save_embeddings(embedder_key(embedder), rows)
        index.follow()
        while self.vectors.tend_index():
            pass

    def _insert(self, draft: Draft) -> Insert:
        return _insert(draft, self._next())

    def _next(self) -> int:
        self.count += 1
        return self.count


def tell_turn(store: SqliteStore, turn: Memory, source: Source, number: int) -> UnitId:
    """Store a turn as one of its session, with no reply; its words are one unit. No other has the number."""
    words = Draft(Kind.EPISODE, turn.text, source=source, subject=turn.speaker or SELF, valid_from=turn.at)
    begun = store.begin_turn(OWNER, SessionId(turn.session), turn.text, [_insert(words, number)], turn.at)
    assert begun.turn is not None
    store.finish_turn(OWNER, begun.turn, "", TurnState.DONE, [], turn.at)
    return begun.added[0]


def _insert(draft: Draft, number: int) -> Insert:
    """The same words said twice are two turns here, as the evidence counts them."""
    valid_from = draft.valid_from or ASKED_AT - timedelta(days=1)
    return Insert(draft, None, f"bench-{number}", valid_from, draft.valid_until)


@contextmanager
def bench_memory(folder: Path, embedder: TextEmbedder) -> Iterator[BenchMemory]:
    """An empty memory in a folder, closed at the end."""
    vectors, key = Vectors(), embedder_key(embedder)
    store = open_store(folder / "memory.db", SystemClock())
    try:
        store.use_embedder(key)
        vectors.attach(embedder, open_index(folder / "index", key, embedder.dimension, store.vector_log))
        yield BenchMemory(store, vectors, read_rules())
    finally:
        vectors.close()
        store.close()
