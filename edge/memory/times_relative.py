"""Times that are counted from today: "two months ago", "last Tuesday", "before Christmas", 上周三, 去年夏天.

A question to memory looks back: a weekday, a season or a holiday without a year is the latest that has begun.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from edge.memory.periods import Named, Period, Time, back, forth
from edge.memory.time_words import COUNT, COUNT_ZH, UNIT, UNIT_DAYS, UNIT_ZH, VAGUE, VAGUE_COUNTS, WEEK_ZH, count_of
from edge.memory.times_calendar import Found, days_of_month, holidays, seasons, weekdays

_COUNT = rf"(?P<count>{COUNT}|{VAGUE})"
_COUNT_ZH = rf"(?P<count>{COUNT_ZH}|几)"
_UNIT = rf"(?P<unit>{UNIT})s?"
_UNIT_ZH = rf"个?(?P<unit>{UNIT_ZH})"
_AGO = (
    re.compile(rf"\b{_COUNT} {_UNIT} (?:ago|earlier|back)\b", re.IGNORECASE),
    re.compile(rf"{_COUNT_ZH}{_UNIT_ZH}(?:以|之)?前"),
)
_PAST = (
    re.compile(rf"\b(?:in|over|during|within|for) (?:the|these) (?:past|last) (?:{_COUNT} )?{_UNIT}\b", re.IGNORECASE),
    re.compile(rf"\bthe (?:past|last) {_COUNT} {_UNIT}\b", re.IGNORECASE),
    re.compile(rf"(?:过去|最近|近|这)(?:的)?{_COUNT_ZH}{_UNIT_ZH}(?!一次)"),
)
_HALF = re.compile(r"\bhalf a year ago\b|\bsix months ago\b|半年(?:以|之)?前", re.IGNORECASE)

_RECENT = 21


def relative_times(text: str, today: date) -> list[Time]:
    """The times of a text that are counted from today, or known without a date."""
    found: list[Time] = []
    for read in (_counted, _past, weekdays, days_of_month, seasons, holidays, _phrases):
        for start, end, time in list(read(text, today)):
            found.append(time)
            text = text[:start] + " " * (end - start) + text[end:]
    return list(dict.fromkeys(found))


# --- counted: "three days ago", "in the past two weeks" -------------------------------------------------------------


def _counted(text: str, today: date) -> Found:
    for match in _HALF.finditer(text):
        yield *match.span(), around(back(today, 182), 30)
    text = _HALF.sub(lambda match: " " * len(match[0]), text)
    for pattern in _AGO:
        for match in pattern.finditer(text):
            number = count_of(match["count"])
            if number is not None:
                days = UNIT_DAYS[match["unit"].lower()]
                slack = days if match["count"].lower() in VAGUE_COUNTS else days // 4
                yield *match.span(), around(back(today, number * days), slack)


def _past(text: str, today: date) -> Found:
    for pattern in _PAST:
        for match in pattern.finditer(text):
            number = count_of(match["count"] or "one")
            if number is not None:
                yield *match.span(), Period(back(today, number * UNIT_DAYS[match["unit"].lower()]), today)


def around(day: date, slack: int) -> Period:
    """Some days to either side."""
    return Period(back(day, slack), forth(day, slack))


# --- fixed phrases ---------------------------------------------------------------------------------------------------


def _phrases(text: str, today: date) -> Found:
    for pattern, period in _PHRASES:
        match = pattern.search(text)
        if match is not None:
            yield 0, 0, period(today)


def _day_before(days: int) -> Callable[[date], Period]:
    return lambda today: Period(back(today, days), back(today, days))


def _days_before(first: int, last: int) -> Callable[[date], Period]:
    return lambda today: Period(back(today, first), back(today, last))


def _week_before(weeks: int) -> Callable[[date], Period]:
    return lambda today: Period(
        back(today, today.weekday() + 7 * weeks), back(today, max(0, today.weekday() + 7 * weeks - 6))
    )


def _weekend(today: date) -> Period:
    """The latest that has begun."""
    saturday = back(today, (today.weekday() - 5) % 7)
    return Period(saturday, min(forth(saturday, 1), today))


def _last_weekend(today: date) -> Period:
    """The latest that is over."""
    saturday = back(today, today.weekday() + 2)
    return Period(saturday, forth(saturday, 1))


def _last_month(today: date) -> Period:
    last = back(today, today.day)
    return Period(last.replace(day=1), last)


def _month_before_last(today: date) -> Period:
    return _last_month(_last_month(today).last)


def _this_month(today: date) -> Period:
    return Period(today.replace(day=1), today)


def _this_year(today: date) -> Period:
    return Period(today.replace(month=1, day=1), today)


def _years_ago(years: int) -> Callable[[date], Named]:
    return lambda today: Named(today.year - years)


def _months_of_year(first: int, last: int, years: int = 0) -> Callable[[date], Period]:
    def period(today: date) -> Period:
        year = max(today.year - years, 1)
        return Period(date(year, first, 1), forth(date(year, last, 1), 30))

    return period


_WEEK = f"(?:{WEEK_ZH})(?!末)"
_PHRASES: list[tuple[re.Pattern[str], Callable[[date], Time]]] = [
    (re.compile(english + "|" + chinese, re.IGNORECASE), period)
    for english, chinese, period in (
        (
            r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\btonight\b|\bjust now\b",
            "今[天早日晚]|刚才|刚刚",
            _day_before(0),
        ),
        (r"(?<!before )\byesterday\b|\blast night\b", "昨[天晚日]", _day_before(1)),
        (r"\bday before yesterday\b", "(?<!大)前天", _day_before(2)),
        (r"\bthe other day\b", "前几天|前两天|前些天|前阵子", _days_before(10, 1)),
        (r"(?!)", "大前天", _day_before(3)),
        (r"\bthis week\b", f"[这本](?:个)?{_WEEK}", _week_before(0)),
        (r"\blast week\b(?!end)", f"(?<!上)上(?:个)?{_WEEK}", _week_before(1)),
        (r"\bweek before last\b", f"上上(?:个)?{_WEEK}", _week_before(2)),
        (r"\b(?:at|on|over|this|during) (?:the )?weekend\b", "(?<!上)(?:这个?)?周末", _weekend),
        (r"\blast weekend\b", "上个?周末", _last_weekend),
        (r"\bthis month\b", "[这本](?:个)?月", _this_month),
        (r"\blast month\b", "(?<!上)上个?月", _last_month),
        (r"\bmonth before last\b", "上上个?月", _month_before_last),
        (r"\bthis year\b", "今年(?!年?[初底])", _this_year),
        (r"\blast year\b", "去年(?!年?[初底])", _years_ago(1)),
        (r"\byear before last\b", "前年", _years_ago(2)),
        (r"\b(?:beginning|start) of (?:the|this) year\b", "(?<!去)年初", _months_of_year(1, 2)),
        (r"\b(?:beginning|start) of last year\b", "去年(?:年)?初", _months_of_year(1, 2, 1)),
        (r"\b(?:end of last year|late last year)\b", "去年(?:年)?底", _months_of_year(11, 12, 1)),
        (
            r"\brecently\b|\blately\b|\bthese days\b|\bin recent (?:days|weeks)\b|\bthe past few days\b",
            "最近(?!一[次回])|近来|近期|这阵子|这段时间|这几天|这些天",
            lambda today: Period(back(today, _RECENT), today),
        ),
    )
]
