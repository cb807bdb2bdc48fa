"""The readers that tables name: what a phone number, a code, a name, a date looks like, and how it is read.

A reader has a pattern that finds the raw words, and a function that turns them into (as shown, normal form), or
None where they are not such a value after all. Raw words are already folded (see `rules_text.fold`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from edge.memory.numerals import NUMERALS
from edge.memory.rules_amounts import AMOUNT, COUNT, MEASURE, read_amount, read_plain
from edge.memory.rules_names import (
    COMPOUND,
    EN_NAME,
    EN_WORD,
    LOW_NAME,
    NAME_END,
    ZH_NAME,
    read_name,
    read_proper_name,
    read_self_name,
    read_single_name,
    read_surname,
    read_zh_full_name,
)
from edge.memory.rules_numbers import (
    DATE,
    HAN,
    Read,
    read_age,
    read_certain_phone,
    read_code,
    read_date,
    read_email,
    read_handle,
    read_locator,
    read_phone,
    read_plate,
    read_train,
)
from edge.memory.rules_phrases import REST, read_address, read_line, read_phrase, read_place, read_spot
from edge.memory.rules_times import WHEN, read_often, read_when


@dataclass(frozen=True, slots=True)
class Reader:
    """How one type of value is found and read. `typed` values are known by their shape alone."""

    pattern: str
    read: Callable[[str], Read | None]
    typed: bool = False


READERS: Mapping[str, Reader] = {
    "phone": Reader(
        rf"(?:[+(]?\d[\d ().\-/]{{3,22}}\d|[{NUMERALS}幺两]{{7,12}})(?![A-Za-z\d{NUMERALS}])(?!-\d)",
        read_phone,
        typed=True,
    ),
    "certain_phone": Reader(r"[+(]?\d[\d ().\-/]{3,22}\d(?![A-Za-z\d])", read_certain_phone, typed=True),
    "email": Reader(
        r"[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63}){1,4}", read_email, typed=True
    ),
    "code": Reader(
        r"(?:#? ?(?:[A-Z]{1,5} )?\d{2,6}(?: \d{3,6}){1,4}|(?-i:[A-Z]{1,5}) \d{2,12}"
        r"|#? ?[A-Za-z0-9](?:[A-Za-z0-9_/\-]{0,38}[A-Za-z0-9])?)(?![A-Za-z0-9@])(?![.:]\d)",
        read_code,
        typed=True,
    ),
    "age": Reader(r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})(?![\d:]|\.\d)", read_age, typed=True),
    "date": Reader(DATE, read_date, typed=True),
    "plate": Reader(
        rf"(?:[{HAN}][A-Z] ?[·-]? ?[A-Z0-9]{{5,6}}|[A-Z0-9]{{1,4}}(?:[ -][A-Z0-9]{{1,4}}){{0,3}})(?![A-Za-z0-9])",
        read_plate,
        typed=True,
    ),
    "train_code": Reader(r"(?:ICE|IC|RE|RB|S|TGV|[A-Z])? ?\d{1,5}(?![A-Za-z0-9-])", read_train, typed=True),
    "locator": Reader(r"[A-Z0-9]{5,8}(?![A-Za-z0-9-])", read_locator, typed=True),
    "when": Reader(WHEN, read_when, typed=True),
    "often": Reader(WHEN, read_often, typed=True),
    "amount": Reader(AMOUNT, read_amount, typed=True),
    "count": Reader(COUNT, read_plain, typed=True),
    "measure": Reader(MEASURE, read_plain, typed=True),
    "handle": Reader(r"@?[A-Za-z0-9][A-Za-z0-9_.\-]{3,30}(?![A-Za-z0-9@])", read_handle, typed=True),
    "postcode": Reader(
        r"(?:\d{4,6}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![A-Za-z0-9])",
        read_plain,
        typed=True,
    ),
    "code_or_number": Reader(r"[A-Za-z]{0,2}-?\d{1,5}-?[A-Za-z]?(?![A-Za-z0-9:.])", read_plain, typed=True),
    "names": Reader(rf"{EN_NAME}(?:(?:, (?:and )?| and | & ){EN_NAME}){{0,4}}", read_line),
    "name": Reader(rf"(?:{EN_NAME}{NAME_END}|{LOW_NAME}{NAME_END}|{ZH_NAME})", read_name),
    "full_name": Reader(rf"(?:{EN_NAME}{NAME_END}|{LOW_NAME}{NAME_END}|{ZH_NAME})", read_zh_full_name),
    "self_name": Reader(rf"(?:{EN_NAME}{NAME_END}|{LOW_NAME}{NAME_END}|{ZH_NAME})", read_self_name),
    "single_name": Reader(EN_WORD, read_single_name),
    "cap_name": Reader(EN_NAME, read_name),
    "capital_name": Reader(rf"(?:{EN_NAME}{NAME_END}|{ZH_NAME})", read_name),
    "proper_name": Reader(rf"(?:{EN_NAME}{NAME_END}|{ZH_NAME})", read_proper_name),
    "surname": Reader(rf"(?:{EN_NAME}{NAME_END}|{LOW_NAME}{NAME_END}|(?:{COMPOUND}|[{HAN}])(?![{HAN}]))", read_surname),
    "place": Reader(rf"{REST}{{1,70}}(?:, (?-i:[A-Z]){REST}{{1,30}})?", read_place),
    "address": Reader(r"[^。;；!！?？\n\ue000\x00-\x1f\ud800-\udfff]{1,160}", read_address),
    "spot": Reader(rf"[{HAN}A-Za-z0-9]{{2,20}}", read_spot),
    "phrase": Reader(rf"{REST}{{1,120}}", read_phrase),
    "list": Reader(r"[^。;；:：!！?？\n()（）\ue000\x00-\x1f\ud800-\udfff]{1,240}", read_phrase),
    "line": Reader(rf"{REST}{{1,110}}", read_line),
}
