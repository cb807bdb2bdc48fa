"""HTTP/1.1 over a Unix socket, with connection errors that name the next action."""

from __future__ import annotations

import http.client
import json
import os
import socket
import stat
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from edge.errors import AnswerInvalid, Busy, DaemonNotRunning, EdgeError, RequestInvalid, SocketForbidden

CONNECT_SECONDS = 5.0
Result = TypeVar("Result")


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
            return DaemonNotRunning(f"No daemon is running: there is no socket at {path}.", socket=path)
        case ConnectionRefusedError() if not _is_socket(path):
            return DaemonNotRunning(f"{path} is not a socket.", hint="Set EDGE_SOCKET to the socket of a daemon.")
        case ConnectionRefusedError():
            return DaemonNotRunning(f"No daemon is running: nothing answers on {path}, which one that died has left.")
        case PermissionError():
            return SocketForbidden(f"You may not use the socket {path}.", socket=path)
        case TimeoutError() | BlockingIOError():
            return Busy(f"The daemon takes no more connections on {path}.", socket=path)
    return DaemonNotRunning(f"The socket {path} cannot be used: {error.strerror or error}.", socket=path)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return True


def send(
    connection: UnixConnection, method: str, path: str, body: Mapping[str, Any] | None
) -> http.client.HTTPResponse:
    """Send a request and give the answer, its body still unread.

    Raises RequestInvalid for a body that cannot be sent, DaemonNotRunning and what else keeps from connecting,
    AnswerInvalid, and TimeoutError.
    """
    encoded = None if body is None else _encoded(body)
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


def send_pieces(connection: UnixConnection, path: str, pieces: Iterable[bytes]) -> http.client.HTTPResponse:
    """Post a body that comes in pieces, of any size; the answer, its body still unread. Raises as `send` does."""
    headers = {"Connection": "close", "Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"}

    def exchange() -> http.client.HTTPResponse:
        connection.request("POST", path, pieces, headers, encode_chunked=True)
        return connection.getresponse()

    return _guarded(exchange)


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RequestInvalid("A text in the request holds half of a surrogate pair.") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestInvalid(f"The request has no form in JSON: {error}.") from None


def _answer_after_refusal(connection: UnixConnection) -> http.client.HTTPResponse:
    answer = http.client.HTTPResponse(connection.sock)
    answer.begin()
    return answer


def _guarded(step: Callable[[], Result]) -> Result:
    """Do a step on the connection; what can go wrong in it becomes an error that names the next action."""
    try:
        return step()
    except (http.client.RemoteDisconnected, ConnectionError, http.client.IncompleteRead):
        raise DaemonNotRunning("The daemon ended before it answered.") from None
    except http.client.HTTPException:
        raise AnswerInvalid("What answers on the socket does not speak HTTP.") from None


def read_body(answer: http.client.HTTPResponse) -> bytes:
    """The whole body of an answer."""
    return _guarded(answer.read)
