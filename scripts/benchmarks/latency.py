"""How long recall takes in a memory of made-up units, in all and by stage."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from edge.engine.ports import TextEmbedder
from edge.memory.language import language_of
from edge.memory.ranking import READ_LIMIT, Candidate, order, shortlist
from edge.memory.text import query_terms
from edge.settings import RecallSettings
from scripts.benchmarks import made_up
from scripts.benchmarks.memory import ASKED_AT, BenchMemory, bench_memory
from scripts.benchmarks.report import NOISE, Report, Table, spread

T = TypeVar("T")
_SEED = 7
_RULE_TARGET, _ALL_TARGET = 1.0, 40.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    units: int
    questions: int = 100
    rounds: int = 3


def measure_latency(size: Size, embedder: TextEmbedder) -> Report:
    """Fill a memory in a temporary folder and ask it, rules and searches in turn."""
    with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
        memory.add(made_up.profile(ASKED_AT - timedelta(days=365)))
        memory.add(made_up.drafts(size.units, _SEED, ASKED_AT - timedelta(days=364)))
        times = _times(memory, size)
    report = Report("latency", [_table(size, times)])
    rule, whole = spread(times["rules, a certain hit"])[0], spread(times["all"])[0]
    report.figures = {
        "rule recall, median ms (target < 1)": rule,
        "recall in all, median ms (target < 40)": whole,
        "targets held": rule < _RULE_TARGET and whole < _ALL_TARGET,
    }
    return report


def _table(size: Size, times: dict[str, list[float]]) -> Table:
    return Table(
        f"Recall in {size.units:,} made-up units, half Chinese ({size.questions} questions, {size.rounds} rounds)",
        ("stage", "median ms", "p95 ms", "samples"),
        [(stage, *spread(samples), len(samples)) for stage, samples in times.items()],
        NOISE,
    )


def _times(memory: BenchMemory, size: Size) -> dict[str, list[float]]:
    settings = RecallSettings()
    recall = memory.recall(settings.limit, settings.threshold, settings.companions)
    times: dict[str, list[float]] = defaultdict(list)
    searched = made_up.questions(size.questions, _SEED)
    for question in (*made_up.RULE_QUESTIONS, *searched[:4]):
        recall.find(memory.scope, question)
    for number in range(size.rounds * size.questions):
        rule = made_up.RULE_QUESTIONS[number % len(made_up.RULE_QUESTIONS)]
        question = searched[number % len(searched)]
        times["rules, a certain hit"].append(_timed(partial(recall.find, memory.scope, rule))[1])
        times["all"].append(_timed(partial(recall.find, memory.scope, question))[1])
        for stage, milliseconds in _stages(memory, question):
            times[stage].append(milliseconds)
    return times


def _stages(memory: BenchMemory, question: str) -> Sequence[tuple[str, float]]:
    """The parts of a search, one by one, as `Recall` puts them together."""
    scope, settings = memory.scope, RecallSettings()
    embedder, index = memory.vectors.embedder, memory.vectors.index
    assert embedder is not None
    assert index is not None
    _, rules = _timed(lambda: memory.rules.find_question(question))
    by_text, text = _timed(lambda: dict(memory.store.search_text(scope, question, settings.candidates)))
    allowed, visible = _timed(lambda: memory.store.visible(scope))
    vector, embed = _timed(lambda: embedder.embed_query(question))
    by_vector, vectors = _timed(lambda: dict(index.search(vector, settings.candidates, allowed)))
    language = language_of(question)
    proposed, fuse = _timed(lambda: shortlist(by_text, by_vector, language, limit=READ_LIMIT))
    units, read = _timed(lambda: memory.store.units(scope, proposed.keys()))
    candidates = [Candidate(unit, proposed[unit.id]) for unit in units.values()]
    _, ranking = _timed(lambda: order(candidates, query_terms(question), language))
    return (
        ("rules, no hit", rules),
        ("text search", text),
        ("visible units", visible),
        ("embed", embed),
        ("vector search", vectors),
        ("read units", read),
        ("ranking", fuse + ranking),
    )


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000
