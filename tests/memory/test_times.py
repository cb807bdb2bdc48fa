"""Times that questions name, in both languages, and what is near to them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.times import Named, Period, Time, nearness, times_in

TODAY = date(2026, 11, 30)  # a Monday


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("What did John do on 7 July, 2023?", [Named(2023, 7, 7)]),
        ("on July 7th 2023", [Named(2023, 7, 7)]),
        ("on the 7th of July", [Named(None, 7, 7)]),
        ("in June 2023", [Named(2023, 6)]),
        ("during May", [Named(None, 5)]),
        ("in 2019", [Named(2019)]),
        ("2023-05-03", [Named(2023, 5, 3)]),
        ("on Dec 5", [Named(None, 12, 5)]),
        ("我2023年5月3日做了什么", [Named(2023, 5, 3)]),
        ("5月3号我做了什么", [Named(None, 5, 3)]),
        ("2023年发生了什么", [Named(2023)]),
        ("5月", [Named(None, 5)]),
        ("yesterday", [Period(date(2026, 11, 29), date(2026, 11, 29))]),
        ("昨天", [Period(date(2026, 11, 29), date(2026, 11, 29))]),
        ("last week", [Period(date(2026, 11, 23), date(2026, 11, 29))]),
        ("上周我去了哪里", [Period(date(2026, 11, 23), date(2026, 11, 29))]),
        ("last month", [Period(date(2026, 10, 1), date(2026, 10, 31))]),
        ("上个月", [Period(date(2026, 10, 1), date(2026, 10, 31))]),
        ("去年", [Named(2025)]),
        ("three days ago", [Period(date(2026, 11, 27), date(2026, 11, 27))]),
        ("三天前", [Period(date(2026, 11, 27), date(2026, 11, 27))]),
        ("两周前", [Period(date(2026, 11, 15), date(2026, 11, 17))]),
    ],
)
def test_times_are_read(text: str, times: list[Time]) -> None:
    assert times_in(text, TODAY) == times


@pytest.mark.parametrize(
    "text", ["May I ask?", "I may march", "31.5 kg", "room 2023", "13月", "July 99", "个月", "以后", "some days ago"]
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert times_in(text, TODAY) == []


def test_the_first_week_of_all_time_has_no_week_before() -> None:
    assert times_in("last week, 3000 years ago, 900 years ago", date(1, 1, 2))


@pytest.mark.parametrize(
    ("time", "day", "near"),
    [
        (Named(2023, 7, 7), date(2023, 7, 7), 1.0),
        (Named(2023, 7, 7), date(2023, 7, 8), 1.0),
        (Named(2023, 7, 7), date(2023, 7, 12), 0.7),
        (Named(2023, 7, 7), date(2023, 7, 30), 0.3),
        (Named(2023, 7, 7), date(2023, 6, 7), 0.0),
        (Named(2023, 7, 7), date(2024, 7, 7), 0.0),
        (Named(None, 7, 7), date(2024, 7, 7), 1.0),
        (Named(None, 12, 31), date(2024, 1, 1), 1.0),
        (Named(None, 2, 30), date(2024, 3, 1), 0.0),
        (Named(2023, 7), date(2023, 7, 30), 1.0),
        (Named(2023, 12), date(2024, 1, 5), 0.3),
        (Named(None, 12), date(2024, 1, 5), 0.3),
        (Named(2023), date(2023, 1, 5), 0.3),
        (Period(date(2023, 7, 3), date(2023, 7, 9)), date(2023, 7, 10), 1.0),
        (Period(date(2023, 7, 3), date(2023, 7, 9)), date(2023, 7, 14), 0.5),
        (Period(date(2023, 7, 3), date(2023, 7, 9)), date(2023, 7, 2), 0.0),
    ],
)
def test_what_was_told_after_a_time_is_nearer_than_what_was_told_before(time: Time, day: date, near: float) -> None:
    assert nearness([time], day) == near


@given(st.text(), st.dates())
def test_any_text_on_any_day_is_read(text: str, today: date) -> None:
    for time in times_in(text, today):
        assert 0 <= nearness([time], today) <= 1


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.integers(-400, 400))
def test_a_date_written_in_any_way_is_the_same_date(day: date, after: int) -> None:
    written = [
        f"on {day:%d %B, %Y}",
        f"{day:%B %d, %Y}",
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
    ]
    assert [times_in(text, day) for text in written] == [[Named(day.year, day.month, day.day)]] * 4
    assert nearness([Named(day.year, day.month, day.day)], day + timedelta(days=after)) == (
        1.0 if 0 <= after <= 1 else 0.7 if -1 <= after <= 8 else 0.3 if -2 <= after <= 31 else 0.0
    )
