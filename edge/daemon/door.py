"""The door: how many connections stand open at once, in all and of one user, so that nobody shuts the others out."""

from __future__ import annotations

import asyncio
import json
import resource
from typing import cast

from aiohttp import web

from edge.daemon.listening import peer_owner
from edge.daemon.views import error_wire
from edge.errors import Busy
from edge.memory.units import OwnerId

IDLE_SECONDS = 75.0
"""After that long without a request a connection is closed."""
_MOST = 512


class Door:
    """Makes a protocol for each connection, as `loop.create_server` asks for one: the server's, or a refusal.

    Half of the file descriptors that the process may have are for connections, at most 512; three quarters of
    them for any one user.
    """

    def __init__(self, server: web.Server, most: int | None = None) -> None:
        """`most` stands in for the number of connections that the descriptors allow."""
        self._server = server
        self._most = most or min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        self._open: list[tuple[OwnerId, asyncio.Transport]] = []

    def __call__(self) -> asyncio.Protocol:
        """The protocol of the next connection."""
        return _Doorstep(self)

    def enter(self, transport: asyncio.Transport) -> None:
        """Give a connection to the server, or tell it that there is no room."""
        owner = peer_owner(transport.get_extra_info("socket"))
        self._open = [entry for entry in self._open if not entry[1].is_closing()]
        of_owner = sum(other == owner for other, _ in self._open)
        if len(self._open) >= self._most or of_owner >= self._most * 3 // 4:
            transport.write(_refusal(of_owner))
            transport.close()
            return
        self._open.append((owner, transport))
        handler = self._server()
        transport.set_protocol(handler)
        handler.connection_made(transport)


class _Doorstep(asyncio.Protocol):
    """A connection of which it is not known yet whose it is."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._door.enter(cast(asyncio.Transport, transport))


def _refusal(of_owner: int) -> bytes:
    error = Busy(f"There are too many open connections ({of_owner} are yours).", hint="Close some and try again.")
    body = json.dumps(error_wire(error)).encode() + b"\n"
    head = (
        f"HTTP/1.1 {error.http_status} Service Unavailable\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
