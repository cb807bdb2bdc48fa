"""The part of a text that a question is about: the sentence that shares most of its words, with those around it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from edge.memory.compression import sentences
from edge.memory.text import query_terms, search_terms, text_terms
from edge.memory.units import SELF, Unit


def worth(question: str, units: Sequence[Unit]) -> dict[str, float]:
    """What each term of a question says of units that were found for it: the fewer hold it, the more. Who somebody is,
    nearly all of their words say: names of the units' subjects count nothing."""
    named = {term for unit in units if unit.subject != SELF for term in search_terms(unit.subject)}
    terms = frozenset(query_terms(question)) - named
    held = Counter(term for unit in units for term in terms & text_terms(unit.content))
    return {term: math.log(1 + (len(units) + 1) / (held[term] + 0.5)) for term in terms}


def divided(unit: Unit) -> tuple[str, list[str]]:
    """The sentences of a unit's text, apart from the name of its speaker where it begins with that ("Ann: ")."""
    opening = f"{unit.subject}: "
    if unit.subject == SELF or not unit.content.startswith(opening):
        return "", sentences(unit.content)
    return opening, sentences(unit.content.removeprefix(opening))


def best_of(said: Sequence[str], terms: Mapping[str, float]) -> int:
    """Which of some sentences a question is about, by what its terms are worth; the first of equals."""
    return max(range(len(said)), key=lambda place: (_worth(said[place], terms), -place))


def passage(unit: Unit, terms: Mapping[str, float], most: int) -> str:
    """A unit's text in at most so many characters, if its best sentence fits: that one, and of those beside it again
    and again the better, in their order. A text that fits is as it was."""
    if len(unit.content) <= most:
        return unit.content
    opening, said = divided(unit)
    if not said:
        return unit.content
    first = last = best_of(said, terms)
    room = most - len(opening) - len(said[first])
    while True:
        beside = [place for place in (last + 1, first - 1) if 0 <= place < len(said) and len(said[place]) < room]
        if not beside:
            return opening + _joined(said[first : last + 1])
        taken = max(beside, key=lambda place: _worth(said[place], terms))
        first, last = min(first, taken), max(last, taken)
        room -= len(said[taken]) + 1


def _joined(said: Sequence[str]) -> str:
    """Sentences one behind the other, with a space where the script has spaces."""
    return "".join(f"{each} " if each[-1].isascii() else each for each in said).rstrip()


def _worth(text: str, terms: Mapping[str, float]) -> float:
    found = text_terms(text)
    return sum(value for term, value in terms.items() if term in found)
