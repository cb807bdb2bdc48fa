"""Keeping count of how well memory serves, turn by turn. Lives on the memory thread."""

from __future__ import annotations

from collections.abc import Collection

from edge.engine.health_ports import HealthStore
from edge.engine.recall import Found
from edge.memory.health import TurnSign
from edge.memory.questions import asks
from edge.memory.rules_amnesia import Amnesia
from edge.memory.units import OwnerId, UnitId

_READ = 4000
"""Characters of a message in which a question is looked for."""


class Health:
    """Judges each turn that has a reply, and keeps the owner's tally."""

    def __init__(self, store: HealthStore, amnesia: Amnesia) -> None:
        self._store = store
        self._amnesia = amnesia

    def replied(
        self, owner: OwnerId, message: str, reply: str, found: Found, served: Collection[UnitId], *, is_told: bool
    ) -> None:
        """A reply was made, which `served` units served. `is_told`: the runtime gave it from elsewhere than what recall
        found, such as the count of a batch."""
        outcome = TurnSign(self._has_served(message, found, served, is_told), self._is_forgetful(reply, found, served))
        before = self._store.tally(owner)
        after = before.after(outcome)
        if after != before:
            self._store.keep(owner, after)

    def _has_served(self, message: str, found: Found, served: Collection[UnitId], is_told: bool) -> bool | None:
        """A turn counts as a recall where it asks, and memory had something to give or only memory could have had."""
        counts = asks(message[:_READ]) and (found.recalled or found.about_the_past)
        if not counts or (is_told and not served):
            return None
        return bool(served)

    def _is_forgetful(self, reply: str, found: Found, served: Collection[UnitId]) -> bool:
        return not found.recalled and not served and self._amnesia.shows_in(reply)
