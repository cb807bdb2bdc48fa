"""Which memories a reply used, and what a person says of it in their next message. In English and Chinese."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from edge.memory.questions import wants_agreement
from edge.memory.relevance import Event
from edge.memory.rules_assent import Assent
from edge.memory.text import holds, is_prefix, query_terms, search_terms, squeezed
from edge.memory.units import Unit

_SHARE = 0.4
"""Of a unit's words that the person did not say themselves, so many in a reply are no accident; at least two."""
_SPOKEN_OF = frozenset({"user", "用户"})
"""Distilled units call the person so; a reply that does says nothing with it."""
_SHORT = 3
_READ, _JUDGED = 4000, 400
"""Characters of a message that are compared with a reply, and those in which a judgement is looked for: one is short,
and comes first."""


def used_units(reply: str, message: str, units: Iterable[Unit]) -> list[Unit]:
    """Those of the units that a reply to a message was made with: it holds the unit's value, name or number, or enough
    of its words, and the person had not just said them."""
    message = message[:_READ]
    exchange = _Exchange(reply, message, frozenset(search_terms(reply)), frozenset(search_terms(message)))
    return [unit for unit in units if _used(exchange, unit)]


def verdict(message: str, assent: Assent) -> Event | None:
    """What a message says of the reply before it: the memory in it is not to be used, is wrong, or is right; None where
    it says nothing of the kind. A question ("is that right?") does not."""
    message = message.strip()[:_JUDGED]
    if assent.forbids(message):
        return Event.IGNORED
    if wants_agreement(message):
        return None
    if assent.says_wrong(message):
        return Event.MISLED
    return Event.CONFIRMED if assent.says_right(message) else None


@dataclass(frozen=True, slots=True)
class _Exchange:
    reply: str
    message: str
    replied: frozenset[str]
    said: frozenset[str]


def _used(exchange: _Exchange, unit: Unit) -> bool:
    named = [unit.value, *unit.entities] if unit.value else unit.entities
    if any(_says(exchange.reply, name) and not _says(exchange.message, name) for name in named):
        return True
    fresh = {term for term in query_terms(unit.content) if not is_prefix(term)} - exchange.said - _SPOKEN_OF
    shared = fresh & exchange.replied
    if any(_is_telling(term) for term in shared):
        return True
    return len(shared) >= min(2, len(fresh)) > 0 and len(shared) >= _SHARE * len(fresh)


def _says(text: str, value: str) -> bool:
    """Whether a value stands in a text; a short one as a word of its own."""
    if len(squeezed(value)) >= _SHORT or not value.isascii():
        return holds(text, value)
    return set(search_terms(value)) <= set(search_terms(text))


def _is_telling(term: str) -> bool:
    """A number of two digits or more, or a code: seldom in two texts by accident."""
    return len(term) > 1 and any(char.isdigit() for char in term)
