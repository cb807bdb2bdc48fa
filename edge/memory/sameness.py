"""Whether two distilled statements say the same in other words.

A vector alone cannot tell: "likes" and "does not like", room 12 and room 21 lie next to each other. So both must have
the same bones (numbers, names, negation, conditions), and enough of the same words, besides being near.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from edge.memory.language import language_of
from edge.memory.normal_values import han_number
from edge.memory.text import query_terms, side
from edge.memory.units import Unit

LEAST_COSINE = 0.85
"""The least cosine of two statements that say the same, by MiniLM. See tests/memory/cases/same_and_different.toml."""
_LEAST_OVERLAP = {"en": 0.34, "zh": 0.6}
"""The least share of telling words that they have in common; MiniLM knows little Chinese, so there words decide."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|cannot|neither|nor|hardly|refus\w+|stopp?\w*|quit|dislik\w+|hat\w+"
    r"|avoid\w*|except|unless|fail\w*|un(?:able|available|like\w*|happy)|in(?:valid|correct|active)|off|closed?|empty"
    r"|less|lower|before|against|lost|broken?|missing)\b|n't\b"
    r"|不|没|无|别|未|非|勿|莫|讨厌|拒绝|除了|除非|失败|关|停|少于|之前|以前|丢|坏|缺",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|[零一二两三四五六七八九十百千万亿]+(?=[个只条位名次天年月日号点分米元块欧岁楼层周时小公斤度])"
)
_WORD_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}  # fmt: skip
_NAME = re.compile(r"\b[A-Z][\w'-]*\b|\b\w*\d\w*\b")
_ORDINARY = frozenset(
    {"The", "A", "An", "It", "He", "She", "They", "I", "In", "On", "At", "User", "This", "That", "There"}
)
_OTHER_WAY = re.compile(
    r"\b(?:more|less|left|right|up|down|in|out|on|off|from|to|before|after|morning|evening|afternoon|night|first|last"
    r"|mother|father|sister|brother|son|daughter|wife|husband|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?"
    r"|saturdays?|sundays?|red|blue|green|black|white|yellow|hot|cold|open|big|small|old|new|north|south|east|west"
    r"|always|sometimes|usually|may|might|must|wants?|plans?|if|because|only|all|some|will|was|were|had)\b"
    r"|多|少|左|右|上|下|早|晚|前|后|妈|爸|姐|妹|哥|弟|儿子|女儿|红|蓝|绿|黑|白|黄|冷|热|大|小|新|旧|东|西|南|北|买|卖"
    r"|总是|有时|可能|必须|想|打算|如果|因为|只|都|会|曾|周[一二三四五六日]|星期[一二三四五六日天]",
    re.IGNORECASE,
)
"""Words that change what is said, and hardly the vector."""


@dataclass(frozen=True, slots=True)
class Bones:
    """What two statements must share to say the same."""

    numbers: Counter[str]
    names: frozenset[str]
    negations: int
    turns: frozenset[str]


def may_be_same(one: Unit, other: Unit) -> bool:
    """Whether two units are of one kind, subject, session and side, which those that say the same must be."""
    place = (one.owner, one.session, one.kind, one.subject, side(one.source))
    return one.id != other.id and place == (other.owner, other.session, other.kind, other.subject, side(other.source))


def say_the_same(one: str, other: str, cosine: float) -> bool:
    """Whether two statements of equal standing say the same, given how near their vectors are."""
    language = language_of(one)
    if cosine < LEAST_COSINE or language != language_of(other) or bones(one) != bones(other):
        return False
    return overlap(one, other) >= _LEAST_OVERLAP[language]


def overlap(one: str, other: str) -> float:
    """The share of telling words that two texts have in common: of all that either has."""
    first, second = set(query_terms(one)), set(query_terms(other))
    return len(first & second) / len(first | second) if first | second else 1.0


def bones(text: str) -> Bones:
    """The numbers, names, negations, and words that turn the sense of a statement."""
    plain = unicodedata.normalize("NFKC", text)
    names = {name.lower() for name in _NAME.findall(plain) if name not in _ORDINARY}
    turns = frozenset(found.lower().removesuffix("s") for found in _OTHER_WAY.findall(plain))
    return Bones(_numbers(plain), frozenset(names), len(_NEGATION.findall(plain)), turns)


def _numbers(text: str) -> Counter[str]:
    found = [number.replace(",", "") for number in _NUMBER.findall(text)]
    digits = [number if number[0].isdigit() else str(han_number(number)) for number in found]
    words = [_WORD_NUMBERS[word] for word in re.findall("[a-z]+", text.lower()) if word in _WORD_NUMBERS]
    return Counter(digits + words)
