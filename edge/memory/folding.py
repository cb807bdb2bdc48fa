"""Whether two units say the same in nearly the same words, so that one of them is enough."""

from __future__ import annotations

from edge.memory.questions import ends_asking
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


Saying = tuple[object, ...]


def saying(unit: Unit) -> Saying:
    """What a unit says: equal for two about the same subject, from the same side, in the same words but for fillers
    and order.

    Two that hold different values say different things, however alike they are; so do long texts.
    """
    by = (unit.subject, unit.slot, side(unit.source))
    if unit.slot is not None:
        return (*by, unit.value)
    if len(unit.content) > _LONGEST:
        return (*by, unit.id)
    terms = sorted(term for term in search_terms(unit.content) if term not in _FILLERS)
    return (*by, *(terms or [unit.content]), ends_asking(unit.content))
