"""A checkout with the real scripts, in which a stub stands in for Python: nothing is fetched or compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def run_bash(text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a few lines of bash do, after the functions of the scripts were read."""
    sourced = f'source "{REPOSITORY}/scripts/_setup.sh"\n{text}'
    return subprocess.run(
        ["bash", "-c", sourced],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
    )


@dataclass(frozen=True, slots=True)
class Checkout:
    """A clone of the scripts, with folders of its own for everything that they touch."""

    root: Path
    base: Path

    @property
    def state(self) -> Path:
        return self.base / "state"

    @property
    def cache(self) -> Path:
        return self.base / "the cache"

    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("EDGE_", "SUDO_"))}
        return {
            **own,
            "HOME": str(self.base / "home"),
            "PYTHON": str(HERE / "python_stub"),
            "REAL_PYTHON": sys.executable,
            "REPOSITORY": str(REPOSITORY),
            "NOTES": str(self.base / "notes"),
            "EDGE_CACHE_DIR": str(self.cache),
            "EDGE_STATE_DIR": str(self.state),
            "EDGE_SOCKET": str(self.base / "socket"),
        }

    def start(self, script: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Starts a script with a pipe to write to."""
        pipe = subprocess.PIPE
        command = [str(self.root / "scripts" / script), *arguments]
        environment = {**self.environment(), **variables}
        return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd="/")

    def run(self, script: str, *arguments: str, given: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a script to its end, from another folder."""
        with self.start(script, *arguments, **variables) as process:
            output, errors = process.communicate(given)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def notes(self) -> list[str]:
        """What the stubs were asked since the last look."""
        path = self.base / "notes"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines


def make_checkout(base: Path, name: str) -> Checkout:
    """A checkout of that name; those below one base share cache, state and notes."""
    root = base / name
    root.mkdir()
    for part in ("scripts", "systemd"):
        shutil.copytree(REPOSITORY / part, root / part)
    for part in ("pyproject.toml", "LICENSE"):
        shutil.copy(REPOSITORY / part, root / part)
    (root / "README.md").write_text("")
    (root / "edge").mkdir()
    (root / "edge/__init__.py").write_text('__version__ = "0"\n')
    return Checkout(root, base)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A fresh checkout in a folder with a space in its name."""
    return make_checkout(tmp_path, "my edge")
