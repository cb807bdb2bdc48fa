"""Slots through whole talks: told first, corrected, confirmed, and asked for in other words in turn 50."""

from __future__ import annotations

import tomllib

import pytest

from edge.memory.units import SELF, Stage
from tests.memory.talks import CASES, Case, Talk, play, read_cases, what_is_wrong
from tests.memory.test_rules import RULES

TALKS = [
    case
    for name in ("talks_en", "talks_zh", "held_out_en", "held_out_zh", "further_talks")
    for case in read_cases(name)
]


def lines(name: str) -> list[str]:
    return (CASES / f"{name}.txt").read_text(encoding="utf-8").splitlines()


ALIKE = [*lines("only_alike_en"), *lines("only_alike_zh")]


@pytest.mark.parametrize("case", TALKS, ids=lambda case: case.told)
def test_what_was_told_and_corrected_is_answered_by_the_rules_alone(case: Case) -> None:
    assert what_is_wrong(case, play(case, RULES)) is None


def test_there_are_enough_talks_and_lookalikes_in_both_languages() -> None:
    assert len(read_cases("talks_en")) >= 60
    assert len(read_cases("talks_zh")) >= 60
    assert len(ALIKE) >= 120


@pytest.fixture(scope="module")
def full() -> Talk:
    """A memory in which every slot of the talks is filled."""
    talk = Talk(RULES)
    for case in TALKS:
        talk.say(case.told)
    return talk


@pytest.mark.parametrize("text", ALIKE)
def test_what_only_looks_alike_teaches_nothing_of_the_person(text: str) -> None:
    assert [draft for draft in RULES.find_facts(text) if draft.subject == SELF] == []


@pytest.mark.parametrize("text", ALIKE)
def test_what_only_looks_alike_hits_nothing_that_is_remembered(full: Talk, text: str) -> None:
    assert [found.unit.content for found in full.ask(text).recalled if found.stage is Stage.RULE] == []


@pytest.mark.parametrize("case", TALKS, ids=lambda case: case.told)
def test_a_lookalike_after_a_fact_corrects_nothing(case: Case) -> None:
    """Said right after the fact, "No, it's raining" is still no new value of it."""
    before = [(case.told, "OK.")]
    for text in (
        "No, it's raining.",
        "No, thanks.",
        "Actually, never mind.",
        "不对，外面在下雨。",
        "不是，我没说你。",
        "A",
        "5",
        "好",
    ):
        assert RULES.find_facts(text, before) == ()


CORRECTIONS = [
    (told, said, value)
    for told, ways, value in tomllib.loads((CASES / "corrections.toml").read_text(encoding="utf-8"))["corrections"]
    for said in ways
]


@pytest.mark.parametrize(("told", "said", "value"), CORRECTIONS)
def test_there_are_many_ways_to_correct(told: str, said: str, value: str) -> None:
    assert [draft.value for draft in RULES.find_facts(said, [(told, "OK.")])] == [value]


@pytest.mark.parametrize("case", TALKS, ids=lambda case: case.told)
def test_a_confirmation_neither_adds_nor_replaces(case: Case) -> None:
    assert RULES.find_facts(case.confirmed, [(case.told, "OK."), (case.corrected, "OK.")]) == ()


@pytest.mark.parametrize(
    "question", ["When is my dentist appointment?", "我哪天看牙？", "When do I get up?", "我几点起床？"]
)
def test_what_may_be_remembered_in_other_words_is_not_called_unknown(question: str) -> None:
    talk = Talk(RULES)
    talk.say("I'll sit in Dr. Lee's chair on Friday, and my alarm rings early. 周五李大夫给我补牙。")
    assert talk.ask(question).empty_slot is None
    assert talk.ask("What's my phone number?").empty_slot is not None


def test_the_same_liking_in_other_words_is_one() -> None:
    talk = Talk(RULES)
    for text in (
        "I like jazz.",
        "I love jazz music.",
        "I enjoy listening to jazz.",
        "我喜欢爵士乐。",
        "我爱听爵士音乐。",
    ):
        talk.say(text)
    told = [found.unit.content for found in talk.ask("What do I like?").recalled]
    assert sorted(told) == ["The user likes jazz.", "用户喜欢爵士乐。"]


@pytest.mark.parametrize(
    ("told", "question", "drink"),
    [("I like tea.", "What's my favourite drink?", "tea"), ("我喜欢喝茶。", "我最喜欢的饮料是什么？", "茶")],
)
def test_what_may_answer_in_place_of_the_slot_does_not_end_recall(told: str, question: str, drink: str) -> None:
    talk = Talk(RULES)
    talk.say(told)
    found = talk.ask(question)
    assert found.asked is not None
    assert not found.asked.certain
    assert drink in found.recalled[0].unit.content
    talk.say("My favourite drink is cocoa.")
    again = talk.ask(question)
    assert again.asked is not None
    assert again.asked.certain
