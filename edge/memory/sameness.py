"""Whether two distilled statements say the same in other words.

A vector alone cannot tell: "opens at 6" and "closes at 6", Chinese sentences of any two nouns lie next to each other
for MiniLM. So the words decide, and the vector only has to agree: both statements must have the same telling words in
the same order, but for a part that was moved to the front, and agree in numbers, negation, and the small words that
turn the sense. What is left are other small words, other forms of words, digits in another script.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from edge.memory.language import Language, language_of
from edge.memory.numerals import han_number
from edge.memory.text import query_terms, side
from edge.memory.units import Unit

LEAST_COSINE: dict[Language, float] = {"en": 0.9, "zh": 0.8}
"""The least cosine, by MiniLM, of two statements that say the same: of those that the words let pass it keeps all in
tests/memory/cases/same_and_different.toml. For Chinese it says little."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|unless|except|hardly|cannot)\b|n't\b"
    r"|[不没无别未非勿莫]|除了|除非",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:from|before|after|off|out|under|over|down|more|less|fewer|all|some|only|must|may|might|can|could|should"
    r"|would|will|was|were|had|did|if|because|than|against|until|since|few|both|between|into|her|his|their|my|your)\b",
    re.IGNORECASE,
)
"""Small words that a search passes over, and that turn the sense."""
_ORDERED = re.compile(r"\b(?:before|after|than|from|over|between|into|against|if|because)\b", re.IGNORECASE)
_LIGHT = frozenset({"again", "already", "also", "just", "realli", "rather", "there"})
_LIGHT_ZH = re.compile("[的了在是于位里着那这个家放份期处呢吧啊呀，,。.！!、 ]|这个|那个|狗(?=狗)|因为?")
_HAN_NUMBERS = re.compile("[零〇一二两三四五六七八九十百千万亿]+(?=[点个天月日号分元块岁楼层次年周])")
_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
_NAMES = re.compile(r"(?<!^)\b[A-Z]\w*")
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)


def may_be_same(one: Unit, other: Unit) -> bool:
    """Whether two units are of one kind, subject, session and side, which those that say the same must be."""
    return one.id != other.id and _place(one) == _place(other)


def _place(unit: Unit) -> tuple[object, ...]:
    return unit.owner, unit.session, unit.kind, unit.subject, side(unit.source)


def say_the_same(one: str, other: str, cosine: float) -> bool:
    """Whether two statements of equal standing say the same, given how near their vectors are."""
    language = language_of(one)
    if language != language_of(other) or cosine < LEAST_COSINE[language]:
        return False
    one, other = in_digits(one), in_digits(other)
    if _bones(one) != _bones(other):
        return False
    first, second = _told(one, language), _told(other, language)
    if not first or first == second:
        return first == second and bool(first)
    return not _ORDERED.search(one) and _names(one) == _names(other) and _is_moved(first, second)


def told_words(text: str) -> list[str]:
    """The words of a statement that tell something, in their order, however it writes its numbers; of Chinese the
    characters."""
    return _told(in_digits(text), language_of(text))


def numbers_of(text: str) -> Counter[str]:
    """The numbers in a statement, in digits; number words and Chinese numerals too."""
    return _bones(in_digits(text))[0]


def in_digits(text: str) -> str:
    """A statement in compatibility form, with numbers in digits."""
    plain = unicodedata.normalize("NFKC", text)
    plain = _HAN_NUMBERS.sub(lambda found: str(han_number(found[0])), plain)
    return _NUMBER_WORD.sub(lambda found: str(_NUMBER_WORDS.index(found[0].lower()) + 1), plain)


def _bones(text: str) -> tuple[Counter[str], Counter[str], int]:
    numbers = Counter(number.replace(",", "") for number in _NUMBERS.findall(text))
    return numbers, Counter(found.lower() for found in _TURNS.findall(text)), len(_NEGATION.findall(text))


def _names(text: str) -> list[str]:
    return [name.lower() for name in _NAMES.findall(text)]


def _told(text: str, language: Language) -> list[str]:
    """The words that tell something, in order; of Chinese the characters."""
    if language == "zh":
        return list(_LIGHT_ZH.sub("", text).lower())
    return [term for term in query_terms(text) if term not in _LIGHT]


def _is_moved(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two sequences differ only in that neighbouring parts of them changed places."""
    if len(one) != len(other):
        return False
    begin = next(at for at, (first, second) in enumerate(zip(one, other, strict=True)) if first != second)
    end = next(at for at, (first, second) in enumerate(zip(one[::-1], other[::-1], strict=True)) if first != second)
    first, second = list(one[begin : len(one) - end]), list(other[begin : len(other) - end])
    return any(first[turn:] + first[:turn] == second for turn in range(1, len(first)))
