"""Talking to a daemon as a test does: the typed client of the command line, and bare bytes."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edge.client.calls import Client
from edge.client.connection import UnixConnection
from edge.client.events import Done, Found, Loading, Token, TurnEvent
from edge.wire import DoneEvent

_PATIENCE = 120.0
_QUESTIONS = 20_000
"""Asked of a daemon before what does not come to be is taken for hung."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: status and JSON body."""

    status: int
    body: Any

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def field(self) -> str | None:
        field: str | None = self.body["error"].get("field")
        return field


class Talk(Client):
    """A client of one daemon."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = str(path)

    def say(self, message: str, session: str = "main", reply_tokens: int | None = None) -> DoneEvent:
        """A whole turn; the events must come in their order and their tokens must make up the reply."""
        names: list[type] = []
        pieces, done = [], None
        with self.turn(session, message, reply_tokens) as turn:
            for event in turn:
                if isinstance(event, Loading) and not names:
                    continue
                names.append(type(event))
                match event:
                    case Token(text):
                        pieces.append(text)
                    case Done(data):
                        done = data
        assert done is not None
        assert names == [Found, *[Token] * len(pieces), Done]
        assert "".join(pieces) == done["reply"]
        return done

    def request(self, method: str, path: str, body: bytes | dict[str, Any] | None = None, **headers: str) -> Answer:
        """One request with any body."""
        connection = UnixConnection(self.path, _PATIENCE)
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        try:
            connection.request(method, path, data, {"Connection": "close", **headers})
            answer = connection.getresponse()
            return Answer(answer.status, json.loads(answer.read()))
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """A bare connection."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(_PATIENCE)
        link.connect(self.path)
        return link

    def begin(self, session: str, message: str) -> socket.socket:
        """Send a turn and leave the connection open, its answer unread."""
        link = self.connect()
        link.sendall(turn_request(session, message))
        return link

    def alive(self) -> bool:
        return self.request("GET", "/healthz").status == http.client.OK


def first_found(events: Iterator[TurnEvent]) -> Found:
    """What a turn recalled: its first event, but that it waits for the model."""
    event = next(events)
    event = next(events) if isinstance(event, Loading) else event
    assert isinstance(event, Found)
    return event


def turn_request(session: str, message: str, **more: object) -> bytes:
    """The bytes of a turn's request."""
    return raw_request("POST", "/v1/turns", {"session": session, "message": message, **more})


def raw_request(method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    return f"{method} {path} HTTP/1.1\r\nHost: edge\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


def closing(request: bytes) -> bytes:
    """The same request, after whose answer the daemon closes the connection."""
    return request.replace(b"Host: edge\r\n", b"Host: edge\r\nConnection: close\r\n", 1)


def read_until(link: socket.socket, mark: bytes) -> bytes:
    """What comes until the mark has come, or the other side ends."""
    data = b""
    while mark not in data:
        part = link.recv(65536)
        if not part:
            break
        data += part
    return data


def read_all(link: socket.socket) -> bytes:
    """What comes until the other side ends."""
    data = b""
    while part := link.recv(65536):
        data += part
    return data


def until(condition: Callable[[], bool]) -> None:
    """Ask the daemon again until it is so; each question takes its time."""
    assert any(condition() for _ in range(_QUESTIONS)), "it did not come to be"
