from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from edge import places
from edge.errors import SocketPathInvalid

HOME = Path("/home/ann")


def test_the_users_own_folders() -> None:
    assert places.state_dir({}, HOME) == HOME / ".local/state/edge"
    assert places.config_path({}, HOME) == HOME / ".config/edge/edge.toml"
    assert places.model_dirs({}, HOME)[0] == HOME / ".cache/edge/models"
    assert places.daemon_socket({}, HOME, 1000) == Path("/tmp/edge-1000/edge.sock")


def test_xdg_folders(tmp_path: Path) -> None:
    environ = {
        "XDG_STATE_HOME": "/s",
        "XDG_CONFIG_HOME": "/c",
        "XDG_CACHE_HOME": "/k",
        "XDG_RUNTIME_DIR": str(tmp_path),
    }
    assert places.state_dir(environ, HOME) == Path("/s/edge")
    assert places.config_path(environ, HOME) == Path("/c/edge/edge.toml")
    assert places.model_dirs(environ, HOME)[0] == Path("/k/edge/models")
    assert places.daemon_socket(environ, HOME, 1000) == tmp_path / "edge/edge.sock"


@pytest.mark.parametrize("value", ["", "relative/folder"])
def test_xdg_folders_that_the_specification_says_to_ignore(value: str) -> None:
    environ = dict.fromkeys(["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"], value)
    assert places.state_dir(environ, HOME) == places.state_dir({}, HOME)
    assert places.config_path(environ, HOME) == places.config_path({}, HOME)
    assert places.model_dirs(environ, HOME)[0] == places.model_dirs({}, HOME)[0]
    assert places.daemon_socket(environ, HOME, 7) == Path("/tmp/edge-7/edge.sock")


def test_a_runtime_folder_that_is_gone_is_not_used() -> None:
    assert places.daemon_socket({"XDG_RUNTIME_DIR": "/nowhere/at/all"}, HOME, 7) == Path("/tmp/edge-7/edge.sock")


def test_named_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"EDGE_STATE_DIR": "state", "EDGE_SOCKET": "/run/s", "EDGE_CONFIG": "~/e.toml", "EDGE_MODELS_DIR": "/m"}
    assert places.state_dir(environ, HOME) == tmp_path / "state"
    assert places.daemon_socket(environ, HOME, 1) == Path("/run/s")
    assert places.config_path(environ, HOME) == HOME / "e.toml"
    assert places.model_dirs(environ, HOME) == (Path("/m"),)


def test_models_in_the_state_folder_are_found_too(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    assert places.model_dirs({"EDGE_STATE_DIR": str(tmp_path)}, HOME)[1] == tmp_path / "models"


def test_a_socket_path_may_have_107_bytes() -> None:
    fitting = "/" + "a" * 106
    assert places.daemon_socket({"EDGE_SOCKET": fitting}, HOME, 1) == Path(fitting)
    with pytest.raises(SocketPathInvalid, match="108 bytes, 107 is the most"):
        places.daemon_socket({"EDGE_SOCKET": fitting + "a"}, HOME, 1)


def test_a_socket_path_is_counted_in_bytes_and_a_shorter_one_is_proposed() -> None:
    with pytest.raises(SocketPathInvalid, match="109 bytes") as caught:
        places.client_socket({"EDGE_SOCKET": "/" + "猫" * 36}, HOME, 1000)
    assert "/tmp/edge-1000/edge.sock" in caught.value.hint


def test_a_long_runtime_folder_gets_a_proposal_that_fits(tmp_path: Path) -> None:
    runtime = tmp_path / ("r" * 100)
    runtime.mkdir()
    with pytest.raises(SocketPathInvalid) as caught:
        places.daemon_socket({"XDG_RUNTIME_DIR": str(runtime)}, HOME, 1000)
    assert caught.value.hint.endswith("/tmp/edge-1000/edge.sock")


def test_which_socket_a_client_takes(tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(tmp_path)}
    own, service = tmp_path / "edge/edge.sock", tmp_path / "service.sock"

    def chosen(**more: str) -> Path:
        return places.client_socket({**environ, **more}, HOME, os.getuid(), service=service)

    assert chosen() == own
    service.touch()
    assert chosen() == service
    own.parent.mkdir()
    own.touch()
    assert chosen() == own
    assert chosen(EDGE_SOCKET="/else") == Path("/else")
    assert places.client_socket(environ | {"EDGE_SOCKET": "/else"}, HOME, 1, "/given") == Path("/given")


def test_a_folder_that_others_may_write_to_is_not_trusted(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    places.check_private(private, os.getuid())
    with pytest.raises(SocketPathInvalid):
        places.check_private(private, os.getuid() + 1)
    private.chmod(0o777)
    with pytest.raises(SocketPathInvalid):
        places.check_private(private, os.getuid())
    (tmp_path / "link").symlink_to(private)
    private.chmod(0o700)
    with pytest.raises(SocketPathInvalid):
        places.check_private(tmp_path / "link", os.getuid())


def test_a_client_does_not_use_a_socket_in_anothers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_fallback_folder", lambda _: tmp_path)
    tmp_path.chmod(0o777)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "edge.sock"))
    with pytest.raises(SocketPathInvalid, match="only you can write to"):
        places.client_socket({}, HOME, os.getuid())
