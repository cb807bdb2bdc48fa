"""How much of a question's evidence recall finds, beside BM25, vectors and recency alone in the same memory."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from edge.engine.model_ports import TextEmbedder
from edge.engine.recall import Found
from edge.memory.units import UnitId
from edge.settings import RecallSettings
from scripts.benchmarks.conversations import Conversation, Question, cut, unrelated
from scripts.benchmarks.latency import STAGES
from scripts.benchmarks.memory import BenchMemory, bench_memory
from scripts.benchmarks.report import NOISE, Report, Table, spread

METHODS = ("edge", "edge, as a turn", "bm25", "dense", "recency")
_THRESHOLDS = (0.5, 0.6, 0.65, 0.75, 0.8, 0.9)
_UNRELATED_SHARE = 5
"""Of the questions of other conversations, every fifth is asked."""
_UNRELATED_TO_SMALL = 10
"""So many are asked of a small memory that was cut out of a conversation."""


@dataclass(slots=True)
class Results:
    """Shares of evidence found by (data, group, method, k), best scores by (data, language, kind), and times."""

    depths: Sequence[int]
    found: dict[tuple[str, str, str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    best: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def measure_recall(conversations: Sequence[Conversation], depths: Sequence[int], embedder: TextEmbedder) -> Report:
    """Each conversation in a memory of its own; then its questions, and some of the others'."""
    results = Results(sorted(depths))
    for conversation in conversations:
        with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
            others = unrelated(list(conversations), conversation)[::_UNRELATED_SHARE]
            _Asked(memory, conversation, results).ask_all(others)
    return Report("recall", [_found(results), _refused(results), _latency(results)], _figures(results))


def measure_small(
    conversations: Sequence[Conversation], turns: int, depths: Sequence[int], embedder: TextEmbedder
) -> Report:
    """The same of small memories: the conversations in parts of so many turns, each asked what its own turns answer,
    and some of what other parts and conversations answer."""
    results = Results(sorted(depths))
    parts = [part for conversation in conversations for part in cut(conversation, turns)]
    for part in parts:
        others = unrelated(parts, part)
        with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
            _Asked(memory, part, results).ask_all(others[:: max(1, len(others) // _UNRELATED_TO_SMALL)])
    return Report("recall of small memories", [_found(results), _refused(results)], _figures(results))


class _Asked:
    """One conversation in its memory."""

    def __init__(self, memory: BenchMemory, conversation: Conversation, results: Results) -> None:
        self._memory = memory
        self._conversation = conversation
        self._results = results
        self._ids = self._fill()
        self._recency = [self._ids[unit] for unit in sorted(self._ids, reverse=True)]
        settings = RecallSettings()
        self._whole = memory.recall(max(results.depths), 0.0, 0.0)
        self._turn = memory.recall(settings.limit, settings.threshold, settings.companions)

    def ask_all(self, others: Sequence[str]) -> None:
        for question in self._conversation.questions:
            whole = self._recall(question.text, "answerable" if question.answerable else "unanswerable")
            if question.answerable and question.evidence:
                self._compare(question, whole)
        for text in others:
            self._recall(text, "unrelated")

    def _fill(self) -> dict[UnitId, str]:
        told = self._conversation.memories
        return {unit: turn.id for unit, turn in zip(self._memory.tell(told), told, strict=True)}

    def _recall(self, text: str, kind: str) -> Found:
        found = self._whole.find(self._memory.scope, text)
        best = max((recalled.score for recalled in found.recalled), default=0.0)
        self._results.best[f"{self._conversation.data} {self._conversation.language}", kind].append(best)
        self._results.times["rules"].append(found.rules_seconds * 1000)
        self._results.times["all"].append(found.total_seconds * 1000)
        for stage, seconds in found.stages.items():
            self._results.times[f"- {STAGES[stage]}"].append(seconds * 1000)
        return found

    def _compare(self, question: Question, whole: Found) -> None:
        memory, scope, depth = self._memory, self._memory.scope, max(self._results.depths)
        as_turn = self._turn.find(scope, question.text)
        nearest = memory.nearest(question.text, depth)
        ranked = {
            "edge": self._named(recalled.unit.id for recalled in whole.recalled),
            "edge, as a turn": self._named(recalled.unit.id for recalled in as_turn.recalled),
            "bm25": self._named(unit for unit, _ in memory.store.search_text(scope, question.text, depth)),
            "dense": self._named(nearest),
            "recency": self._recency,
        }
        for method, order in ranked.items():
            for group in (question.group, f"all {self._conversation.language}"):
                self._note(group, method, order, question)

    def _named(self, units: Iterable[UnitId]) -> list[str]:
        return [self._ids[unit] for unit in units]

    def _note(self, group: str, method: str, order: Sequence[str], question: Question) -> None:
        for depth in self._results.depths:
            share = len(question.evidence & set(order[:depth])) / len(question.evidence)
            self._results.found[self._conversation.data, group, method, depth].append(share)


# --- the report --------------------------------------------------------------------------------------------------


def _found(results: Results) -> Table:
    groups = sorted({(data, group) for data, group, _, _ in results.found})
    rows = [
        (
            data,
            group,
            len(results.found[data, group, method, results.depths[0]]),
            method,
            *(fmean(results.found[data, group, method, depth]) for depth in results.depths),
        )
        for data, group in groups
        for method in METHODS
    ]
    limit, threshold = RecallSettings().limit, RecallSettings().threshold
    return Table(
        "Share of a question's evidence found",
        ("data", "questions", "count", "method", *(f"recall@{depth}" for depth in results.depths)),
        rows,
        f"`edge` is recall without a threshold; `as a turn` its {limit} best, if one is over {threshold:g}.",
    )


def _refused(results: Results) -> Table:
    thresholds = sorted({*_THRESHOLDS, RecallSettings().threshold})
    rows = [
        (data, kind, len(scores), *(_share_under(scores, threshold) for threshold in thresholds))
        for (data, kind), scores in sorted(results.best.items())
    ]
    note = (
        "Unrelated: other conversations' questions, with the names of this one's people. Unanswerable: mostly asked "
        "of one person what the other said. The weights were fitted to conversations such as these; `scripts/bench "
        "tune` gives the shares by weights fitted to the others."
    )
    columns = ("data", "questions", "count", *(f"under {threshold:g}" for threshold in thresholds))
    return Table("Share of questions refused, by threshold of the best score", columns, rows, note)


def _share_under(scores: Sequence[float], threshold: float) -> float:
    return fmean(score < threshold for score in scores)


def _latency(results: Results) -> Table:
    rows = [(stage, *spread(times), len(times)) for stage, times in results.times.items()]
    return Table("Time of a recall, embedding included", ("stage", "median ms", "p95 ms", "samples"), rows, NOISE)


def _figures(results: Results) -> dict[str, float]:
    """Recall of edge less that of BM25 alone, over all questions of each language; shares refused."""
    threshold = RecallSettings().threshold
    refused = {
        f"{data}, {kind}: refused under {threshold:g}": _share_under(scores, threshold)
        for (data, kind), scores in sorted(results.best.items())
    }
    return refused | {
        f"{data} {group}, recall@{depth}: edge less bm25": fmean(found)
        - fmean(results.found[data, group, "bm25", depth])
        for (data, group, method, depth), found in sorted(results.found.items())
        if method == "edge" and group.startswith("all")
    }
