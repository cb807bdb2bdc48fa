"""The options that many commands share. They may stand before the command's name or after it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from edge.client.calls import Client

DEFAULT_SESSION = "main"
Command = TypeVar("Command", bound=Callable[..., Any])


class Options:
    """What was chosen on the command line, and by the environment where it was not."""

    def __init__(self) -> None:
        self.socket: str | None = None
        self.named_session: str | None = None
        """The session that was named on the command line itself."""
        self.as_json = False

    @property
    def session(self) -> str:
        """The session to talk in: the one named, or EDGE_SESSION, or `main`."""
        return self.named_session or os.environ.get("EDGE_SESSION") or DEFAULT_SESSION

    def client(self) -> Client:
        """A client of the daemon that is meant. Raises SocketPathInvalid."""
        from edge.client.calls import Client
        from edge.places import client_socket

        return Client(client_socket(os.environ, Path.home(), os.getuid(), self.socket))


pass_options = click.make_pass_decorator(Options, ensure=True)


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep what was given; what was not leaves the same option before the command's name in force."""
    if value:
        setattr(context.ensure_object(Options), str(parameter.name), value)


def socket_option(command: Command) -> Command:
    """--socket."""
    return click.option(
        "--socket",
        "socket",
        metavar="PATH",
        expose_value=False,
        callback=_keep,
        help="Socket of the daemon. Without it: EDGE_SOCKET, your own daemon's, the service's.",
    )(command)


def session_option(command: Command) -> Command:
    """--session."""
    return click.option(
        "--session",
        "named_session",
        metavar="NAME",
        expose_value=False,
        callback=_keep,
        help="Session to talk in. Without it: EDGE_SESSION, else main.",
    )(command)


def json_option(command: Command) -> Command:
    """--json."""
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Print JSON; an error is JSON on standard error.",
    )(command)


def talking(command: Command) -> Command:
    """All three: for a command that speaks to the daemon in a session."""
    return session_option(socket_option(json_option(command)))


def asking(command: Command) -> Command:
    """--socket and --json: for a command that speaks to the daemon about no session."""
    return socket_option(json_option(command))
