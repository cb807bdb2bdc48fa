"""What the runtime says about the past, and asks about contradictions."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from edge.prompt.truth_words import Told, doubt_question, joined, none_earlier, not_known_then, past_reply
from tests.memory.test_rules import RULES

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)


def told(sentence: str, since: tuple[int, int], until: tuple[int, int] | None) -> Told:
    end = None if until is None else datetime(2026, *until, 12, tzinfo=UTC)
    return Told(sentence, datetime(2026, *since, 12, tzinfo=UTC), end)


@pytest.mark.parametrize(
    ("told_once", "when", "first", "language", "reply"),
    [
        (
            told("The user lives in Berlin.", (1, 5), (4, 3)),
            "in March",
            date(2026, 3, 1),
            "en",
            "In March you lived in Berlin (until 3 April).",
        ),
        (
            told("The user lives in Berlin.", (3, 9), (3, 20)),
            "in March",
            date(2026, 3, 1),
            "en",
            "In March you lived in Berlin (from 9 March until 20 March).",
        ),
        (
            told("The user lives in Berlin.", (1, 5), None),
            "in March",
            date(2026, 3, 1),
            "en",
            "In March you lived in Berlin (still so).",
        ),
        (
            told("The user's phone number is 123.", (1, 5), (4, 3)),
            "",
            None,
            "en",
            "Earlier your phone number was 123 (until 3 April).",
        ),
        (
            told("Anna lives in Berlin.", (1, 5), (4, 3)),
            "last year",
            date(2025, 1, 1),
            "en",
            "Last year Anna lived in Berlin (from 5 January until 3 April).",
        ),
        (
            told("用户住在柏林。", (1, 5), (4, 3)),
            "三月的时候",
            date(2026, 3, 1),
            "zh",
            "三月的时候你住在柏林（到4月3日）。",
        ),
        (
            told("用户住在柏林。", (3, 9), None),
            "三月",
            date(2026, 3, 1),
            "zh",
            "三月你住在柏林（3月9日起，现在也是）。",
        ),
        (told("用户的电话号码是123。", (1, 5), (4, 3)), "", None, "zh", "以前你的电话号码是123（到4月3日）。"),
    ],
)
def test_what_was_so(told_once: Told, when: str, first: date | None, language: str, reply: str) -> None:
    assert past_reply([told_once], when, first, language, NOW, UTC) == reply


def test_several_versions_one_after_the_other() -> None:
    versions = [told("The user lives in Berlin.", (1, 5), (3, 9)), told("The user lives in Bonn.", (3, 9), None)]
    assert past_reply(versions, "in March", date(2026, 3, 1), "en", NOW, UTC) == (
        "In March you lived in Berlin (until 9 March). You lived in Bonn (from 9 March, still so)."
    )


def test_nothing_is_known_of_then() -> None:
    known = told("The user lives in Berlin.", (4, 10), None)
    assert not_known_then(known, "In March", "en", NOW, UTC) == (
        "I don't know how it was in March. What I know since 10 April: you live in Berlin."
    )
    known = told("用户住在柏林。", (4, 10), None)
    assert not_known_then(known, "三月的时候", "zh", NOW, UTC) == "三月的情况我不知道。从4月10日起我知道：你住在柏林。"


def test_there_is_only_one() -> None:
    assert none_earlier("The user's name is Will.", "en") == (
        "I don't know of an earlier one. What I know: your name is Will."
    )
    assert none_earlier("用户的名字是李雷。", "zh") == "更早的我不知道。我知道的是：你的名字是李雷。"


@pytest.mark.parametrize(
    ("older", "newer", "language", "question"),
    [
        (
            "The user lives in Berlin.",
            "Hamburg",
            "en",
            "You told me earlier that you live in Berlin. Is it Hamburg now?",
        ),
        ("The user's name is Will.", "Tom", "en", "You told me earlier that your name is Will. Is it Tom now?"),
        ("用户住在柏林。", "汉堡", "zh", "你之前说住在柏林，现在是汉堡了吗？"),
        ("用户的电话号码是1。", "2", "zh", "你之前说电话号码是1，现在是2了吗？"),
        (
            "The user lives in Berlin.",
            None,
            "en",
            "You told me something else earlier: you live in Berlin. Has that changed?",
        ),
        ("用户住在柏林。", None, "zh", "你之前说住在柏林，现在变了吗？"),
    ],
)
def test_the_question_for_a_contradiction(older: str, newer: str | None, language: str, question: str) -> None:
    assert doubt_question(older, newer, language) == question


def test_a_question_follows_on_a_reply() -> None:
    assert joined("I see.", "Is it?", "en") == " Is it?"
    assert joined("好的。", "是吗？", "zh") == "是吗？"
    assert joined("OK", "是吗？", "zh") == " 是吗？"
    assert joined("", "Is it?", "en") == "Is it?"


def test_every_template_of_a_slot_is_told_of_the_past() -> None:
    for name, slot in RULES.slots.items():
        sentence = slot.content["en"].format(
            Who="The user",
            who="the user",
            Whose="The user's",
            whose="the user's",
            value="X1",
            topic="thing",
            what="cat",
        )
        reply = past_reply([told(sentence, (1, 5), (4, 3))], "in March", date(2026, 3, 1), "en", NOW, UTC)
        present = none_earlier(sentence, "en").partition("What I know: ")[2].rstrip(".")
        assert present not in reply or reply.startswith(f"In March: {present}"), name


def test_a_verb_that_has_no_past_tense_here_is_told_as_it_stands() -> None:
    version = told("The user yodels at X1.", (1, 5), (4, 3))
    assert past_reply([version], "in March", None, "en", NOW, UTC) == "In March: you yodel at X1 (until 3 April)."
