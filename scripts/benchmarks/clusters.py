"""Clusters: what a night's clustering costs and gives, and whether it holds together what belongs together."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np

from edge.clock import SystemClock
from edge.engine.clustering import Clustering
from edge.engine.model_ports import LanguageModel, TextEmbedder
from edge.engine.offpeak import AsideModel, Interrupts
from edge.memory.cluster_maths import Labels, Vectors, normalised
from edge.memory.clusters import Cluster, RunState
from edge.memory.language import language_of
from edge.memory.units import Draft, Kind, UnitId
from scripts.benchmarks.cluster_recall import recall_table
from scripts.benchmarks.conversations import Conversation
from scripts.benchmarks.judged_pairs import (
    CONVERSATION_PAIRS,
    NOTE_PAIRS,
    Chosen,
    JudgedConversation,
    JudgedNote,
    JudgedPair,
    are_same,
    conversations_table,
    judge,
    judge_conversation,
    of_told,
    read_conversation_pairs,
    read_notes,
    read_pairs,
    shares,
)
from scripts.benchmarks.memory import OWNER, BenchMemory, bench_memory
from scripts.benchmarks.report import NOISE, Report, Table
from scripts.benchmarks.silhouette import silhouette

_ALIKE = 0.9
T = TypeVar("T")


@dataclass(slots=True)
class Clustered:
    """What clustering made of some units: the cluster of each (None where it is unplaced), and what it took."""

    homes: Mapping[UnitId, int | None]
    clusters: list[Cluster]
    vectors: dict[UnitId, Vectors]
    seconds: float
    tokens: int
    counts: Counter[str] = field(default_factory=Counter)
    rolled_back: int = 0


def measure_clusters(
    conversations: Sequence[Conversation],
    model: LanguageModel | None,
    embedder: TextEmbedder,
    most: int | None = None,
    pairs: Path = NOTE_PAIRS,
    pairs_of_turns: Path = CONVERSATION_PAIRS,
) -> Report:
    """Cluster the judged notes, each half for itself and both together, and at most `most` turns of each conversation;
    without a model, by centroids."""
    report, turn_pairs = Report("clusters"), read_conversation_pairs(pairs_of_turns)
    report.figures["model"] = "none" if model is None else model.id
    report.tables.append(_pairs_table(read_notes(pairs), read_pairs(pairs), model, embedder))
    judged: list[JudgedConversation] = []
    for conversation in conversations:
        told = conversation.memories[:most]
        with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
            units = memory.tell(told)
            clustered = cluster(memory, units, model)
            recalled = recall_table(memory, conversation, units)
        report.tables += _conversation_tables(conversation, units, [turn.session for turn in told], clustered, embedder)
        report.tables.append(recalled)
        if asked := of_told(turn_pairs.get((conversation.data, conversation.name), ()), told):
            homes = {turn.id: clustered.homes[unit] for turn, unit in zip(told, units, strict=True)}
            vectors = np.stack([clustered.vectors[unit] for unit in units])
            judged.append(judge_conversation(conversation, asked, homes, vectors))
    if judged:
        report.tables.append(conversations_table(judged))
    return report


def cluster(memory: BenchMemory, units: Sequence[UnitId], model: LanguageModel | None) -> Clustered:
    """Run the step until nothing is left to do."""
    store = memory.store
    step = Clustering(_Here(), store, store.clusters, store.readings, SystemClock())
    aside = None if model is None else AsideModel(model, _Here(), Interrupts())
    began, counts = time.monotonic(), Counter[str]()
    more = True
    while more:
        worked = asyncio.run(step.work(OWNER, aside))
        counts.update(worked.counts)
        more = worked.more
    seconds = time.monotonic() - began
    homes = {unit: store.unit(OWNER, unit).cluster for unit in units}
    rolled_back = sum(run.state is RunState.ABANDONED for run in store.clusters.runs(OWNER, limit=100))
    vectors = store.clusters.vectors(OWNER, units)
    tokens = 0 if aside is None else aside.tokens
    return Clustered(homes, store.clusters.clusters(OWNER), vectors, seconds, tokens, counts, rolled_back)


class _Here:
    """A `Worker` that works at once: nothing else runs."""

    async def run(self, work: Callable[[], T]) -> T:
        return work()

    async def stream(self, work: Callable[[], Iterator[T]]) -> AsyncGenerator[T]:
        for item in work():
            yield item


# --- the judged pairs --------------------------------------------------------------------------------------------


def _pairs_table(
    notes: Sequence[JudgedNote], pairs: Sequence[JudgedPair], model: LanguageModel | None, embedder: TextEmbedder
) -> Table:
    rows = []
    for name, halves in (("half 1", "1"), ("half 2", "2"), ("both together", "12")):
        told = [note for note in notes if note.half in halves]
        known = {note.id for note in told}
        asked = [pair for pair in pairs if pair.one in known]
        rows += _pair_rows(name, told, asked, model, embedder)
    columns = (
        "notes",
        "method",
        "clusters",
        "unplaced",
        "right",
        "Chinese",
        "English",
        "both languages",
        "same",
        "different",
    )
    note = "Share of the pairs that are in one cluster, and are to be, or in two. Weights were chosen on half 1."
    return Table("Judged pairs", columns, rows, note)


def _pair_rows(
    name: str,
    notes: Sequence[JudgedNote],
    pairs: Sequence[JudgedPair],
    model: LanguageModel | None,
    embedder: TextEmbedder,
) -> list[tuple[object, ...]]:
    with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
        units = memory.add([Draft(Kind.FACT_REFERENCE, note.text) for note in notes])
        clustered = cluster(memory, units, model)
    homes = {note.id: clustered.homes[unit] for note, unit in zip(notes, units, strict=True)}
    kinds = _kinds(pairs, {note.id: language_of(note.text) for note in notes})
    judged = judge(pairs, homes, np.stack([clustered.vectors[unit] for unit in units]))
    return [
        (name, "edge", judged.clusters, judged.unplaced, *shares(judged.edge, kinds)),
        (name, "k-means", judged.clusters, 0, *shares(judged.plain, kinds)),
    ]


def _kinds(pairs: Sequence[JudgedPair], languages: Mapping[str, str]) -> list[Chosen]:
    """All, Chinese, English and mixed pairs, same and different ones."""
    spoken = [{languages[pair.one], languages[pair.two]} for pair in pairs]
    of = [np.array([each == wanted for each in spoken]) for wanted in ({"zh"}, {"en"}, {"zh", "en"})]
    same = are_same(pairs)
    return [np.ones_like(same), *of, same, ~same]


# --- conversations -----------------------------------------------------------------------------------------------


def _conversation_tables(
    conversation: Conversation,
    units: Sequence[UnitId],
    sessions: Sequence[str],
    clustered: Clustered,
    embedder: TextEmbedder,
) -> list[Table]:
    placed = [unit for unit in units if clustered.homes[unit] is not None]
    agreement = _agreement([clustered.homes[unit] for unit in units], sessions)
    hours = clustered.seconds / 3600
    cost = (
        ("units", len(units)),
        ("placed", len(placed)),
        ("clusters", len(clustered.clusters)),
        ("units an hour", round(len(units) / hours) if hours else 0),
        ("tokens", clustered.tokens),
        ("runs undone", clustered.rolled_back),
        *((f"count: {name}", count) for name, count in sorted(clustered.counts.items())),
        ("silhouette", _silhouette(clustered, placed)),
        ("neighbours of one session in one cluster", agreement),
        ("pairs of keys with cosine over 0.9", _alike_keys(clustered.clusters, embedder)),
    )
    keys = [
        (each.id, each.profile.key, str(each.profile.coarse or ""), each.size, ", ".join(each.profile.tags))
        for each in clustered.clusters
    ]
    title = f"{conversation.data} {conversation.name}"
    return [
        Table(f"{title}: clustering", ("what", "value"), cost, NOISE),
        Table(f"{title}: clusters", ("id", "key", "coarse", "units", "tags"), keys),
    ]


def _silhouette(clustered: Clustered, placed: Sequence[UnitId]) -> float:
    """By the embedder's vectors, of what is placed."""
    known = [unit for unit in placed if unit in clustered.vectors]
    if len(known) < 2:
        return 0.0
    labels: Labels = np.array([clustered.homes[unit] for unit in known], dtype=np.int64)
    return silhouette(normalised(np.stack([clustered.vectors[unit] for unit in known])), labels)


def _agreement(homes: Sequence[int | None], sessions: Sequence[str]) -> float:
    """How much oftener than by chance two turns in a row of a session are in one cluster (1: as often)."""
    placed = [(home, session) for home, session in zip(homes, sessions, strict=True) if home is not None]
    if len(placed) < 2:
        return 0.0
    near = [one[0] == two[0] for one, two in pairwise(placed) if one[1] == two[1]]
    sizes = Counter(home for home, _ in placed)
    chance = sum(count * (count - 1) for count in sizes.values()) / (len(placed) * (len(placed) - 1))
    return float(np.mean(near) / chance) if near and chance else 0.0


def _alike_keys(clusters: Sequence[Cluster], embedder: TextEmbedder) -> int:
    keys = [each.profile.key for each in clusters]
    if len(keys) < 2:
        return 0
    vectors = np.stack([embedded.vectors[0] for embedded in embedder.embed(keys)])
    return int((np.triu(vectors @ vectors.T, k=1) > _ALIKE).sum())
