"""Daemons for tests: in a process of their own, to be killed; or on a thread, to be looked into."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from edge.clock import SystemClock
from edge.config import load_settings
from edge.daemon.assembly import Daemon
from edge.daemon.main import running
from edge.engine.model_ports import LanguageModel, TextEmbedder
from edge.errors import ModelMissing
from edge.settings import Settings
from tests.e2e.talking import Talk
from tests.fakes.embedder import HashEmbedder
from tests.fakes.language_model import ScriptedModel

SCRIPTED = (sys.executable, "-m", "tests.e2e.scripted_daemon")
REAL = (sys.executable, "-c", "from edge.cli.main import main; raise SystemExit(main())", "daemon")
T = TypeVar("T")
_UNHURRIED = {"EDGE_PROMPT_TARGET_FIRST_TOKEN": "3600"}
_PATIENCE = 120
"""Seconds after which a daemon that neither serves nor ends is taken for hung."""


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The variables of a daemon whose state and socket are in a folder; nothing else of edge is set, but that it takes
    its time: what stands in a prompt shall not depend on how busy the machine is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EDGE_", "NOTIFY_"))}
    places = {"EDGE_STATE_DIR": str(folder / "state"), "EDGE_SOCKET": str(folder / "s")}
    return {**kept, **places, "PYTHONDONTWRITEBYTECODE": "1", **_UNHURRIED, **more}


class DaemonProcess:
    """A daemon that can be killed and started again on the same state. `log` is all that it wrote."""

    def __init__(self, folder: Path, command: tuple[str, ...] = SCRIPTED, **variables: str) -> None:
        self.folder = folder
        self.environ = environment(folder, **variables)
        self.socket = Path(self.environ["EDGE_SOCKET"])
        self.state = Path(self.environ["EDGE_STATE_DIR"])
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def start(self) -> Talk:
        """Start it and wait until it says that it serves, as systemd would."""
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notices = self.folder / "notify"
        notices.unlink(missing_ok=True)
        self._notices.bind(str(notices))
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env={**self.environ, "NOTIFY_SOCKET": str(notices)}, stderr=log, stdout=log
            )
        self.wait_for("READY=1")
        return Talk(self.socket)

    def wait_for(self, notice: str) -> None:
        """Wait until it sends that to the service manager."""
        ended = os.pidfd_open(self.process.pid)
        try:
            while True:
                ready, _, _ = select.select([self._notices.fileno(), ended], [], [], _PATIENCE)
                if self._notices.fileno() in ready:
                    if notice in self._notices.recv(4096).decode().splitlines():
                        return
                    continue
                raise AssertionError(f"the daemon ended or hung before it said {notice}:\n{self.log}")
        finally:
            os.close(ended)

    def kill(self) -> None:
        """kill -9, as a power cut would."""
        self.process.kill()
        self.process.wait()
        self._notices.close()

    def ask_to_stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def ended(self) -> int:
        """Its exit status."""
        status = self.process.wait(_PATIENCE)
        self._notices.close()
        return status

    def stop(self) -> int:
        """SIGTERM; its exit status."""
        self.ask_to_stop()
        return self.ended()

    def __enter__(self) -> Talk:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()


class ScriptedModels:
    """The models of a scripted daemon: one language model, and embedders of which the first is that of the settings.
    `token_seconds` is what a trial says of the model's speed."""

    def __init__(self, model: ScriptedModel, *embedders: HashEmbedder, token_seconds: float | None = None) -> None:
        self.model = model
        self.token_seconds = token_seconds
        self.embedders = embedders or (HashEmbedder(),)

    def language_id(self) -> str:
        return self.model.id

    def load_language(self) -> LanguageModel:
        return self.model.opened()

    def language_setup(self) -> str:
        return self.model.id

    def tried(self, model: LanguageModel) -> float | None:
        return self.token_seconds

    def load_embedder(self) -> TextEmbedder:
        return self.embedders[0]

    def load_former(self, embedder_id: str, dimension: int) -> TextEmbedder:
        for embedder in self.embedders:
            if (embedder.id, embedder.dimension) == (embedder_id, dimension):
                return embedder
        raise ModelMissing(f"{embedder_id} is not on this machine.")

    def embedder_bytes(self) -> int:
        return 0


def settings_of(environ: Mapping[str, str]) -> Settings:
    return load_settings(environ, Path("/nonexistent"), os.getuid())


class DaemonThread:
    """A daemon on a thread of this process, so that a test sees its model's prompts and holds its gate."""

    def __init__(
        self, folder: Path, model: ScriptedModel, *embedders: HashEmbedder, waiting: int = 8,
        token_seconds: float | None = None, **variables: str,
    ) -> None:  # fmt: skip
        settings = settings_of(environment(folder, **variables))
        self.settings = replace(settings, daemon=replace(settings.daemon, queue=waiting))
        self.model = model
        self.embedders = embedders
        self.token_seconds = token_seconds
        self.daemon: Daemon | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def state(self) -> Path:
        return self.settings.places.state

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._up.wait(_PATIENCE)
        assert self.daemon is not None, "the daemon did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.model.gate is not None:
            self.model.gate.open()
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_PATIENCE)
        assert not self._thread.is_alive()

    @property
    def talk(self) -> Talk:
        return Talk(self.settings.places.socket)

    def on_memory_thread(self, work: Callable[[], T]) -> T:
        """What some work on the daemon's memory thread gives."""
        assert self.daemon is not None
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(self.daemon.workers[0].run(work), self._loop).result(_PATIENCE)

    def unload(self) -> None:
        """Free the model, as when nobody has spoken for long."""
        assert self.daemon is not None
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self.daemon.speech.unload(), self._loop).result(_PATIENCE)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self.settings.places.state.mkdir(mode=0o700, exist_ok=True)
        try:
            models = ScriptedModels(self.model, *self.embedders, token_seconds=self.token_seconds)
            async with running(self.settings, models, SystemClock()) as self.daemon:
                self._up.set()
                await self._stop.wait()
        finally:
            self._up.set()
