"""What a restore is made of: the files of a state folder, and no models."""

from __future__ import annotations

from pathlib import Path

from edge.clock import Clock
from edge.settings import Settings
from edge.store.backups import FileBackups
from edge.store.restoring import Restored, Restorer

__all__ = ["Restored", "backups_in", "make_restorer"]


def make_restorer(settings: Settings, clock: Clock) -> Restorer:
    """One for the daemon of these settings, which may not run meanwhile. What was evaluated of sessions and the indexes
    are of the memory of before."""
    state = settings.places.state
    database = state / "memory.db"
    backups = FileBackups(database, state / "backups", settings.offpeak.backups, clock)
    return Restorer(database, backups, (state / "index", state / "kv"), clock)


def backups_in(settings: Settings, clock: Clock) -> list[Path]:
    """The backups that there are, newest first."""
    return make_restorer(settings, clock).backups.listed()
