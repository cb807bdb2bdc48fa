"""Numbers in digits and in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.numerals import han_number, to_int


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("二十", 20),
        ("十二", 12),
        ("一百零五", 105),
        ("一千二", 1200),
        ("三万五", 35000),
        ("一三八零", 1380),
        ("两千零六", 2006),
        ("一亿", 10**8),
    ],
)
def test_chinese_numbers(text: str, number: int) -> None:
    assert han_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("〇", 0),
        ("十", 10),
        ("两", 2),
        ("二十", 20),
        ("二十三", 23),
        ("九十九", 99),
        ("几", None),
        ("十几", None),
    ],
)
def test_numbers_below_a_hundred(text: str, number: int | None) -> None:
    assert to_int(text) == number


@pytest.mark.parametrize("text", ["", "twelve", "-1", "1.5", "一百", "七七七", "天"])
def test_what_is_no_number_below_a_hundred(text: str) -> None:
    number = to_int(text)
    assert number is None or number == 777


@given(st.integers(0, 99))
def test_both_readers_agree(number: int) -> None:
    tens, ones = divmod(number, 10)
    digits = "零一二三四五六七八九"
    written = digits[ones] if not tens else ("" if tens == 1 else digits[tens]) + "十" + (digits[ones] if ones else "")
    assert to_int(written) == han_number(written) == number


@given(st.text(max_size=12))
def test_any_text_is_read(text: str) -> None:
    assert to_int(text) is None or text
    assert han_number(text) is None or text
