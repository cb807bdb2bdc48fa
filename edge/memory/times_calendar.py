"""Days that the calendar names: weekdays, days of a month, seasons and holidays; the latest that have begun."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from edge.memory.periods import Period, Time, back, date_or_none, forth
from edge.memory.time_words import SEASON, SEASON_ZH, SEASONS, WEEK_ZH, WEEKDAYS, WEEKDAYS_ZH, YEAR, YEARS_AGO

_WEEKDAY = re.compile(rf"\b(?P<which>last|this|on|past)? ?(?P<day>{'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)
_WEEKDAY_ZH = re.compile(rf"(?P<which>上+|这|本)?个?(?:{WEEK_ZH})(?P<day>[{''.join(WEEKDAYS_ZH)}])(?!天)")
_MONTHDAY_ZH = re.compile(r"(?P<which>上|这|本)个?月(?P<day>[0-3]?\d)[号日]")

_SEASON = re.compile(
    r"\b(?:(?P<which>last|this)|in(?: the)?|during(?: the)?|over the|since) (?:early |late )?"
    rf"(?P<season>{SEASON})(?! (?:of )?{YEAR})\b",
    re.IGNORECASE,
)
_SEASON_OF_YEAR = re.compile(rf"\b(?P<which>)(?P<season>{SEASON}) (?:of )?(?P<year>{YEAR})\b", re.IGNORECASE)
_SEASON_ZH = re.compile(
    rf"(?:(?P<which>去年|前年|今年|上个?|这个?)|(?P<year>{YEAR})年)?的?(?P<season>{SEASON_ZH})(?:天|季)"
)
_HOLIDAYS: dict[str, tuple[int, int, int]] = {  # month, day, days
    r"\bchristmas eve\b|平安夜": (12, 24, 1),
    r"\bchristmas\b(?! eve)|\bxmas\b|圣诞": (12, 24, 3),
    r"\bnew year'?s?(?: (?:eve|day))?\b(?!'?s resolution)|元旦|跨年": (12, 31, 2),
    r"\bvalentine'?s\b|情人节": (2, 14, 1),
    r"\bhalloween\b|万圣节": (10, 31, 1),
    r"\bthanksgiving\b|感恩节": (11, 22, 7),
    r"\bspring festival\b|\b(?:chinese|lunar) new year\b|春节|过年|除夕": (1, 20, 32),
    r"\beaster\b|复活节": (3, 22, 36),
    r"清明": (4, 4, 3),
    r"五一|劳动节": (5, 1, 5),
    r"端午": (5, 28, 30),
    r"中秋": (9, 7, 32),
    r"国庆|十一假期|十一长假": (10, 1, 7),
}
"""Those that move take all days on which they can fall."""
_HOLIDAY_PATTERNS = [(re.compile(pattern, re.IGNORECASE), days) for pattern, days in _HOLIDAYS.items()]
_BEFORE, _AFTER = re.compile(r"\bbefore (?:the )?$", re.IGNORECASE), re.compile(r"\b(?:after|since) (?:the )?$", re.I)
_BEFORE_ZH, _AFTER_ZH = re.compile(r"节?(?:之|以)?前"), re.compile(r"节?(?:之|以)?后")
_YEAR_AFTER = re.compile(rf"(?:'s)?,? (?:in |of )?(?P<year>{YEAR})\b")
_YEAR_BEFORE = re.compile(rf"(?:(?P<year>{YEAR})年|(?P<said>去年|前年|今年))的?$")
_BESIDE_HOLIDAY = 30

Found = Iterator[tuple[int, int, Time]]
"""Times with where they stand in a text, as [start, end)."""


# --- weekdays and days of a month -----------------------------------------------------------------------------------


def weekdays(text: str, today: date) -> Found:
    """Days of the week: "last Tuesday", 上周三."""
    for match in _WEEKDAY.finditer(text):
        wanted = WEEKDAYS.index(match["day"].lower())
        which = (match["which"] or "").lower()
        day = _day_of_week(today, wanted, 0) if which == "this" else _latest_weekday(today, wanted)
        yield *match.span(), Period(day, day)
    for match in _WEEKDAY_ZH.finditer(text):
        wanted, which = WEEKDAYS_ZH[match["day"]], match["which"] or ""
        if which in {"这", "本"}:
            day = _day_of_week(today, wanted, 0)
        else:
            day = _day_of_week(today, wanted, len(which)) if which else _latest_weekday(today, wanted)
        yield *match.span(), Period(day, day)


def _latest_weekday(today: date, wanted: int) -> date:
    """Before today: today is called today."""
    return back(today, (today.weekday() - wanted - 1) % 7 + 1)


def _day_of_week(today: date, wanted: int, weeks_ago: int) -> date:
    return forth(back(today, today.weekday() + 7 * weeks_ago), wanted)


def days_of_month(text: str, today: date) -> Found:
    """Days of this month or the last: 上个月3号."""
    for match in _MONTHDAY_ZH.finditer(text):
        month = back(today.replace(day=1), 1) if match["which"] == "上" else today
        day = date_or_none(month.year, month.month, int(match["day"]))
        if day is not None:
            yield *match.span(), Period(day, day)


# --- seasons and holidays -------------------------------------------------------------------------------------------


def seasons(text: str, today: date) -> Found:
    """Seasons: "last summer", 去年夏天."""
    for pattern in (_SEASON_OF_YEAR, _SEASON, _SEASON_ZH):
        for match in pattern.finditer(text):
            which, month = (match["which"] or "").lower(), SEASONS[match["season"].lower()]
            said = match.groupdict().get("year")
            if said or which in YEARS_AGO:
                year = int(said) if said else today.year - YEARS_AGO[which]
                yield *match.span(), _season(year, month)
            else:
                yield *match.span(), _latest_season(today, month, over=which in {"last", "上", "上个"})


def _season(year: int, month: int) -> Period:
    """Three months; winter is the one that begins in the year."""
    first = date(max(year, 1), month, 1)
    return Period(first, forth(first, 91))


def _latest_season(today: date, month: int, *, over: bool) -> Period:
    """The latest that has begun, or that is over."""
    past = [_season(year, month) for year in (today.year, today.year - 1, today.year - 2)]
    return next((period for period in past if (period.last if over else period.first) < today), past[-1])


def holidays(text: str, today: date) -> Found:
    """Holidays, and the weeks before and after: "before Christmas", 春节."""
    for pattern, (month, day, days) in _HOLIDAY_PATTERNS:
        for match in pattern.finditer(text):
            before, after = text[: match.start()], text[match.end() :]
            period = _holiday(_year_said(before, after, today), month, day, days, today)
            if _BEFORE.search(before) or _BEFORE_ZH.match(after):
                period = Period(back(period.first, _BESIDE_HOLIDAY), back(period.first, 1))
            elif _AFTER.search(before) or _AFTER_ZH.match(after):
                period = Period(forth(period.last, 1), forth(period.last, _BESIDE_HOLIDAY))
            yield *match.span(), period


def _year_said(before: str, after: str, today: date) -> int | None:
    said = _YEAR_BEFORE.search(before) or _YEAR_AFTER.match(after)
    if said is None:
        return None
    parts = said.groupdict()
    return int(parts["year"]) if parts.get("year") else today.year - YEARS_AGO[parts["said"]]


def _holiday(year: int | None, month: int, day: int, days: int, today: date) -> Period:
    first = date(max(year or today.year, 1), month, day)
    if year is None and first > today and today.year > 1:
        first = first.replace(year=today.year - 1)
    return Period(first, forth(first, days - 1))
