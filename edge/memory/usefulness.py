"""Which memories a reply used, and what a person says of it in their next message. In English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from edge.memory.questions import wants_agreement
from edge.memory.relevance import Event
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

_NOT_TO_USE = re.compile(
    r"\b(?:do ?n[o']?t|do not|never|stop|no need to) (?:\w+ ){0,2}?"
    r"(?:us(?:e|ing)|mention(?:ing)?|bring(?:ing)? up|consider(?:ing)?|rely(?:ing)? on|count(?:ing)? on) "
    r"(?:\w+ ){0,3}?(?:that|this|it|those|these|them|anymore|any more|again)\b"
    r"|\b(?:bring (?:that|this|it) up (?:again|any ?more)|stop bringing (?:that|this|it) up)\b"
    r"|\b(?:ignore|disregard|forget(?: about)?|drop|never mind) (?:that|this|it|about (?:that|it))\b"
    r"|\b(?:leave|put) (?:that|this|it) (?:out|aside)\b"
    r"|(?:别|不要|不用|不必|先别)(?:再)?(?:使用|用|提起|提到|提|管|考虑|参考|理会|理|说)(?:这|那|它|了)"
    r"|(?:忽略|无视|不管|抛开)(?:这|那|它|掉)",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"^(?:(?:no|nope)[,.!]? )?(?:wrong|incorrect|not quite)(?=\s*[,.!;:]|\s*$)"
    r"|\b(?:that|this|it|which)(?:'s| is| was)? (?:\w+ly )?(?:wrong|incorrect|false|untrue|outdated|out of date"
    r"|mistaken|a mistake|no longer (?:\w+ )?(?:true|right|correct|valid|current|so))\b"
    r"|\b(?:that|this|it)(?:'s| is|'s| was) not (?:\w+ )?(?:right|correct|true|it|my|the right)\b"
    r"|\b(?:that|this|it) (?:isn't|wasn't|is n't) (?:\w+ )?(?:right|correct|true|it|my|the right)\b"
    r"|\b(?:that|this)(?:'s| is| was) (?:\w+ )?(?:old|my old|the old)\b"
    r"|\byou(?:'re| are) (?:wrong|mistaken)\b|\byou (?:got|have) (?:that|it) wrong\b"
    r"|\bnot any ?more\b|\bthat used to be\b"
    r"|^(?:不对|错了?|不正确|不准确)(?=[，,。.！!；;\s]|$)"
    r"|(?:这|那|它|你|答案|号码|信息|地址|时间|名字)[^，,。！!？?]{0,6}?(?:不对(?!吗)|错了|不正确|不准确|不是真的"
    r"|(?:是)?(?:旧的|老的|以前的|过去的)|过时了?|过期了?|失效了?)"
    r"|(?:你)?(?:搞|弄|记|说|答)错了?|早就(?:不|换|改|过)|已经不是(?:这|那|了)",
    re.IGNORECASE,
)
_RIGHT = re.compile(
    r"^(?:yes|yeah|yep|right|correct|exactly|precisely)(?=\s*[.!]?\s*$)"
    r"|^(?:yes|yeah|yep|right|correct|exactly|ok(?:ay)?)?[,.! ]*(?:that|this|it)(?:'s| is| was)"
    r" (?:still |absolutely |quite |exactly )?(?:right|correct|true|it|the one|the right|my)\b(?! ?(?:up|away|after))"
    r"|^(?:yes|yeah|yep|right|correct|exactly)[,.! ]+(?:that|this|the same) (?:one|number|address|name|\w+)\s*[.!]?\s*$"
    r"|\byou(?:'re| are) (?:absolutely |quite )?right\b|\byou got (?:it|that) right\b"
    r"|^(?:对|对的|是的?|没错|正确|不错|嗯)(?=[，,。.！!\s]*$)"
    r"|^(?:(?:对|对的|是的?|没错|正确|嗯)[，,。！! ]*)?(?:就是|正是|还是)(?:这|那|它)"
    r"|^(?:对的?|没错|正确|是的)[，,。！! ]+(?:这|那|它|号码|你)"
    r"|(?:这|那|它|你(?:说|记|答)(?:得|的)?)[^，,。！!？?]{0,6}?(?:没错|(?<!不)对的?(?=[，,。.！!]|$)|(?<!不)正确)",
    re.IGNORECASE,
)


def used_units(reply: str, message: str, units: Iterable[Unit]) -> list[Unit]:
    """Those of the units that a reply to a message was made with: it holds the unit's value, name or number, or enough
    of its words, and the person had not just said them."""
    message = message[:_READ]
    exchange = _Exchange(reply, message, frozenset(search_terms(reply)), frozenset(search_terms(message)))
    return [unit for unit in units if _used(exchange, unit)]


def verdict(message: str) -> Event | None:
    """What a message says of the reply before it: the memory in it is not to be used, is wrong, or is right; None where
    it says nothing of the kind. A question ("is that right?") does not."""
    message = message.strip()[:_JUDGED]
    if _NOT_TO_USE.search(message):
        return Event.IGNORED
    if wants_agreement(message):
        return None
    if _WRONG.search(message):
        return Event.MISLED
    return Event.CONFIRMED if _RIGHT.search(message) else None


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
