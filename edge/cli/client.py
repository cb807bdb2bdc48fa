"""A typed client of the socket, on the standard library alone so that it starts fast.

Each method is one route of `edge/daemon/API.md` and gives its wire type. An error on the wire comes back as the same
class of `edge.errors`, and one of the connection says what to do next.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self, TypeVar, cast

from edge import errors
from edge.errors import AnswerInvalid, AnswerLate, Busy, DaemonNotRunning, EdgeError, SocketForbidden
from edge.wire import (
    MAX_PAGE,
    DoneEvent,
    ForgetAnswer,
    MemoryPage,
    MemoryWire,
    RecallAnswer,
    RecallEvent,
    RememberAnswer,
    SessionsAnswer,
    SessionWire,
    StatusWire,
)

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 120.0
"""How long an answer may take, but for a turn's: that one takes as long as it takes."""
MAX_LINE_BYTES = 16 * 1024 * 1024
Shape = TypeVar("Shape")


class Found(NamedTuple):
    """`event: recall`."""

    data: RecallEvent


class Token(NamedTuple):
    """`event: token`: the next piece of the reply."""

    text: str


class Done(NamedTuple):
    """`event: done`: the turn is stored."""

    data: DoneEvent


TurnEvent = Found | Token | Done


class UnixConnection(http.client.HTTPConnection):
    """HTTP/1.1 over a Unix socket."""

    def __init__(self, path: str, answer_seconds: float | None) -> None:
        super().__init__("edge")
        self._path = path
        self._answer_seconds = answer_seconds

    def connect(self) -> None:
        """Connect. Raises DaemonNotRunning, SocketForbidden, Busy."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(CONNECT_SECONDS)
        try:
            self.sock.connect(self._path)
        except OSError as error:
            self.sock.close()
            raise _connection_error(self._path, error) from None
        self.sock.settimeout(self._answer_seconds)


def _connection_error(path: str, error: OSError) -> EdgeError:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return DaemonNotRunning(f"no daemon is running: there is no socket at {path}", socket=path)
        case ConnectionRefusedError():
            return DaemonNotRunning(f"no daemon is running: nothing answers on {path}, left by one that died")
        case PermissionError():
            return SocketForbidden(f"you may not use the socket {path}", socket=path)
        case TimeoutError() | BlockingIOError():
            return Busy(f"the daemon takes no more connections on {path}", socket=path)
    return DaemonNotRunning(f"the socket {path} cannot be used: {error.strerror or error}", socket=path)


class Turn:
    """A running turn: iterate over its events; leaving the `with` block stops it."""

    def __init__(self, answer: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> None:
        self._answer = answer
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answer.close()
        self._connection.close()

    def __iter__(self) -> Iterator[TurnEvent]:
        """The events up to `done`. Raises the error of an `error` event, and DaemonNotRunning at an early end."""
        for name, data in _server_sent(self._answer):
            match name:
                case "recall":
                    yield Found(_shaped(data, RecallEvent, lists=("recalled",)))
                case "token":
                    yield Token(_text_of(data))
                case "done":
                    yield Done(_shaped(data, DoneEvent, lists=("recalled",)))
                    return
                case "error":
                    raise error_from_wire(data)
        raise DaemonNotRunning(
            "the daemon ended in the middle of the reply",
            hint="What you said is kept if it was recalled for. " + DaemonNotRunning.default_hint,
        )


class Client:
    """Speaks to the daemon behind one socket. Every call opens a connection of its own."""

    def __init__(self, socket_path: str | os.PathLike[str], answer_seconds: float = ANSWER_SECONDS) -> None:
        self.socket_path = os.fspath(socket_path)
        self._answer_seconds = answer_seconds

    def turn(self, session: str, message: str, reply_tokens: int | None = None) -> Turn:
        """Say something; gives the events of the turn. Raises what the daemon answers, and connection errors."""
        body = _given(session=session, message=message, stream=True, reply_tokens=reply_tokens)
        connection = UnixConnection(self.socket_path, None)
        try:
            answer = _send(connection, "POST", "/v1/turns", body)
            if answer.status != http.client.OK:
                _raise_refusal(answer.status, _read(answer))
            if answer.getheader("Content-Type", "").partition(";")[0].strip() != "text/event-stream":
                raise AnswerInvalid(f"the answer to a turn on {self.socket_path} is not a stream of events")
        except BaseException:
            connection.close()
            raise
        return Turn(answer, connection)

    def memories(
        self,
        *,
        session: str | None = None,
        kind: str | None = None,
        before: int | None = None,
        limit: int | None = None,
        past: bool = False,
    ) -> MemoryPage:
        """One page of units, newest first; `past` adds expired, superseded and archived ones."""
        query = _given(session=session, kind=kind, before=before, limit=limit, past="true" if past else None)
        page = _shaped(self._call("GET", "/v1/memories", query=query), MemoryPage, lists=("memories",))
        _each_shaped(page["memories"], MemoryWire)
        return page

    def all_memories(
        self, *, session: str | None = None, kind: str | None = None, past: bool = False, page: int = MAX_PAGE
    ) -> Iterator[MemoryWire]:
        """Every unit, newest first, page by page."""
        before: int | None = None
        while True:
            found = self.memories(session=session, kind=kind, before=before, limit=page, past=past)
            yield from found["memories"]
            following = found["next_before"]
            if following is None:
                return
            if before is not None and following >= before:
                raise AnswerInvalid(f"the pages of memories on {self.socket_path} do not end")
            before = following

    def memory(self, unit: int) -> MemoryWire:
        """One unit. Raises MemoryNotFound."""
        return _shaped(self._call("GET", f"/v1/memories/{unit}"), MemoryWire)

    def remember(self, content: str, session: str | None = None, **more: Any) -> RememberAnswer:
        """Remember a statement; `more` are the other fields of the route (kind, slot, expires_in and so on)."""
        body = _given(content=content, session=session, **more)
        return _shaped(self._call("POST", "/v1/memories", body), RememberAnswer, lists=("memories",))

    def forget(self, unit: int) -> ForgetAnswer:
        """Remove a unit for good. Raises MemoryNotFound."""
        return _shaped(self._call("DELETE", f"/v1/memories/{unit}"), ForgetAnswer, lists=("forgotten",))

    def recall(self, query: str, session: str | None = None, **more: Any) -> RecallAnswer:
        """What a turn would be given; `more` are limit, kinds, as_of, explain."""
        body = _given(query=query, session=session, **more)
        return _shaped(self._call("POST", "/v1/recall", body), RecallAnswer, lists=("recalled", "dropped"))

    def sessions(self) -> list[SessionWire]:
        """Sessions, last used first."""
        found = _shaped(self._call("GET", "/v1/sessions"), SessionsAnswer, lists=("sessions",))["sessions"]
        _each_shaped(found, SessionWire)
        return found

    def status(self) -> StatusWire:
        """State, memory by part, settings in force."""
        return _shaped(self._call("GET", "/v1/status"), StatusWire)

    def _call(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None
    ) -> Any:
        if query:
            # urllib.parse is loaded by http.client anyway.
            from urllib.parse import urlencode

            path = f"{path}?{urlencode(query)}"
        connection = UnixConnection(self.socket_path, self._answer_seconds)
        try:
            answer = _send(connection, method, path, body)
            data = _read(answer)
        except TimeoutError:
            raise AnswerLate(f"the daemon did not answer within {self._answer_seconds:g} seconds") from None
        finally:
            connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            _raise_refusal(answer.status, data)
        return _json(data)


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _send(
    connection: UnixConnection, method: str, path: str, body: Mapping[str, Any] | None
) -> http.client.HTTPResponse:
    encoded = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    headers = {"Connection": "close"}
    if encoded is not None:
        headers["Content-Type"] = "application/json"

    def exchange() -> http.client.HTTPResponse:
        try:
            connection.request(method, path, encoded, headers)
        except (BrokenPipeError, ConnectionResetError):
            # A daemon refuses a body that is too large before it has read it all: its answer is there to be read.
            if connection.sock is None:
                raise
            return _answer_after_refusal(connection)
        return connection.getresponse()

    return _guarded(exchange)


def _answer_after_refusal(connection: UnixConnection) -> http.client.HTTPResponse:
    answer = http.client.HTTPResponse(connection.sock)
    answer.begin()
    return answer


def _guarded(step: Callable[[], Shape]) -> Shape:
    """Do a step on the connection; what can go wrong in it becomes an error that names the next action."""
    try:
        return step()
    except (http.client.RemoteDisconnected, ConnectionError, http.client.IncompleteRead):
        raise DaemonNotRunning("the daemon ended before it answered") from None
    except http.client.HTTPException:
        raise AnswerInvalid("what answers on the socket does not speak HTTP") from None


def _read(answer: http.client.HTTPResponse) -> bytes:
    return _guarded(answer.read)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        raise AnswerInvalid("the daemon's answer is not JSON") from None


def _raise_refusal(status: int, data: bytes) -> NoReturn:
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("error"), dict):
        raise AnswerInvalid(f"what answers on the socket refused with status {status} and no reason of ours")
    raise error_from_wire(body)


def error_from_wire(body: Any) -> EdgeError:
    """The error that a body or an `error` event carries; one of an unknown code keeps its words and its code."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return AnswerInvalid("the daemon's answer is an error without a message")
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


def _server_sent(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Events as (name, JSON data), as the HTML standard frames them: comments skipped, data lines joined."""
    name, data = "message", list[str]()
    while line := _line(answer):
        text = _utf8(line).rstrip("\r\n")
        field, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if not text:
            if data:
                yield name, _json("\n".join(data).encode())
            name, data = "message", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)


def _line(answer: http.client.HTTPResponse) -> bytes:
    """The next line with its end, or nothing at the end of the stream, also where that came too early."""
    try:
        line = answer.readline(MAX_LINE_BYTES)
    except (http.client.HTTPException, ConnectionError):
        return b""
    if len(line) == MAX_LINE_BYTES:
        raise AnswerInvalid("a line of the daemon's answer is too long")
    return line


def _utf8(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise AnswerInvalid("the daemon's answer is not UTF-8") from None


def _text_of(data: Any) -> str:
    if isinstance(data, dict) and isinstance(data.get("text"), str):
        return str(data["text"])
    raise AnswerInvalid("a token event has no text")


def _shaped(data: Any, shape: type[Shape], *, lists: tuple[str, ...] = ()) -> Shape:
    """The data as its wire type, once it is an object with all the fields, and lists of objects or ids where named."""
    if not isinstance(data, dict):
        raise AnswerInvalid(f"the daemon's answer is no {shape.__name__}, it is no object")
    missing = [name for name in shape.__annotations__ if name not in data]
    if missing:
        raise AnswerInvalid(f"the daemon's answer has no {missing[0]}; it should be a {shape.__name__}")
    for name in lists:
        if not isinstance(data[name], list):
            raise AnswerInvalid(f"{name} in the daemon's answer is no list")
    return cast(Shape, data)


def _each_shaped(items: list[Any], shape: type[Any]) -> None:
    for item in items:
        _shaped(item, shape)
