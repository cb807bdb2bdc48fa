"""Relative times in what was said: which words are times, what they mean, and that nothing else changes."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.prompt.dated_words import Form, Time, times_in, with_times

MONDAY = date(2023, 5, 8)


def marked(words: str, said: date = MONDAY) -> str:
    return with_times(words, said, lambda time: f"<{time.form} {time.day}>")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("I ran yesterday.", "I ran yesterday<day 2023-05-07>."),
        ("Yesterday morning I ran", "Yesterday morning<day 2023-05-07> I ran"),
        ("the day before yesterday", "the day before yesterday<day 2023-05-06>"),
        ("last night, tomorrow", "last night<day 2023-05-07>, tomorrow<day 2023-05-09>"),
        ("last Friday and last Monday", "last Friday<day 2023-05-05> and last Monday<day 2023-05-01>"),
        ("last wednesday", "last wednesday<day 2023-05-03>"),
        ("last week or next weekend", "last week<week before 2023-05-08> or next weekend<weekend after 2023-05-08>"),
        ("last month, next month", "last month<month 2023-04-01>, next month<month 2023-06-01>"),
        ("last year; next year", "last year<year 2022-01-01>; next year<year 2024-01-01>"),
        ("three days ago, 2 weeks ago", "three days ago<day 2023-05-05>, 2 weeks ago<around 2023-04-24>"),
        ("a month ago, 5 months ago", "a month ago<month 2023-04-01>, 5 months ago<month 2022-12-01>"),
        ("ten years ago", "ten years ago<year 2013-01-01>"),
        ("twelve days ago", "twelve days ago<day 2023-04-26>"),
        ("a fortnight ago", "a fortnight ago<around 2023-04-24>"),
        ("二十一天前，二十天前", "二十一天前<day 2023-04-17>，二十天前<day 2023-04-18>"),
        ("十二天前，两个礼拜前", "十二天前<day 2023-04-26>，两个礼拜前<around 2023-04-24>"),
        ("昨天我跑步了", "昨天<day 2023-05-07>我跑步了"),
        ("昨天下午，大前天", "昨天下午<day 2023-05-07>，大前天<day 2023-05-05>"),
        ("前天和后天", "前天<day 2023-05-06>和后天<day 2023-05-10>"),
        ("上周五，下个星期天", "上周五<day 2023-05-05>，下个星期天<day 2023-05-21>"),
        ("上周，上个周末", "上周<week before 2023-05-08>，上个周末<weekend before 2023-05-08>"),
        ("上个月，下月", "上个月<month 2023-04-01>，下月<month 2023-06-01>"),
        ("去年，明年，前年", "去年<year 2022-01-01>，明年<year 2024-01-01>，前年<year 2021-01-01>"),
        ("三天前，两个月以前，3年前", "三天前<day 2023-05-05>，两个月以前<month 2023-03-01>，3年前<year 2020-01-01>"),
    ],
)
def test_a_relative_time_is_worked_out(words: str, shown: str) -> None:
    assert marked(words) == shown


@pytest.mark.parametrize(
    "words",
    [
        "At last we came.",
        "last year's trip",
        "The next weekly report",
        "a few days ago",
        "some years ago",
        "the blast weekend",
        "999999 days ago",
        "0 to 9999 years",
        "以前天天跑步",
        "先天后天",
        "今后天气转凉",
        "上上周",
        "上周期",
        "几年前",
        "目前年纪大了",
        "然后天黑了",
        "晚上月亮很圆，马上周末了",
        "请说明天气情况",
        "过去年轻，从前年少",
        "三天前往北京",
        "几十年前",
        "twenty-one days ago",
        "1,000 years ago, half a year ago, more than a year ago",
    ],
)
def test_what_only_looks_like_one_stays(words: str) -> None:
    assert marked(words) == words


def test_weekday_of_last_week_is_counted_from_a_sunday_too() -> None:
    assert marked("last Sunday, 上周日", date(2023, 5, 14)) == "last Sunday<day 2023-05-07>, 上周日<day 2023-05-07>"


def test_months_pass_the_turn_of_the_year() -> None:
    assert marked("last month", date(2023, 1, 31)) == "last month<month 2022-12-01>"
    assert marked("下个月", date(2023, 12, 31)) == "下个月<month 2024-01-01>"


@pytest.mark.parametrize(
    ("words", "said", "year"),
    [
        ("last summer", date(2023, 12, 26), 2023),
        ("last summer", date(2023, 8, 11), 2022),
        ("Last spring", date(2023, 6, 1), 2023),
        ("last fall", date(2023, 11, 30), 2022),
        ("last autumn", date(2023, 1, 2), 2022),
    ],
)
def test_a_season_is_the_last_one_that_was_over(words: str, said: date, year: int) -> None:
    assert marked(words, said) == f"{words}<year {year}-01-01>"


@pytest.mark.parametrize("words", ["the last summer", "at last spring came", "my last fall hurt", "last springs"])
def test_a_last_that_counts_no_seasons_stays(words: str) -> None:
    assert marked(words) == words


def test_a_time_before_all_dates_is_left_alone() -> None:
    assert marked("999 years ago", date(900, 1, 1)) == "999 years ago"
    assert marked("yesterday", date.min) == "yesterday"


def test_a_time_is_in_the_language_of_its_words() -> None:
    languages: list[str] = []

    def write(time: Time) -> str:
        languages.append(time.language)
        return ""

    assert with_times("昨天 and yesterday", MONDAY, write) == "昨天 and yesterday"
    assert languages == ["zh", "en"]


PIECES = st.sampled_from(
    [
        "yesterday",
        "last ",
        "week",
        "Friday",
        "3 ",
        "days ago",
        "years ago",
        "昨天",
        "上周",
        "五",
        "三",
        "个月前",
        "大前天",
        " ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=8), st.dates())
def test_only_what_is_written_is_added(pieces: list[str], said: date) -> None:
    words = "".join(pieces).replace("\0", "")
    assert with_times(words, said, lambda _: "\0").replace("\0", "") == words


def test_times_are_told_in_their_order() -> None:
    found = times_in("In May we met, last month again, and yesterday. 上周也见了。", MONDAY)
    assert found == [
        Time(Form.MONTH, date(2023, 4, 1), "en"),
        Time(Form.DAY, date(2023, 5, 7), "en"),
        Time(Form.WEEK_BEFORE, MONDAY, "zh"),
    ]
    assert times_in("We met in May.", MONDAY) == []
