"""Frees the language model when nobody has used it for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from edge.clock import Clock
from edge.daemon.speaking import ModelHolder

LOOK_SECONDS = 5.0
"""Between two looks at whether the model is in use."""


class Unloading:
    """Watches the use of the model. Lives on the event loop."""

    def __init__(self, speech: ModelHolder, idle_seconds: float, is_used: Callable[[], bool], clock: Clock) -> None:
        """`idle_seconds` 0 never frees it; `is_used` tells of turns and of off-peak work."""
        self._speech = speech
        self._idle_seconds = idle_seconds
        self._is_used = is_used
        self._clock = clock
        self._used = clock.monotonic()

    async def watch(self) -> None:
        """Look again and again. Never ends by itself."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Free the model where it is loaded and has not been used for long enough."""
        now = self._clock.monotonic()
        if self._is_used():
            self._used = now
        unused = now - max(self._used, self._speech.asked)
        if self._idle_seconds and unused >= self._idle_seconds and not self._is_used():
            await self._speech.unload()
