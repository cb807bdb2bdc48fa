"""A file that is being fetched: its beginning, kept so that a later run can go on from there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from edge.models.disk import put_in_place

PIECE_BYTES = 8 * 1024 * 1024
"""Bytes between two checkpoints: what a power cut can cost."""


def partial_path(target: Path) -> Path:
    """Where the beginning of a file is kept."""
    return target.with_name(target.name + ".partial")


def _list_path(target: Path) -> Path:
    return target.with_name(target.name + ".partial.pieces")


def drop_partial(target: Path) -> None:
    """Remove what is kept of a file's beginning."""
    partial_path(target).unlink(missing_ok=True)
    _list_path(target).unlink(missing_ok=True)


class Partial:
    """The first `length` bytes of a file, and their running sha256.

    Beside them stands a list of checkpoints, a line each: the bytes of a piece and its sha256, written once the
    piece is on the disk. What a crash left behind the last checkpoint, or changed before it, is not kept.
    """

    def __init__(self, target: Path, checked: Callable[[int], None], piece_bytes: int = PIECE_BYTES) -> None:
        self.length = 0
        self._target = target
        self._piece_bytes = piece_bytes
        self._digest = hashlib.sha256()
        self._piece = hashlib.sha256()
        self._piece_length = 0
        self._data = os.fdopen(os.open(partial_path(target), os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        self._list = _list_path(target).open("a+", encoding="ascii", errors="replace")
        self._recall(checked)

    def _recall(self, checked: Callable[[int], None]) -> None:
        """Take up what the checkpoints vouch for and cut off the rest."""
        self._list.seek(0)
        kept = []
        for line in self._list:
            piece = self._piece_of(line)
            if piece is None:
                break
            self._digest.update(piece)
            self.length += len(piece)
            kept.append(line)
            checked(self.length)
        self._data.truncate(self.length)
        self._data.seek(self.length)
        self._list.truncate(0)
        self._list.writelines(kept)
        self._list.flush()

    def _piece_of(self, line: str) -> bytes | None:
        """The next piece of the data if it is what the line says, else nothing."""
        words = line.split()
        if len(words) != 2 or not line.endswith("\n") or not words[0].isdecimal():
            return None
        piece = self._data.read(min(int(words[0]), 2 * PIECE_BYTES))
        return piece if hashlib.sha256(piece).hexdigest() == words[1] else None

    def append(self, chunk: bytes) -> None:
        """Add the next bytes."""
        self._data.write(chunk)
        self._digest.update(chunk)
        self._piece.update(chunk)
        self._piece_length += len(chunk)
        self.length += len(chunk)
        if self._piece_length >= self._piece_bytes:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Make sure that a later run can go on from here."""
        if not self._piece_length:
            return
        self._data.flush()
        os.fsync(self._data.fileno())
        self._list.write(f"{self._piece_length} {self._piece.hexdigest()}\n")
        self._list.flush()
        os.fsync(self._list.fileno())
        self._piece, self._piece_length = hashlib.sha256(), 0

    def sha256(self) -> str:
        """Hex sha256 of all bytes so far."""
        return self._digest.hexdigest()

    def restart(self) -> None:
        """Throw away the bytes and begin anew."""
        self._data.seek(0)
        self._data.truncate()
        self._list.truncate(0)
        self.length = self._piece_length = 0
        self._digest, self._piece = hashlib.sha256(), hashlib.sha256()

    def finish(self) -> None:
        """Give the file its name; the caller has checked size and sha256."""
        self.checkpoint()
        self.close()
        put_in_place(partial_path(self._target), self._target)
        drop_partial(self._target)

    def close(self) -> None:
        """Let go of the files; they stay for a later run, unless there is nothing in them."""
        self._data.close()
        self._list.close()
        if not self.length:
            drop_partial(self._target)
