"""When off-peak work is due: what grew since the last night, and which hours are the night's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo
from enum import StrEnum

from edge.memory.freshness import HEALTHY, freshness

LEAST_GROWTH = 5
"""New units under which growth is no trigger: two units of eight are a quarter, and nothing to organise."""
_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
_SET = 2025
"""A clock that shows a year before it was never set: a board without a battery starts in 1970."""


class StepName(StrEnum):
    """The steps of a night, in their order."""

    BACKLOG = "backlog"
    DISTIL = "distil"
    CLUSTER = "cluster"
    MERGE = "merge"
    EVOLVE = "evolve"
    CLEAN = "clean"
    COLD = "cold"
    SEAL = "seal"
    TEXT = "text"
    CHECKPOINT = "checkpoint"
    BACKUP = "backup"


COMMON = frozenset({StepName.BACKLOG, StepName.SEAL, StepName.TEXT, StepName.CHECKPOINT, StepName.BACKUP})
"""Steps that belong to no owner: they are given any, ignore it, and run once a night."""


class Trigger(StrEnum):
    """Why a night begins."""

    UNITS = "units"
    TURNS = "turns"
    GROWTH = "growth"
    TASK = "task"
    FRESHNESS = "freshness"
    FORGOTTEN = "forgotten"
    """Backups hold what was forgotten since."""
    UNFINISHED = "unfinished"
    """The last night left work: its budget ended first, or a step failed."""
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Seen:
    """What an owner has, in numbers that only a forgetting lowers; `tasks`: how often a session changed its topic.
    `valid` of `active` units hold now."""

    units: int = 0
    turns: int = 0
    tasks: int = 0
    valid: int = 0
    active: int = 0


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much has to be new."""

    units: int = 20
    turns: int = 100
    growth: float = 0.2
    freshness: float = HEALTHY


def grown(now: Seen, before: Seen, thresholds: Thresholds) -> Trigger | None:
    """Why work is due for an owner, if it is: by what was counted when the last night began."""
    new = now.units - before.units
    if new >= thresholds.units:
        return Trigger.UNITS
    if now.turns - before.turns >= thresholds.turns:
        return Trigger.TURNS
    if new >= LEAST_GROWTH and new >= thresholds.growth * before.units:
        return Trigger.GROWTH
    return Trigger.TASK if new > 0 and now.tasks > before.tasks else None


def is_stale(now: Seen, thresholds: Thresholds) -> bool:
    """Whether too much of what an owner has in the active set holds no more."""
    return freshness(now.valid, now.active) < thresholds.freshness


@dataclass(frozen=True, slots=True)
class Hours:
    """The hours of the day that are off-peak, also over midnight: "23:00-05:00"."""

    begin: time
    end: time

    @staticmethod
    def read(text: str) -> Hours | None:
        """None for an empty text. Raises ValueError for another."""
        if not text.strip():
            return None
        found = _HOURS.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is not like 01:00-05:00")
        one, two, three, four = map(int, found.groups())
        return Hours(time(one, two), time(three, four))

    def hold(self, at: datetime, zone: tzinfo | None = None) -> bool:
        """Whether a moment lies in them, in a time zone (None: the machine's). Never by a clock that was not set."""
        local = at.astimezone(zone)
        if local.year < _SET:
            return False
        now = local.time()
        if self.begin <= self.end:
            return self.begin <= now < self.end
        return now >= self.begin or now < self.end


def is_another_night(began: datetime, now: datetime, apart: timedelta) -> bool:
    """Whether the last night is long enough ago. One that lies ahead was begun by a clock that was wrong, and keeps
    no other from beginning."""
    return not timedelta(0) <= now - began < apart
