"""The search half of recall: candidates by full text and by vectors, and the evidence that ranks them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from types import MappingProxyType

import numpy as np

from edge.clock import Clock
from edge.engine.model_ports import QueryEmbedding
from edge.engine.ports import MemoryStore, Scope
from edge.engine.vectors import Vectors
from edge.errors import EmbedderFailed
from edge.memory.agreement import agreement
from edge.memory.folding import in_their_own_words
from edge.memory.places import NOWHERE, Place
from edge.memory.pool import Candidate, Pool, Question, Signals
from edge.memory.ranking import SHORTLIST, Ranker, shortlist
from edge.memory.text import query_terms
from edge.memory.units import ClusterId, Recalled, Unit, UnitId

_log = logging.getLogger(__name__)

NO_RELATIONS: Mapping[str, str] = MappingProxyType({})
CODE_BYTES = 2 << 20
"""Most bytes of token codes that are compared with one question: 43,690 tokens of 384 dimensions, about 40 ms."""
_WITH_NEIGHBOURS = 50
"""Of the shortlist, so many of the best bring the words before and after them. Measured on LoCoMo: as good as all."""


@dataclass(slots=True)
class Searched:
    """What a search found, not yet put in order: the pool, what kept it from being whole, and seconds by stage."""

    pool: Pool
    degraded: tuple[str, ...]
    seconds: dict[str, float] = field(default_factory=dict)


class Search:
    """Fills a pool for a question. Lives on the memory thread."""

    def __init__(
        self,
        store: MemoryStore,
        vectors: Vectors,
        ranker: Ranker,
        candidates: int,
        clock: Clock,
        zone: tzinfo | None = None,
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._ranker = ranker
        self._candidates = candidates
        self._clock = clock
        self._zone = zone

    def find(
        self,
        scope: Scope,
        text: str,
        language: str,
        least: int,
        context: str = "",
        relations: Mapping[str, str] = NO_RELATIONS,
    ) -> Searched:
        """Candidates for a question, at least `least` where there are as many; `context` are words that it means
        without saying them, `relations` those of the owner that it mentions, each with its word for it.

        Each search proposes some; the most promising are read, and of the best of these the words next to them.
        """
        stages = _Stages(self._clock)
        nothing = np.zeros((0, 8), dtype=np.float32)
        question = Question(text, nothing, (), scope.as_of, self._zone, context, relations)
        by_text = dict(self._store.search_text(scope, question.searched, self._candidates))
        stages.end("text")
        embedding = self._embed(question.searched)
        stages.end("embed")
        by_vector = self._nearest(scope, embedding)
        # Read after it: a search may be what finds a part of the index damaged.
        degraded = ("vectors",) if embedding is None else self._vectors.degraded
        stages.end("vectors")
        proposed, units = self._worth_reading(scope, by_text, by_vector, language, max(SHORTLIST, least))
        question = replace(question, clusters=self._agreeing(scope, question, language, embedding))
        if embedding is not None:
            question = replace(question, tokens=embedding.tokens, spans=embedding.spans)
        pool = Pool(question)
        self._fill(pool, scope, proposed, units)
        stages.end("read")
        self._add_neighbours(pool, scope, language, by_text, min(by_vector.values(), default=0.0))
        stages.end("neighbours")
        return Searched(pool, degraded, stages.seconds)

    def with_passages(self, found: Sequence[Recalled], pool: Pool) -> tuple[Recalled, ...]:
        """The same, each unit of several chunks with the one that matched."""
        long = {
            candidate.unit.id: chunk
            for candidate, chunk in zip(pool.candidates, pool.chunks().tolist(), strict=True)
            if len(candidate.codes) > 1
        }
        return tuple(
            replace(recalled, passage=self._passage(recalled.unit, long[recalled.unit.id]))
            if recalled.unit.id in long
            else recalled
            for recalled in found
        )

    def _passage(self, unit: Unit, chunk: int) -> str | None:
        embedder = self._vectors.embedder
        parts = [] if embedder is None else embedder.split(unit.content)
        return parts[chunk].strip() or None if chunk < len(parts) else None

    def _embed(self, text: str) -> QueryEmbedding | None:
        """None where there is no embedder, or it fails."""
        if self._vectors.embedder is None:
            return None
        try:
            return self._vectors.embedder.read_query(text)
        except EmbedderFailed as failure:
            _log.warning("recall goes on without vectors: %s", failure.message)
            return None

    def _nearest(self, scope: Scope, embedding: QueryEmbedding | None) -> dict[UnitId, float]:
        if embedding is None:
            return {}
        return self._vectors.nearest(embedding.vector, self._candidates, self._store.visible(scope))

    def _agreeing(
        self, scope: Scope, question: Question, language: str, embedding: QueryEmbedding | None
    ) -> dict[ClusterId, float]:
        """How well a question agrees with the owner's clusters; nothing where there are none, or they count nothing."""
        if not self._ranker.weighs_clusters(language):
            return {}
        posts = self._store.signposts(scope.owner, self._vectors.key)
        vector = None if embedding is None else embedding.vector
        return agreement(posts, query_terms(question.searched), vector, language) if posts.ids else {}

    def _worth_reading(
        self, scope: Scope, by_text: dict[UnitId, float], by_vector: dict[UnitId, float], language: str, limit: int
    ) -> tuple[dict[UnitId, Signals], dict[UnitId, Unit]]:
        """What is most promising of both searches, read; as if there were no lines whose own words are among it."""
        proposed = shortlist(by_text, by_vector, language, limit=limit)
        units = self._store.units(scope, proposed.keys())
        lines = in_their_own_words(units.values())
        if lines:
            by_text, by_vector = ({u: by[u] for u in by if u not in lines} for by in (by_text, by_vector))
            proposed = shortlist(by_text, by_vector, language, limit=limit)
            units = self._store.units(scope, proposed.keys())
        return proposed, units

    def _fill(self, pool: Pool, scope: Scope, proposed: dict[UnitId, Signals], units: dict[UnitId, Unit]) -> None:
        there = [unit for unit in proposed if unit in units]
        codes = self._codes(scope, there)
        places, terms = self._store.places(scope.owner, there), self._store.terms(units.values())
        pool.add(
            [
                Candidate(units[unit], proposed[unit], codes.get(unit, ()), places.get(unit, NOWHERE), terms[unit])
                for unit in there
            ]
        )

    def _add_neighbours(
        self, pool: Pool, scope: Scope, language: str, by_text: dict[UnitId, float], cosine: float
    ) -> None:
        """An answer often shares no word with a question, but what it was said in reply to does."""
        if not len(pool):
            return
        places: dict[UnitId, Place] = {}
        for candidate in self._ranker.promising(pool, language, _WITH_NEIGHBOURS):
            places |= candidate.place.beside(candidate.unit.id)
        there = {candidate.unit.id for candidate in pool.candidates}
        units = self._store.units(scope, [unit for unit in places if unit not in there])
        codes, terms = self._codes(scope, list(units)), self._store.terms(units.values())
        pool.add(
            [
                Candidate(
                    found, Signals(by_text.get(unit, 0.0), cosine), codes.get(unit, ()), places[unit], terms[unit]
                )
                for unit, found in units.items()
            ]
        )

    def _codes(self, scope: Scope, units: Sequence[UnitId]) -> dict[UnitId, tuple[bytes, ...]]:
        key = self._vectors.key
        return {} if key is None else self._store.token_codes(scope.owner, key, units, CODE_BYTES)


class _Stages:
    """Seconds by stage, one after the other."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.monotonic()
        self.seconds: dict[str, float] = {}

    def end(self, name: str) -> None:
        now = self._clock.monotonic()
        self.seconds[name], self._since = now - self._since, now
