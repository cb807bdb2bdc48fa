"""How long nobody has used the daemon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from edge.clock import Clock

_LOOKS_ONLY = ("GET", "HEAD")
"""What a person or a monitor does to see how it is, at any time of the day."""
_ASKS_FOR_OFF_PEAK = ("/v1/consolidations",)
"""A wish for off-peak work does not put it off."""


class Quiet:
    """Knows since when nobody has used the daemon. Lives on the event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._uses = 0
        self._last = clock.monotonic()

    @contextmanager
    def use(self) -> Iterator[None]:
        """The time in which the daemon is used for something."""
        self._uses += 1
        try:
            yield
        finally:
            self._uses -= 1
            self._last = self._clock.monotonic()

    @property
    def idle_seconds(self) -> float | None:
        """Since when nobody has used it; None while somebody does."""
        return None if self._uses else self._clock.monotonic() - self._last


def noting_use(quiet: Quiet) -> Middleware:
    """A middleware that notes for each request how long it uses the daemon."""

    @web.middleware
    async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method in _LOOKS_ONLY or request.path in _ASKS_FOR_OFF_PEAK:
            return await handler(request)
        with quiet.use():
            return await handler(request)

    return note
