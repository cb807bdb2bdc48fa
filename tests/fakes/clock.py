"""A clock that moves when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


class SetClock:
    """A `Clock` that stands at a moment; `pass_by` moves both of its times, `set` the wall's alone."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now = now
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def set(self, now: datetime) -> None:
        """Set the wall clock, as NTP does; also back."""
        self._now = now

    def pass_by(self, **time: float) -> None:
        """Let time pass: `clock.pass_by(hours=1)`."""
        passed = timedelta(**time)
        self._now += passed
        self._monotonic += passed.total_seconds()
