"""Numbers, codes and dates in a person's words, and their normal forms."""

from __future__ import annotations

import re

from edge.memory.numerals import NUMERALS, SPELLED_OUT, to_int
from edge.memory.time_words import MONTH, month_number

Read = tuple[str, str]
"""A value as it is shown, and its normal form for comparison."""

HAN = r"\u3400-\u9fff"

# --- numbers and codes -----------------------------------------------------------------------------------------


def read_phone(raw: str) -> Read | None:
    """Digits with the country code, without signs; 00 in front and + are the same."""
    spoken = raw.translate(SPELLED_OUT) if not raw.isascii() else raw
    digits = re.sub(r"\D", "", spoken)
    if not 5 <= len(digits) <= 15 or not digits.isascii() or re.fullmatch(r"\d{4}-\d\d?-\d\d?", raw):
        return None
    return spoken.strip(), digits.removeprefix("00")


def read_certain_phone(raw: str) -> Read | None:
    """A phone number that its shape alone tells from other numbers."""
    read = read_phone(raw)
    if read is None:
        return None
    is_mobile = re.fullmatch(r"(?:86)?1[3-9]\d{9}", read[1])
    is_grouped = len(read[1]) >= 9 and len(re.findall(r"[-. /)]", raw.strip())) >= 2
    return read if is_mobile or is_grouped or raw.startswith("+") else None


def read_train(raw: str) -> Read | None:
    """A train: letters and digits, two or more."""
    value = re.sub(r"\s", "", raw).upper()
    return (raw.strip(), value) if any(ch.isdigit() for ch in value) and len(value) > 1 else None


def read_plate(raw: str) -> Read | None:
    """A licence plate: letters and digits, in upper case, without spaces."""
    value = re.sub(r"[\s·-]", "", raw).upper()
    return (raw.strip(), value) if any(ch.isdigit() for ch in value) and len(value) > 3 else None


def read_locator(raw: str) -> Read | None:
    """A booking code: five to eight capital letters and digits."""
    value = raw.strip().upper()
    return (raw.strip(), value) if any(ch.isdigit() for ch in raw) or raw.strip().isupper() else None


def read_email(raw: str) -> Read | None:
    """An address in lower case."""
    return raw, raw.lower()


def read_handle(raw: str) -> Read | None:
    """A name in a messenger, in lower case; one of letters alone has six or more."""
    shown = raw.strip().rstrip(".")
    return (shown, shown.lower()) if len(shown) > 5 or any(ch.isdigit() or ch == "_" for ch in shown) else None


def read_code(raw: str) -> Read | None:
    """An order or ticket number: upper case, without spaces and #; it has a digit."""
    value = re.sub(r"[\s#]", "", raw).upper()
    if not any(ch.isdigit() for ch in value) or len(value) < (2 if "#" in raw else 3):
        return None
    if re.fullmatch(r"\d+(?:ST|ND|RD|TH|AM|PM|KG|EUR|USD|X|K)", value):
        return None
    return raw.strip(), value


def read_age(raw: str) -> Read | None:
    """Years from 1 to 119."""
    age = to_int(raw)
    return (str(age), str(age)) if age is not None and 1 <= age <= 119 else None


# --- dates -----------------------------------------------------------------------------------------------------

_ZH_DAY = r"[\d一二三四五六七八九十]{1,3}"
DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\.?(?:,? \d{{4}})?"
    rf"|{MONTH}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?(?!\d)"
    rf"|\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}(?:[-/.]\d{{4}})?"
    rf"|(?:农历|阴历)?(?:(?:\d{{4}}|[{NUMERALS}]{{4}}) ?年 ?)?{_ZH_DAY} ?月 ?{_ZH_DAY} ?[日号]?)"
)
_EN_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_ZH_DATE = re.compile(rf"(?:(\d{{4}}|[{NUMERALS}]{{4}}) ?年 ?)?({_ZH_DAY}) ?月 ?({_ZH_DAY})")


def read_date(raw: str) -> Read | None:
    """ISO where the year is known, else --MM-DD; as written where day and month cannot be told apart (3/5)."""
    shown = raw.strip()
    parts = _date_parts(shown.lower())
    if parts is None:
        return None
    year, month, day = parts
    if month == 0:
        return shown, re.sub(r"\s", "", shown)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    calendar = "lunar " if shown.startswith(("农历", "阴历")) else ""
    return shown, f"{calendar}{year or '-'}-{month:02d}-{day:02d}"


def _date_parts(raw: str) -> tuple[str, int, int] | None:
    if found := _ZH_DATE.search(raw):
        month, day = to_int(found[2]), to_int(found[3])
        return ((found[1] or "").translate(SPELLED_OUT), month, day) if month and day else None
    if name := re.search(MONTH, raw):
        day_found, year_found = _EN_DAY.search(raw), _YEAR.search(raw)
        month = month_number(name[0])
        return (year_found[1] if year_found else "", month, int(day_found[1])) if day_found else None
    return _numeric_date(raw)


def _numeric_date(raw: str) -> tuple[str, int, int] | None:
    numbers = [int(part) for part in re.findall(r"\d+", raw)]
    if not 2 <= len(numbers) <= 3:
        return None
    if len(numbers) == 3 and numbers[0] > 31:
        return f"{numbers[0]:04d}", numbers[1], numbers[2]
    year = f"{numbers[2]:04d}" if len(numbers) == 3 else ""
    first, second = numbers[:2]
    if first > 12:
        return year, second, first
    return (year, first, second) if second > 12 or first == second else ("", 0, 0)
