"""Times that are counted from today: "two months ago", "last Tuesday", "before Christmas", 上周三, 去年夏天.

A question to memory looks back: a weekday, a season or a holiday without a year is the latest that has begun.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from edge.memory.periods import Named, Period, Time, back, date_or_none, forth

_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 4}
_NUMBERS |= {word: number for number, word in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "几": 3}
_VAGUE = frozenset({"a couple of", "couple of", "a few", "few", "several", "几"})
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "月": 30}
_UNITS |= {"年": 365, "fortnight": 14}
_COUNT = r"(?P<count>\d{1,3}|a couple of|couple of|a few|[a-z]+)"
_COUNT_ZH = r"(?P<count>\d{1,3}|[一二三四五六七八九十两几])"
_UNIT = r"(?P<unit>day|week|fortnight|month|year)s?"
_UNIT_ZH = r"个?(?P<unit>天|日|周|星期|礼拜|月|年)"
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

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_ZH = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6}
_WEEKDAY = re.compile(rf"\b(?P<which>last|this|on|past)? ?(?P<day>{'|'.join(_DAYS)})s?\b", re.IGNORECASE)
_WEEKDAY_ZH = re.compile(r"(?P<which>上+|这|本)?个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])(?!天)")
_MONTHDAY_ZH = re.compile(r"(?P<which>上|这|本)个?月(?P<day>[0-3]?\d)[号日]")

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_SEASON = re.compile(
    r"\b(?:(?P<which>last|this)|in(?: the)?|during(?: the)?|over the|since) (?:early |late )?"
    r"(?P<season>spring|summer|autumn|fall|winter)(?! (?:of )?(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_SEASON_OF_YEAR = re.compile(
    r"\b(?P<which>)(?P<season>spring|summer|autumn|fall|winter) (?:of )?(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_SEASON_ZH = re.compile(
    r"(?:(?P<which>去年|前年|今年|上个?|这个?)|(?P<year>(?:19|20)\d\d)年)?的?(?P<season>[春夏秋冬])(?:天|季)"
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
_YEAR_AFTER = re.compile(r"(?:'s)?,? (?:in |of )?(?P<year>(?:19|20)\d\d)\b")
_YEAR_BEFORE = re.compile(r"(?:(?P<year>(?:19|20)\d\d)年|(?P<said>去年|前年|今年))的?$")
_YEARS_AGO = {"去年": 1, "前年": 2, "今年": 0}
_BESIDE_HOLIDAY = 30
_RECENT = 21


def relative_times(text: str, today: date) -> list[Time]:
    """The times of a text that are counted from today, or known without a date."""
    found: list[Time] = []
    for read in (_counted, _past, _weekdays, _days_of_month, _seasons, _holidays, _phrases):
        for start, end, time in list(read(text, today)):
            found.append(time)
            text = text[:start] + " " * (end - start) + text[end:]
    return list(dict.fromkeys(found))


_Found = Iterator[tuple[int, int, Time]]


# --- counted: "three days ago", "in the past two weeks" -------------------------------------------------------------


def _counted(text: str, today: date) -> _Found:
    for match in _HALF.finditer(text):
        yield *match.span(), around(back(today, 182), 30)
    text = _HALF.sub(lambda match: " " * len(match[0]), text)
    for pattern in _AGO:
        for match in pattern.finditer(text):
            number = _number(match["count"])
            if number is not None:
                days = _UNITS[match["unit"].lower()]
                slack = days if match["count"].lower() in _VAGUE else days // 4
                yield *match.span(), around(back(today, number * days), slack)


def _past(text: str, today: date) -> _Found:
    for pattern in _PAST:
        for match in pattern.finditer(text):
            number = _number(match["count"] or "one")
            if number is not None:
                yield *match.span(), Period(back(today, number * _UNITS[match["unit"].lower()]), today)


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() else _NUMBERS.get(word.lower())


def around(day: date, slack: int) -> Period:
    """Some days to either side."""
    return Period(back(day, slack), forth(day, slack))


# --- weekdays and days of a month -----------------------------------------------------------------------------------


def _weekdays(text: str, today: date) -> _Found:
    for match in _WEEKDAY.finditer(text):
        wanted = _DAYS.index(match["day"].lower())
        which = (match["which"] or "").lower()
        day = _day_of_week(today, wanted, 0) if which == "this" else _latest_weekday(today, wanted)
        yield *match.span(), Period(day, day)
    for match in _WEEKDAY_ZH.finditer(text):
        wanted, which = _DAYS_ZH[match["day"]], match["which"] or ""
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


def _days_of_month(text: str, today: date) -> _Found:
    for match in _MONTHDAY_ZH.finditer(text):
        month = back(today.replace(day=1), 1) if match["which"] == "上" else today
        day = date_or_none(month.year, month.month, int(match["day"]))
        if day is not None:
            yield *match.span(), Period(day, day)


# --- seasons and holidays -------------------------------------------------------------------------------------------


def _seasons(text: str, today: date) -> _Found:
    for pattern in (_SEASON_OF_YEAR, _SEASON, _SEASON_ZH):
        for match in pattern.finditer(text):
            which, month = (match["which"] or "").lower(), _SEASONS[match["season"].lower()]
            said = match.groupdict().get("year")
            if said or which in _YEARS_AGO:
                year = int(said) if said else today.year - _YEARS_AGO[which]
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


def _holidays(text: str, today: date) -> _Found:
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
    return int(parts["year"]) if parts.get("year") else today.year - _YEARS_AGO[parts["said"]]


def _holiday(year: int | None, month: int, day: int, days: int, today: date) -> Period:
    first = date(max(year or today.year, 1), month, day)
    if year is None and first > today and today.year > 1:
        first = first.replace(year=today.year - 1)
    return Period(first, forth(first, days - 1))


# --- fixed phrases ---------------------------------------------------------------------------------------------------


def _phrases(text: str, today: date) -> _Found:
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
        (r"\bthis week\b", "[这本](?:个)?(?:周(?!末)|星期|礼拜)", _week_before(0)),
        (r"\blast week\b(?!end)", "(?<!上)上(?:个)?(?:周(?!末)|星期|礼拜)", _week_before(1)),
        (r"\bweek before last\b", "上上(?:个)?(?:周(?!末)|星期|礼拜)", _week_before(2)),
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
