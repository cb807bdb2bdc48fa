"""The figures as a file for node_exporter's textfile collector, where Prometheus does not reach the socket."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from edge.errors import SettingsInvalid
from edge.settings import HealthSettings

_log = logging.getLogger(__name__)
WRITE_SECONDS = 60.0
_SUFFIX = ".prom"
_READABLE = 0o644
"""node_exporter runs as another user; there is nothing in it but sums."""


def textfile_path(settings: HealthSettings) -> Path | None:
    """Where the file is wanted. Raises SettingsInvalid for a path that node_exporter would not read."""
    if not settings.textfile:
        return None
    path = Path(settings.textfile).expanduser()
    if not path.is_absolute() or path.suffix != _SUFFIX:
        raise SettingsInvalid(
            f"health.textfile: {settings.textfile} is not a whole path that ends in {_SUFFIX}.", key="health.textfile"
        )
    return path


class Textfile:
    """Writes the file anew each minute. Lives on the event loop."""

    def __init__(self, path: Path, figures: Callable[[], Awaitable[bytes]]) -> None:
        self._path = path
        self._figures = figures
        self._failure: str | None = None

    async def watch(self) -> None:
        """Write again and again. Never ends by itself."""
        while True:
            await self.write()
            await asyncio.sleep(WRITE_SECONDS)

    async def write(self) -> None:
        """Write it now. What fails is logged once, and tried again the next time."""
        figures = await self._figures()
        try:
            await asyncio.to_thread(_put, self._path, figures)
            self._failure = None
        except OSError as error:
            if self._failure != error.strerror:
                _log.warning("the figures cannot be written to %s: %s", self._path, error.strerror)
            self._failure = error.strerror

    def remove(self) -> None:
        """Take the file away: figures of a daemon that has ended are true of nothing."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s stays: %s", self._path, error.strerror)


def _put(path: Path, figures: bytes) -> None:
    """Whole or not at all: a scrape in between reads the file before."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        os.fchmod(file.fileno(), _READABLE)
        file.write(figures)
    part.replace(path)
