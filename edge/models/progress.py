"""What the slow work on model files tells a caller that wants to show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """What is being done to a file. `discarded` comes once, before a wrong file is deleted."""

    WAITING = "waiting"
    CHECKING = "checking"
    FETCHING = "fetching"
    COPYING = "copying"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Progress:
    """One step forward. `done` and `total` are bytes; `source` names where they come from, or what is waited for."""

    phase: Phase
    model: str
    file: str
    done: int
    total: int
    source: str = ""


Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """A report that shows nothing."""
