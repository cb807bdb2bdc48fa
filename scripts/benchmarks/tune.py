"""Fits the weights of recall to conversations whose evidence is known, and says what they are worth on others."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from edge.engine.model_ports import TextEmbedder
from edge.engine.search import Search
from edge.memory.language import language_of
from edge.memory.scoring import WEIGHT_NAMES, Weights, calibrated, contrast, sums
from edge.memory.units import UnitId
from edge.memory.weights import WEIGHTS
from edge.settings import RecallSettings
from scripts.benchmarks.cluster_recall import place_by_centroids
from scripts.benchmarks.conversations import Conversation, Question, unrelated
from scripts.benchmarks.fitting import Sample, fit
from scripts.benchmarks.memory import BenchMemory, bench_memory, weighing_clusters
from scripts.benchmarks.report import Report, Table

DEPTHS = (5, 10, 20, 30)
_UNRELATED_SHARE = 5
_LOST = (0.05, 0.1, 0.15, 0.2)
"""Shares of answerable questions that are refused, for the curve of abstention."""


def measure_tuning(conversations: Sequence[Conversation], embedder: TextEmbedder) -> tuple[Report, dict[str, Weights]]:
    """Weights for each language of the conversations; each conversation is also ranked by weights of the others."""
    fitted: dict[str, Weights] = {}
    samples = [sample for conversation in conversations for sample in gather(conversation, conversations, embedder)]
    report = Report("tune")
    for language in sorted({sample.language for sample in samples}):
        own = [sample for sample in samples if sample.language == language]
        held_out = cross_validated(own, WEIGHTS[language])
        report.tables += [_recall_table(language, held_out), _refusal_table(language, held_out)]
        fitted[language] = fit(own, WEIGHTS[language])
        report.figures |= {f"{language}.{name}": getattr(fitted[language], name) for name in WEIGHT_NAMES}
    return report, fitted


def as_toml(weights: Mapping[str, Weights]) -> str:
    """Weights as a file that the setting `recall.weights` takes."""
    return "\n".join(
        f"[{language}]\n" + "".join(f"{name} = {getattr(known, name):.4f}\n" for name in WEIGHT_NAMES)
        for language, known in weights.items()
    )


def gather(
    conversation: Conversation, conversations: Sequence[Conversation], embedder: TextEmbedder
) -> Iterator[Sample]:
    """The evidence for each question of a conversation, and for some of the others', as recall's search gives it where
    k-means has put the units into clusters."""
    others = unrelated(list(conversations), conversation)[::_UNRELATED_SHARE]
    with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
        ids = memory.tell(conversation.memories)
        place_by_centroids(memory, ids)
        names = dict(zip(ids, (turn.id for turn in conversation.memories), strict=True))
        search = Search(memory.store, memory.vectors, weighing_clusters(), RecallSettings().candidates, memory.clock)
        for question in conversation.questions:
            if question.evidence or not question.answerable:
                kind = "answerable" if question.answerable else "unanswerable"
                yield _sample(memory, search, conversation, names, question, kind)
        for text in others:
            asked = Question(text, frozenset(), "unrelated", answerable=False)
            yield _sample(memory, search, conversation, names, asked, "unrelated")


def _sample(
    memory: BenchMemory, search: Search, told: Conversation, names: Mapping[UnitId, str], question: Question, kind: str
) -> Sample:
    pool = search.find(memory.scope, question.text, language_of(question.text), max(DEPTHS)).pool
    gold = np.array([names[candidate.unit.id] in question.evidence for candidate in pool.candidates], dtype=np.bool_)
    return Sample(
        conversation=told.name,
        language=told.language,
        group=f"{told.data} {question.group}",
        kind=kind,
        evidence=pool.evidence(),
        gold=gold if kind == "answerable" else np.zeros_like(gold),
        count=len(question.evidence),
    )


def cross_validated(samples: Sequence[Sample], start: Weights) -> list[tuple[Sample, Weights]]:
    """Each question with weights that were fitted without its conversation."""
    paired: list[tuple[Sample, Weights]] = []
    for name in dict.fromkeys(sample.conversation for sample in samples):
        weights = fit([sample for sample in samples if sample.conversation != name], start)
        paired += [(sample, weights) for sample in samples if sample.conversation == name]
    return paired


def found_at(sample: Sample, weights: Weights) -> list[float]:
    """The share of a question's evidence among the first k, for each of DEPTHS."""
    first = np.argsort(-sums(sample.evidence, weights), kind="stable")
    return [float(sample.gold[first[:depth]].sum()) / sample.count for depth in DEPTHS]


def best_score(sample: Sample, weights: Weights) -> float:
    """The score of a question's best unit."""
    if not len(sample.gold):
        return 0.0
    odds, raw = contrast(sample.evidence, weights), sums(sample.evidence, weights)
    return float(calibrated(sample.evidence, raw, odds, weights).max())


def _recall_table(language: str, held_out: Sequence[tuple[Sample, Weights]]) -> Table:
    found: dict[str, list[list[float]]] = defaultdict(list)
    for sample, weights in held_out:
        if sample.kind == "answerable":
            shares = found_at(sample, weights)
            found[sample.group].append(shares)
            found[f"{sample.group.split()[0]} all"].append(shares)
    return Table(
        f"Evidence found, {language}, each conversation by weights fitted to the others",
        ("questions", "count", *(f"recall@{depth}" for depth in DEPTHS)),
        [(group, len(rows), *np.mean(rows, axis=0).tolist()) for group, rows in sorted(found.items())],
    )


def _refusal_table(language: str, held_out: Sequence[tuple[Sample, Weights]]) -> Table:
    scores: dict[str, list[float]] = defaultdict(list)
    for sample, weights in held_out:
        scores[f"{sample.group.split()[0]} {sample.kind}"].append(best_score(sample, weights))
    told = [score for kind, values in scores.items() if kind.endswith(" answerable") for score in values]
    thresholds = sorted({0.7, *(float(np.quantile(told, lost)) for lost in _LOST)}) if told else []
    kinds = sorted(scores)
    return Table(
        f"Share of questions refused, {language}, likewise",
        ("threshold", *kinds),
        [(threshold, *(_under(scores[kind], threshold) for kind in kinds)) for threshold in thresholds],
    )


def _under(scores: Iterable[float], threshold: float) -> float:
    return fmean(score < threshold for score in scores)
