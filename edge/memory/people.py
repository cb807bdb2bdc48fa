"""Whom a question asks about, and whom a memory is about.

Most questions that memory cannot answer ask of one person what another one said: on LoCoMo the words match, and only
whose words they are tells that there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum

from edge.memory.units import SELF, Kind, Source, Unit

_FIRST = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|my|mine|me|myself|we|we['’](?:re|ve)|our|ours|us)\b|我|咱|俺", re.IGNORECASE
)
_SECOND = re.compile(r"\b(?:you|your|yours|you['’](?:re|ve)|yourself)\b|你|您", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?:^|[.!?,;:]\s*|\b(?:please|you|to|and)\s+)(?:tell|give|show|remind|help|let) (?:me|us)\b|"
    r"(?:告诉|提醒|帮)(?:我们|咱们|我)|(?:跟|给|和)(?:我们|咱们|我)(?=再?(?:讲|说|聊|介绍|看|列|推荐|找|查))",
    re.IGNORECASE,
)
"""Asks the assistant for something: who it is for is not whom it is about."""
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


class About(Enum):
    """Whom a unit is about, seen from a question."""

    ASKED = "asked"
    OTHERS = "others"
    NOBODY = "nobody"


def asked_people(question: str, known: Collection[str]) -> frozenset[str]:
    """Those of the known people whom a question names; else the owner, where it speaks of "I".

    `known` are subjects of units: `self` and names.
    """
    named = frozenset(name for name in known if name != SELF and names(question, name))
    if named:
        return named
    return frozenset({SELF}) if _FIRST.search(_REQUEST.sub(" ", question)) else frozenset()


def name_spans(text: str, name: str) -> list[tuple[int, int]]:
    """Where a name stands in a text, as [start, end), with what follows it inside the word ("Ann's")."""
    if not name.strip():
        return []
    pattern = rf"\b{re.escape(name)}(?:['’]?s)?(?!\w)" if _LATIN.match(name) else re.escape(name)
    return [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]


def names(text: str, name: str) -> bool:
    """Whether a name stands in a text; a Latin one as a word."""
    return bool(name_spans(text, name))


def whom(unit: Unit, asked: frozenset[str]) -> About:
    """Whom a unit is about, where somebody is asked about.

    Someone's own words are about that person, unless they only address another ("you ..."). The owner's are also
    about whomever they name. The assistant's are about nobody of its own.
    """
    if unit.source is Source.ASSISTANT:
        return About.NOBODY
    own = unit.subject in asked
    if unit.kind is not Kind.EPISODE:
        return About.ASKED if own else About.OTHERS
    if unit.subject == SELF and any(names(unit.content, name) for name in asked):
        return About.ASKED
    return About.ASKED if own != _only_addresses(unit.content) else About.OTHERS


def _only_addresses(text: str) -> bool:
    return _SECOND.search(text) is not None and _FIRST.search(text) is None
