"""Small disks for tests: file systems in memory that fill up soon."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")


@contextmanager
def mounted(path: Path, options: str) -> Iterator[Path]:
    path.mkdir(exist_ok=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no file system could be mounted here: {made.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def fill(folder: Path) -> None:
    """Leave no byte of room."""
    with (folder / "filler").open("ab", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            pass
