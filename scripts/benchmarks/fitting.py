"""Fits the weights of recall to questions whose evidence is known: listwise, then a logistic curve on top."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from edge.memory.scoring import Evidence, Weights, content, contrast, neighbours, sums, talk_means

Array = npt.NDArray[np.float64]

TEXT = ("late", "bm25", "words", "dense")
REST = ("subject", "time", "sought", "question")
_SCALES = np.array([0.08, 0.25, 0.25, 0.12])
"""About one standard deviation of each signal of the text, so that one rate of learning suits all."""
_LEAST_SLOPE = 0.2
_ENOUGH = 20
"""Questions of either side from which on a curve is fitted."""
_STEPS, _RATE = 150, 0.08
_CLUSTERS = {
    "cluster": (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8),
    "company": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3),
}
"""Weights of what clusters tell that are tried."""
_FOUND_AT = 10
_PRIOR = 5.0
"""How many questions the weights that it starts from are worth."""
_UNRELATED = 0.05
"""What a question that has nothing to do with the conversation counts beside one that asks the wrong person's."""
_ANSWERABLE = 3.5
"""How many questions memory can answer for each that it cannot, among those for which a score is right as a share."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question of a conversation: the evidence for its candidates, which of them answer it, and how many units do.

    `kind` is answerable, unanswerable or unrelated; `group` the category it is reported under.
    """

    conversation: str
    language: str
    group: str
    kind: str
    evidence: Evidence
    gold: npt.NDArray[np.bool_]
    count: int


def fit(samples: Sequence[Sample], start: Weights) -> Weights:
    """Weights for the questions of one language, from those they start from, which a few questions do not move far."""
    ranked = [sample for sample in samples if sample.kind == "answerable" and sample.gold.any()]
    weights = _fit_text(ranked, start)
    weights = _fit_mixture(ranked, weights)
    weights = _fit_estimate(ranked, weights)
    weights = _fit_clusters(ranked, weights)
    return _fit_curve(samples, weights)


def _fit_text(samples: Sequence[Sample], start: Weights) -> Weights:
    """What the text itself counts, without what it gets from its neighbours."""
    first = np.array([*_of(start, TEXT) * _SCALES, *_of(start, REST) * _SIGNS])
    learnt = _listwise(samples, lambda evidence: np.column_stack([_text(evidence), _rest(evidence)]), first)
    return replace(start, **dict(zip(TEXT, (np.maximum(learnt[:4], 0) / _SCALES).tolist(), strict=True)))


def _fit_mixture(samples: Sequence[Sample], start: Weights) -> Weights:
    """How the text, its neighbours, its talk and the rest go together."""

    def columns(evidence: Evidence) -> Array:
        own = content(evidence, start)
        passed = [own, neighbours(evidence, own), talk_means(evidence.talk, own)]
        return np.column_stack([*passed, _rest(evidence)])

    first = np.array([1.0, start.neighbour, start.talk, *_of(start, REST) * _SIGNS])
    scale, neighbour, talk, *rest = np.maximum(_listwise(samples, columns, first) * [1, 1, 1, *_SIGNS], 0).tolist()
    text = {name: float(getattr(start, name)) * scale for name in TEXT}
    return replace(start, **text, neighbour=neighbour / scale, talk=talk / scale, **dict(zip(REST, rest, strict=True)))


def _fit_estimate(samples: Sequence[Sample], start: Weights) -> Weights:
    """The line from the share of words to late interaction."""
    words, late = (np.concatenate([getattr(sample.evidence, name) for sample in samples]) for name in ("words", "late"))
    known = ~np.isnan(late)
    span, floor = np.polyfit(words[known], late[known], 1).tolist()
    return replace(start, late_floor=floor, late_span=span)


def _fit_clusters(samples: Sequence[Sample], start: Weights) -> Weights:
    """What clusters tell, one after the other. As it was, where nothing is in clusters."""
    if any(sample.evidence.cluster.any() for sample in samples):
        start = _fit_found(samples, start, "cluster")
    if any((sample.evidence.home >= 0).any() for sample in samples):
        start = _fit_found(samples, start, "company")
    return start


def _fit_found(samples: Sequence[Sample], start: Weights, name: str) -> Weights:
    """The weight under which most evidence is among the first ten, of those under which no conversation
    has less of it there than without; the smallest of equals."""
    without = _found_by_conversation(samples, replace(start, **{name: 0.0}))
    best, gain = 0.0, 0.0
    for weight in _CLUSTERS[name]:
        gained = _found_by_conversation(samples, replace(start, **{name: weight})) - without
        if gained.min() >= 0 and gained.mean() > gain + 1e-9:
            best, gain = weight, float(gained.mean())
    return replace(start, **{name: best})


def _found_by_conversation(samples: Sequence[Sample], weights: Weights) -> Array:
    """The share of the evidence among the first ten, for each conversation."""
    found: dict[str, list[float]] = {}
    for sample in samples:
        first = np.argsort(-sums(sample.evidence, weights), kind="stable")[:_FOUND_AT]
        found.setdefault(sample.conversation, []).append(float(sample.gold[first].sum()) / sample.count)
    return np.array([np.mean(shares) for shares in found.values()])


def _fit_curve(samples: Sequence[Sample], start: Weights) -> Weights:
    """Whether memory can answer, from the best sum and whose words matched."""
    best = [(float(sums(sample.evidence, start).max()), contrast(sample.evidence, start)) for sample in samples]
    told = np.array([sample.kind == "answerable" for sample in samples])
    counts = np.array([_UNRELATED if sample.kind == "unrelated" else 1.0 for sample in samples])
    several = np.array([odds is not None for _, odds in best])
    plain = np.array([_of_best(sample.evidence, start) for sample in samples])
    both = np.array([[raw, odds or 0.0] for raw, odds in best])
    if _can_tell(told[several]):
        slope, odds, bias = _logistic(both[several], told[several], counts[several])
        start = replace(start, slope=slope, contrast=odds, bias=bias)
    if _can_tell(told[~several]):
        slope, words, bias = _plain_curve(plain[~several], told[~several], counts[~several])
        start = replace(start, plain_slope=slope, plain_words=words, plain_bias=bias)
    return start


def _plain_curve(table: Array, told: npt.NDArray[np.bool_], counts: Array) -> list[float]:
    """Slope, words and bias where nobody is to be mistaken for: none speaks against an answer, and the slope, which
    keeps the order, is never flat."""
    slope, words, bias = _logistic(table, told, counts)
    if words < 0:
        slope, bias = _logistic(table[:, :1], told, counts)
        words = 0.0
    if slope < _LEAST_SLOPE:
        slope = _LEAST_SLOPE
        words, bias = _logistic(table[:, 1:], told, counts, slope * table[:, 0])
    return [slope, words, bias]


def _of_best(evidence: Evidence, weights: Weights) -> list[float]:
    """How well the best unit's own text matches, and the share of the question's words that it holds."""
    best = sums(evidence, weights).argmax()
    return [float(content(evidence, weights)[best]), float(evidence.words[best])]


def _can_tell(told: npt.NDArray[np.bool_]) -> bool:
    """Whether there are enough questions of both sides for a curve."""
    return bool(min(told.sum(), (~told).sum()) >= _ENOUGH)


# --- columns -----------------------------------------------------------------------------------------------------

_SIGNS = np.array([1.0, 1.0, 1.0, -1.0])


def _of(weights: Weights, names: Sequence[str]) -> Array:
    return np.array([getattr(weights, name) for name in names], dtype=np.float64)


def _text(evidence: Evidence) -> Array:
    late = np.nan_to_num(evidence.late)
    columns: Array = np.column_stack([late, evidence.bm25, evidence.words, evidence.dense]) / _SCALES
    return columns


def _rest(evidence: Evidence) -> Array:
    return np.column_stack([evidence.subject, evidence.time, evidence.sought, evidence.question]).astype(np.float64)


# --- learning ----------------------------------------------------------------------------------------------------


def _listwise(samples: Sequence[Sample], columns: Callable[[Evidence], Array], start: Array) -> Array:
    """Weights under which a softmax over a question's candidates puts most on its evidence (Cao et al. 2007, ListNet,
    with the evidence as the target), by Adam (Kingma and Ba 2015) with a pull to where it starts."""
    table = np.concatenate([columns(sample.evidence) for sample in samples])
    lengths = np.array([len(sample.gold) for sample in samples])
    first, of = np.concatenate([[0], np.cumsum(lengths)[:-1]]), np.repeat(np.arange(len(samples)), lengths)
    gold = np.concatenate([sample.gold for sample in samples]).astype(np.float64)
    wanted = gold / np.add.reduceat(gold, first)[of]
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _STEPS + 1):
        values = table @ weights
        share = np.exp(values - np.maximum.reduceat(values, first)[of])
        share /= np.add.reduceat(share, first)[of]
        slope = (table.T @ (share - wanted) + _PRIOR * (weights - start)) / len(samples)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return weights


def _logistic(table: Array, told: npt.NDArray[np.bool_], counts: Array, given: Array | float = 0.0) -> list[float]:
    """Coefficients of a logistic regression and, last, its constant, by Newton's method, in a
    population in which memory can answer as many as _ANSWERABLE says; `given` is added to what they sum up to."""
    table = np.column_stack([table, np.ones(len(table))])
    counts = np.where(told, counts, counts * counts[told].sum() / (_ANSWERABLE * counts[~told].sum()))
    weights = np.zeros(table.shape[1])
    damping = np.eye(len(weights)) * 1e-3
    for _ in range(50):
        share = 1 / (1 + np.exp(-(table @ weights + given)))
        curvature = (table * (counts * share * (1 - share))[:, None]).T @ table + damping
        weights += np.linalg.solve(curvature, table.T @ (counts * (told - share)) - damping @ weights)
    fitted: list[float] = weights.tolist()
    return fitted
