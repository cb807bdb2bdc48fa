"""Where state, socket, settings and models are: EDGE_* variables, or the user's XDG folders.

Imports little, because the command line needs the socket's path and nothing else.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from edge.errors import SocketPathInvalid
from edge.wire import MAX_SOCKET_PATH_BYTES

PLACE_VARIABLES = ("EDGE_STATE_DIR", "EDGE_SOCKET", "EDGE_CONFIG", "EDGE_MODELS_DIR")
SERVICE_SOCKET = Path("/run/edge/edge.sock")
"""The socket of the daemon that is installed as a service."""
SERVICE_CONFIG = Path("/etc/edge/edge.toml")
"""The settings file of the service, which an administrator may write."""
CHECKOUT = Path(__file__).resolve().parent.parent


def state_dir(environ: Mapping[str, str], home: Path) -> Path:
    """EDGE_STATE_DIR, or `edge` in the user's XDG state folder."""
    return _named(environ, "EDGE_STATE_DIR", home) or _xdg(environ, "XDG_STATE_HOME", home / ".local/state") / "edge"


def config_path(environ: Mapping[str, str], home: Path) -> Path:
    """EDGE_CONFIG, or `edge/edge.toml` in the user's XDG configuration folder."""
    return _named(environ, "EDGE_CONFIG", home) or _xdg(environ, "XDG_CONFIG_HOME", home / ".config") / "edge/edge.toml"


def model_dirs(environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Folders in which model files are looked for; the first takes what is fetched.

    EDGE_MODELS_DIR alone where it is set. Else the user's cache, then `models` in the state folder where there is
    one, then the checkout's `models` where the package runs from a checkout.
    """
    named = _named(environ, "EDGE_MODELS_DIR", home)
    if named:
        return (named,)
    folders = [_xdg(environ, "XDG_CACHE_HOME", home / ".cache") / "edge/models"]
    others = [state_dir(environ, home) / "models"]
    if (CHECKOUT / "pyproject.toml").is_file():
        others.append(CHECKOUT / "models")
    return (*folders, *(folder for folder in others if folder.is_dir()))


def daemon_socket(environ: Mapping[str, str], home: Path, uid: int) -> Path:
    """The socket a daemon of this user serves. Raises SocketPathInvalid where it is too long."""
    path = _named(environ, "EDGE_SOCKET", home) or _own_socket(environ, uid)
    _check_length(path, environ, uid)
    return path


def client_socket(
    environ: Mapping[str, str], home: Path, uid: int, given: str | None = None, service: Path = SERVICE_SOCKET
) -> Path:
    """The socket a client of this user connects to.

    `given` or EDGE_SOCKET; else the user's own daemon's where it exists; else the service's where that exists; else
    the user's own, where nothing answers yet. Raises SocketPathInvalid where it is too long, or where its folder in
    /tmp is another user's.
    """
    if given:
        environ = {**environ, "EDGE_SOCKET": given}
    path = daemon_socket(environ, home, uid)
    if _named(environ, "EDGE_SOCKET", home):
        return path
    if path.exists():
        if path.parent == _fallback_folder(uid):
            check_private(path.parent, uid)
        return path
    return service if _may_exist(service) else path


def _may_exist(path: Path) -> bool:
    """Whether something is there, or its folder is closed to us: connecting then says so by name."""
    try:
        return path.exists()
    except PermissionError:
        return True


def check_private(folder: Path, uid: int) -> None:
    """Raise SocketPathInvalid unless a folder is this user's own and nobody else may write to it.

    Anyone may make a folder in /tmp: without this check another user could serve a socket in our name.
    """
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or found.st_mode & 0o022:
        raise SocketPathInvalid(
            f"{folder} is not a folder of yours that only you can write to.",
            hint="Set EDGE_SOCKET to a path in a folder of yours.",
        )


def make_private_folder(socket: Path, uid: int) -> None:
    """Make the folder of a socket, for this user alone, where it is not there yet; one in /tmp that is there already
    must be this user's own. Raises SocketPathInvalid."""
    try:
        socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SocketPathInvalid(f"The folder {socket.parent} cannot be made: {error.strerror}.") from error
    if socket.parent == _fallback_folder(uid):
        check_private(socket.parent, uid)


def _own_socket(environ: Mapping[str, str], uid: int) -> Path:
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        return Path(runtime) / "edge/edge.sock"
    return _fallback_folder(uid) / "edge.sock"


def _fallback_folder(uid: int) -> Path:
    return Path(f"/tmp/edge-{uid}")


def _check_length(path: Path, environ: Mapping[str, str], uid: int) -> None:
    size = len(os.fsencode(path))
    if size <= MAX_SOCKET_PATH_BYTES:
        return
    shorter = _own_socket(environ, uid)
    if len(os.fsencode(shorter)) > MAX_SOCKET_PATH_BYTES:
        shorter = _fallback_folder(uid) / "edge.sock"
    raise SocketPathInvalid(
        f"The socket's path has {size} bytes, {MAX_SOCKET_PATH_BYTES} is the most a socket can have: {path}",
        hint=f"Set EDGE_SOCKET to a shorter path, for example {shorter}",
    )


def _named(environ: Mapping[str, str], variable: str, home: Path) -> Path | None:
    """A path from a variable, made absolute; `~/` is the home folder. None where it is unset or empty."""
    value = environ.get(variable, "")
    if not value:
        return None
    path = home / value[2:] if value.startswith("~/") else Path(value)
    return Path(os.path.abspath(path))


def _xdg(environ: Mapping[str, str], variable: str, default: Path) -> Path:
    """An XDG base folder. As its specification says, an empty or relative value is ignored."""
    value = environ.get(variable, "")
    return Path(value) if os.path.isabs(value) else default
