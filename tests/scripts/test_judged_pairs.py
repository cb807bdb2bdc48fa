"""The judged pairs of turns: that the list is well formed, and what is counted by it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from scripts.benchmarks.__main__ import bench
from scripts.benchmarks.clusters import measure_clusters
from scripts.benchmarks.conversations import Conversation, Memory, read_folder
from scripts.benchmarks.judged_pairs import (
    CONVERSATION_PAIRS,
    JudgedPair,
    conversations_table,
    judge,
    judge_conversation,
    of_told,
    read_conversation_pairs,
)
from scripts.benchmarks.memory import ASKED_AT
from tests.fakes.embedder import HashEmbedder

IDS = {"locomo": re.compile(r"D\d+:\d+"), "memorybank": re.compile(r"\d{4}-\d\d-\d\d#\d+")}
"""The form of a turn's id, by data."""
_DATA = os.environ.get("BENCH_DATA", "")
PAIRS = [JudgedPair("a", "b", same=True), JudgedPair("a", "c", same=False), JudgedPair("c", "d", same=True)]
VECTORS = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1]], dtype=np.float32)
"""Of a, b, c and d: plain k-means puts a and b together, and c and d."""


def conversation(name: str, language: str) -> Conversation:
    """Turns a and b, then c and d of another session."""
    turns = [("a", "one"), ("b", "one"), ("c", "two"), ("d", "two")]
    memories = tuple(Memory(turn, f"This is {turn}.", ASKED_AT, session=session) for turn, session in turns)
    return Conversation(name, "locomo", language, memories, ())


def sessions(told: Conversation) -> dict[str, str]:
    return {turn.id: turn.session for turn in told.memories}


# --- the list ----------------------------------------------------------------------------------------------------


def test_two_hundred_pairs_of_turns_are_judged_half_of_them_english_half_chinese() -> None:
    judged = read_conversation_pairs()
    assert [data for data, _ in judged] == ["locomo"] * 5 + ["memorybank"] * 5
    for pairs in judged.values():
        assert len({frozenset((pair.one, pair.two)) for pair in pairs}) == len(pairs) == 20
        assert sum(pair.same for pair in pairs) == 10


def test_a_pair_is_of_two_turns_and_says_same_or_different() -> None:
    for line in (CONVERSATION_PAIRS / "pairs.tsv").read_text(encoding="utf-8").splitlines():
        data, _, one, two, judged = line.split("\t")
        assert IDS[data].fullmatch(one)
        assert IDS[data].fullmatch(two)
        assert one != two
        assert judged in ("same", "different")


@pytest.mark.skipif(not _DATA, reason="BENCH_DATA names no folder of conversations")
def test_every_judged_turn_is_in_its_conversation_and_half_of_the_same_pairs_are_of_two_sessions() -> None:
    told = {(each.data, each.name): each for data in IDS for each in read_folder(Path(_DATA) / data)}
    for (data, name), pairs in read_conversation_pairs().items():
        assert of_told(pairs, told[data, name].memories) == pairs
        assert told[data, name].language == {"locomo": "en", "memorybank": "zh"}[data]
        session = sessions(told[data, name])
        assert sum(session[pair.one] == session[pair.two] for pair in pairs if pair.same) == 5


# --- what is counted ---------------------------------------------------------------------------------------------


def test_clusters_and_k_means_are_judged_pair_by_pair() -> None:
    judged = judge(PAIRS, {"a": 7, "b": 7, "c": 7, "d": None}, VECTORS)
    assert (judged.clusters, judged.unplaced) == (1, 1)
    assert judged.edge.tolist() == [1, 0, 0]
    assert judged.plain.tolist() == [1, 1, 1]


def test_a_pair_counts_only_where_both_turns_were_told() -> None:
    assert of_told(PAIRS, conversation("1", "en").memories[:3]) == PAIRS[:2]


def test_shares_are_shown_of_each_conversation_and_of_all_by_language_kind_and_session() -> None:
    homes = {"a": 7, "b": 7, "c": 7, "d": 8}
    told = (conversation("1", "en"), PAIRS), (conversation("2", "zh"), PAIRS[:2])
    table = conversations_table([judge_conversation(each, pairs, homes, VECTORS) for each, pairs in told])
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [(row["conversation"], row["method"], row["pairs"]) for row in rows] == [
        (name, method, count) for name, count in (("1", 3), ("2", 2), ("all", 5)) for method in ("edge", "k-means")
    ]
    first, _, second, _, both, plain = rows
    assert (first["right"], first["English"], first["Chinese"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3), None)
    assert (second["right"], second["English"], second["Chinese"]) == (0.5, None, 0.5)
    assert (both["same"], both["different"]) == (pytest.approx(2 / 3), 0)
    assert (both["same session"], both["two sessions"]) == (pytest.approx(2 / 3), 0)
    assert (both["clusters"], plain["right"]) == (4, 1)


def test_the_benchmark_judges_the_turns_of_a_conversation_whose_pairs_are_known(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("locomo\t1\ta\tb\tsame\nlocomo\t1\ta\tz\tsame\n")
    told = [conversation("1", "en"), conversation("2", "en")]
    report = measure_clusters(told, None, HashEmbedder(), pairs_of_turns=tmp_path)
    tables = [table for table in report.tables if table.title == "Judged pairs of conversations"]
    assert [row[0] for table in tables for row in table.rows] == ["1", "1", "all", "all"]
    assert {row[4] for table in tables for row in table.rows} == {1}


def test_only_conversations_of_which_pairs_are_judged_are_taken_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.benchmarks.memory.real_embedder", HashEmbedder)
    for name in ("1", "26"):
        turn = {"speaker": "Ann", "dia_id": "D1:1", "text": "I sold my kayak."}
        told = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [turn], "qa": []}
        (tmp_path / f"{name}.json").write_text(json.dumps(told))
    arguments = ["clusters", "--data", str(tmp_path), "--placements", "centroids", "--judged"]
    shown = CliRunner().invoke(bench, arguments, catch_exceptions=False).output
    assert "locomo 26" in shown
    assert "locomo 1:" not in shown
