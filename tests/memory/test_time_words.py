"""The words that times are made of."""

from __future__ import annotations

import re

import pytest

from edge.memory.time_words import COUNT, COUNT_ZH, MONTH, MONTHS, WEEKDAYS, count_of, month_number, weekday_zh


@pytest.mark.parametrize("number", range(1, 13))
def test_a_month_is_known_by_its_name_and_by_its_beginning(number: int) -> None:
    name = MONTHS[number - 1]
    for said in (name, name.capitalize(), name[:3].upper()):
        found = re.fullmatch(MONTH, said, re.IGNORECASE)
        assert found is not None
        assert month_number(found[0]) == number


@pytest.mark.parametrize("text", ["Market", "marbles", "decide", "sun"])
def test_a_word_that_begins_as_a_month_is_none(text: str) -> None:
    assert re.match(MONTH, text, re.IGNORECASE) is None


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("3", 3), ("a", 1), ("An", 1), ("twelve", 12), ("a few", 3), ("several", 4), ("dozen", None),
        ("两", 2), ("十", 10), ("十二", 12), ("二十五", 25), ("几", 3), ("天", None),
    ],
)  # fmt: skip
def test_counts(word: str, count: int | None) -> None:
    assert count_of(word) == count
    is_exact = count is not None and word not in ("a few", "several", "几")
    assert (re.fullmatch(f"{COUNT}|{COUNT_ZH}", word, re.IGNORECASE) is not None) is is_exact


def test_every_day_of_the_week_has_its_sign() -> None:
    assert [weekday_zh(number) for number in range(len(WEEKDAYS))] == [f"[{day}]" for day in "一二三四五六"] + [
        "[日天]"
    ]
