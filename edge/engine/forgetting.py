"""Forgetting for good, by id, by words or by session, with a look at what goes before. Lives on the memory thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from edge.engine.forgetting_ports import ForgettingStore, Leaving, Selection
from edge.engine.ports import MemoryStore, Scope
from edge.engine.recall import Recall
from edge.engine.vectors import Vectors
from edge.errors import MemoryNotFound, RequestInvalid
from edge.memory.units import OwnerId, SessionId, UnitId

_MOST = 1000
_NEAR = 20


class FoundBy(StrEnum):
    """How the units of a query were found."""

    WORDS = "words"
    """They hold all its words."""
    MEANING = "meaning"
    """None does; recall found them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten: one of ids, a query, and a session."""

    ids: tuple[UnitId, ...] = ()
    query: str | None = None
    session: SessionId | None = None
    facts: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """What goes, and by what a query found it."""

    leaving: Leaving
    found_by: FoundBy | None


@dataclass(frozen=True, slots=True)
class Copies:
    """Where words of units stand outside the store, from which they go as soon as the store has forgotten them.

    `windows` drops an owner's windows, that the model may not see them again; `unopened` removes the files of indexes
    that nobody has open. Neither fails. `kept` removes the files in which windows outlast the process: before the store
    forgets, for a crash in between must not leave forgotten words in them. It raises where it cannot.
    """

    kept: Callable[[OwnerId], None]
    windows: Callable[[OwnerId], None]
    vectors: Vectors
    unopened: Callable[[], None]

    def clear(self, owner: OwnerId, units: tuple[UnitId, ...]) -> None:
        """After the units, and what goes with them, were removed from the store."""
        self.windows(owner)
        self.vectors.remove(units)
        self.unopened()


class Forgetting:
    """Chooses, shows and removes. The store removes all that it holds in one transaction (units, full text, vectors,
    contexts, topics, batches, the words of turns), then the copies go."""

    def __init__(self, store: MemoryStore, choices: ForgettingStore, recall: Recall, copies: Copies) -> None:
        self._store = store
        self._choices = choices
        self._recall = recall
        self._copies = copies

    def preview(self, owner: OwnerId, wanted: Wanted, at: datetime) -> Preview:
        """What would go now. Raises MemoryNotFound, SessionNotFound, RequestInvalid."""
        selection, found_by = self._select(owner, wanted, at)
        return Preview(self._choices.leaving(owner, selection), found_by)

    def forget(self, owner: OwnerId, wanted: Wanted, token: str | None, at: datetime) -> Leaving:
        """Remove it. With a token, only what the preview of that token showed: raises ForgettingChanged. What a query
        found by meaning is removed only after a preview: raises MemoryNotFound without a token."""
        selection, found_by = self._select(owner, wanted, at)
        if found_by is FoundBy.MEANING and token is None:
            raise MemoryNotFound(
                "No memory holds these words.",
                hint="Others may be near in meaning: look at what goes before, and confirm.",
            )
        self._copies.kept(owner)
        leaving = self._choices.forget_selection(owner, selection, token)
        self._copies.clear(owner, leaving.units)
        return leaving

    def forget_unit(self, owner: OwnerId, unit: UnitId) -> tuple[UnitId, ...]:
        """Remove one unit without a look before; ids of all that went. Raises MemoryNotFound."""
        self._copies.kept(owner)
        units = self._store.forget(owner, [unit])
        if not units:
            raise MemoryNotFound(f"There is no memory {unit}.", id=unit)
        self._copies.clear(owner, units)
        return units

    def _select(self, owner: OwnerId, wanted: Wanted, at: datetime) -> tuple[Selection, FoundBy | None]:
        if wanted.query is None:
            return Selection(wanted.ids, wanted.session, wanted.facts), None
        held = self._choices.holding(owner, wanted.query, _MOST + 1)
        if len(held) > _MOST:
            raise RequestInvalid(f"More than {_MOST} memories hold these words; name it more exactly.", field="query")
        if held:
            return Selection(tuple(held)), FoundBy.WORDS
        found = self._recall.find(Scope(owner, None, at, present=True), wanted.query, _NEAR)
        if not found.recalled:
            raise MemoryNotFound("No memory holds these words, or is near to them in meaning.")
        return Selection(tuple(each.unit.id for each in found.recalled)), FoundBy.MEANING
