"""Run as a program: seals a head from a forked process, which writes when a FIFO is opened; to be killed before that.

It prints the id of that process, and goes on with its steps.
"""

from __future__ import annotations

import sys
from pathlib import Path

import hnswlib

from edge.index import saving
from tests.index.writer import keep_some, opened


class Gated(hnswlib.Index):  # type: ignore[misc]
    """Writes when the FIFO in the working directory is opened."""

    def save_index(self, path: str) -> None:
        Path("gate").read_bytes()
        super().save_index(path)


def main(folder: str) -> None:
    hnswlib.Index, saving.APART_BYTES = Gated, 0
    fork = saving._fork

    def told(*arguments: object) -> int:
        process = fork(*arguments)  # type: ignore[arg-type]
        sys.stdout.write(f"{process}\n")
        sys.stdout.flush()
        return process

    saving._fork = told  # type: ignore[assignment]
    store, index = opened(Path(folder), 64)
    keep_some(store, 20)
    index.follow()
    while index.step():
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
