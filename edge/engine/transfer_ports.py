"""What taking memory out and bringing it in needs of the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from edge.memory.portable import Record
from edge.memory.units import OwnerId


@dataclass(frozen=True, slots=True)
class Added:
    """What records did: those that are new, by type, and how many the memory had already."""

    added: dict[str, int]
    known: int


class Incoming(Protocol):
    """An import under way. Lives on the memory thread, as all here does."""

    def learn(self) -> bool:
        """Read some of what the owner has already; True while some is left. Before the first `add`."""

    def add(self, records: Sequence[Record]) -> Added:
        """Add records in one transaction, all of them or none. Raises ImportInvalid, its `record` the place in the
        sequence, for one that names what did not come before it; and what the store raises."""


class TransferStore(Protocol):
    """Memory as records."""

    def outgoing(self, owner: OwnerId) -> Iterable[list[Record]]:
        """All of an owner's, some at a time. What is written meanwhile may be missing, and nothing is in it that was
        forgotten by the time its part is read."""

    def incoming(self, owner: OwnerId) -> Incoming:
        """Begin an import for an owner."""
