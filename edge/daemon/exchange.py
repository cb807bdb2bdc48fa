"""One request and its answer: whose it is, what it says, and JSON or an error in one shape."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from edge.daemon.listening import peer_owner
from edge.daemon.requests import Fields, read_object
from edge.daemon.views import error_wire
from edge.errors import BodyTooLarge, EdgeError, MemoryNotFound
from edge.memory.units import OwnerId, UnitId
from edge.wire import MAX_BODY_BYTES


def too_large() -> EdgeError:
    """The refusal of a body over the limit."""
    return BodyTooLarge(f"The body is over {MAX_BODY_BYTES} bytes.")


def refusal(error: EdgeError) -> web.Response:
    """An error as an answer."""
    return json_answer(error_wire(error), status=error.http_status)


def json_answer(body: Any, *, status: int = 200) -> web.Response:
    """An object as an answer."""
    text = json.dumps(body, ensure_ascii=False) + "\n"
    return web.Response(body=text.encode("utf-8", "replace"), status=status, content_type="application/json")


def owner_of(request: web.Request) -> OwnerId:
    """The user at the other end of the connection."""
    if request.transport is None:
        raise ConnectionResetError("the client is gone")
    return peer_owner(request.transport.get_extra_info("socket"))


async def body_of(request: web.Request) -> Fields:
    """The fields of its body."""
    return Fields(await object_of(request))


async def object_of(request: web.Request) -> dict[str, Any]:
    """The JSON object that its body is."""
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise too_large()
    return read_object(await request.read())


async def no_fields(request: web.Request) -> None:
    """Refuse a body that says anything."""
    body = await request.read()
    if body:
        Fields(read_object(body)).done()


def unit_of(request: web.Request) -> UnitId:
    """The unit that its path names. Raises MemoryNotFound for what can be no id."""
    return UnitId(id_of(request, MemoryNotFound, "memory"))


def id_of(request: web.Request, missing: type[EdgeError], what: str) -> int:
    """The id that its path names. Raises `missing` for what can be none."""
    text = request.match_info["id"]
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise missing(f"There is no {what} {text[:40]!r}: ids are whole numbers.")
    return int(text)
