"""Which messages only memory can answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.questions import asks_what_was_said, is_question


@pytest.mark.parametrize("text", ["Is it late?", "晚了吗", "晚了吗？", "他呢。", "Really? "])
def test_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["It is late.", "晚了。", "", "?!"])
def test_no_question(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend to me?",
        "what is my sister's plan",
        "Do you remember the hotel?",
        "Where did I leave the car?",
        "你上次推荐了什么？",
        "我之前说过哪家店？",
        "你还记得我的计划吗",
    ],
)
def test_only_memory_can_answer(text: str) -> None:
    assert asks_what_was_said(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "How do I fix my bike?",
        "My bike is red.",
        "法国的首都是什么？",
        "怎么修我的自行车？",
        "我的车是红的。",
    ],
)
def test_others_can(text: str) -> None:
    assert not asks_what_was_said(text)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    assert asks_what_was_said(text) in {True, False}
    assert is_question(text) in {True, False}
