"""How long recall takes in a memory of made-up units, in all and by stage."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from edge.engine.model_ports import TextEmbedder
from edge.settings import RecallSettings
from scripts.benchmarks import made_up
from scripts.benchmarks.conversations import Memory
from scripts.benchmarks.made_up_vectors import RepeatingEmbedder
from scripts.benchmarks.memory import ASKED_AT, BenchMemory, bench_memory
from scripts.benchmarks.report import NOISE, Report, Table, spread

T = TypeVar("T")
_SEED = 7
_RULE_TARGET = 1.0
_SMALL_TARGETS, _LARGE_TARGETS = (40.0, 80.0), (120.0, 120.0)
"""Median and p95 in milliseconds, up to 10,000 units and above."""
EMBEDDED = 10_000
"""Units that are embedded; more get the embeddings of these over and over. It takes a minute for each 15,000."""
STAGES = {
    "text": "text search",
    "embed": "embed the question",
    "vectors": "visible units and vector search",
    "read": "read the shortlist, compare its tokens",
    "neighbours": "read what was said next to the best",
    "rank": "weigh and choose",
}
"""The stages of a search, as `Found.stages` names them, in words."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    units: int
    questions: int = 100
    rounds: int = 3


def measure_latency(sizes: Sequence[Size], embedder: TextEmbedder) -> Report:
    """For each size fill a memory in a temporary folder and ask it, rules and searches in turn."""
    report = Report("latency")
    for size in sizes:
        with (
            tempfile.TemporaryDirectory() as folder,
            bench_memory(Path(folder), RepeatingEmbedder(embedder, EMBEDDED)) as memory,
        ):
            memory.add(made_up.profile(ASKED_AT - timedelta(days=365)))
            memory.tell(_turns(size.units))
            times = _times(memory, size)
        report.tables.append(_table(size, times))
        report.figures |= _figures(size, times)
    return report


def _figures(size: Size, times: dict[str, list[float]]) -> dict[str, float | bool]:
    rule, (whole, most) = spread(times["rules, a certain hit"])[0], spread(times["all"])
    median_target, p95_target = _SMALL_TARGETS if size.units <= EMBEDDED else _LARGE_TARGETS
    units = f"{size.units:,} units"
    return {
        f"{units}: rule recall, median ms (target < {_RULE_TARGET:g})": rule,
        f"{units}: recall in all, median ms (target < {median_target:g})": whole,
        f"{units}: recall in all, p95 ms (target < {p95_target:g})": most,
        f"{units}: targets held": rule < _RULE_TARGET and whole < median_target and most < p95_target,
    }


def _turns(count: int) -> list[Memory]:
    """Made-up words as turns, fifty a session."""
    drafts = made_up.drafts(count, _SEED, ASKED_AT - timedelta(days=364))
    return [
        Memory(str(number), draft.content, draft.valid_from or ASKED_AT, session=f"session {number // 50}")
        for number, draft in enumerate(drafts)
    ]


def _table(size: Size, times: dict[str, list[float]]) -> Table:
    return Table(
        f"Recall in {size.units:,} made-up units, half Chinese ({size.questions} questions, {size.rounds} rounds)",
        ("stage", "median ms", "p95 ms", "samples"),
        [(stage, *spread(samples), len(samples)) for stage, samples in times.items()],
        NOISE if size.units <= EMBEDDED else f"{NOISE} The embeddings of the first {EMBEDDED:,} units, over and over.",
    )


def _times(memory: BenchMemory, size: Size) -> dict[str, list[float]]:
    settings = RecallSettings()
    recall = memory.recall(settings.limit, settings.threshold, settings.companions)
    scope = replace(memory.scope, present=True)  # as a turn asks
    times: dict[str, list[float]] = defaultdict(list)
    searched = made_up.questions(size.questions, _SEED)
    for question in (*made_up.RULE_QUESTIONS, *searched[:4]):
        recall.find(scope, question)
    for number in range(size.rounds * size.questions):
        rule = made_up.RULE_QUESTIONS[number % len(made_up.RULE_QUESTIONS)]
        times["rules, a certain hit"].append(_timed(partial(recall.find, scope, rule))[1])
        found, whole = _timed(partial(recall.find, scope, searched[number % len(searched)]))
        times["all"].append(whole)
        times["- rules, no hit"].append(found.rules_seconds * 1000)
        for stage, seconds in found.stages.items():
            times[f"- {STAGES[stage]}"].append(seconds * 1000)
    for question in searched:
        memory.store.let_go()
        times["all, no units kept ready"].append(_timed(partial(recall.find, scope, question))[1])
    return times


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000
