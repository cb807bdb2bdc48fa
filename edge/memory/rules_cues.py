"""Patterns of questions, and the weaker signs of one: words that make it likely what persons ask about themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from edge.memory.questions import ASKED, ASKED_ZH
from edge.memory.rules_drafts import topic_slot
from edge.memory.rules_needles import Needles
from edge.memory.rules_regex import LazyPattern
from edge.memory.rules_signs import WHO, WHOSE
from edge.memory.rules_tables import Slot

_OF_ONESELF = re.compile(f"[{WHOSE}{WHO}]")
_WHAT = re.compile(
    rf"\b(?:{ASKED}|how (?:old|much|many|often|long)|do|does|is there|are there)\b|{ASKED_ZH}|[几吗]|怎么称呼"
)
_HOW_TO = re.compile(
    rf"\b(?:if|because|why|should {WHO}|can {WHO}|could {WHO}|think|recommend|best way)\b"
    r"|怎么(?!称呼)|为什么|如何|如果|能不能|可以|建议"
)
_LONGEST_CUED, _MOST_CUED = 60, 2


@dataclass(frozen=True, slots=True)
class Ask:
    """A pattern of a whole question, of a slot's own or of any slot's noun."""

    slot: str
    regex: LazyPattern
    needles: Needles

    def asks(self, words: str) -> re.Match[str] | None:
        """The match where the words are that question from the first to the last."""
        if self.needles and not any(needle in words for needle in self.needles):
            return None
        return self.regex.get().fullmatch(words)

    def within(self, words: str) -> re.Match[str] | None:
        """The first match anywhere in the words."""
        if self.needles and not any(needle in words for needle in self.needles):
            return None
        return self.regex.get().search(words)


class Cues:
    """The cues of all slots."""

    def __init__(self, asks: Iterable[Ask]) -> None:
        self.asks = tuple(asks)

    def find(self, words: str, slots: Mapping[str, Slot]) -> tuple[str, ...]:
        """Slots that a short question of the person about themselves, in plain form, is likely to ask for."""
        if len(words) > _LONGEST_CUED or not _OF_ONESELF.search(words) or not _WHAT.search(words):
            return ()
        if _HOW_TO.search(words):
            return ()
        found: list[str] = []
        for ask in self.asks:
            if len(found) < _MOST_CUED and (match := ask.within(words)):
                slot, topic = slots[ask.slot], match.groupdict().get("topic")
                topics = [topic] if topic or not slot.topics else list(slot.topics)
                found += [topic_slot(slot, one) for one in topics]
        return tuple(dict.fromkeys(found))
