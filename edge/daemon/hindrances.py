"""Whether it is off-peak now, and if not, why: in words for `edge status`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum

from edge.clock import Clock
from edge.daemon.board import Board
from edge.daemon.quiet import Quiet
from edge.engine.offpeak import Interrupts
from edge.memory.nights import Hours

BUSY_LOAD = 0.7
"""Tasks a core from which on the machine is in use by others."""
SHORT_MEMORY = 0.1
"""Share of the memory under which there is too little to begin with."""
PRESSED = 10.0
"""Percent of the time in which something waits for memory."""
_FRESH_SECONDS = 2.0
"""How long what the board told is taken for how it is."""


class Cause(StrEnum):
    """What keeps a night from going on."""

    TURN = "turn"
    HOT = "hot"
    VOLTAGE = "voltage"
    THROTTLED = "throttled"
    MEMORY = "memory"
    IN_USE = "in_use"
    LOAD = "load"


@dataclass(frozen=True, slots=True)
class Hindrance:
    """One cause, in words that go after "waits: "."""

    cause: Cause
    words: str


@dataclass(frozen=True, slots=True)
class OffPeak:
    """When work may be done that can wait. `idle_seconds`: nobody has used the daemon for so long; `hours`: when only
    no turn may run; `hot`: degrees Celsius from which on the board is left alone."""

    idle_seconds: float
    hours: Hours | None
    hot: float
    zone: tzinfo | None = None


class Conditions:
    """Looks at clock, use and board. Lives on the event loop."""

    def __init__(self, offpeak: OffPeak, quiet: Quiet, interrupts: Interrupts, board: Board, clock: Clock) -> None:
        self._offpeak = offpeak
        self._quiet = quiet
        self._interrupts = interrupts
        self._board = board
        self._clock = clock
        self._looked: float | None = None
        self._seen: Hindrance | None = None

    def to_begin(self) -> Hindrance | None:
        """What keeps a night from beginning."""
        return self.to_go_on() or self._load()

    def to_go_on(self) -> Hindrance | None:
        """What keeps one that runs from going on; the load is then its own."""
        return self.of_the_machine() or self._use()

    def of_the_machine(self) -> Hindrance | None:
        """What holds up also one that a person asked for now: a turn that goes first, and harm to the board."""
        if self._interrupts.wanted:
            return Hindrance(Cause.TURN, "a turn goes first")
        now = self._clock.monotonic()
        if self._looked is None or now - self._looked >= _FRESH_SECONDS:
            self._looked, self._seen = now, next(self._harm(), None)
        return self._seen

    def _harm(self) -> Iterator[Hindrance]:
        degrees, supply = self._board.temperature(), self._board.supply()
        if degrees is not None and degrees >= self._offpeak.hot:
            yield Hindrance(Cause.HOT, f"the board is hot, {degrees:.0f} °C")
        if supply is not None and supply.under_voltage:
            yield Hindrance(Cause.VOLTAGE, "the power supply is too weak")
        if supply is not None and supply.throttled:
            yield Hindrance(Cause.THROTTLED, "the board throttles itself")
        memory, pressure = self._board.memory(), self._board.memory_pressure()
        if memory is not None and memory.available < SHORT_MEMORY * memory.total:
            yield Hindrance(Cause.MEMORY, f"only {memory.available >> 20} MiB of memory are free")
        if pressure is not None and pressure >= PRESSED:
            yield Hindrance(Cause.MEMORY, f"programs wait for memory, {pressure:.0f}% of the time")

    def _use(self) -> Hindrance | None:
        idle = self._quiet.idle_seconds
        if idle is not None and idle >= self._offpeak.idle_seconds:
            return None
        if self._offpeak.hours is not None and self._offpeak.hours.hold(self._clock.now(), self._offpeak.zone):
            return None
        if idle is None:
            return Hindrance(Cause.IN_USE, "it is in use")
        rest = self._offpeak.idle_seconds - idle
        return Hindrance(Cause.IN_USE, f"it was just used, {_minutes(rest)} to go")

    def _load(self) -> Hindrance | None:
        load = self._board.load()
        if load is None or load < BUSY_LOAD:
            return None
        return Hindrance(Cause.LOAD, f"the machine is busy, load {load:.1f} a core")


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} min" if seconds >= 60 else f"{max(1, round(seconds))} s"
