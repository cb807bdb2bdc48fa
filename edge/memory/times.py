"""Time expressions of a question, and how near to them something was said.

What happened on a day is mostly told on it or in the week after, so nearness is not symmetric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "(?P<month>" + "|".join([*_MONTHS, *(f"{name[:3]}(?=[. ,])" for name in _MONTHS), "sept"]) + r")\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?P<day>[0-3]?\d)(?!\d)(?:st|nd|rd|th)?"
_DIGITS = {word: number for number, word in enumerate("零一二三四五六七八九十")} | {"两": 2}
_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_WORDS |= {"nine": 9, "ten": 10}

_NAMED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d.]){_YEAR}[-/.](?P<month>[01]?\d)[-/.]{_DAY}",
        rf"(?<!\d){_YEAR}年(?:(?P<month>[01]?\d)月(?:{_DAY}[日号])?)?",
        rf"(?<!\d)(?P<month>[01]?\d)月(?:{_DAY}[日号])?(?!\d)",
        rf"\b{_DAY} ?(?:of )?{_MONTH}(?:,? ?(?:of )?{_YEAR})?",
        rf"\b{_MONTH} {_DAY}(?:,? ?{_YEAR})?",
        rf"\b{_MONTH},? (?:of )?{_YEAR}",
        rf"\b(?:in|on|of|during|since|until|by|last|this|early|late|mid|before|after) {_MONTH}(?!\w)",
        rf"\b(?:in|of|during|since|until|by|before|after) {_YEAR}",
    )
]
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "天": 1, "日": 1, "周": 7, "星期": 7, "月": 30, "年": 365}
_AGO = re.compile(r"\b(\d{1,3}|[a-z]+) (day|week|month|year)s? ago\b", re.IGNORECASE)
_AGO_ZH = re.compile(r"(\d{1,3}|[一二三四五六七八九十两])(?:个)?(天|日|周|星期|月|年)(?:以|之)?前")


@dataclass(frozen=True, slots=True)
class Named:
    """A date as it is named: "7 July 2023", "June", "2023年". What is not said is None; a day has a month."""

    year: int | None
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """Days from the first to the last, both included."""

    first: date
    last: date


Time = Named | Period


def times_in(text: str, today: date) -> list[Time]:
    """The times that a text names, in English or Chinese; `today` is what "last week" is counted from."""
    return [*_named_times(text), *_ago(text, today), *_relative(text, today)]


def nearness(times: Sequence[Time], day: date) -> float:
    """How well something said on a day fits the times, from 0 to 1; 0 where there are none."""
    return max((_near(time, day) for time in times), default=0.0)


def _near(time: Time, day: date) -> float:
    if isinstance(time, Period):
        after = (day - time.last).days
        return 1.0 if day >= time.first and after <= 1 else 0.5 if day >= time.first and after <= 7 else 0.0
    if time.month is None:
        return 0.3 if day.year == time.year else 0.0
    if time.day is None:
        return _near_month(time.year, time.month, day)
    return _near_day(time.year, time.month, time.day, day)


def _near_month(year: int | None, month: int, day: date) -> float:
    months = ((day.year - year) * 12 if year else 0) + day.month - month
    months = months if year else months % 12
    return {0: 1.0, 1: 0.3}.get(months, 0.0)


def _near_day(year: int | None, month: int, number: int, day: date) -> float:
    """Told on the day or the next: 1; within a week: 0.7; within a month: 0.3."""
    named = [_date(other, month, number) for other in ([year] if year else [day.year - 1, day.year, day.year + 1])]
    after = min(((day - moment).days for moment in named if moment), key=abs, default=999)
    if 0 <= after <= 1:
        return 1.0
    return 0.7 if -1 <= after <= 8 else 0.3 if -2 <= after <= 31 else 0.0


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# --- reading ---


def _named_times(text: str) -> list[Time]:
    found: list[Time] = []
    taken: list[tuple[int, int]] = []
    for pattern in _NAMED:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            named = _named(match)
            if named is not None:
                found.append(named)
                taken.append(match.span())
    return found


def _named(match: re.Match[str]) -> Named | None:
    """A date, where its numbers are ones that a date may have."""
    parts = match.groupdict()
    year, day = (int(parts[name]) if parts.get(name) else None for name in ("year", "day"))
    month = _month(parts.get("month"))
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    return Named(year, month, day)


def _month(name: str | None) -> int | None:
    if name is None:
        return None
    if name.isdigit():
        return int(name)
    return next(number for number, known in enumerate(_MONTHS, 1) if known.startswith(name[:3].lower()))


def _ago(text: str, today: date) -> list[Time]:
    found: list[Time] = []
    for pattern, numbers in ((_AGO, _WORDS), (_AGO_ZH, _DIGITS)):
        for count, unit in pattern.findall(text):
            number = int(count) if count.isdigit() else numbers.get(count.lower())
            if number is not None:
                days = _UNITS[unit.lower()]
                found.append(_around(_back(today, number * days), days // 4))
    return found


def _around(day: date, slack: int) -> Period:
    return Period(_back(day, slack), day + timedelta(days=slack))


def _back(day: date, days: int) -> date:
    """Some days before, as far back as there are dates."""
    return day - timedelta(days=min(days, day.toordinal() - 1))


def _relative(text: str, today: date) -> list[Time]:
    return [period(today) for pattern, period in _RELATIVE if pattern.search(text)]


def _day_before(days: int) -> Callable[[date], Period]:
    return lambda today: Period(_back(today, days), _back(today, days))


def _week_before(weeks: int) -> Callable[[date], Period]:
    return lambda today: Period(
        _back(today, today.weekday() + 7 * weeks), _back(today, max(0, today.weekday() + 7 * weeks - 6))
    )


def _last_month(today: date) -> Period:
    last = _back(today, today.day)
    return Period(last.replace(day=1), last)


def _this_month(today: date) -> Period:
    return Period(today.replace(day=1), today)


def _last_year(today: date) -> Named:
    return Named(today.year - 1)


_RELATIVE: list[tuple[re.Pattern[str], Callable[[date], Time]]] = [
    (re.compile(english + "|" + chinese, re.IGNORECASE), period)
    for english, chinese, period in (
        (r"\btoday\b|\bthis morning\b", "今天|今早|今日", _day_before(0)),
        (r"(?<!before )\byesterday\b|\blast night\b", "昨天|昨晚|昨日", _day_before(1)),
        (r"\bday before yesterday\b", "前天", _day_before(2)),
        (r"\bthis week\b", "[这本](?:个)?(?:周|星期)", _week_before(0)),
        (r"\blast week\b", "(?<!上)上(?:个)?(?:周|星期)", _week_before(1)),
        (r"\bthis month\b", "[这本](?:个)?月", _this_month),
        (r"\blast month\b", "(?<!上)上个?月", _last_month),
        (r"\blast year\b", "去年", _last_year),
    )
]
