"""A daemon of the benchmark's own, in a temporary folder, and its client."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from edge.client.calls import Client
from edge.errors import DaemonNotRunning
from edge.wire import StatusWire

_POLL_SECONDS = 0.02
_PATIENCE_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class OwnDaemon:
    """A running daemon: where it is, the file with its log, and how long after its start it served and its model was
    ready, in seconds."""

    client: Client
    environment: dict[str, str]
    log: Path
    serving_seconds: float
    ready_seconds: float

    def wait_until_quiet(self) -> StatusWire:
        """The status once nothing waits to be embedded, so that background work disturbs no measurement."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            status = self.client.status()
            if status["counts"].get("unembedded") == 0:
                return status
            time.sleep(_POLL_SECONDS)
        raise click.ClickException("The daemon did not finish embedding.")

    def wait_until_indexed(self) -> None:
        """Wait until the index has all vectors, in its files as far as they go there."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            index = self.client.index()["serving"]
            if index is not None and index["work"] is None and not index["missing"] and not index["rebuilding"]:
                return
            time.sleep(_POLL_SECONDS)
        raise click.ClickException("The daemon did not finish its index.")


@contextmanager
def own_daemon(model: str | None, **settings: str) -> Iterator[OwnDaemon]:
    """Start `edge daemon` on the real models with a state of its own; ended and removed with the block.

    `settings` are variables of the environment, such as EDGE_RECALL_FAST_ANSWERS.
    """
    with tempfile.TemporaryDirectory(prefix="edge-bench-") as folder:
        environment = _environment(Path(folder), model) | settings
        log = Path(folder) / "log"
        started = time.monotonic()
        with log.open("wb") as output:
            process = subprocess.Popen(edge_command("daemon"), env=environment, stdout=output, stderr=output)
        try:
            yield _when_ready(process, environment, log, started)
        finally:
            process.terminate()
            process.wait()


def edge_command(*arguments: str) -> list[str]:
    """The command line of `edge` with the interpreter that runs this."""
    return [sys.executable, "-m", "edge.cli.main", *arguments]


def _environment(folder: Path, model: str | None) -> dict[str, str]:
    """The user's own, but for places and settings: the defaults are what is measured."""
    keep = ("EDGE_MODELS_DIR", "EDGE_CACHE_DIR")
    own = {name: value for name, value in os.environ.items() if not name.startswith("EDGE_") or name in keep}
    config = folder / "edge.toml"
    config.touch()
    chosen = {"EDGE_MODEL_ID": model} if model else {}
    return {
        **own,
        **chosen,
        "EDGE_STATE_DIR": str(folder / "state"),
        "EDGE_SOCKET": str(folder / "socket"),
        "EDGE_CONFIG": str(config),
    }


def _when_ready(process: subprocess.Popen[bytes], environment: dict[str, str], log: Path, started: float) -> OwnDaemon:
    client = Client(environment["EDGE_SOCKET"])
    serving: float | None = None
    while time.monotonic() - started < _PATIENCE_SECONDS:
        if process.poll() is not None:
            raise click.ClickException(f"The daemon ended:\n{log.read_text(errors='replace')[-2000:]}")
        try:
            status = client.status()
        except DaemonNotRunning:
            time.sleep(_POLL_SECONDS)
            continue
        serving = serving or time.monotonic() - started
        if status["model"]["state"] == "failed":
            raise click.ClickException(f"The model cannot be used: {status['model']['error']}")
        if status["model"]["state"] == "ready":
            return OwnDaemon(client, environment, log, serving, time.monotonic() - started)
        time.sleep(_POLL_SECONDS)
    raise click.ClickException("The daemon did not become ready.")
