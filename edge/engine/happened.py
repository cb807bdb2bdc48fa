"""When what a memory tells of was, for a question that asks when: worked out from its words and the day they were said.

A tiny model that is asked when takes the day that stands before a note, and seldom the one in its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from edge.memory.passages import best_of, divided
from edge.memory.units import Unit
from edge.prompt.dated_words import Time, times_in


def happened(unit: Unit, terms: Mapping[str, float], said: date) -> Time | None:
    """The first time that is meant in the sentence of a unit that a question is about (see `passages.worth`), else in
    the one behind it or before it; None where no word means one."""
    _, sentences = divided(unit)
    if not sentences:
        return None
    best = best_of(sentences, terms)
    for place in (best, best + 1, best - 1):
        found = times_in(sentences[place], said) if 0 <= place < len(sentences) else []
        if found:
            return found[0]
    return None
