"""A pseudo-terminal with the command line on it, as a person would use it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Self

PATIENCE_SECONDS = 20.0
RUN = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from edge.cli.main import main; main()"
"""Ctrl-C on a terminal reaches the processes that it controls: the command must take it as its own."""
CTRL_C = b"\x03"
CTRL_D = b"\x04"


class Screen:
    """`edge ARGUMENTS` on a terminal of its own."""

    def __init__(self, *arguments: str, environ: Mapping[str, str] | None = None) -> None:
        self._ours, theirs = pty.openpty()
        self.seen = b""
        self._process = subprocess.Popen(
            [sys.executable, "-c", RUN, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", **(environ or {})},
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys: bytes | str) -> None:
        os.write(self._ours, keys.encode() if isinstance(keys, str) else keys)

    def interrupt(self) -> None:
        """Press Ctrl-C once the command waits: readline overlooks one in the instant before it does."""
        state = Path(f"/proc/{self._process.pid}/stat")
        while state.read_text().rpartition(") ")[2][0] != "S":
            os.sched_yield()
        self.type(CTRL_C)

    def wait_for(self, text: str) -> str:
        """Read until a text comes; gives all that came up to it since the last one."""
        wanted = text.encode()
        while wanted not in self.seen:
            chunk = self._read()
            assert chunk, f"the terminal was closed before {text!r} came: {self.seen!r}"
            self.seen += chunk
        before, _, self.seen = self.seen.partition(wanted)
        return (before + wanted).decode("utf-8", "replace")

    def _read(self) -> bytes:
        ready, _, _ = select.select([self._ours], [], [], PATIENCE_SECONDS)
        assert ready, f"nothing came: {self.seen!r}"
        try:
            return os.read(self._ours, 65536)
        except OSError:
            return b""

    def end(self) -> int:
        """Read to the end and give the exit status."""
        while chunk := self._read():
            self.seen += chunk
        return self._process.wait(PATIENCE_SECONDS)
