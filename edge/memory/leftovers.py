"""Words of a forgotten unit outside the units: in what an agent told of a session, and in what was told of a batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge.memory.text import holds, is_identifying, search_terms
from edge.memory.tool_results import told_by_result
from edge.memory.units import Kind


@dataclass(frozen=True, slots=True)
class Gone:
    """What a unit that is forgotten said."""

    kind: Kind
    content: str
    value: str | None

    @property
    def told(self) -> str:
        """What a repetition of it would hold."""
        return self.value or self.content


def mentions(text: str, gone: Iterable[Gone]) -> bool:
    """Whether a text holds what one of the units said: a number or code however it is spaced, else all its words."""
    terms: set[str] | None = None
    for unit in gone:
        if is_identifying(unit.told):
            if holds(text, unit.told):
                return True
            continue
        terms = set(search_terms(text)) if terms is None else terms
        wanted = set(search_terms(unit.told))
        if wanted and wanted <= terms:
            return True
    return False


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
