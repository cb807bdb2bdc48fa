"""The words that times are made of, in English and Chinese: names of months and days, seasons, units, counts.

What a time means is told elsewhere, for each use: `times` for questions to memory, `past` for questions of how things
were, `rules_times` for what persons tell of themselves, `edge.prompt.dated_words` for what was said on another day.
"""

from __future__ import annotations

from edge.memory.numerals import ENGLISH_NUMBERS, to_int

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)(?![a-z])"
)
"""A month's name, or its beginning: Jan, sept. Patterns are for texts without regard to case."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEK_ZH = "周|星期|礼拜"
WEEKDAYS_ZH = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6}
"""What stands behind 周, by its number from Monday on."""
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
"""The first month of each, north of the equator."""
SEASON = "|".join(name for name in SEASONS if name.isascii())
SEASON_ZH = "[春夏秋冬]"
YEAR = r"(?:19|20)\d\d"
YEARS_AGO = {"去年": 1, "last year": 1, "前年": 2, "今年": 0, "this year": 0}
UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
UNIT_DAYS |= {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "月": 30, "年": 365}
UNIT = "|".join(word for word in UNIT_DAYS if word.isascii())
UNIT_ZH = "|".join(word for word in UNIT_DAYS if not word.isascii())
COUNT = r"\d{1,3}|an?|" + "|".join(ENGLISH_NUMBERS)
COUNT_ZH = r"\d{1,3}|[二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九两]"
VAGUE_COUNTS = {"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 4, "几": 3}
"""Counts that are not meant exactly, and how many they are taken for."""
VAGUE = "|".join(word for word in VAGUE_COUNTS if word.isascii())


def month_number(name: str) -> int:
    """From 1 on, of a name that `MONTH` matches."""
    return next(number for number, known in enumerate(MONTHS, 1) if known.startswith(name[:3].lower()))


def weekday_zh(number: int) -> str:
    """A pattern for what stands behind 周 on a day of the week, counted from Monday, 0."""
    return "[" + "".join(char for char, known in WEEKDAYS_ZH.items() if known == number) + "]"


def count_of(word: str) -> int | None:
    """How many a count says: "3", "a", "twelve", "a few", 两, 十二, 几; None for another word."""
    word = word.lower()
    if word in ("a", "an"):
        return 1
    return ENGLISH_NUMBERS.get(word) or VAGUE_COUNTS.get(word) or to_int(word)
