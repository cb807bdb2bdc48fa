"""The part of a text that a question is about, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.passages import best_of, divided, passage, worth
from edge.memory.units import Source
from tests.memory.making import unit

LONG = "Ann: What a week! I painted the shed green. The dog slept all day long. We had soup for lunch."
LONG_ZH = "这一周真忙！我把仓库刷成了绿色。小狗睡了一整天。中午喝了汤。"


def cut(text: str, question: str, most: int, subject: str = "self") -> str:
    told = unit(1, text, subject=subject, source=Source.IMPORT)
    return passage(told, worth(question, [told]), most)


@pytest.mark.parametrize(
    ("text", "question", "most", "subject", "told"),
    [
        (LONG, "What colour did Ann paint the shed?", 40, "Ann", "Ann: I painted the shed green."),
        (LONG, "Where did the dog sleep?", 40, "Ann", "Ann: The dog slept all day long."),
        (LONG, "What colour is the shed?", 60, "Ann", "Ann: I painted the shed green. The dog slept all day long."),
        (LONG, "shed", 500, "Ann", LONG),
        (LONG, "shed", 5, "Ann", "Ann: I painted the shed green."),
        (LONG_ZH, "仓库是什么颜色", 14, "self", "我把仓库刷成了绿色。"),
        (LONG_ZH, "小狗在干什么", 20, "self", "小狗睡了一整天。中午喝了汤。"),
    ],
)
def test_a_passage_is_the_sentence_that_matches_and_what_fits_beside_it(
    text: str, question: str, most: int, subject: str, told: str
) -> None:
    assert cut(text, question, most, subject) == told


def test_what_few_units_hold_tells_more_and_the_names_of_those_who_speak_nothing() -> None:
    units = [unit(number, f"Ann: I like {what}.", subject="Ann") for number, what in enumerate(("tea", "tea", "rain"))]
    terms = worth("Does Ann like rain or tea?", units)
    assert terms["rain"] > terms["tea"]
    assert "ann" not in terms


def test_only_a_speakers_name_is_no_sentence() -> None:
    assert divided(unit(1, "Ann: Hi. You there?", subject="Ann")) == ("Ann: ", ["Hi.", "You there?"])
    assert divided(unit(1, "Ann: Hi.", subject="Bob")) == ("", ["Ann: Hi."])
    assert divided(unit(1, "self: Hi.")) == ("", ["self: Hi."])


def test_of_equals_the_first_is_best() -> None:
    assert best_of(["One.", "Two.", "Three."], {}) == 0


@given(st.text(max_size=300), st.text(max_size=40), st.integers(0, 200))
def test_any_text_gives_a_part_of_itself(text: str, question: str, most: int) -> None:
    told = cut(text, question, most)
    assert "".join(told.split()) in "".join(text.split())
    assert told or not text.strip()
