"""Time expressions of a question, in English or Chinese: dates and periods that it names, and an order by time."""

from __future__ import annotations

import re
from datetime import date
from enum import Enum

from edge.memory.numerals import to_int
from edge.memory.periods import Named, Period, Time, back, forth, period_of
from edge.memory.time_words import MONTH, MONTHS, YEAR, YEARS_AGO, month_number
from edge.memory.times_relative import relative_times

_MONTH = rf"(?P<month>{MONTH})\.?"
_YEAR = rf"(?P<year>{YEAR})(?!\d)"
_YEAR_ZH = rf"(?:(?:(?P<year>{YEAR})年|(?P<said>去年|前年|今年))的?)"
_SAID_YEAR = r"(?P<said>last year|this year)"
_DAY = r"(?P<day>[0-3]?\d)(?!\d)(?:st|nd|rd|th)?"
_MONTH_ZH = r"(?P<month>十[一二]?|[一二三四五六七八九]|[01]?\d)月份?"
_DAY_ZH = r"(?P<day>[0-3]?\d|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"

_NAMED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d.]){_YEAR}[-/.](?P<month>[01]?\d)[-/.]{_DAY}",
        rf"(?<!\d){_YEAR_ZH}{_MONTH_ZH}(?:{_DAY_ZH}[日号])?",
        rf"(?<!\d){_YEAR}年",
        rf"(?<![\d一二三四五六七八九十第]){_MONTH_ZH}(?:{_DAY_ZH}[日号])?(?![\d])",
        rf"\b{_DAY} ?(?:of )?{_MONTH}(?:,? ?(?:of )?(?:{_YEAR}|{_SAID_YEAR}))?",
        rf"\b{_MONTH} {_DAY}(?:,? ?(?:{_YEAR}|{_SAID_YEAR}))?",
        rf"\b{_MONTH},? (?:of )?(?:{_YEAR}|{_SAID_YEAR})",
        rf"\b(?:in|on|of|during|since|until|by|last|this|early|late|mid|before|after) {_MONTH}(?!\w)",
        rf"\b(?:in|of|during|since|until|by|before|after) {_YEAR}",
    )
]
_BESIDE = 60
"""Days that "before May" and "after May" reach."""
_BEFORE = re.compile(r"\b(?:before|until|by) (?:the )?$", re.IGNORECASE)
_AFTER = re.compile(r"\bafter (?:the )?$", re.IGNORECASE)
_SINCE = re.compile(r"\bsince (?:the )?$", re.IGNORECASE)
_BEFORE_ZH, _AFTER_ZH = re.compile(r"(?:之|以)前"), re.compile(r"(?:之|以)后")
_SINCE_ZH = re.compile(r"以来|到现在|至今")


class Order(Enum):
    """By time: what was said first, or last."""

    EARLIEST = "earliest"
    LATEST = "latest"


_WHO = r"(?:i|we|you|he|she|it|they|\w+)"
_EARLIEST = re.compile(
    rf"\b(?:(?:very )?first time|(?:did|had|have|has|was|were) {_WHO}(?: \w+)? first\b(?! name)|{_WHO} first"
    r" (?=mention|said|say|told|tell|met|meet|saw|see|went|go|tried|try|heard|hear|started|talked|spoke)"
    r"|earliest|originally|at first)\b|第一次|头一次|头一回|首次|最早|最初|最开始|一开始|起初",
    re.IGNORECASE,
)
_LATEST = re.compile(
    rf"\b(?:(?:the |my |our |his |her |their )?last time|most recent(?:ly)?|latest|newest"
    rf"|(?:did|have|had) {_WHO} last\b(?! (?:week|month|year|night|{'|'.join(MONTHS)}))"
    rf"|{_WHO} last (?=mentioned|said|told|met|saw|went|talked|spoke|heard|bought|visited))\b"
    r"|上次|上一次|上回|上一回|最近一次|最近一回|最后一次|最后一回|最新|最后(?=说|提|见|去|买|聊)",
    re.IGNORECASE,
)


def times_in(text: str, today: date) -> list[Time]:
    """The times that a text names; `today` is what "last week" is counted from."""
    named, taken = _named_times(text, today)
    rest = "".join(
        " " if any(first <= place < last for first, last in taken) else char for place, char in enumerate(text)
    )
    return [*named, *relative_times(rest, today)]


def order_in(text: str) -> Order | None:
    """Whether a text asks for what came first ("the first time", 第一次) or last ("last time", 上次)."""
    first, last = _EARLIEST.search(text), _LATEST.search(text)
    if first is None or last is None:
        return Order.EARLIEST if first else Order.LATEST if last else None
    return Order.EARLIEST if first.start() < last.start() else Order.LATEST


# --- reading ---


def _named_times(text: str, today: date) -> tuple[list[Time], list[tuple[int, int]]]:
    """Dates that are named, and where they stand."""
    found: list[Time] = []
    taken: list[tuple[int, int]] = []
    for pattern in _NAMED:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            named = _named(match, today)
            if named is not None:
                found.append(_beside(named, match, today))
                taken.append(match.span())
    return found, taken


def _beside(named: Named, match: re.Match[str], today: date) -> Time:
    """The named date itself, or the days before, after or since it, as the words around it say."""
    start = min(match.start(name) for name in ("year", "month", "day") if match.groupdict().get(name))
    before, after = match.string[:start], match.string[match.end() : match.end() + 3]
    period = period_of(named, today)
    if period is None:
        return named
    if _SINCE.search(before) or _SINCE_ZH.match(after):
        return Period(period.first, max(today, period.last))
    if _BEFORE.search(before) or _BEFORE_ZH.match(after):
        return Period(back(period.first, _BESIDE), back(period.first, 1))
    if _AFTER.search(before) or _AFTER_ZH.match(after):
        return Period(forth(period.last, 1), forth(period.last, _BESIDE))
    return named


def _named(match: re.Match[str], today: date) -> Named | None:
    """A date, where its numbers are ones that a date may have."""
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    day = to_int(parts["day"]) if parts.get("day") else None
    if parts.get("said"):
        year = today.year - YEARS_AGO[parts["said"].lower()]
    month = _month(parts.get("month"))
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    return Named(year, month, day)


def _month(name: str | None) -> int | None:
    if name is None:
        return None
    return month_number(name) if name[0].isascii() and name[0].isalpha() else to_int(name)
