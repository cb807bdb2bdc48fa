"""What archiving and relevance need from the store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.engine.ports import Page
from edge.memory.archive import Decay, Restored, Why
from edge.memory.units import Kind, OwnerId, SessionId, Unit, UnitId


@dataclass(frozen=True, slots=True)
class Standing:
    """A unit in any state, and whether it was replaced, also where what replaced it is forgotten."""

    unit: Unit
    superseded: bool


class ArchiveStore(Protocol):
    """Units that leave the active set and come back. Writes are durable when they return, but for `weigh`."""

    def owners(self) -> list[OwnerId]:
        """All owners of units."""

    def standing(self, owner: OwnerId, ids: Collection[UnitId]) -> list[Standing]:
        """Those of the ids that are the owner's, by ascending id."""

    def archive(self, owner: OwnerId, ids: Collection[UnitId], why: Why, at: datetime) -> tuple[UnitId, ...]:
        """Take units out of the active set; ids of those that were in it, ascending."""

    def restore(self, owner: OwnerId, unit: UnitId, how: Restored) -> bool:
        """Put a unit back; False where it was not archived."""

    def leaving(self, owner: OwnerId, at: datetime, decay: Decay, limit: int) -> list[Standing]:
        """Up to `limit` units for which `edge.memory.archive.due` has a reason, and few others."""

    def undo_later(self, owner: OwnerId, at: datetime, limit: int) -> int:
        """Put back up to `limit` units that time alone archived at a moment that is still to come: the clock was wrong
        then. How many it were. Units from after `at` say that it is wrong now, and stay as they are."""

    def weigh(self, owner: OwnerId, relevance: Mapping[UnitId, float]) -> None:
        """Set the relevance of units. A power cut may take it back."""

    def page(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        kinds: frozenset[Kind] | None,
        before: UnitId | None,
        limit: int,
    ) -> Page:
        """Archived units, newest first, with the filters of `MemoryStore.page`."""
