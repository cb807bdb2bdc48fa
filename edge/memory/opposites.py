"""Whether two distilled statements of one form say opposite things, so that they cannot both hold.

Only what differs in nothing else is told: one denies what the other says ("I eat meat", "I don't eat meat"), or both
give a number to the same state ("the shop opens at 8", "at 9"). Everything else, and whatever may be two events, is
left alone: a fact that stands beside another is better than one that is ended by mistake.
"""

from __future__ import annotations

import re
from enum import StrEnum

from edge.memory.contradictions import signals_change
from edge.memory.language import language_of
from edge.memory.questions import may_ask
from edge.memory.sameness import in_digits, numbers_of, told_words

_NOT = re.compile(
    r"\b(?:do|does|did)(?: not|n't)\b|\bno longer\b|\bnot\b|\bnever\b|n't\b"
    r"|不再(?=是|在|住|吃|喝|喜欢|用|想|养|学|去)|不(?=[是在住吃喝喜爱用想养学去会能要怕抽看听])|没(?=有)",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:any ?more|any longer|now(?:adays)?|currently|these days)\b|现在|目前|如今", re.IGNORECASE)
"""What a statement says beside it when something changed."""
_ENDED = re.compile(r"\bno longer\b|不再", re.IGNORECASE)
_DENYING = frozenset("不没再")
_PAST = re.compile(
    r"\b(?:was|were|did|had|been|went|ago|yesterday)\b|\w{2}ed\b|[了过]|以前|之前|昨天|曾", re.IGNORECASE
)
_STATE = re.compile(
    r"\b(?:is|are|costs?|opens?|closes?|starts?|ends?|weighs?|lasts?|takes?)\b|\b(?:has|have) (?=\d)"
    r"|[是有要重](?=\d)|\d[^，。]{0,4}(?:开门|关门|开始|结束|上班|下班)",
    re.IGNORECASE,
)
_EVERY_TIME = re.compile(
    r"\b(?:sometimes|often|usually|or|and|each|every|one of)\b|有时|经常|通常|或|和|每|之一", re.IGNORECASE
)


class Opposed(StrEnum):
    """How the newer of two statements that cannot both hold stands to the older."""

    DOUBT = "doubt"
    """It is not said whether something changed, or one of the two was a slip."""
    CHANGE = "change"
    """It says that something changed."""


def opposed(older: str, newer: str) -> Opposed | None:
    """Whether two statements of equal standing cannot both hold; None where they can, or it is not certain."""
    if language_of(older) != language_of(newer) or any(map(_is_open, (older, newer))):
        return None
    said = [_NOW.sub(" ", in_digits(text)) for text in (older, newer)]
    denials = [len(_NOT.findall(text)) for text in said]
    plain = [_NOT.sub(" ", text) for text in said]
    if not (_deny(denials, *plain) or (denials == [0, 0] and _count_otherwise(*plain))):
        return None
    is_change = _NOW.search(newer) or _ENDED.search(newer) or signals_change(plain[1])
    return Opposed.CHANGE if is_change else Opposed.DOUBT


def outline(text: str) -> frozenset[str]:
    """What a statement must have in common with another that says the same or the opposite: its telling words without
    numbers, denial and what says that something changed. Most pairs need no further look."""
    words = told_words(_NOT.sub(" ", _NOW.sub(" ", in_digits(text))))
    return frozenset(word for word in words if word not in _DENYING and not any(map(str.isdigit, word)))


def _is_open(text: str) -> bool:
    """Whether a statement may hold beside its opposite: of the past, a question, or not of every time."""
    return _PAST.search(text) is not None or may_ask(text) or _EVERY_TIME.search(text) is not None


def _deny(denials: list[int], one: str, other: str) -> bool:
    """Whether one of two statements that say the same otherwise is denied, once."""
    return sorted(denials) == [0, 1] and numbers_of(one) == numbers_of(other) and _same_words(one, other)


def _count_otherwise(one: str, other: str) -> bool:
    """Whether two statements of a state differ in its one number alone."""
    first, second = numbers_of(one), numbers_of(other)
    if first.total() != 1 or second.total() != 1 or first == second or not _STATE.search(one):
        return False
    return _same_words(*(text.replace(next(iter(numbers)), "0") for text, numbers in ((one, first), (other, second))))


def _same_words(one: str, other: str) -> bool:
    words = told_words(one)
    return bool(words) and words == told_words(other)
