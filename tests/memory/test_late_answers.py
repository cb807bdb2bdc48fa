"""An answer to a question that was asked some turns ago says clearly which of two values holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.late_answers import read_late_answer
from edge.memory.units import Outcome

OLDER, NEWER = ["berlin", "Berlin", "柏林"], ["hamburg", "Hamburg", "汉堡"]


@pytest.mark.parametrize(
    "answer",
    [
        "It's Hamburg.", "it is hamburg", "Oh, it's Hamburg, by the way.", "Hamburg is right.", "Hamburg is correct",
        "hamburg is the right one", "The right one is Hamburg.", "To answer your question: it's Hamburg.",
        "It's Hamburg, not Berlin.", "Hamburg, not Berlin.", "Not Berlin, it's Hamburg.", "Actually, it’s Hamburg now.",
        "I live in Hamburg, not in Berlin.", "It's not Berlin any more.", "Berlin is wrong.", "Berlin was the old one.",
        "Good morning! It's Hamburg. Thanks!", "use Hamburg please", "Keep Hamburg.", "Berlin is not right.",
        "是汉堡", "是汉堡。", "应该是汉堡。", "汉堡是对的。", "汉堡才对",
        "以汉堡为准", "就是汉堡了", "是汉堡，不是柏林。", "不是柏林，是汉堡。",
        "回答你的问题：是汉堡。", "柏林是错的", "不是柏林了", "我现在住在汉堡", "早上好！是汉堡。",
        "汉堡没错",
    ],
)  # fmt: skip
def test_it_settles_on_the_newer(answer: str) -> None:
    assert read_late_answer(answer, OLDER, NEWER) is Outcome.NEWER


@pytest.mark.parametrize(
    "answer",
    [
        "It's Berlin.", "Berlin is right.", "It's still Berlin.", "No, it's Berlin.", "Hamburg is wrong.",
        "It's Berlin, not Hamburg.", "it isn't Hamburg", "还是柏林", "是柏林", "柏林是对的",
        "不是汉堡", "汉堡不对", "以柏林为准。",
    ],
)  # fmt: skip
def test_it_settles_on_the_older(answer: str) -> None:
    assert read_late_answer(answer, OLDER, NEWER) is Outcome.OLDER


@pytest.mark.parametrize(
    "text",
    [
        "Is it Hamburg?", "is Hamburg right", "Hamburg", "Berlin.", "Hamburg is nice.", "I was in Hamburg today.",
        "Tell me about Hamburg.", "What's the weather in Berlin?", "It's raining in Hamburg.", "Is Berlin the capital?",
        "It's a long way to Hamburg.", "Hamburg is in the north", "Yes", "no", "It's Munich.",
        "Trains to Hamburg, please.",
        "Hamburg and Berlin are both big.", "Berlin is the right place for a party.", "Hamburg or Berlin?", "",
        "汉堡", "柏林。", "是汉堡吗？", "汉堡很美。", "我今天去了汉堡。", "汉堡的天气怎么样？", "对", "不是",
        "是慕尼黑", "在汉堡下雨了",
        "汉堡对我很好", "我喜欢柏林", "是汉堡还是柏林？", "It's Hamburg. " * 20,
    ],
)  # fmt: skip
def test_a_question_a_mention_and_a_bare_word_settle_nothing(text: str) -> None:
    assert read_late_answer(text, OLDER, NEWER) is None


def test_numbers_are_found_however_they_are_spaced() -> None:
    older, newer = ["01512345678"], ["01519999999"]
    assert read_late_answer("It's 0151 9999 999.", older, newer) is Outcome.NEWER
    assert read_late_answer("0151-2345678 is right", older, newer) is Outcome.OLDER


@given(st.text(max_size=150))
def test_any_text_is_read(text: str) -> None:
    read_late_answer(text, OLDER, NEWER)
    read_late_answer(text, [], [text])
