"""When nobody uses the daemon: the time for work that can wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from edge.clock import Clock

QUIET_SECONDS = 300.0
"""It is quiet when nobody has asked for anything for so long."""
_LOOK_SECONDS = 60.0
_LOOKS_ONLY = ("GET", "HEAD")
"""What a person or a monitor does to see how it is, at any time of the day."""


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
    def is_now(self) -> bool:
        """Whether it is quiet."""
        return not self._uses and self._clock.monotonic() - self._last >= QUIET_SECONDS

    async def watch(self, work: Callable[[], None], *, meanwhile: Callable[[], None]) -> None:
        """Let work that can wait be done, again and again while it is quiet, and before it what only waits for the next
        look, quiet or not. Never ends by itself."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            meanwhile()
            if self.is_now:
                work()


def noting_use(quiet: Quiet) -> Middleware:
    """A middleware that notes for each request how long it uses the daemon."""

    @web.middleware
    async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method in _LOOKS_ONLY:
            return await handler(request)
        with quiet.use():
            return await handler(request)

    return note
