"""Finding the daemon's socket, as the command line does."""

from __future__ import annotations

import os
from pathlib import Path

from edge.client.calls import Client
from edge.places import client_socket


def connect(socket: str | os.PathLike[str] | None = None) -> Client:
    """The calls of a daemon: the one behind that socket, or EDGE_SOCKET, or your own daemon's, or the service's.

        status = connect().status()

    Nothing is sent yet. Raises SocketPathInvalid.
    """
    named = None if socket is None else os.fspath(socket)
    return Client(client_socket(os.environ, Path.home(), os.getuid(), named))
