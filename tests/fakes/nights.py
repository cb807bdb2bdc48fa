"""A `NightStore` and `Backups` in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from edge.engine.night_ports import Backup, Night, NightId, NightState, Part
from edge.errors import Cancelled
from edge.memory.nights import Seen, StepName, Trigger
from edge.memory.units import OwnerId


class FakeNights:
    """Keeps nights in a list. `has` is what owners have now."""

    def __init__(self) -> None:
        self.nights: list[Night] = []
        self.has: dict[OwnerId, Seen] = {}
        self.writes = 0
        self._seen: dict[OwnerId, Seen] = {}

    def owners(self) -> list[OwnerId]:
        return sorted(self.has)

    def last(self) -> Night | None:
        return self.nights[-1] if self.nights else None

    def last_open(self) -> Night | None:
        return next((night for night in reversed(self.nights) if night.state is NightState.OPEN), None)

    def last_scheduled(self) -> Night | None:
        return next((night for night in reversed(self.nights) if night.owner is None), None)

    def begin(
        self, trigger: Trigger, owner: OwnerId | None, parts: Sequence[Part], seen: Mapping[OwnerId, Seen], at: datetime
    ) -> Night:
        night = Night(NightId(len(self.nights) + 1), trigger, owner, at, None, NightState.OPEN, _ordered(parts))
        self.nights.append(night)
        self._note(seen)
        return night

    def keep_parts(self, night: NightId, parts: Sequence[Part]) -> None:
        self.writes += 1
        kept = {(part.step, part.owner): part for part in (*self.nights[night - 1].parts, *parts)}
        self.nights[night - 1] = replace(self.nights[night - 1], parts=_ordered(list(kept.values())))

    def end(self, night: NightId, state: NightState, at: datetime) -> None:
        self.nights[night - 1] = replace(self.nights[night - 1], state=state, ended_at=at)

    def reopen(self, night: NightId, parts: Sequence[Part], seen: Mapping[OwnerId, Seen]) -> Night:
        self.keep_parts(night, parts)
        self.nights[night - 1] = replace(self.nights[night - 1], state=NightState.OPEN, ended_at=None)
        self._note(seen)
        return self.nights[night - 1]

    def count(self, owner: OwnerId, at: datetime) -> Seen:
        return self.has.get(owner, Seen())

    def seen(self, owner: OwnerId) -> Seen:
        return self._seen.get(owner, Seen())

    def _note(self, seen: Mapping[OwnerId, Seen]) -> None:
        self._seen |= {owner: Seen(each.units, each.turns, each.tasks) for owner, each in seen.items()}


class FakeBackups:
    """Makes nothing, and says it did."""

    def __init__(self) -> None:
        self.stale = False
        self.made = 0

    def make(self, stop: Callable[[], bool]) -> Backup:
        if stop():
            raise Cancelled("The backup was stopped on request.")
        self.made += 1
        return Backup(f"backup {self.made}", 4096, 0)

    def are_stale(self) -> bool:
        return self.stale


def _ordered(parts: Sequence[Part]) -> tuple[Part, ...]:
    steps = list(StepName)
    return tuple(sorted(parts, key=lambda part: (steps.index(part.step), part.owner or "")))
