"""A scripted daemon, and a user who has nothing of their own yet."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from edge.cli.main import cli
from tests.cli.scripted import ScriptedDaemon


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home folder, and an environment in which nothing of edge is set."""
    for variable in list(os.environ):
        if variable.startswith(("EDGE_", "XDG_")) or variable in ("NO_COLOR", "TERM"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield tmp_path
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path that is short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="edge"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def daemon(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedDaemon]:
    """A running scripted daemon; EDGE_SOCKET names its socket."""
    server = ScriptedDaemon(folder / "edge.sock")
    monkeypatch.setenv("EDGE_SOCKET", str(server.path))
    server.start()
    yield server
    server.stop()


class Edge:
    """Runs the command line in this process."""

    def __call__(self, *arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), input=stdin, catch_exceptions=False)


@pytest.fixture
def edge() -> Edge:
    return Edge()
