"""The routes of the archive: put a memory away, and bring it back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aiohttp import web

from edge.clock import Clock
from edge.daemon.exchange import json_answer, no_fields, owner_of, unit_of
from edge.daemon.memory import Memory
from edge.daemon.views import memory_wire
from edge.engine.ports import Worker
from edge.memory.archive import Why
from edge.memory.units import OwnerId, UnitId
from edge.wire import MemoryWire


class ArchiveRoutes:
    """`/v1/memories/{id}/archive` and `/v1/memories/{id}/restore`."""

    def __init__(self, memory: Memory, worker: Worker, clock: Clock, written: Callable[[], None]) -> None:
        self._memory = memory
        self._worker = worker
        self._clock = clock
        self._written = written

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [
            web.post("/v1/memories/{id}/archive", self.archive),
            web.post("/v1/memories/{id}/restore", self.restore),
        ]

    async def archive(self, request: web.Request) -> web.Response:
        await no_fields(request)
        return await self._answer(partial(self._put_away, owner_of(request), unit_of(request)))

    async def restore(self, request: web.Request) -> web.Response:
        await no_fields(request)
        return await self._answer(partial(self._bring_back, owner_of(request), unit_of(request)))

    async def _answer(self, work: Callable[[], MemoryWire]) -> web.Response:
        answer = await self._worker.run(work)
        self._written()
        return json_answer(answer)

    def _put_away(self, owner: OwnerId, unit: UnitId) -> MemoryWire:
        self._memory.archive.put_away(owner, [unit], Why.BY_HAND, self._clock.now())
        return memory_wire(self._memory.store.unit(owner, unit))

    def _bring_back(self, owner: OwnerId, unit: UnitId) -> MemoryWire:
        self._memory.archive.bring_back(owner, [unit], self._clock.now())
        return memory_wire(self._memory.store.unit(owner, unit))
