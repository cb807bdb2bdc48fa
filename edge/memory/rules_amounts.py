"""Amounts in a person's words: money, counts, sizes."""

from __future__ import annotations

import re

from edge.memory.rules_numbers import Read

_FIGURE = r"\d[\d,]*(?:\.\d+)?"
_HAN_FIGURE = "[零一二两三四五六七八九十百千万亿半]"
_PER = (
    r"(?: ?(?:(?:a|per|each|every) (?:month|year|week|night|day|hour|person|head)|monthly|yearly|weekly"
    r"|\/(?:month|mo|月)))?"
)
AMOUNT = (
    rf"(?:(?:[€$£¥￥] ?|(?:usd|eur|rmb|gbp) ){_FIGURE}(?: ?(?:k|million|万))?{_PER}"
    rf"|{_FIGURE} ?(?:k|million|thousand|hundred|[万千百亿])?(?: ?(?:euros?|dollars?|bucks|pounds?|yuan|rmb|usd"
    rf"|eur|francs?|yen|[€$£¥]|元|块钱?|美元|欧元?|英镑|人民币|日元))?{_PER}"
    rf"|{_HAN_FIGURE}{{2,8}}(?:元|块钱?|美元|欧元?|人民币)?|[一二两三四五六七八九十](?:元|块钱?|美元|欧元?))(?![\d%])"
)
COUNT = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|[一两二三四五六七八九十]{1,3})(?: ?[个只条位名])?"
)
MEASURE = (
    r"(?:\d{1,3}(?:[.,]\d{1,2})?(?: ?(?:cm|kg|kilos?|lbs?|pounds|m|meters?|metres?|centimet(?:er|re)s?"
    r"|公斤|斤|厘米|米|码|号))?"
    r"(?:\d{1,2})?|\d'\d{1,2}\"?|(?:x{0,3}[sl]|m)\b|(?:small|medium|large)\b|[一二两三四五六七八九十百]{1,4}(?:米[一二三四五六七八九]?"
    r"|公斤|斤|码|厘米))"
)
_HAS_FIGURE = re.compile(rf"\d|{_HAN_FIGURE}")


def read_amount(raw: str) -> Read | None:
    """An amount of money as it is said; compared without spaces and the commas in figures."""
    shown = raw.strip(" ,")
    if not _HAS_FIGURE.search(shown):
        return None
    return shown, re.sub(r"[\s,]", "", shown.lower())


def read_plain(raw: str) -> Read | None:
    """A count or a size as it is said, compared without spaces."""
    shown = raw.strip(" ,")
    return (shown, re.sub(r"\s", "", shown.lower())) if shown else None
