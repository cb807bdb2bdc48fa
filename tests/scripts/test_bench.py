"""The benchmarks in a tiny form: what they read, what they count, and that they run on the real models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from edge.memory.language import language_of
from edge.wire import DoneEvent
from scripts.benchmarks import made_up
from scripts.benchmarks.__main__ import bench
from scripts.benchmarks.clusters import measure_clusters
from scripts.benchmarks.conversations import cut, read_folder, unrelated
from scripts.benchmarks.judged_pairs import JudgedNote, JudgedPair, is_right, read_notes, read_pairs
from scripts.benchmarks.latency import STAGES, Size, measure_latency
from scripts.benchmarks.load import OtherLoad
from scripts.benchmarks.made_up_vectors import RepeatingEmbedder
from scripts.benchmarks.memory import ASKED_AT
from scripts.benchmarks.pace import Paced, mixed
from scripts.benchmarks.pace import report_of as pace_report
from scripts.benchmarks.recall import measure_recall, measure_small
from scripts.benchmarks.report import Report, Table, finish, lines, spread
from scripts.benchmarks.turns import Played, report_of
from tests.fakes.embedder import HashEmbedder

# --- conversations -----------------------------------------------------------------------------------------------


def locomo(folder: Path, name: str, speakers: tuple[str, str], thing: str) -> None:
    ann, bob = speakers
    told = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": ann, "dia_id": "D1:1", "text": f"I sold my {thing} to a neighbour."},
            {"speaker": bob, "dia_id": "D1:2", "text": "I slept well.", "blip_caption": "a white bed"},
        ],
        "session_2_date_time": "9:05 am on 1 June, 2023",
        "session_2": [{"speaker": bob, "dia_id": "D2:1", "text": "We saw whales near the harbour."}],
        "qa": [
            {"question": f"Who bought {ann}'s {thing}?", "evidence": ["D1:1; D9:17"], "category": 4},
            {"question": f"What did {bob} see near the harbour?", "evidence": ["D2:1"], "category": 1},
            {"question": f"What did {ann} see near the harbour?", "evidence": ["D2:1"], "category": 5},
        ],
    }
    (folder / f"{name}.json").write_text(json.dumps(told))


@pytest.fixture
def locomo_folder(tmp_path: Path) -> Path:
    locomo(tmp_path, "1", ("Ann", "Bob"), "violin")
    locomo(tmp_path, "2", ("Eve", "Max"), "tractor")
    return tmp_path


@pytest.fixture
def memorybank_folder(tmp_path: Path) -> Path:
    days = {"2023-04-27": [{"query": "我养了一只猫", "response": "真好"}, {"query": "今天下雨", "response": "带伞"}]}
    asked = {"person": "小王", "question": "我养了什么？", "evidence": ["2023-04-27#0"], "answerable": True}
    for language in ("cn", "en"):
        (tmp_path / f"{language}.json").write_text(json.dumps({"小王": days}, ensure_ascii=False))
        (tmp_path / f"{language}_questions.jsonl").write_text(json.dumps(asked, ensure_ascii=False) + "\n")
    return tmp_path


def test_locomo_is_read_with_its_malformed_evidence(locomo_folder: Path) -> None:
    first = read_folder(locomo_folder)[0]
    assert [memory.id for memory in first.memories] == ["D1:1", "D1:2", "D2:1"]
    assert first.memories[1].text == "Bob: I slept well. [shares a white bed]"
    assert first.memories[2].at.isoformat() == "2023-06-01T09:05:00+00:00"
    assert [question.evidence for question in first.questions[:2]] == [{"D1:1"}, {"D2:1"}]
    assert [question.answerable for question in first.questions] == [True, True, False]


def test_memorybank_is_read_in_both_languages(memorybank_folder: Path) -> None:
    found = {conversation.language: conversation for conversation in read_folder(memorybank_folder)}
    assert set(found) == {"zh", "en"}
    assert [memory.text for memory in found["zh"].memories] == ["我养了一只猫 真好", "今天下雨 带伞"]
    assert found["zh"].questions[0].evidence == {"2023-04-27#0"}


def test_unrelated_questions_name_the_people_of_the_conversation(locomo_folder: Path) -> None:
    first, second = read_folder(locomo_folder)
    assert unrelated([first, second], first) == ["Who bought Ann's tractor?", "What did Bob see near the harbour?"]


def test_a_folder_of_something_else_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(bench, ["recall", "--data", str(tmp_path)])
    assert result.exit_code == 1
    assert str(tmp_path) in result.output


@pytest.mark.parametrize("depths", ["x", "5,0", "5,,10"])
def test_depths_that_are_none_are_refused(depths: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(bench, ["recall", "--data", str(tmp_path), "--k", depths])
    assert result.exit_code != 0


# --- recall and latency, on a small embedder ---------------------------------------------------------------------


def test_a_method_that_there_is_not_is_refused(locomo_folder: Path) -> None:
    result = CliRunner().invoke(bench, ["answers", "--data", str(locomo_folder), "--method", "guess"])
    assert result.exit_code == 2
    assert "There is no method 'guess'. There are: edge, edge without plans" in result.output


def test_recall_counts_the_evidence_found(locomo_folder: Path) -> None:
    report = measure_recall(read_folder(locomo_folder), [1, 3], HashEmbedder())
    rows = {(row[1], row[3]): row for row in report.tables[0].rows}
    assert rows["all en", "edge"][2] == 4
    assert rows["all en", "edge"][4:] == (1.0, 1.0)
    assert rows["all en", "recency"][4:] == (0.5, 1.0)
    assert report.figures["locomo all en, recall@1: edge less bm25"] == 0.0
    assert {row[1] for row in report.tables[1].rows} == {"answerable", "unanswerable", "unrelated"}


def test_recall_finds_chinese_evidence(memorybank_folder: Path) -> None:
    report = measure_recall(read_folder(memorybank_folder), [1], HashEmbedder())
    rows = {(row[1], row[3]): row for row in report.tables[0].rows}
    assert rows["all zh", "edge"][4] == rows["all zh", "bm25"][4] == 1.0


def test_latency_times_every_stage() -> None:
    report = measure_latency([Size(40, questions=4, rounds=1), Size(60, questions=4, rounds=1)], HashEmbedder())
    stages = {row[0]: row for row in report.tables[0].rows}
    assert {
        "rules, a certain hit",
        "all",
        "all, no units kept ready",
        "- rules, no hit",
        *(f"- {stage}" for stage in STAGES.values()),
    } == set(stages)
    assert all(row[3] == 4 for row in stages.values())
    assert [table.title.split(" made-up")[0] for table in report.tables] == ["Recall in 40", "Recall in 60"]
    assert {"40 units: targets held", "60 units: targets held"} < set(report.figures)


def test_a_repeating_embedder_embeds_the_first_texts_only() -> None:
    embedder = RepeatingEmbedder(HashEmbedder(), 3)
    first, second, *rest = (*embedder.embed(["a", "b"]), *embedder.embed(["c", "d", "e"]), *embedder.embed(["f"]))
    assert [one.codes for one in rest[1:]] == [first.codes, second.codes, rest[0].codes]
    assert rest[0].codes == HashEmbedder().embed(["c"])[0].codes
    assert (embedder.embed_query("x") == HashEmbedder().embed_query("x")).all()


def test_a_conversation_is_cut_into_small_ones_with_what_each_can_answer(locomo_folder: Path) -> None:
    whole = read_folder(locomo_folder)[0]
    first, second = cut(whole, 2)
    assert [memory.id for memory in first.memories] == ["D1:1", "D1:2"]
    assert [len(part.questions) for part in (first, second)] == [1, 2]
    assert cut(whole, 3)[0].questions == whole.questions


def test_small_memories_are_asked_what_others_answer(locomo_folder: Path) -> None:
    report = measure_small(read_folder(locomo_folder), 2, [1], HashEmbedder())
    rows = {row[1]: row for row in report.tables[1].rows}
    assert rows["answerable"][2] == 4
    assert rows["unrelated"][2] > 0


def test_half_of_the_made_up_units_are_chinese() -> None:
    texts = [draft.content for draft in made_up.drafts(100, 1, ASKED_AT)]
    assert sum("，" in text for text in texts) == 50
    assert len(set(texts)) == 100


# --- turns -------------------------------------------------------------------------------------------------------


def played(
    number: int, *, evaluated: int, appended: int, first: float, bare: float, compacted: bool = False,
    runtime: bool = False,
) -> Played:  # fmt: skip
    done: Any = {
        "answered_by": "runtime" if runtime else "model",
        "usage": {
            "prompt_tokens": 100, "reused_tokens": 100 - evaluated, "evaluated_tokens": evaluated,
            "appended_tokens": appended, "completion_tokens": 5, "compacted": compacted,
        },
        "timings": {"recall_ms": 5.0, "first_token_ms": first, "total_ms": first + 100},
    }  # fmt: skip
    event: DoneEvent = done
    return Played(number, 1, "hello", event, first + 1, None if runtime else (bare, bare))


def test_turns_that_evaluate_what_was_appended_hold_the_target() -> None:
    report = report_of([played(n, evaluated=20, appended=20, first=110, bare=100) for n in (1, 2)], 2, 1)
    assert report.figures["targets held"] is True
    assert report.figures["first token edge/bare, median ratio (target <= 1.15)"] == pytest.approx(1.1)


def test_a_turn_that_evaluates_more_is_noticed() -> None:
    good, bad = (played(n, evaluated=20, appended=20 - n, first=100, bare=100) for n in (0, 1))
    report = report_of([good, bad], 1, 1)
    assert report.figures["turns whose evaluated tokens are the appended ones"] == "1 of 2"
    assert report.figures["targets held"] is False


def test_a_slow_first_token_is_noticed() -> None:
    report = report_of([played(1, evaluated=20, appended=20, first=130, bare=100)], 1, 1)
    assert report.figures["targets held"] is False


def test_compacted_turns_are_not_counted_and_the_runtimes_own_replies_not_timed() -> None:
    whole = played(1, evaluated=90, appended=20, first=100, bare=100, compacted=True)
    told = played(2, evaluated=20, appended=20, first=1, bare=0, runtime=True)
    assert (whole.grew_exactly, told.grew_exactly) == (None, True)
    assert told.ratio is None


# --- pace --------------------------------------------------------------------------------------------------------


def paced(
    target: float, first: float | None, *lost: tuple[str, int, str], words: int = 9, others: float = 0.0,
    bare_ms: float | None = 800.0,
) -> Paced:  # fmt: skip
    gave_way = [{"section": section, "count": count, "tokens": 9, "because": why} for section, count, why in lost]
    done: Any = {
        "answered_by": "model",
        "usage": {
            "evaluated_tokens": 40, "in_time_tokens": None if first is None else 80, "memory_tokens": 20,
            "appended_tokens": 44,
            "gave_way": gave_way, "compacted": False,
        },
        "timings": {"first_token_ms": None if first is None else first * 1000},
    }  # fmt: skip
    return Paced(target, "hello", words, done, others, bare_ms)


def test_turns_in_time_are_counted_for_each_target() -> None:
    turns_played = [paced(2.0, 1.9) for _ in range(19)] + [paced(2.0, 2.1), paced(2.0, None)]
    turns_played += [paced(1.0, 0.9, ("memories", 2, "seconds"), ("memories", 5, "tokens")), paced(1.0, 1.5)]
    report = pace_report(turns_played, 10)
    assert [report.figures[f"{target} s: target held"] for target in (2, 1)] == [True, False]
    times, tokens = (
        {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows} for table in report.tables
    )
    assert (times[1.0]["in time"], tokens[1.0]["memories out"], tokens[1.0]["turns out"]) == (0.5, 2, 0)
    assert times[2.0]["turns"] == 21


def test_a_turn_is_beside_the_bare_library_and_what_others_took() -> None:
    calm, busy = paced(1.0, 0.9), paced(1.0, 1.5, others=0.4, bare_ms=1200.0)
    assert [each.is_bare_in_time for each in (calm, busy)] == [True, False]
    table = pace_report([calm, busy], 10).tables[0]
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["calm turns"], row["calm in time"], row["in time"], row["bare in time"]) == (1, 1.0, 0.5, 0.5)


def test_words_are_whole_where_the_prompt_grew_by_as_many_tokens() -> None:
    assert paced(1.0, 0.9, words=24).is_whole
    assert not paced(1.0, 0.9, words=25).is_whole


def test_others_are_told_from_the_own_programs() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        own, all_others = OtherLoad((os.getpid(), other.pid)), OtherLoad((os.getpid(),))
        marks = own.mark(), all_others.mark()
        deadline = time.monotonic() + 30
        while OtherLoad((other.pid,)).mark().own < 0.5 and time.monotonic() < deadline:
            pass
        shares = own.since(marks[0]), all_others.since(marks[1])
        other.kill()
    assert 0 <= shares[0] < shares[1] <= 1


def test_what_is_told_and_what_is_asked_are_mixed_in_both_languages() -> None:
    messages = mixed(40)
    assert len(messages) == 40
    assert messages[0].startswith("Hello")
    assert sum("的？" in message for message in messages) >= 5
    assert mixed(40) == messages


# --- reports -----------------------------------------------------------------------------------------------------


def test_a_table_lines_up_with_chinese_in_it() -> None:
    assert lines(("name", "ms"), [("猫", 1.5), ("cat", 20.25)]) == ["name     ms", "猫    1.500", "cat    20.2"]


def test_spread_is_median_and_95th_percentile() -> None:
    assert spread([float(number) for number in range(1, 101)]) == (50.5, 96.0)
    assert spread([]) == (0.0, 0.0)


def test_a_report_is_written_as_json(tmp_path: Path) -> None:
    report = Report("trial", [Table("T", ("a", "b"), [(1, "猫")])], {"held": True})
    finish(report, tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["tables"][0]["rows"] == [{"a": 1, "b": "猫"}]
    assert written["figures"] == {"held": True}


# --- on the real models ------------------------------------------------------------------------------------------


@pytest.mark.models
def test_every_benchmark_runs_and_writes_its_figures(
    locomo_folder: Path, model_folders: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGE_MODELS_DIR", str(model_folders[0]))
    out = locomo_folder / "figures"
    for arguments in (
        ("turns", "--turns", "2", "--rounds", "1"),
        ("recall", "--data", str(locomo_folder), "--k", "1,2"),
        ("latency", "--units", "20", "--questions", "4", "--rounds", "1"),
        ("start", "--turns", "1", "--rounds", "1"),
    ):
        result = CliRunner().invoke(bench, [*arguments, "--json", str(out)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert json.loads(out.read_text())["benchmark"] == arguments[0]
        assert all(table["rows"] for table in json.loads(out.read_text())["tables"])


# --- clusters ----------------------------------------------------------------------------------------------------


def test_there_are_two_hundred_judged_pairs_of_which_enough_are_the_same_and_enough_chinese() -> None:
    notes = {note.id: note for note in read_notes()}
    pairs = read_pairs()
    assert len({frozenset((pair.one, pair.two)) for pair in pairs}) == len(pairs) == 200
    assert all(pair.one in notes and notes[pair.one].half == notes[pair.two].half for pair in pairs)
    assert sum(pair.same for pair in pairs) >= 80
    assert sum(_is_chinese(notes, pair) for pair in pairs) >= 80


def test_clusters_are_compared_with_plain_k_means_by_the_judged_pairs() -> None:
    report = measure_clusters([], None, HashEmbedder())
    rows = report.tables[0].rows
    assert [(row[0], row[1]) for row in rows] == [
        (notes, method) for notes in ("half 1", "half 2", "both together") for method in ("edge", "k-means")
    ]
    assert all(0 <= share <= 1 for row in rows for share in row[4:])


def test_clusters_of_a_conversation_are_counted(tmp_path: Path) -> None:
    locomo(tmp_path, "1", ("Ann", "Bob"), "kayak")
    report = measure_clusters(read_folder(tmp_path), None, HashEmbedder())
    cost = {row[0]: row[1] for row in report.tables[1].rows}
    assert (cost["units"], cost["placed"], cost["clusters"], cost["runs undone"]) == (3, 0, 0, 0)


def test_a_pair_is_right_where_it_is_together_and_is_to_be() -> None:
    together, apart, unplaced = {"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": None, "b": None}
    assert [is_right(home, JudgedPair("a", "b", same=True)) for home in (together, apart, unplaced)] == [
        True,
        False,
        False,
    ]
    assert [is_right(home, JudgedPair("a", "b", same=False)) for home in (together, apart, unplaced)] == [
        False,
        True,
        True,
    ]


def _is_chinese(notes: dict[str, JudgedNote], pair: JudgedPair) -> bool:
    return all(language_of(notes[one].text) == "zh" for one in (pair.one, pair.two))
