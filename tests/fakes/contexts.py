"""A ContextStore in a dictionary, beside a store of units."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from edge.engine.context_ports import StoredContext
from edge.engine.ports import NewContext, Written
from edge.memory.leftovers import Gone, context_mentions
from edge.memory.units import Change, OwnerId, SessionId


class Units(Protocol):
    """What it needs of the store of units."""

    def apply(self, owner: OwnerId, changes: Sequence[Change], at: datetime) -> Written: ...


class FakeContexts:
    """Contexts for the length of a test."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._contexts: dict[tuple[OwnerId, SessionId], StoredContext] = {}

    def save_context(self, owner: OwnerId, session: SessionId, context: NewContext, at: datetime) -> Written:
        self._contexts.pop((owner, session), None)
        if context.text is not None:
            self._contexts[owner, session] = StoredContext(context.text, at)
        return self._units.apply(owner, context.changes, at)

    def context(self, owner: OwnerId, session: SessionId) -> StoredContext | None:
        return self._contexts.get((owner, session))

    def clear_leftovers(self, owner: OwnerId, gone: Sequence[Gone]) -> None:
        for key, stored in list(self._contexts.items()):
            if key[0] == owner and context_mentions(stored.context, gone):
                del self._contexts[key]
