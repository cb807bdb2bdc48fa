"""When what a memory tells of was: by the sentence that a question is about, in both languages."""

from __future__ import annotations

from datetime import date

import pytest

from edge.engine.happened import happened
from edge.memory.passages import worth
from edge.prompt.dated_words import Form, Time
from tests.memory.making import unit

SAID = date(2023, 10, 13)


@pytest.mark.parametrize(
    ("words", "question", "form", "day"),
    [
        ("I paint. Last month I got hurt.", "When did I get hurt?", Form.MONTH, date(2023, 9, 1)),
        ("Next month I'm off. Yesterday I passed.", "When did I pass?", Form.DAY, date(2023, 10, 12)),
        ("I passed the test! It was yesterday.", "When did I pass the test?", Form.DAY, date(2023, 10, 12)),
        ("Yesterday was fun. I passed the test.", "When did I pass the test?", Form.DAY, date(2023, 10, 12)),
        ("下个月我要走了。昨天我考过了。", "我什么时候考过的？", Form.DAY, date(2023, 10, 12)),
        ("我受伤了。是上个月的事。", "我什么时候受伤的？", Form.MONTH, date(2023, 9, 1)),
    ],
)
def test_it_is_the_time_of_the_sentence_that_matches_or_of_one_beside_it(
    words: str, question: str, form: Form, day: date
) -> None:
    told = unit(1, words)
    time = happened(told, worth(question, [told]), SAID)
    assert time is not None
    assert (time.form, time.day) == (form, day)


@pytest.mark.parametrize("words", ["I got hurt.", "Yesterday I ate. It rained. I got hurt.", "我受伤了。", " "])
def test_no_time_is_made_up(words: str) -> None:
    told = unit(1, words)
    assert happened(told, worth("When did I get hurt? 我什么时候受伤的？", [told]), SAID) is None


def test_language_of_the_words_is_kept() -> None:
    assert happened(unit(1, "上周去的。"), {}, SAID) == Time(Form.WEEK_BEFORE, SAID, "zh")
