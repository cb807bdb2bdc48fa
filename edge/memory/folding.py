"""Whether two units say the same in nearly the same words, so that one of them is enough."""

from __future__ import annotations

from edge.memory.text import search_terms, side
from edge.memory.units import Unit

_FILLERS = frozenset(
    search_terms(
        "the a an so well oh yes yeah just now really very too also and please 了 啊 呀 吧 哦 嗯 也 就 很 真的 现在 请"
    )
)
"""Terms that change nothing of what is said. A negation is none of them."""
_LONGEST = 2000
"""Longer texts are told apart by passage, not folded."""


def says_the_same(one: Unit, other: Unit) -> bool:
    """Whether two units are about the same subject, from the same side, in the same words but for fillers and order.

    Two that hold different values say different things, however alike they are.
    """
    if (one.subject, one.slot, side(one.source)) != (other.subject, other.slot, side(other.source)):
        return False
    if one.slot is not None:
        return one.value == other.value
    if max(len(one.content), len(other.content)) > _LONGEST:
        return False
    return _telling(one.content) == _telling(other.content)


def _telling(text: str) -> tuple[list[str], bool]:
    terms = sorted(term for term in search_terms(text) if term not in _FILLERS)
    return terms or [text], text.rstrip().endswith(("?", "？"))
