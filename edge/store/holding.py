"""Looking for a value in all texts there are, as `edge.memory.text.holds` finds it, most of them without calling it.

A value that is forgotten is looked for wherever an owner's words stand. Calling a function of Python for each costs
about a second for 300,000 texts; SQLite's own LIKE, which passes over one that lacks the value's characters in their
order, a tenth of that. It compares ASCII only, so a text with other characters is always looked into.
"""

from __future__ import annotations

from edge.memory.text import squeezed

_COMPARED = 32
"""Characters of a value that LIKE looks for: what lacks the first lacks all."""


def holding(column: str) -> str:
    """SQL for whether a column that may be NULL holds the value of `value_held`."""
    text = f"ifnull({column}, '')"
    is_ascii = f"length({text}) = length(CAST({text} AS BLOB))"
    return f"(CASE WHEN {is_ascii} THEN {text} LIKE :in_order ELSE 1 END AND holds({text}, :value))"


def value_held(value: str) -> dict[str, str]:
    """The parameters of `holding`."""
    return {"value": value, "in_order": f"%{'%'.join(squeezed(value)[:_COMPARED])}%"}
