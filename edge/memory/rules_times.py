"""Times in a person's words: days, dates, hours, and how often ("on May 3 at 10", "every Tuesday", 下周三上午十点)."""

from __future__ import annotations

import re

from edge.memory.numerals import ENGLISH_NUMBERS
from edge.memory.rules_numbers import DATE, Read
from edge.memory.time_words import MONTH, SEASON, WEEK_ZH, WEEKDAYS, WEEKDAYS_ZH

_DAY = rf"(?:{'|'.join(WEEKDAYS)})s?"
_PART = r"(?:morning|afternoon|evening|night)s?"
_CLOCK = rf"(?:{'|'.join(ENGLISH_NUMBERS)})"
_MINUTES = r"(?: (?:thirty|fifteen|forty-five|o'clock))?"
_HOUR = (
    rf"(?:\d{{1,2}}[:.]\d{{2}} ?(?:[ap]m\b|[ap]\.m\.)?|\d{{1,2}} ?(?:[ap]m\b|[ap]\.m\.|o'clock)"
    rf"|(?<=at )\d{{1,2}}(?![\d:%]|\.\d)|(?<=around )\d{{1,2}}(?![\d:%])|noon|midnight"
    rf"|(?:half past|quarter past|quarter to) {_CLOCK}|(?<=at ){_CLOCK}{_MINUTES}|{_CLOCK} (?:thirty|o'clock|am|pm))"
)
_EN_ITEM = (
    rf"(?:{DATE}|(?:the )?\d{{1,2}}(?:st|nd|rd|th)\b(?: of (?:{MONTH}\.?|next month|this month))?"
    rf"|(?:(?:next|this|coming|this coming) )?{_DAY}(?: {_PART})?"
    rf"|(?:next|this|this coming) (?:week|month|year|weekend|{MONTH}\.?|{SEASON})"
    rf"|today|tonight|tomorrow(?: {_PART})?|the day after tomorrow"
    rf"|(?:every|each)(?: other| second| single)? (?:{_DAY}|day|week|weekend|month|year|weekday|{_PART})(?: {_PART})?"
    rf"|daily|weekly|(?:once|twice|three times|four times) an? (?:day|week|month|year)|weekdays|weekends"
    rf"|in the (?:morning|afternoon|evening)s?|at night|before (?:bed|work|breakfast|lunch|dinner)"
    rf"|after (?:work|breakfast|lunch|dinner)|in (?:{MONTH}\.?|(?:\d+|an?|two|three) (?:days?|weeks?|months?))"
    rf"|{_HOUR}|{_DAY}\b)"
)
_EN_BEFORE = r"(?:(?:on|at|in|from|around|about|by) )?(?:the )?"
_NUMBER = "[一二三四五六七八九十两]"
_ZH_DAY = rf"[{''.join(WEEKDAYS_ZH)}末]"
_ZH_ITEM = (
    rf"(?:{DATE}|每隔?(?:天|日|晚|早|个?(?:{WEEK_ZH}){_ZH_DAY}?|个?月(?:[\d一二三四五六七八九十]{{1,3}}[号日])?|年|[一两]天)"
    rf"|[今明后]天|大后天|[今明]晚|(?:下+|这|本)个?(?:{WEEK_ZH}){_ZH_DAY}?|(?:{WEEK_ZH}){_ZH_DAY}|周末|工作日"
    rf"|(?:下个?月|本月|这个月)(?:[\d一二三四五六七八九十]{{1,3}}[号日]|[初底])?"
    rf"|(?:\d{{1,2}}|{_NUMBER}{{1,3}})(?:月份?[初底]?|[号日](?!线|楼))"
    rf"|国庆节?|春节|中秋节?|五一|元旦|圣诞节?|除夕|年底|月底|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|凌晨|睡前|饭后|饭前|下班后"
    rf"|(?:\d{{1,2}}|{_NUMBER}{{1,3}})点(?:半|一刻|三刻|整|钟|(?:\d{{1,2}}|{_NUMBER}{{1,3}})分?)?|\d{{1,2}}[:：]\d{{2}})"
)
WHEN = (
    rf"(?:{_EN_BEFORE}{_EN_ITEM}(?:(?:,|,? and|)? ?{_EN_BEFORE}{_EN_ITEM}){{0,4}}(?![\w])"
    rf"|{_ZH_ITEM}(?:[、和的 ]?{_ZH_ITEM}){{0,4}})"
)
_SMALL = re.compile(r"\b(?:on|at|in|the|around|about|by|from)\b|[\s,的]")


def read_when(raw: str) -> Read | None:
    """A time as it is said; compared without the small words in it."""
    shown = raw.strip(" ,")
    value = " ".join(_SMALL.sub(" ", shown.lower()).split())
    return (shown, value) if value else None


_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|next|this|coming|in \d+|in an?)\b|[今明后]天|[今明]晚|下+(?:个)?(?:周|星期|礼拜|月)"
    r"|[这本](?:周|个)|月[\d一二三四五六七八九十]+[号日]?|号",
    re.I,
)


def read_often(raw: str) -> Read | None:
    """A time that comes again: "every Tuesday", "at 8 in the evening", 每天早上; no single day."""
    read = read_when(raw)
    return None if read is None or _ONCE.search(read[0]) or re.search(DATE, read[0], re.I) else read
