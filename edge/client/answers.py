"""What comes back on the socket, read into wire types, events and errors; anything else is AnswerInvalid."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar, cast

from edge import errors
from edge.errors import AnswerInvalid, EdgeError

MAX_LINE_BYTES = 17 * 1024 * 1024
Shape = TypeVar("Shape")


def parse_json(data: bytes) -> Any:
    """The JSON value of a body or of an event's data. Raises AnswerInvalid."""
    try:
        return json.loads(data)
    except ValueError:
        raise AnswerInvalid("The daemon's answer is not JSON.") from None


def raise_refusal(status: int, data: bytes) -> NoReturn:
    """Raise what a body with an HTTP status from 400 on says."""
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("error"), dict):
        raise AnswerInvalid(f"What answers on the socket refused with status {status} and no reason of ours.")
    raise error_from_wire(body)


def error_from_wire(body: Any) -> EdgeError:
    """The error that a body or an `error` event carries; one of an unknown code keeps its words and its code."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return AnswerInvalid("The daemon's answer is an error without a message.")
    details = {key: value for key, value in error.items() if key not in ("code", "message", "hint")}
    hint = error["hint"] if isinstance(error.get("hint"), str) else None
    known = _classes().get(str(error.get("code")))
    if known is None:
        details["code"] = str(error.get("code"))
        return _made(EdgeError, error["message"], hint, details)
    return _made(known, error["message"], hint, details)


def _made(kind: type[EdgeError], message: str, hint: str | None, details: dict[str, Any]) -> EdgeError:
    made = kind(message, hint=hint)
    made.details.update(details)
    return made


def _classes() -> dict[str, type[EdgeError]]:
    """The error classes by their wire code."""
    declared = (value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, EdgeError))
    return {kind.code: kind for kind in declared}


def server_sent(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Events as (name, JSON data), as the HTML standard frames them: comments skipped, data lines joined."""
    name, data = "message", list[str]()
    while line := _line(answer):
        text = _utf8(line).rstrip("\r\n")
        field, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if not text:
            if data:
                yield name, parse_json("\n".join(data).encode())
            name, data = "message", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)


def each_line(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The lines of a body, with their ends; the last may have none."""
    while line := _line(answer):
        yield line


def _line(answer: http.client.HTTPResponse) -> bytes:
    """The next line with its end, or nothing at the end of the stream, also where that came too early."""
    try:
        line = answer.readline(MAX_LINE_BYTES)
    except (http.client.HTTPException, ConnectionError):
        return b""
    if len(line) == MAX_LINE_BYTES:
        raise AnswerInvalid("A line of the daemon's answer is too long.")
    return line


def _utf8(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise AnswerInvalid("The daemon's answer is not UTF-8.") from None


def text_of(data: Any) -> str:
    """The piece of a reply that a token event carries."""
    if isinstance(data, dict) and isinstance(data.get("text"), str):
        return str(data["text"])
    raise AnswerInvalid("A token event has no text.")


def shaped(data: Any, shape: type[Shape], *, lists: tuple[str, ...] = ()) -> Shape:
    """The data as its wire type, once it is an object with all the fields, and lists of objects or ids where named."""
    if not isinstance(data, dict):
        raise AnswerInvalid(f"The daemon's answer is no {shape.__name__}, it is no object.")
    missing = [name for name, kind in shape.__annotations__.items() if name not in data and _is_required(kind)]
    if missing:
        raise AnswerInvalid(f"The daemon's answer has no {missing[0]}; it should be a {shape.__name__}.")
    for name in lists:
        if not isinstance(data[name], list):
            raise AnswerInvalid(f"{name} in the daemon's answer is no list.")
    return cast(Shape, data)


def _is_required(kind: Any) -> bool:
    """Whether a field of a wire type must be there; its annotation is a text that nobody has looked into."""
    return not getattr(kind, "__forward_arg__", "").startswith("NotRequired[")


def each_shaped(items: list[Any], shape: type[Any]) -> None:
    """Check that each item of a list is an object with all the fields of its wire type."""
    for item in items:
        shaped(item, shape)
