"""Recall with clusters side by side: what each method may find, and that k-means puts everything somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.benchmarks.cluster_recall import (
    BOOSTS,
    COMPANIES,
    measure_cluster_recall,
    place_by_centroids,
    recall_table,
)
from scripts.benchmarks.conversations import Conversation, Memory, Question
from scripts.benchmarks.memory import ASKED_AT, OWNER, BenchMemory, bench_memory
from tests.fakes.embedder import HashEmbedder

TOLD = (
    "I sail a red boat on the lake.",
    "The boat and the lake are lovely.",
    "我的猫喜欢吃鱼。",
    "猫今天又吃了鱼。",
    "The server needs a new disk.",
    "A disk of the server failed.",
)


def conversation(*questions: Question) -> Conversation:
    memories = tuple(Memory(f"D1:{number}", text, ASKED_AT) for number, text in enumerate(TOLD))
    return Conversation("1", "locomo", "en", memories, questions)


def asked(text: str, *evidence: str) -> Question:
    return Question(text, frozenset(evidence), "4", answerable=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[BenchMemory]:
    with bench_memory(tmp_path, HashEmbedder()) as memory:
        yield memory


def test_k_means_places_all_under_keys_of_their_own(memory: BenchMemory) -> None:
    units = memory.tell(conversation().memories)
    place_by_centroids(memory, units)
    clusters = {each.id: each for each in memory.store.clusters.clusters(OWNER)}
    homes = [memory.store.unit(OWNER, unit).cluster for unit in units]
    assert {home for home in homes if home is not None} == set(clusters)
    assert len({each.profile.key for each in clusters.values()}) == len(clusters) > 1
    assert sum(each.size for each in clusters.values()) == len(TOLD)


def test_one_unit_makes_no_clusters(memory: BenchMemory) -> None:
    place_by_centroids(memory, memory.tell(conversation().memories[:1]))
    assert memory.store.clusters.clusters(OWNER) == []


def test_every_method_is_asked_and_without_clusters_a_filter_finds_nothing(memory: BenchMemory) -> None:
    told = conversation(asked("Where do I sail my boat?", "D1:0"), asked("猫喜欢吃什么？", "D1:2"))
    table = recall_table(memory, told, memory.tell(told.memories))
    found = {row[0]: row[2:] for row in table.rows}
    assert len(found) == len(BOOSTS) + len(COMPANIES) + 4
    assert found.pop("hard filter") == found.pop("CLAG, two stages") == (0.0, 0.0)
    assert set(found.values()) == {(1.0, 1.0)}


def test_with_clusters_the_filters_find_something_too() -> None:
    told = conversation(asked("Where do I sail my boat?", "D1:0"))
    (table,) = measure_cluster_recall([told], HashEmbedder()).tables
    assert [row[2:] for row in table.rows if str(row[0]).startswith(("hard", "CLAG"))] == [(1.0, 1.0)] * 2


def test_questions_about_what_was_not_told_are_left_out(memory: BenchMemory) -> None:
    told = conversation(asked("Where do I sail my boat?", "D1:0"), asked("Which disk?", "D1:5"))
    table = recall_table(memory, told, memory.tell(told.memories[:2]))
    assert {row[1] for row in table.rows} == {1}
