"""Which night it is: whether one goes on, is due, or is asked for. Lives on the memory thread.

A night is a budget and the steps that share it. What grew since it began lets the same night go on, with what is left
of the budget; only after `APART` another begins. Time between nights is counted by the clock that never goes back while
the process runs. Across a restart only the wall's is there: one that was set forward may begin a night too early, one
that was set back keeps none from beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from edge.clock import Clock
from edge.engine.night_ports import Backups, Night, NightId, NightState, NightStore, Part, PartState
from edge.memory.nights import COMMON, Seen, StepName, Thresholds, Trigger, grown, is_another_night, is_stale
from edge.memory.units import OwnerId

APART = timedelta(hours=20)


class Nights:
    """Begins nights. `steps` are those that there are, in their order."""

    def __init__(
        self, store: NightStore, backups: Backups, steps: Sequence[StepName], thresholds: Thresholds, clock: Clock
    ) -> None:
        self._store = store
        self._backups = backups
        self._steps = steps
        self._thresholds = thresholds
        self._clock = clock
        self._began: tuple[NightId, float] | None = None

    def last(self) -> Night | None:
        """The newest night."""
        return self._store.last()

    def due(self) -> Night | None:
        """The night that is to go on or was due, which is then begun."""
        going_on = self._store.last_open()
        if going_on is not None:
            return going_on
        last, now = self._store.last_scheduled(), self._clock.now()
        counts = {owner: self._store.count(owner, now) for owner in self._store.owners()}
        if not counts:
            return None
        why = self._grown(counts)
        if last is None or self._is_another(last):
            why = why or self._untidy(last, counts)
            return None if why is None else self._begin(why, None, self._parts(list(counts)), counts)
        return None if why is None or last.state is NightState.SPENT else self._reopen(last, counts)

    def ask(self, owner: OwnerId, only: StepName | None) -> Night:
        """Begin a night for one owner, of all steps or one. One that is open goes on after it."""
        parts = [part for part in self._parts([owner]) if only is None or part.step is only]
        counts = {owner: self._store.count(owner, self._clock.now())} if only is None else {}
        return self._begin(Trigger.ASKED, owner, parts, counts)

    def _grown(self, counts: Mapping[OwnerId, Seen]) -> Trigger | None:
        found = (grown(now, self._store.seen(owner), self._thresholds) for owner, now in counts.items())
        return next((why for why in found if why is not None), None)

    def _untidy(self, last: Night | None, counts: Mapping[OwnerId, Seen]) -> Trigger | None:
        """What no count tells."""
        if last is not None and (
            last.state is NightState.SPENT or any(part.state is PartState.FAILED for part in last.parts)
        ):
            return Trigger.UNFINISHED
        if any(is_stale(now, self._thresholds) for now in counts.values()):
            return Trigger.FRESHNESS
        return Trigger.FORGOTTEN if self._backups.are_stale() else None

    def _is_another(self, last: Night) -> bool:
        if self._began is not None and self._began[0] == last.id:
            return self._clock.monotonic() - self._began[1] >= APART.total_seconds()
        return is_another_night(last.began_at, self._clock.now(), APART)

    def _begin(
        self, why: Trigger, owner: OwnerId | None, parts: Sequence[Part], counts: Mapping[OwnerId, Seen]
    ) -> Night:
        night = self._store.begin(why, owner, parts, counts, self._clock.now())
        if owner is None:
            self._began = night.id, self._clock.monotonic()
        return night

    def _reopen(self, night: Night, counts: Mapping[OwnerId, Seen]) -> Night:
        """What is done is to be done again; what has failed waits for another night."""
        known = {(part.step, part.owner): part for part in night.parts}
        parts = [known.get((part.step, part.owner), part) for part in self._parts(list(counts))]
        again = [replace(part, state=PartState.WAITING) if part.state is PartState.DONE else part for part in parts]
        return self._store.reopen(night.id, again, counts)

    def _parts(self, owners: Sequence[OwnerId]) -> list[Part]:
        return [Part(step, owner) for step in self._steps for owner in ((None,) if step in COMMON else tuple(owners))]
