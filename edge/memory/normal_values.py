"""One form for amounts, dates and hours, however they are said: "€20", "20 euros" and 二十欧; "3 pm" and 下午三点.

What a slot holds stays in the person's words; this form is only compared.
"""

from __future__ import annotations

import re
import unicodedata

from edge.memory.numerals import ENGLISH_NUMBERS, HAN_MYRIADS, HAN_TENS, han_number
from edge.memory.rules_numbers import DATE, read_date
from edge.memory.time_words import WEEK_ZH, WEEKDAYS, weekday_zh

_UNITS = {
    "eur": "euros?|eur|€|欧元?",
    "usd": r"us ?dollars?|dollars?|bucks|usd|us\$|\$|美元|美金",
    "cny": "yuan|rmb|cny|¥|元|块钱?|人民币",
    "gbp": "pounds?|gbp|£|英镑",
    "jpy": "yen|jpy|日元",
    "chf": "francs?|chf|瑞士法郎",
    "kg": "kilograms?|kilos?|kg|公斤|千克",
    "cm": "centimet(?:er|re)s?|cm|厘米|公分",
}
_PERIODS = {
    "month": "months?|mo|monthly|个?月",
    "year": "years?|yr|yearly|年",
    "week": f"weeks?|wk|weekly|个?(?:{WEEK_ZH})",
    "day": "days?|daily|天|日",
    "night": "nights?|晚",
    "hour": "hours?|hourly|小时",
    "person": "person|head|人",
}
_UNIT = "|".join(f"(?P<{name}>{words})" for name, words in _UNITS.items())
_PERIOD = "|".join(f"(?P<per_{name}>{words})" for name, words in _PERIODS.items())
_SCALES = {"k": 1_000, "thousand": 1_000, "hundred": 100, "million": 1_000_000}
_FIGURE = r"\d[\d,]*(?:\.\d+)?"
_HAN_NUMBER = "[零〇一二两三四五六七八九十百千万亿]+"
_NUMBER = (
    rf"(?:(?P<figure>{_FIGURE}) ?(?P<scale>k|thousand|hundred|million)?(?P<han_scale>[万千百亿])?"
    rf"|(?P<han>{_HAN_NUMBER}))"
)
_AMOUNT = re.compile(
    rf"(?:(?:每|一)个?(?:{_PERIOD.replace('per_', 'before_')}) ?)?(?P<sign>[€$£¥]|usd|eur|rmb|gbp)? ?{_NUMBER} ?"
    rf"(?:{_UNIT})? ?(?:(?:an?|per|each|every|/|每|一)? ?(?:{_PERIOD}))?"
)
_SIGNS = {"€": "eur", "$": "usd", "£": "gbp", "¥": "cny", "rmb": "cny"}

_CLOCK_WORDS = "|".join(ENGLISH_NUMBERS)
_EN_HOUR = re.compile(
    rf"\b(?P<past>half past |quarter past |quarter to )?(?P<hour>\d{{1,2}}|{_CLOCK_WORDS})(?:[:.](?P<minute>\d\d))?"
    r" ?(?P<half>[ap]\.?m\.?|o'clock)?(?: in the (?P<part>morning|afternoon|evening))?(?!\w)"
)
_ZH_HOUR = re.compile(
    r"(?P<part>早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|凌晨)?(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})点"
    r"(?:(?P<half>半)|(?P<quarter>一刻|三刻)|(?P<minute>\d{1,2}|[一二三四五六七八九十]{1,3})分?)?(?:钟|整)?"
)
_AFTERNOON = ("afternoon", "evening", "下午", "傍晚", "晚上", "夜里")
_NAMED_DAYS = [
    (re.compile(f"{name}s?|(?:{WEEK_ZH}){weekday_zh(number)}"), f"<{name[:3]}>") for number, name in enumerate(WEEKDAYS)
]
_EACH = re.compile(r"\bdaily\b|\b(?:every|each) ?day\b|每[天日]")
_EVERY = re.compile(r"\b(?:every|each) ?|每个?")
_DATE = re.compile(rf"(?<![a-z0-9-]){DATE}(?![a-z0-9])")
_NOON = {"noon": "12:00", "midnight": "00:00"}
_SEPARATORS = re.compile(r"[\s,，、的]+")


def same_value(one: str | None, other: str | None) -> bool:
    """Whether two values of a slot are one; a missing value is like no other, and like itself."""
    if one is None or other is None:
        return one is other
    return one == other or normal_value(one) == normal_value(other)


def normal_value(value: str) -> str:
    """The form by which values are compared: of an amount `20 eur`, of a time its parts in digits; of what is neither,
    the value in Unicode's compatibility form and lower case."""
    text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    amount = _amount(text)
    if amount is not None and " " in amount:
        return amount
    return _time(text) or amount or text


def _amount(text: str) -> str | None:
    """`20 eur/month`; None for what is no amount, and for bare figures: in a code, 007 is not 7."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    groups = found.groupdict()
    unit = _SIGNS.get(found["sign"] or "", found["sign"]) or _first(groups, _UNITS)
    period = _first(groups, _PERIODS, "per_") or _first(groups, _PERIODS, "before_")
    if unit is None and period is None and found["han"] is None and not (found["scale"] or found["han_scale"]):
        return None
    number = _number(found)
    return None if number is None else f"{number:g}" + (f" {unit}" if unit else "") + (f"/{period}" if period else "")


def _first(groups: dict[str, str | None], names: dict[str, str], prefix: str = "") -> str | None:
    return next((name for name in names if groups.get(prefix + name)), None)


def _number(found: re.Match[str]) -> float | None:
    if found["han"] is not None:
        return han_number(found["han"])
    number = float(found["figure"].replace(",", ""))
    han_scale = {**HAN_TENS, **HAN_MYRIADS}.get(found["han_scale"] or "", 1)
    return number * _SCALES.get(found["scale"] or "", 1) * han_scale


def _time(text: str) -> str | None:
    """A text with its dates, hours and days of the week in one form; None where it holds none."""
    told = _DATE.sub(_plain_date, text)
    told = _ZH_HOUR.sub(_zh_hour, _EN_HOUR.sub(_en_hour, told))
    for word, hour in _NOON.items():
        told = re.sub(rf"\b{word}\b", f"<{hour}>", told)
    told = _EVERY.sub("<every>", _EACH.sub("<daily>", told))
    for pattern, name in _NAMED_DAYS:
        told = pattern.sub(name, told)
    if told == text:
        return None
    parts = re.findall("<[^>]*>", told)
    rest = _SEPARATORS.sub("", re.sub(r"<[^>]*>|\b(?:on|at|in|the)\b", " ", told))
    return "".join(sorted(set(parts))) + rest


def _plain_date(found: re.Match[str]) -> str:
    read = read_date(found[0])
    return f"<{read[1]}>" if read is not None and re.search(r"-\d\d-\d\d$", read[1]) else found[0]


def _en_hour(found: re.Match[str]) -> str:
    """An hour of 24; as it is where nothing tells it from another number."""
    if not (found["minute"] or found["half"] or found["past"] or found["part"]):
        return found[0]
    hour = ENGLISH_NUMBERS.get(found["hour"]) or int(found["hour"])
    minute = int(found["minute"] or 0)
    if found["past"]:
        minute = {"half past ": 30, "quarter past ": 15, "quarter to ": 45}[found["past"]]
        hour -= found["past"] == "quarter to "
    half = (found["half"] or "").replace(".", "")
    if half in ("am", "pm"):
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif found["part"] in _AFTERNOON and hour < 12:
        hour += 12
    return f"<{hour:02d}:{minute:02d}>"


def _zh_hour(found: re.Match[str]) -> str:
    hour = int(found["hour"]) if found["hour"].isascii() else han_number(found["hour"]) or 0
    minute = 30 if found["half"] else {"一刻": 15, "三刻": 45}.get(found["quarter"] or "", 0)
    if found["minute"]:
        minute = int(found["minute"]) if found["minute"].isascii() else han_number(found["minute"]) or 0
    if found["part"] in _AFTERNOON and hour < 12:
        hour += 12
    return f"<{hour:02d}:{minute:02d}>"
