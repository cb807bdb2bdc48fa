"""What every HealthStore does: the same tests for SQLite and for the fake."""

from __future__ import annotations

from edge.engine.health_ports import HealthStore
from edge.memory.health import WINDOW, Tally
from edge.memory.units import OwnerId
from tests.store.making import ANN, BOB

ODD = OwnerId("health:* 小白%_'")


class HealthContract:
    """Subclasses give the `health`."""

    def test_before_the_first_turn_it_is_empty(self, health: HealthStore) -> None:
        assert health.tally(ANN) == Tally()
        assert health.tallies() == []

    def test_each_owner_has_their_own(self, health: HealthStore) -> None:
        tallies = {ANN: Tally("101", 2), BOB: Tally("", 3), ODD: Tally("1" * WINDOW, 0)}
        for owner, tally in tallies.items():
            health.keep(owner, Tally("0", 9))
            health.keep(owner, tally)
        assert {owner: health.tally(owner) for owner in tallies} == tallies
        assert sorted(tally.text for tally in health.tallies()) == sorted(tally.text for tally in tallies.values())
