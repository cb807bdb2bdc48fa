"""A folder with a short path, and a daemon for each kind of test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import edge.daemon.main
from edge.daemon.parts import read_rules
from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.talking import Talk
from tests.fakes.language_model import ScriptedModel


@pytest.fixture(scope="package", autouse=True)
def rules_read_once() -> Iterator[None]:
    """Daemons on threads share the rules: they never change, and reading them takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge.daemon.main, "read_rules", cache(read_rules))
        yield


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path that is short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="edge"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def daemon(folder: Path) -> Iterator[DaemonThread]:
    """A daemon on a thread; its model echoes."""
    with DaemonThread(folder, ScriptedModel(echo)) as running:
        yield running


@pytest.fixture
def talk(daemon: DaemonThread) -> Talk:
    return daemon.talk
