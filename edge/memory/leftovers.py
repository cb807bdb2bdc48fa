"""Words of a forgotten unit outside the units: in what an agent told of a session, and in what was told of a batch."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edge.memory.text import folded, holds_any, is_identifying, may_hold, search_terms
from edge.memory.tool_results import told_by_result
from edge.memory.units import Kind


@dataclass(frozen=True, slots=True)
class Gone:
    """What a unit that is forgotten said. A repetition of it holds all its `terms`, or where that `is_code`, the number
    or code however it is spaced."""

    kind: Kind
    content: str
    value: str | None
    is_code: bool = field(init=False, compare=False, repr=False)
    terms: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_code", is_identifying(self.told))
        object.__setattr__(self, "terms", frozenset() if self.is_code else frozenset(search_terms(self.told)))

    @property
    def told(self) -> str:
        """What a repetition of it would hold."""
        return self.value or self.content


def mentions(text: str, gone: Collection[Gone]) -> bool:
    """Whether a text holds what one of the units said: a number or code however it is spaced, else all its words."""
    if holds_any(text, (unit.told for unit in gone if unit.is_code)):
        return True
    plain = folded(text)
    told = [unit.terms for unit in gone if unit.terms and may_hold(plain, unit.terms)]
    terms = frozenset(search_terms(text)) if told else frozenset()
    return any(wanted <= terms for wanted in told)


def context_mentions(context: str, gone: Sequence[Gone]) -> bool:
    """Whether a stored context holds what one of the units said, or is what a tool result was told by."""
    value = json.loads(context)
    if mentions("\n".join(texts_of(value)), gone):
        return True
    results = {unit.content for unit in gone if unit.kind is Kind.TOOL_RESULT}
    return bool(results) and told_by_result(value) in results


def texts_of(value: object) -> Iterator[str]:
    """All keys and values of a JSON value, as texts."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner)
    elif value is not None:
        yield str(value)
