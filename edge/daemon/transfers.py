"""The routes that take an owner's memory out and bring it in, as JSON lines of any number."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial

from aiohttp import web

from edge.daemon.exchange import json_answer, owner_of
from edge.engine.ports import Worker
from edge.engine.transfer import Bringing, Transfer
from edge.errors import Busy, EdgeError, ImportInvalid
from edge.memory.portable import LONGEST_LINE
from edge.memory.units import OwnerId
from edge.wire import ImportAnswer

_log = logging.getLogger(__name__)
_MEDIA_TYPE = "application/x-ndjson"
_BATCH_LINES = 100
_BATCH_BYTES = 1024 * 1024


class TransferRoutes:
    """`/v1/export` and `/v1/import`."""

    def __init__(self, transfer: Transfer, worker: Worker, written: Callable[[], None]) -> None:
        self._transfer = transfer
        self._worker = worker
        self._written = written
        self._importing: set[OwnerId] = set()

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.get("/v1/export", self.take_out), web.post("/v1/import", self.bring_in)]

    async def take_out(self, request: web.Request) -> web.StreamResponse:
        lines = iter(self._transfer.lines(owner_of(request)))
        response = web.StreamResponse(headers={"Content-Type": _MEDIA_TYPE, "Cache-Control": "no-store"})
        try:
            while (piece := await self._worker.run(partial(next, lines, None))) is not None:
                if not response.prepared:
                    await response.prepare(request)
                if piece:
                    await response.write(piece)
        except EdgeError as error:
            if not response.prepared:
                raise
            _log.error("an export broke off: %s", error.message)
            if request.transport is not None:
                request.transport.abort()  # a client must not take half of it for all
            raise ConnectionResetError("the export broke off") from error
        await response.write_eof()
        return response

    async def bring_in(self, request: web.Request) -> web.Response:
        try:
            return json_answer(await self._alone(request, owner_of(request)))
        except EdgeError:
            with suppress(ConnectionError, web.RequestPayloadError):
                async for _ in request.content.iter_any():
                    pass  # who still sends reads no answer
            raise

    async def _alone(self, request: web.Request, owner: OwnerId) -> ImportAnswer:
        if owner in self._importing:
            raise Busy("An import of yours is under way.", hint="Wait until it has ended.")
        self._importing.add(owner)
        try:
            return await self._bring(request, self._transfer.begin(owner))
        finally:
            self._importing.discard(owner)
            self._written()

    async def _bring(self, request: web.Request, bringing: Bringing) -> ImportAnswer:
        while await self._worker.run(bringing.learn):
            pass
        async for batch in _batches(request.content.iter_any()):
            await self._worker.run(partial(bringing.bring, batch))
        return {
            "lines": bringing.lines,
            "added": bringing.added,
            "known": bringing.known,
            "redacted": bringing.redacted,
            "ended": bringing.ended,
        }


async def _batches(pieces: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """The lines of a body, some at a time. Raises ImportInvalid for one that is too long."""
    batch: list[bytes] = []
    size = 0
    async for line in _lines(pieces):
        batch.append(line)
        size += len(line)
        if len(batch) >= _BATCH_LINES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest: list[bytes] = []
    length, number = 0, 1
    async for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join((*rest, line))
            rest, length, number = [], 0, number + 1
        rest.append(last)
        length += len(last)
        if length > LONGEST_LINE:
            raise ImportInvalid(f"Line {number}: it has over {LONGEST_LINE} bytes.", line=number)
    if length:
        yield b"".join(rest)
