"""Recall with clusters: off, as a boost, as a hard filter, and CLAG's selection in two stages, side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np

from edge.engine.model_ports import TextEmbedder
from edge.engine.search import Search
from edge.memory.agreement import agreement
from edge.memory.cluster_maths import Vectors, group
from edge.memory.cluster_naming import tags_of, word_key
from edge.memory.cluster_words import said_by
from edge.memory.clusters import Create, Placement, Profile, StagedNumber, Why
from edge.memory.language import language_of
from edge.memory.pool import Pool
from edge.memory.scoring import sums
from edge.memory.text import query_terms
from edge.memory.units import ClusterId, UnitId
from edge.memory.weights import WEIGHTS
from edge.settings import RecallSettings
from scripts.benchmarks.conversations import Conversation, Question
from scripts.benchmarks.memory import ASKED_AT, OWNER, BenchMemory, bench_memory, weighing_clusters
from scripts.benchmarks.report import Report, Table

DEPTHS = (5, 10)
BOOSTS = (0.1, 0.2, 0.4, 0.8)
"""Weights of a cluster's agreement with the question that are tried."""
COMPANIES = (0.1, 0.2, 0.4)
"""And of the company that a unit has in its cluster."""
SELECTED = 3
"""Clusters that a filter lets pass: as many as CLAG's agent selects at most."""
_SEED = 1


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with its candidates, and all that a method may rank."""

    pool: Pool
    language: str
    agreed: Mapping[ClusterId, float]
    vector: Vectors
    homes: Mapping[UnitId, ClusterId | None]
    vectors: Mapping[UnitId, Vectors]

    @property
    def selected(self) -> frozenset[ClusterId]:
        best = sorted(self.agreed, key=lambda cluster: (-self.agreed[cluster], cluster))
        return frozenset(best[:SELECTED])


def place_by_centroids(memory: BenchMemory, units: Sequence[UnitId]) -> None:
    """Put units into clusters by plain k-means over their vectors, with keys and tags from the words of the members."""
    vectors, store = memory.store.clusters.vectors(OWNER, units), memory.store
    known = [unit for unit in units if unit in vectors]
    if len(known) < 2:
        return
    grouping = group(np.stack([vectors[unit] for unit in known]), max(2, round(len(known) ** 0.5)), _SEED)
    texts = [store.unit(OWNER, unit).content for unit in known]
    changes: list[Create] = []
    for label, centroid in enumerate(grouping.centroids):
        own = [text for text, other in zip(texts, grouping.labels, strict=True) if other == label]
        others = [text for text, other in zip(texts, grouping.labels, strict=True) if other != label]
        language = language_of(" ".join(own))
        key = word_key(own, others, language, [change.profile.key for change in changes])
        tags = tags_of(said_by(own, others, language), language)
        changes.append(Create(StagedNumber(label), Profile(key or f"topic {label}", tags=tags), centroid, "k-means"))
    placed = [
        Placement(unit, StagedNumber(int(label)), Why.CENTROID)
        for unit, label in zip(known, grouping.labels, strict=True)
    ]
    run = store.clusters.begin_run(
        OWNER, trigger="bench", seed=_SEED, attempt=1, model=None, prompts=None,
        embedder=memory.vectors.key, at=ASKED_AT,
    )  # fmt: skip
    store.clusters.stage(OWNER, run, changes, placed)
    store.clusters.apply_run(OWNER, run, ASKED_AT)


def measure_cluster_recall(conversations: Sequence[Conversation], embedder: TextEmbedder) -> Report:
    """Each conversation in a memory of its own, in clusters by k-means."""
    report = Report("recall with clusters")
    for conversation in conversations:
        with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
            units = memory.tell(conversation.memories)
            place_by_centroids(memory, units)
            report.tables.append(recall_table(memory, conversation, units))
    return report


def recall_table(memory: BenchMemory, conversation: Conversation, units: Sequence[UnitId]) -> Table:
    """The shares of evidence found in a memory in which a conversation was told, by every method. `units` are its
    turns, or the first of them."""
    names = dict(zip(units, (turn.id for turn in conversation.memories), strict=False))
    told = frozenset(names.values())
    questions = [each for each in conversation.questions if each.answerable and each.evidence and each.evidence <= told]
    methods = _methods(conversation.language)
    found: dict[str, list[list[float]]] = {name: [] for name in methods}
    homes = {unit: memory.store.unit(OWNER, unit).cluster for unit in units}
    vectors = memory.store.clusters.vectors(OWNER, units)
    for question in questions:
        asked = _ask(memory, question, homes, vectors)
        for name, method in methods.items():
            found[name].append(_shares([names[unit] for unit in method(asked)], question))
    rows = [
        (name, len(questions), *(fmean(share) for share in zip(*shares, strict=True)))
        for name, shares in found.items()
        if shares
    ]
    clusters = len(memory.store.clusters.clusters(OWNER))
    return Table(
        f"{conversation.data} {conversation.name}: recall with clusters",
        ("method", "questions", *(f"recall@{depth}" for depth in DEPTHS)),
        rows,
        f"{clusters} clusters. The filters let the {SELECTED} clusters pass that agree best by key, tags and centroid; "
        "the hard filter ranks as recall does, CLAG's second stage by the cosine alone.",
    )


def _ask(
    memory: BenchMemory,
    question: Question,
    homes: Mapping[UnitId, ClusterId | None],
    vectors: Mapping[UnitId, Vectors],
) -> _Asked:
    language = language_of(question.text)
    search = Search(memory.store, memory.vectors, weighing_clusters(), RecallSettings().candidates, memory.clock)
    pool = search.find(memory.scope, question.text, language, max(DEPTHS)).pool
    assert memory.vectors.embedder is not None
    vector = memory.vectors.embedder.embed_query(question.text)
    posts = memory.store.signposts(OWNER, memory.vectors.key)
    # In Chinese too: a filter that has nothing but words to go by lets nothing pass where none is shared.
    agreed = agreement(posts, query_terms(question.text), vector, "en")
    return _Asked(pool, language, agreed, vector, homes, vectors)


def _methods(language: str) -> dict[str, Callable[[_Asked], list[UnitId]]]:
    in_force = WEIGHTS[language]
    return {
        "off": _ranked,
        "in force": partial(_ranked, cluster=in_force.cluster, company=in_force.company),
        **{f"agreement {weight:g}": partial(_ranked, cluster=weight) for weight in BOOSTS},
        **{f"company {weight:g}": partial(_ranked, company=weight) for weight in COMPANIES},
        "hard filter": _filtered,
        "CLAG, two stages": _two_stages,
    }


def _ranked(asked: _Asked, cluster: float = 0.0, company: float = 0.0) -> list[UnitId]:
    scores = sums(asked.pool.evidence(), replace(WEIGHTS[asked.language], cluster=cluster, company=company))
    units = [candidate.unit.id for candidate in asked.pool.candidates]
    return [units[row] for row in np.argsort(-scores, kind="stable")]


def _filtered(asked: _Asked) -> list[UnitId]:
    return [unit for unit in _ranked(asked) if asked.homes[unit] in asked.selected]


def _two_stages(asked: _Asked) -> list[UnitId]:
    within = [unit for unit, home in asked.homes.items() if home in asked.selected and unit in asked.vectors]
    return sorted(within, key=lambda unit: -float(asked.vectors[unit] @ asked.vector))


def _shares(order: Sequence[str], question: Question) -> list[float]:
    return [len(question.evidence & set(order[:depth])) / len(question.evidence) for depth in DEPTHS]
