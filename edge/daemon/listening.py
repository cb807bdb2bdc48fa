"""The Unix socket: taking a path over from a dead daemon, never from a live one; who may connect, and who did."""

from __future__ import annotations

import grp
import logging
import os
import socket
import stat
import struct
from pathlib import Path

from edge.errors import DaemonRunning, SocketPathInvalid
from edge.memory.units import OwnerId

_log = logging.getLogger(__name__)
_CREDENTIALS = struct.Struct("3i")
_MODE = 0o660
BACKLOG = 128
"""Connections that the kernel keeps until they are accepted."""


def listen(path: Path, group: str) -> socket.socket:
    """Bind and listen. A stale socket is replaced; a live one raises DaemonRunning naming its process.

    The socket is 0660 and belongs to `group` where that exists and may be set. Raises SocketPathInvalid where the
    folder cannot be used or something else is in the way.
    """
    try:
        _clear(path)
        return _bind(path, group)
    except OSError as error:
        raise SocketPathInvalid(
            f"The socket {path} cannot be made: {error.strerror or error}.", path=str(path)
        ) from error


def _bind(path: Path, group: str) -> socket.socket:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        link.bind(str(path))
        # Nobody can connect before listen(), so the rights are right from the first connection on.
        path.chmod(_MODE)
        _give_to_group(path, group)
        link.listen(BACKLOG)
    except OSError:
        link.close()
        raise
    link.setblocking(False)
    return link


def peer_owner(link: socket.socket) -> OwnerId:
    """The owner behind a connection: the user id the kernel vouches for."""
    _, uid, _ = _peer(link)
    return OwnerId(f"uid:{uid}")


def _peer(link: socket.socket) -> tuple[int, int, int]:
    pid, uid, gid = _CREDENTIALS.unpack(link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return pid, uid, gid


def _clear(path: Path) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if not stat.S_ISSOCK(path.lstat().st_mode):
        raise SocketPathInvalid(f"{path} exists and is not a socket; it is left alone.", path=str(path))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            _log.info("replacing the socket of a daemon that is gone: %s", path)
            path.unlink()
            return
        pid, _, _ = _peer(probe)
    raise DaemonRunning(f"A daemon already serves {path} (process {pid}).", pid=pid, path=str(path))


def _give_to_group(path: Path, group: str) -> None:
    try:
        number = grp.getgrnam(group).gr_gid
        os.chown(path, -1, number)
    except (KeyError, PermissionError):
        _log.debug("the socket keeps its group: %s does not exist or may not be set", group)
