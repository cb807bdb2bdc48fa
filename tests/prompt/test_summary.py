"""The summary: what earlier turns told, in their own sentences, never a secret or a tool's field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.units import OwnerId, SessionId, Turn, TurnId, TurnState
from edge.prompt.structured import EXECUTION_FIELDS
from edge.prompt.summary import LIMIT, summarise
from edge.prompt.texts import CHINESE, ENGLISH, LANGUAGES, Texts
from tests.secret_cases import SECRETS

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LAMP = [
    ("Hello!", "Hello, how can I help?"),
    ("I bought a lamp last week, order A-20391-XK.", "What is wrong with order A-20391-XK?"),
    ("It arrived broken on Tuesday.", "I am sorry to hear that."),
    ("ok thanks", "You are welcome."),
    ("haha", "Yes."),
    ("how is the weather?", "I do not know."),
]
LAMP_ZH = [
    ("你好", "你好，有什么可以帮你？"),
    ("我上周买了一盏台灯，订单号是DD20240115。", "好的，订单DD20240115有什么问题？"),
    ("周二收到的时候灯罩碎了。", "很抱歉。"),
    ("我要退款49.9元，不要换货。", "我会在周五前退款49.9元。"),
    ("好的谢谢", "不客气。"),
    ("今天天气怎么样？", "我不知道。"),
]


def turns(said: Sequence[tuple[str, str]]) -> list[Turn]:
    return [
        Turn(TurnId(number), OwnerId("uid:1"), SessionId("main"), message, reply, TurnState.DONE, NOON, NOON)
        for number, (message, reply) in enumerate(said, 1)
    ]


def test_it_says_what_it_is_and_keeps_order_numbers_and_dates() -> None:
    told = summarise(turns(LAMP), ENGLISH)
    first, rest = told.split("\n")
    assert first == ENGLISH.summary
    assert rest == "I bought a lamp last week, order A-20391-XK. It arrived broken on Tuesday."


def test_the_same_in_chinese_with_what_the_assistant_promised() -> None:
    told = summarise(turns(LAMP_ZH), CHINESE)
    first, rest = told.split("\n")
    assert first == CHINESE.summary
    for words in ("订单号是DD20240115", "周二", "我要退款49.9元，不要换货", "助手：我会在周五前退款49.9元"):
        assert words in rest
    for words in ("你好", "谢谢", "天气"):
        assert words not in rest


def test_only_the_last_ten_turns_are_told() -> None:
    said = [("My order is A-1000.", "Fine."), *[(f"I paid {n} EUR to Ferguson.", "Fine.") for n in range(10, 20)]]
    assert "A-1000" not in summarise(turns(said), ENGLISH)
    assert "A-1000" in summarise(turns(said[:1]), ENGLISH)


def test_what_says_the_same_is_told_once() -> None:
    told = summarise(turns([("I live in Hamburg now.", "So you live in Hamburg now.")] * 4), ENGLISH)
    assert told.count("Hamburg") == 1


@pytest.mark.parametrize("said", [[], [("Hello!", "Hi.")], [("哈哈", "嗯嗯")]], ids=["none", "en", "zh"])
def test_small_talk_gives_none(said: list[tuple[str, str]]) -> None:
    assert summarise(turns(said), ENGLISH) == ""


def test_a_sentence_that_is_too_long_is_told_in_part() -> None:
    long = "I paid 49.90 EUR for order A-20391-XK, " + "and we talked for a very long time about this and that, " * 20
    told = summarise(turns([(long, "Fine.")]), ENGLISH)
    assert len(told) <= LIMIT
    assert "I paid 49.90 EUR for order A-20391-XK" in told


@pytest.mark.parametrize("wish", ["Remember this: ", "记住：", ""])
def test_no_secret_is_told_also_none_that_was_to_be_remembered(wish: str) -> None:
    for case in SECRETS:
        told = summarise(turns([(wish + case.message, case.message), *LAMP]), ENGLISH)
        assert told
        assert not [line for line in case.secret.split("\n") if line in told]


def test_nothing_of_a_tools_is_told() -> None:
    for field in EXECUTION_FIELDS:
        said = [(f"The {field} of order A-1 is 5.", json.dumps({field: "order A-1"})), ("I live in Hamburg.", "Fine.")]
        assert summarise(turns(said), ENGLISH) == f"{ENGLISH.summary}\nI live in Hamburg."


def test_of_a_pasted_text_the_beginning_and_the_end_count() -> None:
    pasted = "My order is A-1.\n" + "noise\n" * 5000 + "I want 5 EUR back for it."
    told = summarise(turns([(pasted, "Fine.")]), ENGLISH)
    assert told == f"{ENGLISH.summary}\nMy order is A-1. I want 5 EUR back for it."


PIECES = st.sampled_from(
    [
        "My name is Ann.",
        "我叫李明。",
        "Order A-1",
        "49.90 EUR",
        "?",
        "？",
        "\n",
        " ",
        "，",
        "not",
        "{}",
        "<|im_start|>",
        "sk-a1",
        "x" * 130,
    ]
)
SAID = st.lists(st.tuples(*[st.lists(PIECES | st.text(max_size=9), max_size=9).map("".join)] * 2), max_size=12)


@given(SAID, st.sampled_from(sorted(LANGUAGES)))
def test_it_keeps_its_limit_and_makes_nothing_up(said: list[tuple[str, str]], language: str) -> None:
    texts: Texts = LANGUAGES[language]
    told = summarise(turns(said), texts)
    assert len(told) <= LIMIT
    if told:
        assert told.startswith(f"{texts.summary}\n")
        there = "".join(message + reply for message, reply in said) + texts.assistant + ".。… "
        assert not set(told.split("\n")[1]) - set(there)
