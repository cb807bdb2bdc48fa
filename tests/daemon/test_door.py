"""Connections are bounded, in all and for one user; who comes when there is no room is told so at once."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

import edge.daemon.door
from edge.daemon.door import Door
from edge.memory.units import OwnerId

REQUEST = b"GET / HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n"


@asynccontextmanager
async def served(most: int) -> AsyncIterator[Path]:
    """The path of a socket behind a door."""

    async def answer(request: web.BaseRequest) -> web.Response:
        return web.Response(text=request.path)

    with tempfile.TemporaryDirectory(prefix="edge") as folder:
        path = Path(folder) / "s"
        with socket.socket(socket.AF_UNIX) as link:
            link.bind(str(path))
            server = web.Server(answer)
            listening = await asyncio.get_running_loop().create_server(Door(server, most), sock=link)
            yield path
            listening.close()
            await server.shutdown(1)


async def ask(path: Path) -> bytes:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(REQUEST)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    answer = head + await reader.readexactly(length)
    writer.close()
    return answer


async def keep_open(path: Path, count: int, stack: AsyncExitStack) -> None:
    """Connections that have been answered once, and stay."""
    for _ in range(count):
        reader, writer = await asyncio.open_unix_connection(path)
        stack.callback(writer.close)
        writer.write(REQUEST.replace(b"close", b"keep-alive"))
        await reader.readuntil(b"\r\n\r\n/")


def test_one_user_cannot_take_all_and_is_let_in_again_when_a_connection_ends() -> None:
    async def scene() -> None:
        async with served(4) as path:
            async with AsyncExitStack() as stack:
                await keep_open(path, 3, stack)
                refused = await ask(path)
                assert refused.startswith(b"HTTP/1.1 503 ")
                assert b'"code": "busy"' in refused
                assert b"3 are yours" in refused
            while (answer := await ask(path)).startswith(b"HTTP/1.1 503 "):
                await asyncio.sleep(0)
            assert answer.startswith(b"HTTP/1.1 200 ")

    asyncio.run(scene())


def test_another_user_finds_room_until_all_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["a", "a", "a", "a", "b", "c"])
    monkeypatch.setattr(edge.daemon.door, "peer_owner", lambda _: OwnerId(next(names)))

    async def scene() -> None:
        async with served(4) as path, AsyncExitStack() as stack:
            await keep_open(path, 3, stack)
            assert b" 503 " in await ask(path)
            await keep_open(path, 1, stack)
            assert b" 503 " in await ask(path)

    asyncio.run(scene())
