"""Times that questions name, in both languages, and what is near to them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.periods import Named, Period, Time, nearness
from edge.memory.times import Order, order_in, times_in

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
        ("五月二十一号", [Named(None, 5, 21)]),
        ("去年十二月", [Named(2025, 12)]),
        ("in May last year", [Named(2025, 5)]),
        ("the party of 14 Sep", [Named(None, 9, 14)]),
        ("twelve days ago", [Period(date(2026, 11, 18), date(2026, 11, 18))]),
        ("十二天前", [Period(date(2026, 11, 18), date(2026, 11, 18))]),
        ("二十一天前", [Period(date(2026, 11, 9), date(2026, 11, 9))]),
    ],
)
def test_times_are_read(text: str, times: list[Time]) -> None:
    assert times_in(text, TODAY) == times


def days(first: tuple[int, int, int], last: tuple[int, int, int] | None = None) -> Period:
    return Period(date(*first), date(*(last or first)))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("the day before yesterday", days((2026, 11, 28))),
        ("前天", days((2026, 11, 28))),
        ("大前天", days((2026, 11, 27))),
        ("last Tuesday", days((2026, 11, 24))),
        ("on Monday", days((2026, 11, 23))),
        ("this Monday", days((2026, 11, 30))),
        ("上周三", days((2026, 11, 25))),
        ("上上周五", days((2026, 11, 20))),
        ("这周一", days((2026, 11, 30))),
        ("星期天", days((2026, 11, 29))),
        ("the week before last", days((2026, 11, 16), (2026, 11, 22))),
        ("last weekend", days((2026, 11, 28), (2026, 11, 29))),
        ("上周末", days((2026, 11, 28), (2026, 11, 29))),
        ("the other day", days((2026, 11, 20), (2026, 11, 29))),
        ("前几天", days((2026, 11, 20), (2026, 11, 29))),
        ("a couple of weeks ago", days((2026, 11, 9), (2026, 11, 23))),
        ("a few days ago", days((2026, 11, 26), (2026, 11, 28))),
        ("几天前", days((2026, 11, 26), (2026, 11, 28))),
        ("two months ago", days((2026, 9, 24), (2026, 10, 8))),
        ("half a year ago", days((2026, 5, 2), (2026, 7, 1))),
        ("半年前", days((2026, 5, 2), (2026, 7, 1))),
        ("in the last three days", days((2026, 11, 27), (2026, 11, 30))),
        ("过去三天", days((2026, 11, 27), (2026, 11, 30))),
        ("over the past month", days((2026, 10, 31), (2026, 11, 30))),
        ("最近一个月", days((2026, 10, 31), (2026, 11, 30))),
        ("recently", days((2026, 11, 9), (2026, 11, 30))),
        ("最近", days((2026, 11, 9), (2026, 11, 30))),
        ("earlier this year", days((2026, 1, 1), (2026, 11, 30))),
        ("今年", days((2026, 1, 1), (2026, 11, 30))),
        ("上个月5号", days((2026, 10, 5))),
        ("上上个月", days((2026, 9, 1), (2026, 9, 30))),
        ("last summer", days((2026, 6, 1), (2026, 8, 31))),
        ("last autumn", days((2025, 9, 1), (2025, 12, 1))),
        ("去年夏天", days((2025, 6, 1), (2025, 8, 31))),
        ("summer 2023", days((2023, 6, 1), (2023, 8, 31))),
        ("before Christmas", days((2025, 11, 24), (2025, 12, 23))),
        ("after Christmas 2024", days((2024, 12, 27), (2025, 1, 25))),
        ("去年圣诞节前", days((2025, 11, 24), (2025, 12, 23))),
        ("国庆", days((2026, 10, 1), (2026, 10, 7))),
        ("春节前", days((2025, 12, 21), (2026, 1, 19))),
        ("年初", days((2026, 1, 1), (2026, 3, 3))),
        ("去年年底", days((2025, 11, 1), (2025, 12, 31))),
        ("since March", days((2026, 3, 1), (2026, 11, 30))),
        ("2023年以来", days((2023, 1, 1), (2026, 11, 30))),
        ("before May", days((2026, 3, 2), (2026, 4, 30))),
        ("五月之前", days((2026, 3, 2), (2026, 4, 30))),
        ("after 7 July 2023", days((2023, 7, 8), (2023, 9, 5))),
    ],
)
def test_what_a_person_says_becomes_days(text: str, period: Period) -> None:
    assert period in times_in(f"{text}", TODAY)
    assert period.last <= TODAY


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("When did I first mention the kettle?", Order.EARLIEST),
        ("the first time we met", Order.EARLIEST),
        ("我第一次去医院是什么时候", Order.EARLIEST),
        ("When did I last see her?", Order.LATEST),
        ("What did we talk about last time?", Order.LATEST),
        ("我上次去医院是什么时候", Order.LATEST),
        ("最近一次聊天", Order.LATEST),
        ("What did I do last week?", None),
        ("What did I do last March?", None),
        ("What is my first name?", None),
        ("What did I last March do?", None),
        ("最近在忙什么", None),
        ("上周我去了哪里", None),
    ],
)
def test_first_and_last_are_an_order(text: str, order: Order | None) -> None:
    assert order_in(text) is order


@pytest.mark.parametrize(
    "text",
    [
        "May I ask?",
        "I may march",
        "31.5 kg",
        "room 2023",
        "13月",
        "July 99",
        "个月",
        "以后",
        "some days ago",
        "三个月",
        "第三月",
        "Sunnyday",
        "Mayday",
        "springs",
        "周围",
        "I may have last",
    ],
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
