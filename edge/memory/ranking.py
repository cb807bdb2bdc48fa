"""From what searches propose to a ranked list with scores from 0 to 1.

A shortlist is what is worth reading; the evidence for each of its units (see `edge.memory.pool`) is weighed by weights
that belong to the question's language; what is kept of the ranked list depends on the best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edge.memory.folding import Saying, saying
from edge.memory.pool import Candidate, Pool, Signals
from edge.memory.relevance import FIRST
from edge.memory.scoring import Evidence, Weights, calibrated, content, contrast, sums
from edge.memory.units import Kind, Recalled, Source, Stage, Unit, UnitId
from edge.memory.weights import WEIGHTS

SHORTLIST = 200
"""Units of both searches that are read and ranked."""
_UNDER, _BEHIND = "under the threshold of", "far behind the best"
_RELEVANCE = 0.5
"""What relevance is worth, of which a new unit has 1: one that misled three times stands behind its equals, and where
all are new it changes nothing."""


@dataclass(frozen=True, slots=True)
class Promise:
    """How the two searches' proposals are compared: weights of BM25 (as a share of the best) and of the cosine, on a
    scale from `cosine_floor`, which unrelated texts have, over `cosine_span`.

    An English embedder gives unrelated Chinese sentences a cosine near 0.6, so in Chinese it only breaks ties.
    """

    lexical: float
    dense: float
    cosine_floor: float
    cosine_span: float

    def of_cosine(self, cosine: float) -> float:
        """A cosine on a scale from 0, unrelated, to 1, the same."""
        return min(1.0, max(0.0, (cosine - self.cosine_floor) / self.cosine_span))


PROMISES = {
    "en": Promise(lexical=0.65, dense=0.35, cosine_floor=0.15, cosine_span=0.55),
    "zh": Promise(lexical=0.95, dense=0.05, cosine_floor=0.6, cosine_span=0.4),
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """Units that are worth telling, best first, and the rest with the reason they were dropped."""

    kept: tuple[Recalled, ...]
    dropped: tuple[tuple[Recalled, str], ...]

    def with_words_of(self, facts: Sequence[Recalled]) -> Ranking:
        """The same with the words from which facts were drawn behind the rest, where only their score was too low: what
        was said may hold what the fact does not ("a nurse in Bergen")."""
        turns = {fact.unit.source_turn for fact in facts if fact.unit.source_turn is not None}
        words = tuple(
            recalled
            for recalled, why in self.dropped
            if why.startswith((_UNDER, _BEHIND)) and recalled.unit.kind is Kind.EPISODE
            if recalled.unit.source is Source.USER and recalled.unit.source_turn in turns
        )
        return Ranking((*self.kept, *words), tuple(each for each in self.dropped if each[0] not in words))


NOTHING_RANKED = Ranking((), ())


def shortlist(
    by_text: Mapping[UnitId, float], by_vector: Mapping[UnitId, float], language: str, *, limit: int
) -> dict[UnitId, Signals]:
    """Of what full text (BM25) and vectors (cosine) propose, the `limit` that are worth reading, best first.

    What the vector search did not propose is no nearer than the last that it did.
    """
    way = PROMISES[language]
    least = min(by_vector.values(), default=0.0)
    best = max(by_text.values(), default=0.0) or 1.0
    proposed = {
        unit: Signals(by_text.get(unit, 0.0), by_vector.get(unit, least)) for unit in by_text.keys() | by_vector.keys()
    }
    promise = {
        unit: way.lexical * signals.bm25 / best + way.dense * way.of_cosine(signals.cosine)
        for unit, signals in proposed.items()
    }
    first = sorted(promise, key=lambda unit: (-promise[unit], -unit))[:limit]
    return {unit: proposed[unit] for unit in first}


def _repeats(said: Mapping[Saying, UnitId], unit: Unit) -> str | None:
    """Why a unit is folded into one that is kept already: it says the same once more."""
    same = said.get(saying(unit))
    return None if same is None else f"says the same as #{same}"


class Ranker:
    """Puts a pool in order by the weights of a language."""

    def __init__(self, weights: Mapping[str, Weights] = WEIGHTS) -> None:
        self._weights = weights

    def weighs_clusters(self, language: str) -> bool:
        """Whether the clusters of units count in this language; else nobody need find out how a question agrees."""
        return self._weights[language].cluster != 0

    def promising(self, pool: Pool, language: str, count: int) -> list[Candidate]:
        """The best of a pool by their own text alone."""
        return pool.promising(self._weights[language], count)

    def order(self, pool: Pool, language: str) -> list[Recalled]:
        """All of a pool, best first, a tie to the newer unit."""
        if not len(pool):
            return []
        weights, evidence = self._weights[language], pool.evidence()
        raw = sums(evidence, weights)
        odds = contrast(evidence, weights)
        units = [candidate.unit for candidate in pool.candidates]
        raw = raw + np.array([_RELEVANCE * (unit.relevance - FIRST) for unit in units], dtype=np.float32)
        scores = calibrated(evidence, raw, odds, weights)
        explained = _explained(pool, evidence, weights, odds)
        rows = np.lexsort((-np.array([unit.id for unit in units]), -raw))
        return [Recalled(units[row], float(scores[row]), Stage.SEARCH, explained(int(row))) for row in rows]


def _explained(
    pool: Pool, evidence: Evidence, weights: Weights, odds: float | None
) -> Callable[[int], dict[str, float]]:
    """The signals behind a score, for one row."""
    own, late = content(evidence, weights), np.nan_to_num(evidence.late)

    def of(row: int) -> dict[str, float]:
        signals = {
            "bm25": pool.candidates[row].signals.bm25,
            "dense": float(evidence.dense[row]),
            "late": float(late[row]),
            "words": float(evidence.words[row]),
            "content": float(own[row]),
            "subject": float(evidence.subject[row]),
            "time": float(evidence.time[row]),
        }
        if evidence.cluster.any():
            signals["cluster"] = float(evidence.cluster[row])
        return signals if odds is None else {**signals, "contrast": odds}

    return of


def choose(
    ordered: Sequence[Recalled],
    refusal: Callable[[Recalled], str | None],
    *,
    limit: int,
    threshold: float,
    companions: float,
) -> Ranking:
    """Keep the best `limit` of units in order, and give the reason why each other is dropped.

    `refusal` says why a unit is no answer whatever its score; it is asked only of those that would be kept. A best
    score under `threshold` means that there is nothing reliable. Else units with at least the share `companions` of
    the best score are kept with it: an answer often lies in two turns, of which one shares few words with the question.
    What says the same as one that is kept is dropped.
    """
    kept: list[Recalled] = []
    dropped: list[tuple[Recalled, str]] = []
    least = threshold
    said: dict[Saying, UnitId] = {}
    for recalled in ordered:
        why: str | None
        if recalled.score < least:
            why = _BEHIND if kept else f"{_UNDER} {threshold:g}"
        elif len(kept) >= limit:
            why = f"after the best {limit}"
        else:
            why = _repeats(said, recalled.unit) or refusal(recalled)
        if why is not None:
            dropped.append((recalled, why))
            continue
        least = least if kept else companions * recalled.score
        kept.append(recalled)
        said[saying(recalled.unit)] = recalled.unit.id
    return Ranking(tuple(kept), tuple(dropped))
