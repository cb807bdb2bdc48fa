"""What every test gets: a home of its own, and the choice between the small and the long form."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.clock import SetClock
from tests.folders import MODEL_FOLDERS

settings.register_profile("edge", deadline=None)
settings.load_profile("edge")

_FOLDERS = {
    "HOME": "",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CONFIG_HOME": ".config",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": "run",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests that are marked long, and long forms of others")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    skip = pytest.mark.skip(reason="takes long; run with --long")
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def long_form(request: pytest.FixtureRequest) -> bool:
    """Whether a test that has a small and a long form takes the long one."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(scope="session")
def model_folders() -> tuple[Path, ...]:
    """Where files of the real models are looked for: the folders of the user who runs the tests."""
    return MODEL_FOLDERS


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the homes of all tests."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_folders(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and an environment that names no folder outside it."""
    home = Path(tempfile.mkdtemp(dir=homes))
    for variable in list(os.environ):
        if variable.startswith(("EDGE_", "XDG_")) or variable in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
            monkeypatch.delenv(variable)
    for variable, folder in _FOLDERS.items():
        monkeypatch.setenv(variable, str(home / folder))
    return home


@pytest.fixture
def clock() -> SetClock:
    """A clock that moves when it is told to."""
    return SetClock()
