"""How the units that were found for a question are told, where its plan asks for more than their words and days."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import date

from edge.memory.plans import Hint
from edge.memory.units import UnitId
from edge.prompt.dated_words import Time


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two statements of which nobody said which holds, each with the day on which it was made; and their units."""

    older: str
    newer: str
    said: date
    again: date
    units: Set[UnitId] = frozenset()


@dataclass(frozen=True, slots=True)
class Manner:
    """How notes are written.

    `happened`: when that was what units tell of, which then stands before them in place of the day they were said.
    `changed` are units that took the place of others: of them the notes say that it changed on that day. `doubt` is
    named behind the notes, `hint` said behind the question. `standing` are the person's standing rules: they answer
    nothing, and are told where they do not stand in the window yet.
    """

    happened: Mapping[UnitId, Time] = field(default_factory=dict)
    changed: Set[UnitId] = frozenset()
    doubt: Doubt | None = None
    hint: Hint | None = None
    standing: Set[UnitId] = frozenset()


PLAINLY = Manner()
