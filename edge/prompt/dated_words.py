"""Times that words count from the day they were said: "yesterday", "last Friday", 上个月. Read later, they mislead.

A tiny model does no arithmetic on dates: asked when, it repeats the date that it sees. So the day that is meant is
worked out here, and set behind the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from edge.memory.time_words import COUNT, COUNT_ZH, UNIT, UNIT_DAYS, WEEK_ZH, WEEKDAYS, WEEKDAYS_ZH, count_of

_DAYS_ZH = "".join(WEEKDAYS_ZH)
_LAST, _NEXT = "(?<![上马晚早])上个?", "(?<![下天])下个?"
_SEASON_ENDS = {"spring": 5, "summer": 8, "autumn": 11, "fall": 11}
"""The last month of each, north of the equator."""


class Form(StrEnum):
    """How exact a time is, and so how it is written."""

    DAY = "day"
    AROUND = "around"
    WEEK_BEFORE = "week before"
    WEEK_AFTER = "week after"
    WEEKEND_BEFORE = "weekend before"
    WEEKEND_AFTER = "weekend after"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Time:
    """A day, the month or year that it is in, the days around it, or the week or weekend before or after it."""

    form: Form
    day: date
    language: str
    """That of the words."""


Reader = Callable[[re.Match[str], date], tuple[Form, date]]


def with_times(words: str, said: date, write: Callable[[Time], str]) -> str:
    """The words with what `write` makes of it behind each relative time in them; `said` is when they were."""
    parts, begin = [], 0
    for place, time in _found(words, said):
        parts += [words[begin : place.stop], write(time)]
        begin = place.stop
    return "".join((*parts, words[begin:]))


def times_in(words: str, said: date) -> list[Time]:
    """What the relative times in words mean that were said on a day, in their order."""
    return [time for _, time in _found(words, said)]


def _found(words: str, said: date) -> list[tuple[range, Time]]:
    """Where relative times stand, and what they mean, in their order."""
    times: list[tuple[range, Time]] = []
    taken: set[int] = set()
    for language, pattern, read in _RELATIVE:
        for found in pattern.finditer(words):
            place = range(*found.span())
            if taken.isdisjoint(place):
                taken.update(place)
                times += [(place, time) for time in _read(read, language, found, said)]
    return sorted(times, key=lambda each: each[0].start)


def _read(read: Reader, language: str, found: re.Match[str], said: date) -> list[Time]:
    """The time that is meant; none for one before all dates, such as 999 years ago in 900."""
    try:
        return [Time(*read(found, said), language)]
    except (ValueError, OverflowError):
        return []


# --- what the words mean -----------------------------------------------------------------------------------------


def _days(count: int) -> Reader:
    return lambda _, said: (Form.DAY, said + timedelta(days=count))


def _week(form: Form) -> Reader:
    return lambda _, said: (form, said)


def _months(count: int) -> Reader:
    return lambda _, said: (Form.MONTH, _month(said, count))


def _years(count: int) -> Reader:
    return lambda _, said: (Form.YEAR, date(said.year + count, 1, 1))


def _month(said: date, count: int) -> date:
    months = said.year * 12 + said.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _ago(found: re.Match[str], said: date) -> tuple[Form, date]:
    count, days = count_of(found[1]), UNIT_DAYS[found[2].lower()]
    assert count is not None
    if days < UNIT_DAYS["month"]:
        return Form.DAY if days == 1 else Form.AROUND, said - timedelta(days=days * count)
    return (_months if days == UNIT_DAYS["month"] else _years)(-count)(found, said)


def _last_weekday(found: re.Match[str], said: date) -> tuple[Form, date]:
    """The last such day before the one on which it was said."""
    back = (said.weekday() - WEEKDAYS.index(found[1].lower()) - 1) % 7 + 1
    return Form.DAY, said - timedelta(days=back)


def _last_season(found: re.Match[str], said: date) -> tuple[Form, date]:
    """The last such season that was over: in August "last summer" is that of the year before."""
    over = said.month > _SEASON_ENDS[found[1].lower()]
    return _years(0 if over else -1)(found, said)


def _weekday_zh(weeks: int) -> Reader:
    """A day of another week than that in which it was said; weeks begin on Monday."""
    return lambda found, said: (
        Form.DAY,
        said + timedelta(days=7 * weeks - said.weekday() + WEEKDAYS_ZH[found[1]]),
    )


_RELATIVE: list[tuple[str, re.Pattern[str], Reader]] = [
    (language, re.compile(pattern, re.IGNORECASE), read)
    for language, pattern, read in (
        ("en", r"\bday before yesterday\b", _days(-2)),
        ("en", r"\bday after tomorrow\b", _days(2)),
        ("en", r"\b(?:yesterday(?: (?:morning|afternoon|evening))?|last night)\b(?!')", _days(-1)),
        ("en", r"\btomorrow(?: (?:morning|afternoon|evening|night))?\b(?!')", _days(1)),
        ("en", rf"\blast ({'|'.join(WEEKDAYS)})\b", _last_weekday),
        ("en", r"\blast week\b(?!')", _week(Form.WEEK_BEFORE)),
        ("en", r"\blast weekend\b(?!')", _week(Form.WEEKEND_BEFORE)),
        ("en", r"\bnext week\b(?!')", _week(Form.WEEK_AFTER)),
        ("en", r"\bnext weekend\b(?!')", _week(Form.WEEKEND_AFTER)),
        ("en", r"\blast month\b(?!')", _months(-1)),
        ("en", r"\bnext month\b(?!')", _months(1)),
        ("en", r"\blast year\b(?!')", _years(-1)),
        ("en", r"\bnext year\b(?!')", _years(1)),
        ("en", r"(?<!the )(?<!at )(?<!my )(?<!his )(?<!her )\blast (spring|summer|autumn|fall)\b(?!')", _last_season),
        ("en", rf"(?<![\w.,-])(?<!half )(?<!over )(?<!than )({COUNT}) ({UNIT})s? ago\b", _ago),
        ("zh", "大前天", _days(-3)),
        ("zh", "大后天", _days(3)),
        ("zh", "(?<![以之目从先提当])前天(?![天气空色])", _days(-2)),
        ("zh", "(?<!先天)(?<![先今然以之最午饭雨此往])后天(?![天气空色性生黑亮])", _days(2)),
        ("zh", "昨[天晚日夜](?:[早晚]上|上午|下午)?", _days(-1)),
        ("zh", "(?<![说证表声])明[天晚日早](?:[早晚]上|上午|下午)?(?![气空])", _days(1)),
        ("zh", f"{_LAST}(?:{WEEK_ZH})([{_DAYS_ZH}])", _weekday_zh(-1)),
        ("zh", f"{_NEXT}(?:{WEEK_ZH})([{_DAYS_ZH}])", _weekday_zh(1)),
        ("zh", f"{_LAST}周末", _week(Form.WEEKEND_BEFORE)),
        ("zh", f"{_NEXT}周末", _week(Form.WEEKEND_AFTER)),
        ("zh", f"{_LAST}(?:周(?![期年边围])|星期|礼拜)", _week(Form.WEEK_BEFORE)),
        ("zh", f"{_NEXT}(?:周(?![期年边围])|星期|礼拜)", _week(Form.WEEK_AFTER)),
        ("zh", f"{_LAST}月(?![亮光球])", _months(-1)),
        ("zh", f"{_NEXT}月(?![亮光球])", _months(1)),
        ("zh", "(?<!过)去年", _years(-1)),
        ("zh", r"(?<![以之目从先提当\d])前年(?![轻纪龄代])", _years(-2)),
        ("zh", "(?<![说证表声])明年(?![龄])", _years(1)),
        (
            "zh",
            rf"(?<![\d.第几数一二三四五六七八九十百千])({COUNT_ZH})个?(天|{WEEK_ZH}|月|年)(?:以|之)?前(?![往来去进后])",
            _ago,
        ),
    )
]
