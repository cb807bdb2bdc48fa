"""A `HealthStore` in memory."""

from __future__ import annotations

from edge.memory.health import Tally
from edge.memory.units import OwnerId


class FakeHealth:
    """Keeps tallies in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[OwnerId, Tally] = {}

    def tally(self, owner: OwnerId) -> Tally:
        return self.kept.get(owner, Tally())

    def tallies(self) -> list[Tally]:
        return [self.kept[owner] for owner in sorted(self.kept)]

    def keep(self, owner: OwnerId, tally: Tally) -> None:
        self.kept[owner] = tally
