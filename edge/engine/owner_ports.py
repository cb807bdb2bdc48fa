"""What forgetting everything of an owner needs from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from edge.memory.units import OwnerId, UnitId


@dataclass(frozen=True, slots=True)
class Holdings:
    """How much there is of an owner. `token` is another whenever something was added or removed."""

    units: int
    turns: int
    sessions: int
    token: str


@dataclass(frozen=True, slots=True)
class Gone:
    """What one step removed: ids of units, ascending, and the number of turns."""

    units: tuple[UnitId, ...]
    turns: int


class OwnerStore(Protocol):
    """An owner as a whole."""

    def holdings(self, owner: OwnerId) -> Holdings:
        """How much there is now."""

    def forget_beside(self, owner: OwnerId) -> None:
        """Remove what is no unit and no turn, in one transaction: contexts, batches, clusters and their runs, nights.
        Before `forget_some`."""

    def forget_some(self, owner: OwnerId) -> Gone:
        """Remove some units, or where there is none some turns, in one transaction; nothing where nothing is left."""
