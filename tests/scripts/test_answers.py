"""`scripts/bench answers`: which questions it asks, what each method puts before the model, and how replies score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from edge.config import load_settings
from edge.memory.plans import Hint
from edge.prompt.replies import unknown_slot
from edge.prompt.texts import ENGLISH
from edge.settings import Settings
from scripts.benchmarks.__main__ import bench
from scripts.benchmarks.answers import Asked, Models, measure_answers, report_of, spread_questions
from scripts.benchmarks.asking import METHODS, REPLY_TOKENS, Answer, in_time
from scripts.benchmarks.conversations import Conversation, Memory, Question
from scripts.benchmarks.scoring import token_f1
from tests.fakes.embedder import HashEmbedder
from tests.fakes.language_model import ScriptedModel

EDGE, WITHOUT_PLANS, NEWEST, NEAREST = METHODS
AT = datetime(2023, 5, 8, 12, tzinfo=UTC)
VIOLIN = Question("Who bought Ann's violin?", frozenset({"D1:1"}), "4 single-hop", True, "a neighbour")


def talk(name: str = "1", *, questions: tuple[Question, ...] = (VIOLIN,), turns: int = 40) -> Conversation:
    """A conversation whose first turn holds the answer, and that goes on about the weather."""
    lines = ["Ann: I sold my violin to a neighbour.", *(f"Bob: It rained on day {n}." for n in range(2, turns + 1))]
    memories = (Memory(f"D1:{n}", line, AT + timedelta(seconds=n)) for n, line in enumerate(lines, 1))
    return Conversation(name, "locomo", "en", tuple(memories), questions, ("Ann", "Bob"))


def chinese() -> Conversation:
    lines = ["我养了一只猫，叫小白。", *(f"今天是第{n}天，下雨了。" for n in range(2, 30))]
    memories = (Memory(f"d#{n}", line, AT + timedelta(seconds=n)) for n, line in enumerate(lines))
    asked = Question("我养了一只什么猫？", frozenset({"d#0"}), "zh", True, "小白")
    return Conversation("小王", "memorybank", "zh", tuple(memories), (asked,))


@pytest.fixture
def own_settings(tmp_path: Path) -> Settings:
    return load_settings({}, tmp_path, 1000)


def models(model: ScriptedModel, settings: Settings) -> Models:
    return Models(model, HashEmbedder(), settings)


def prompts(model: ScriptedModel) -> list[str]:
    return [model.tokenizer.decode(prompt).decode() for prompt in model.prompts]


# --- scoring -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer", "f1"),
    [
        ("To the Neighbour!", "a neighbour", 2 / 3),
        ("neighbours", "neighbour", 1.0),
        ("7 May 2023", "7 May, 2023", 1.0),
        ("May 2023", "7 May 2023", 0.8),
        ("yes yes yes", "yes", 0.5),
        ("the", "a", 0.0),
        ("", "x", 0.0),
        ("流浪地球。", "《流浪地球》", 1.0),
        ("看了地球", "流浪地球", 0.5),
        ("2022年", "2022", 2 / 3),
    ],
)
def test_f1_counts_shared_tokens(reply: str, answer: str, f1: float) -> None:
    assert token_f1(reply, answer) == pytest.approx(f1)
    assert token_f1(answer, reply) == pytest.approx(f1)


# --- which questions ---------------------------------------------------------------------------------------------


def many(group: str, count: int, *, answerable: bool = True) -> tuple[Question, ...]:
    evidence = frozenset({"D1:1"})
    return tuple(Question(f"{group} {n}?", evidence, group, answerable, "x") for n in range(count))


def test_questions_are_spread_over_groups_and_conversations() -> None:
    questions = (*many("1", 30), *many("2", 5), *many("5", 30, answerable=False))
    conversations = [talk("a", questions=questions), talk("b", questions=questions)]
    chosen = spread_questions(conversations, 16)
    assert Counter((conversation.name, question.group) for conversation, question in chosen) == {
        ("a", "1"): 4, ("b", "1"): 4, ("a", "2"): 4, ("b", "2"): 4,
    }  # fmt: skip
    assert chosen[:8] == spread_questions(conversations, 8)
    assert len(spread_questions(conversations, 1000)) == 70
    assert [question.text for _, question in chosen if question.group == "1"] != [f"1 {n}?" for n in range(8)]


def test_what_cannot_be_scored_is_not_asked() -> None:
    bare = Question("When?", frozenset(), "2", True, "x")
    mute = Question("Where?", frozenset({"D1:1"}), "2", True)
    assert spread_questions([talk(questions=(bare, mute))], 5) == []


# --- what the model reads ----------------------------------------------------------------------------------------


def test_methods_differ_only_in_the_turns_they_show(own_settings: Settings) -> None:
    model = ScriptedModel(["A neighbour."])
    report = measure_answers([talk()], 1, models(model, own_settings))
    by_edge, plainly, by_recency, by_vectors = prompts(model)
    assert "violin to a neighbour" in by_edge
    assert plainly == by_edge.replace(ENGLISH.hints[Hint.FEW], "")  # who bought it, a few words say
    assert plainly != by_edge
    assert by_recency.count("It rained on day") == 20
    assert by_recency.index("on day 21.") < by_recency.index("on day 40.") < by_recency.index(VIOLIN.text)
    assert "violin to a neighbour" not in by_recency
    assert by_vectors.count("8 May 2023") == 10
    heads = {prompt.partition("\n- [")[0] for prompt in prompts(model)}
    assert len(heads) == 1
    rows = {row[2]: row for row in report.tables[0].rows if row[0] == "all asked"}
    assert (rows[EDGE][3], rows[EDGE][4], rows[NEWEST][4]) == (100.0, 1.0, 0.0)
    assert rows[NEWEST][5] == len(model.prompts[2])


def test_a_plan_tells_less_and_otherwise(own_settings: Settings) -> None:
    when = Question("When did Ann sell her violin?", frozenset({"D1:1"}), "2 temporal", True, "7 May 2023")
    conversation = talk(questions=(when,))
    sold, dear, *others = conversation.memories
    sold = replace(sold, text="Ann: I sold my violin to a neighbour yesterday.", speaker="Ann")
    dear = replace(dear, text="Ann: My violin was dear to me.", speaker="Ann")
    told = replace(conversation, memories=(sold, dear, *others))
    model = ScriptedModel(["7 May 2023"])
    measure_answers([told], 1, models(model, own_settings), methods=(EDGE, WITHOUT_PLANS))
    planned, plainly = prompts(model)
    assert "[7 May 2023] Ann: I sold my violin to a neighbour yesterday (7 May 2023)." in planned
    assert planned.count("Ann: ") == 1
    assert "[8 May 2023] Ann: I sold my violin to a neighbour yesterday (7 May 2023)." in plainly
    assert plainly.count("Ann: ") == 2


def test_with_the_time_for_few_tokens_fewer_notes_are_told(own_settings: Settings) -> None:
    told = "What did Ann say about her violin?"
    model = ScriptedModel(["Sold."])
    methods = (EDGE, in_time(2000), in_time(40))
    measure_answers([talk(questions=(replace(VIOLIN, text=told),))], 1, models(model, own_settings), methods=methods)
    plainly, unhurried, hurried = prompts(model)
    assert plainly == unhurried
    assert hurried.count("Ann: ") < plainly.count("Ann: ")
    assert told in hurried


def test_each_question_is_a_sessions_first(own_settings: Settings) -> None:
    again = Question("Who has Ann's violin?", frozenset({"D1:1"}), "4 single-hop", True, "a neighbour")
    model = ScriptedModel(["A neighbour."])
    measure_answers([talk(questions=(VIOLIN, again))], 2, models(model, own_settings))
    assert len(model.prompts) == 8
    assert not any(VIOLIN.text in prompt and again.text in prompt for prompt in prompts(model))


def test_the_methods_take_turns_in_being_the_first(own_settings: Settings, tmp_path: Path) -> None:
    model, replies = ScriptedModel(["Rain."]), tmp_path / "replies"
    conversation = talk(questions=many("1 multi-hop", 3))
    measure_answers([conversation], 3, models(model, own_settings), replies)
    told = [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]
    assert [one["method"] for one in told[::4]] == list(METHODS[:3])
    assert Counter(one["method"] for one in told) == dict.fromkeys(METHODS, 3)


def test_chinese_is_asked_with_the_chinese_role(own_settings: Settings) -> None:
    model = ScriptedModel(["一只小白"])
    report = measure_answers([chinese()], 1, models(model, own_settings))
    assert all("你是 Edge" in prompt for prompt in prompts(model))
    row = next(row for row in report.tables[0].rows if row[2] == EDGE)
    assert row[:2] == ("zh", 1)
    assert row[3] == pytest.approx(200 / 3)
    assert row[4] == 1.0


def test_the_runtimes_own_reply_counts_as_the_answer(own_settings: Settings, tmp_path: Path) -> None:
    model, replies = ScriptedModel(["Tea."]), tmp_path / "replies"
    asked = Question("What is my order number?", frozenset({"D1:1"}), "1 multi-hop", True, "ORD-1")
    measure_answers([talk(questions=(asked,))], 1, models(model, own_settings), replies)
    told = [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]
    assert told[0]["answer"]["reply"] == unknown_slot("order number", "en", own=True)
    assert [one["answer"]["by_runtime"] for one in told] == [True, True, False, False]
    assert len(model.prompts) == 2


def test_replies_are_cut(own_settings: Settings, tmp_path: Path) -> None:
    model, replies = ScriptedModel(["yes " * 100]), tmp_path / "replies"
    measure_answers([talk()], 1, models(model, own_settings), replies)
    told = json.loads(replies.read_text(encoding="utf-8").splitlines()[0])
    assert len(model.tokenizer.encode(told["answer"]["reply"])) <= REPLY_TOKENS


def test_an_interruption_reports_what_was_answered(own_settings: Settings) -> None:
    model = ScriptedModel(_until_interrupted(7))
    report = measure_answers([talk(questions=many("1 multi-hop", 9))], 9, models(model, own_settings))
    assert report.figures["questions answered"] == "1 of 9"
    assert {row[1] for row in report.tables[0].rows} == {1}


def _until_interrupted(replies: int) -> Callable[[str], str]:
    left = iter(range(replies))

    def reply(_prompt: str) -> str:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return "x"

    return reply


# --- the report --------------------------------------------------------------------------------------------------


def asked(method: str, group: str, f1: float, tokens: int = 100) -> Asked:
    question = Question("?", frozenset({"D1:1"}), group, True, "x")
    return Asked("1", "locomo", question, method, Answer("x", tokens, 1.0, frozenset(), False), f1)


def test_the_report_compares_edge_with_the_others() -> None:
    f1 = {EDGE: 0.6, WITHOUT_PLANS: 0.4, NEWEST: 0.3, NEAREST: 0.5}
    answers = [asked(method, "1", f1[method], 300 if method == EDGE else 100) for method in METHODS]
    figures = report_of(answers, [talk(questions=many("1", 4))], 4).figures
    assert figures["locomo: F1 of edge over last 20 turns"] == pytest.approx(2.0)
    assert figures["locomo: F1 of edge over dense top-10"] == pytest.approx(1.2)
    assert figures["locomo 1: F1 of edge over edge without plans"] == pytest.approx(1.5)
    assert figures["locomo: prompt tokens of edge, mean"] == 300
    assert figures["questions answered"] == "1 of 4"


def test_groups_are_weighed_as_they_are_in_the_data() -> None:
    answers = [asked(method, group, f1) for method in METHODS for group, f1 in (("1", 1.0), ("2", 0.0))]
    conversation = talk(questions=(*many("1", 1), *many("2", 3)))
    rows = {(row[0], row[2]): row[3] for row in report_of(answers, [conversation], 2).tables[0].rows}
    assert rows["all asked", EDGE] == pytest.approx(50.0)
    assert rows["all, weighted as the data", EDGE] == pytest.approx(25.0)


def test_nothing_answered_is_reported_as_nothing() -> None:
    report = report_of([], [talk()], 3)
    assert report.tables == []
    assert report.figures == {"questions answered": "0 of 3"}


# --- on the real models ------------------------------------------------------------------------------------------


@pytest.mark.models
def test_answers_of_the_real_model(
    tmp_path: Path, model_folders: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGE_MODELS_DIR", str(model_folders[0]))
    told = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "I sold my violin to Mr. Brown."}],
        "qa": [{"question": "Who bought Ann's violin?", "answer": "Brown", "evidence": ["D1:1"], "category": 4}],
    }
    (tmp_path / "1.json").write_text(json.dumps(told))
    out = tmp_path / "figures"
    result = CliRunner().invoke(
        bench, ["answers", "--data", str(tmp_path), "--questions", "5", "--json", str(out)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    figures = json.loads(out.read_text())
    assert figures["benchmark"] == "answers"
    assert figures["figures"]["questions answered"] == "1 of 1"
    assert all(row["F1"] > 0 for row in figures["tables"][0]["rows"])
