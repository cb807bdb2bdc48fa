"""The route that makes a backup: everybody's memory in one file, so only for who runs the daemon, and for root."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Protocol

from aiohttp import web

from edge.daemon.exchange import no_fields, owner_of
from edge.daemon.streams import Told, stream
from edge.daemon.views import error_wire
from edge.engine.night_ports import Backups
from edge.errors import EdgeError, NotPermitted
from edge.memory.units import OwnerId
from edge.wire import BackupDone

_LOOK_SECONDS = 0.5


class WatchedBackups(Backups, Protocol):
    """Backups in a folder, that tell how far the one is that is being made."""

    @property
    def folder(self) -> Path:
        """Where they are."""

    def size(self) -> int:
        """Bytes of the database that is copied."""

    def written(self) -> int:
        """Bytes so far of the one that is being made."""


def refuse_others(owner: OwnerId) -> None:
    """Raise NotPermitted for who neither runs the daemon nor is root."""
    if owner not in (f"uid:{os.geteuid()}", "uid:0"):
        raise NotPermitted("This concerns the memory of everybody on this machine.")


class BackupRoutes:
    """`POST /v1/backups`."""

    def __init__(self, backups: WatchedBackups) -> None:
        self._backups = backups

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.post("/v1/backups", self.make)]

    async def make(self, request: web.Request) -> web.StreamResponse:
        refuse_others(owner_of(request))
        await no_fields(request)
        async with aclosing(self._made()) as told:
            return await stream(request, told)

    async def _made(self) -> AsyncGenerator[Told]:
        stop = threading.Event()
        making = asyncio.ensure_future(asyncio.to_thread(self._backups.make, stop.is_set))
        try:
            while not (await asyncio.wait({making}, timeout=_LOOK_SECONDS))[0]:
                total = self._backups.size()
                yield "progress", {"bytes": min(self._backups.written(), total), "total": total}, None
            made = making.result()
            path = str(self._backups.folder / made.name)
            done: BackupDone = {"name": made.name, "path": path, "bytes": made.bytes, "removed": made.removed}
            yield "done", done, None
        except EdgeError as error:
            yield "error", error_wire(error), error
        finally:
            stop.set()
            await asyncio.wait({making})
            making.exception()
