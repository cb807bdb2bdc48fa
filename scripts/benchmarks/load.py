"""What other programs take of the processors while something is measured."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)
"""Columns of /proc/stat in which no program ran: idle, and waiting for a disk."""
_TIMES = slice(11, 15)
"""Columns of /proc/PID/stat behind the name: its own time, and that of its children that ended."""
CALM = 0.1
"""Others take less than this share of the processors."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment: on the clock, and what all programs and the own ones have run, in seconds."""

    at: float
    all: float
    own: float


@dataclass(frozen=True, slots=True)
class OtherLoad:
    """Tells the programs of a measurement, by their process ids, from all others."""

    own: tuple[int, ...]

    def mark(self) -> Mark:
        """Now."""
        return Mark(time.monotonic(), _all_seconds(), sum(map(_seconds, self.own)))

    def since(self, mark: Mark) -> float:
        """The share of all processors that others took since then, from 0 to 1."""
        now = self.mark()
        taken = (now.all - mark.all) - (now.own - mark.own)
        return min(1.0, max(0.0, taken / ((now.at - mark.at) * (os.cpu_count() or 1))))


def _all_seconds() -> float:
    columns = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(ticks for at, ticks in enumerate(columns) if at not in _IDLE) / _TICKS


def _seconds(process: int) -> float:
    behind_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, behind_name[_TIMES])) / _TICKS
