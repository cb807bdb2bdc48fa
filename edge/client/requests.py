"""Requests to the daemon behind one socket: what goes out, and the JSON or the stream of events that comes back."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from edge.client.answers import each_line, parse_json, raise_refusal
from edge.client.connection import UnixConnection, read_body, send, send_pieces
from edge.errors import AnswerInvalid, AnswerLate, RequestInvalid


class Requests:
    """Every request opens a connection of its own. An error on the wire is raised as the same class of `edge.errors`;
    see `edge.client.connection` for those of the connection."""

    def __init__(self, socket_path: str, answer_seconds: float) -> None:
        self.socket_path = socket_path
        self._answer_seconds = answer_seconds

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None
    ) -> Any:
        """The JSON of the answer. Raises AnswerLate, and what the daemon answers."""
        if query:
            path = f"{path}?{_in_path(partial(urlencode, query))}"
        connection = UnixConnection(self.socket_path, self._answer_seconds)
        try:
            answer = send(connection, method, path, body)
            data = read_body(answer)
        except TimeoutError:
            raise AnswerLate(f"The daemon did not answer within {self._answer_seconds:g} seconds.") from None
        finally:
            connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            raise_refusal(answer.status, data)
        return parse_json(data)

    def begin(
        self, path: str, body: Mapping[str, Any] | None = None
    ) -> tuple[http.client.HTTPResponse, http.client.HTTPConnection]:
        """Post what is answered with events, however long they take: the answer, and the connection to close after it.
        Raises AnswerInvalid where it is no stream of events, and what the daemon answers."""
        connection = UnixConnection(self.socket_path, None)
        try:
            answer = send(connection, "POST", path, body)
            if answer.status != http.client.OK:
                raise_refusal(answer.status, read_body(answer))
            if answer.getheader("Content-Type", "").partition(";")[0].strip() != "text/event-stream":
                raise AnswerInvalid(f"The answer to {path} on {self.socket_path} is not a stream of events.")
        except BaseException:
            connection.close()
            raise
        return answer, connection

    def send_lines(self, path: str, pieces: Iterable[bytes]) -> Any:
        """Post lines, however long it takes; the JSON of the answer. Raises what the daemon answers."""
        connection = UnixConnection(self.socket_path, None)
        try:
            answer = send_pieces(connection, path, pieces)
            data = read_body(answer)
        finally:
            connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            raise_refusal(answer.status, data)
        return parse_json(data)

    def read_lines(self, path: str) -> Iterator[bytes]:
        """The lines of an answer, with their ends, however long it takes. Raises what the daemon answers."""
        connection = UnixConnection(self.socket_path, None)
        try:
            answer = send(connection, "GET", path, None)
            if answer.status != http.client.OK:
                raise_refusal(answer.status, read_body(answer))
            yield from each_line(answer)
        finally:
            connection.close()


def piece(name: str) -> str:
    """A name as one piece of a path, whatever stands in it. Raises RequestInvalid for half of a surrogate pair."""
    return _in_path(partial(quote, name, safe=""))


def _in_path(encode: Callable[[], str]) -> str:
    try:
        return encode()
    except UnicodeEncodeError:
        raise RequestInvalid("A text in the request holds half of a surrogate pair.") from None
