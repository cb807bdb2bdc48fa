"""What forgetting a choice of things needs from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from edge.memory.units import OwnerId, SessionId, UnitId


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person chose to forget: units, or a session; with `facts` also those from it that every session knows."""

    ids: tuple[UnitId, ...] = ()
    session: SessionId | None = None
    facts: bool = False


@dataclass(frozen=True, slots=True)
class Leaving:
    """What goes with a selection: ids of units, ascending, and the number of turns that lose words or go whole. `kept`
    are the facts from a session that stay. `token` is another whenever anything of it is."""

    units: tuple[UnitId, ...]
    turns: int
    kept: tuple[UnitId, ...]
    token: str


class ForgettingStore(Protocol):
    """Forgetting for good, with a look at what goes before."""

    def leaving(self, owner: OwnerId, selection: Selection) -> Leaving:
        """What would go now. Raises MemoryNotFound for an id that is not the owner's, SessionNotFound."""

    def forget_selection(self, owner: OwnerId, selection: Selection, token: str | None) -> Leaving:
        """Remove it in one transaction; what went. With a token only what that was given for: raises ForgettingChanged
        where it is no longer the same, and what `leaving` raises."""

    def holding(self, owner: OwnerId, query: str, limit: int) -> list[UnitId]:
        """Units in any state and session that hold all words of a query, newest first."""
