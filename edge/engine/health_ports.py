"""What health needs of the store."""

from __future__ import annotations

from typing import Protocol

from edge.memory.health import Tally
from edge.memory.units import OwnerId


class HealthStore(Protocol):
    """Keeps the tally of each owner. Lives on the memory thread."""

    def tally(self, owner: OwnerId) -> Tally:
        """The owner's; an empty one before the first turn."""

    def tallies(self) -> list[Tally]:
        """Of all owners that have one."""

    def keep(self, owner: OwnerId, tally: Tally) -> None:
        """Put it in the place of the one before. A power cut may take it back."""
