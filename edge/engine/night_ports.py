"""The port of what is known of nights. See `ports` for the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType, Protocol

from edge.memory.nights import Seen, StepName, Trigger
from edge.memory.units import OwnerId

NightId = NewType("NightId", int)


class NightState(StrEnum):
    """How a night stands."""

    OPEN = "open"
    DONE = "done"
    SPENT = "spent"
    """Its budget ended before its work."""


class PartState(StrEnum):
    """How a step of a night stands for one owner."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    """It waits for the next night; `failure` says why."""


@dataclass(frozen=True, slots=True)
class Part:
    """One step for one owner; of none (None) where it is the whole store's. `works` units of work were done."""

    step: StepName
    owner: OwnerId | None
    state: PartState = PartState.WAITING
    seconds: float = 0.0
    tokens: int = 0
    works: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Night:
    """A night: its parts share one budget. `owner`: whose it alone is, of one that a person asked for."""

    id: NightId
    trigger: Trigger
    owner: OwnerId | None
    began_at: datetime
    ended_at: datetime | None
    state: NightState
    parts: tuple[Part, ...]

    @property
    def seconds(self) -> float:
        """Worked so far."""
        return sum(part.seconds for part in self.parts)

    @property
    def tokens(self) -> int:
        """Evaluated so far."""
        return sum(part.tokens for part in self.parts)


class NightStore(Protocol):
    """Keeps nights, so that one goes on after a crash. Lives on the memory thread."""

    def owners(self) -> list[OwnerId]:
        """All that have units."""

    def last(self) -> Night | None:
        """The newest night, with its parts in their order."""

    def last_open(self) -> Night | None:
        """The newest of those that are to go on."""

    def last_scheduled(self) -> Night | None:
        """The newest of those that no person asked for."""

    def begin(
        self, trigger: Trigger, owner: OwnerId | None, parts: Sequence[Part], seen: Mapping[OwnerId, Seen], at: datetime
    ) -> Night:
        """Begin a night. `seen` is what its owners have at this moment. Durable; nights long past are forgotten."""

    def keep_parts(self, night: NightId, parts: Sequence[Part]) -> None:
        """Keep how parts stand. A power cut may take it back: then a little work is done again."""

    def end(self, night: NightId, state: NightState, at: datetime) -> None:
        """End a night. Durable."""

    def reopen(self, night: NightId, parts: Sequence[Part], seen: Mapping[OwnerId, Seen]) -> Night:
        """Let it go on with parts that wait again. Durable."""

    def count(self, owner: OwnerId, at: datetime) -> Seen:
        """What an owner has now."""

    def seen(self, owner: OwnerId) -> Seen:
        """What the owner had when the last night began that worked for them; zeros before the first."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made: its file's name, its size, and how many older ones went."""

    name: str
    bytes: int
    removed: int


class Backups(Protocol):
    """Copies of the database, verified and complete. Nothing in them was forgotten before the newest was made."""

    def make(self, stop: Callable[[], bool]) -> Backup:
        """Make one, and remove those that are too many or hold what was forgotten since; also where none could be made.

        Takes seconds, on a thread of its own. Raises Cancelled as soon as `stop` says so, DiskFull, StoreReadOnly,
        StoreDamaged where the copy is not sound, StoreFailed; nothing of it stays then.
        """

    def are_stale(self) -> bool:
        """Whether one of them holds what was forgotten after it was made."""
