"""Server-sent events: what goes on in the daemon while a client reads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress

from aiohttp import web

from edge.daemon.exchange import refusal
from edge.daemon.views import EventWire, error_wire
from edge.errors import EdgeError

Told = tuple[str, EventWire, EdgeError | None]
"""An event: its name, its data, and the error of one that is `error`."""


async def stream(request: web.Request, events: AsyncIterator[Told]) -> web.StreamResponse:
    """Send events. An error before the first one is an ordinary answer with its HTTP status."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    ended = False
    async for name, wire, error in events:
        if not response.prepared:
            if error is not None:
                return refusal(error)
            await response.prepare(request)
        await response.write(_event(name, wire))
        ended = name in ("done", "error")
    if not response.prepared:
        return refusal(broke_off())
    if not ended:
        await response.write(_event("error", error_wire(broke_off())))
    with suppress(ConnectionError):
        await response.write_eof()
    return response


def _event(name: str, wire: EventWire) -> bytes:
    return f"event: {name}\ndata: {json.dumps(wire, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


def broke_off() -> EdgeError:
    """The error of an answer that has no end."""
    return EdgeError("The answer broke off.")
