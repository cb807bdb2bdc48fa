"""Numbers as people write and say them: digits, Chinese numerals, and the small numbers of English."""

from __future__ import annotations

NUMERALS = "零〇一二三四五六七八九"
"""Chinese digits."""
HAN_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "幺": 1}
"""Also 两, which counts, and 幺, which is said in numbers that are spelled out."""
HAN_TENS = {"十": 10, "百": 100, "千": 1_000}
HAN_MYRIADS = {"万": 10_000, "亿": 100_000_000}
SPELLED_OUT = str.maketrans({char: str(number) for char, number in HAN_DIGITS.items()})
"""To digits, one by one: 一三八 is 138."""
ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}  # fmt: skip


def to_int(text: str) -> int | None:
    """A number from 0 to 99 in digits or Chinese numerals (廿 and larger units are not read)."""
    if text.isascii():
        return int(text) if text.isdigit() else None
    tens, ten, ones = text.rpartition("十")
    if not ten:
        plain = text.translate(SPELLED_OUT)
        return int(plain) if plain.isascii() and plain.isdigit() else None
    digits = (tens or "一").translate(SPELLED_OUT) + (ones or "零").translate(SPELLED_OUT)
    return int(digits) if digits.isascii() and digits.isdigit() else None


def han_number(text: str) -> int | None:
    """A whole number in Chinese numerals, also without the last unit (一千二 is 1200)."""
    if all(char in HAN_DIGITS for char in text):
        return int("".join(str(HAN_DIGITS[char]) for char in text)) if text else None
    total, section, digit, last = 0, 0, None, 1
    for char in text:
        if char in HAN_DIGITS:
            digit, last = HAN_DIGITS[char], (1 if HAN_DIGITS[char] == 0 else last)
        elif char in HAN_TENS:
            section += (1 if digit is None else digit) * HAN_TENS[char]
            digit, last = None, HAN_TENS[char] // 10
        elif char in HAN_MYRIADS:
            total = (total + section + (digit or 0)) * HAN_MYRIADS[char]
            section, digit, last = 0, None, HAN_MYRIADS[char] // 10
        else:
            return None
    return total + section + (digit or 0) * max(last, 1)
