"""From what searches propose to a ranked list with scores from 0 to 1. Pure arithmetic over small lists.

The first form: BM25 leads, the cosine helps where the embedder knows the language, and a score is as high as the
question's own words (weighted by how rare they are among the candidates) and its meaning are found in the unit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from edge.memory.questions import is_question
from edge.memory.text import is_prefix, search_terms
from edge.memory.units import Kind, Recalled, Source, Stage, Unit, UnitId


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts. `cosine_floor` is what unrelated texts have, `cosine_span` from there to the same.

    An English embedder gives unrelated Chinese sentences a cosine near 0.6, so in Chinese it only breaks ties.
    `curve` is the power that makes a score mean the same in each language: many of a Chinese question's pairs of
    characters straddle two words and stand nowhere, so that a good answer holds a smaller share of them. Measured on
    MemoryBank at the threshold of 0.35: the best unit passes for 0.60 of the English questions and 0.61 of the Chinese
    (without the power 0.20), for 0.17 of other people's questions in either language.
    """

    lexical: float
    dense: float
    cosine_floor: float
    cosine_span: float
    curve: float = 1.0

    def of_cosine(self, cosine: float) -> float:
        """A cosine on a scale from 0, unrelated, to 1, the same."""
        return min(1.0, max(0.0, (cosine - self.cosine_floor) / self.cosine_span))


WEIGHTS = {
    "en": Weights(lexical=0.65, dense=0.35, cosine_floor=0.15, cosine_span=0.55),
    "zh": Weights(lexical=0.95, dense=0.05, cosine_floor=0.6, cosine_span=0.4, curve=0.6),
}
READ_LIMIT = 100
"""Most proposals whose units are read and ranked. Measured on LoCoMo: recall at 10 of 0.694 for 100, 0.696 for all."""
_ASSISTANT_AUTHORITY = 0.8
_QUESTION_WORTH = 0.6
"""A question that was asked before says little: it repeats the words of the question, not its answer."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the searches say of a unit: 0 where full text did not find it."""

    bm25: float = 0.0
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit that a search proposed, with the signals it brought."""

    unit: Unit
    signals: Signals


@dataclass(frozen=True, slots=True)
class Ranking:
    """Units that are worth telling, best first, and the rest with the reason they were dropped."""

    kept: tuple[Recalled, ...]
    dropped: tuple[tuple[Recalled, str], ...]


def shortlist(
    by_text: Mapping[UnitId, float], by_vector: Mapping[UnitId, float], language: str, *, limit: int
) -> dict[UnitId, Signals]:
    """Of what full text (BM25) and vectors (cosine) propose, the `limit` that are worth reading, best first.

    What the vector search did not propose is no nearer than the last that it did.
    """
    weights = WEIGHTS[language]
    least = min(by_vector.values(), default=0.0)
    best = max(by_text.values(), default=0.0) or 1.0
    proposed = {
        unit: Signals(by_text.get(unit, 0.0), by_vector.get(unit, least)) for unit in by_text.keys() | by_vector.keys()
    }
    promise = {
        unit: weights.lexical * signals.bm25 / best + weights.dense * weights.of_cosine(signals.cosine)
        for unit, signals in proposed.items()
    }
    first = sorted(promise, key=lambda unit: (-promise[unit], -unit))[:limit]
    return {unit: proposed[unit] for unit in first}


def order(candidates: Sequence[Candidate], terms: Sequence[str], language: str) -> list[Recalled]:
    """Score the candidates for a question with these terms, in its language; best first, a tie to the newer unit."""
    weights = WEIGHTS[language]
    held = {candidate.unit.id: _held(terms, candidate.unit.content) for candidate in candidates}
    rarity = _rarity(terms, held, len(candidates))
    best_bm25 = max((candidate.signals.bm25 for candidate in candidates), default=0.0) or 1.0
    scored = [_score(candidate, held[candidate.unit.id], rarity, best_bm25, weights) for candidate in candidates]
    return sorted(scored, key=lambda recalled: (-recalled.score, -recalled.unit.id))


def choose(
    ordered: Sequence[Recalled],
    refusal: Callable[[Unit], str | None],
    *,
    limit: int,
    threshold: float,
    companions: float,
) -> Ranking:
    """Keep the best `limit` of units in order, and give the reason why each other is dropped.

    `refusal` says why a unit is no answer whatever its score; it is asked only of those that would be kept. A best
    score under `threshold` means that there is nothing reliable. Else units with at least the share `companions` of
    the best score are kept with it: an answer often lies in two turns, of which one shares few words with the question.
    """
    kept: list[Recalled] = []
    dropped: list[tuple[Recalled, str]] = []
    least = threshold
    for recalled in ordered:
        why: str | None
        if recalled.score < least:
            why = "far behind the best" if kept else f"under the threshold of {threshold:g}"
        elif len(kept) >= limit:
            why = f"after the best {limit}"
        else:
            why = refusal(recalled.unit)
        if why is not None:
            dropped.append((recalled, why))
            continue
        least = least if kept else companions * recalled.score
        kept.append(recalled)
    return Ranking(tuple(kept), tuple(dropped))


def _held(terms: Sequence[str], content: str) -> frozenset[str]:
    """Which of the question's terms the content holds."""
    there = frozenset(search_terms(content))
    return frozenset(term for term in terms if term in there or (is_prefix(term) and term in content))


def _rarity(terms: Sequence[str], held: Mapping[UnitId, frozenset[str]], count: int) -> dict[str, float]:
    """Inverse document frequency of each term among the candidates; one that none holds counts as the rarest."""
    found = Counter(term for terms_held in held.values() for term in terms_held)
    return {term: math.log(1 + (count + 1) / (found[term] + 0.5)) for term in terms}


def _score(
    candidate: Candidate, held: frozenset[str], rarity: Mapping[str, float], best_bm25: float, weights: Weights
) -> Recalled:
    given = candidate.signals
    total = sum(rarity.values())
    coverage = sum(rarity[term] for term in held) / total if total else 0.0
    lexical = coverage * (0.5 + 0.5 * given.bm25 / best_bm25)
    dense = weights.of_cosine(given.cosine)
    worth = _worth(candidate.unit)
    score = min(1.0, (weights.lexical * lexical + weights.dense * dense) * worth) ** weights.curve
    signals = {
        "bm25": given.bm25,
        "cosine": given.cosine,
        "lexical": lexical,
        "dense": dense,
        "worth": worth,
    }
    return Recalled(candidate.unit, score, Stage.SEARCH, signals)


def _worth(unit: Unit) -> float:
    """What a unit is worth whatever was asked: its source's authority, and that it says something."""
    worth = _ASSISTANT_AUTHORITY if unit.source is Source.ASSISTANT else 1.0
    if unit.kind is Kind.EPISODE and is_question(unit.content):
        worth *= _QUESTION_WORTH
    return worth
