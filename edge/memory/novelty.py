"""Does a reply say anything that was not said or recalled before? What only restates is not remembered again."""

from __future__ import annotations

from collections.abc import Iterable

from edge.memory.text import query_terms, search_terms


def adds_something(reply: str, known: Iterable[str], *, share: float = 0.34) -> bool:
    """Whether at least `share` of a reply's telling words, and two of them, stand in none of the known texts.

    The known texts are the person's words and the memories the reply was given: a reply made of them restates what is
    remembered, and a store that keeps it fills with its own echo.
    """
    telling = query_terms(reply)
    there = {term for text in known for term in search_terms(text)}
    fresh = [term for term in telling if term not in there]
    return len(fresh) >= 2 and len(fresh) >= share * len(telling)
