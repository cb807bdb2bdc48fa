"""Files with sessions' evaluated windows: a folder for each owner, in it a file for each session.

A file is what llama.cpp wrote, the header, and a foot of fixed size that has the lengths of both and their checksums.
The parts stand in this order because llama.cpp writes its own from the first byte on, and does not mind what follows.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from edge.disk import cause_of, sync_folder
from edge.engine.kv_ports import Lane
from edge.errors import EdgeError

_log = logging.getLogger(__name__)
_FOOT = struct.Struct("<QQ16s16s8s")
"""Bytes of body and header, their checksums, and the mark."""
_MARK = b"edge-kv2"
_PART = ".part"
"""What a file is called until it is whole."""
_CHUNK = 1 << 20
_SPARE_BYTES = 64 << 20
"""What is left free on the disk: a window that is not kept costs seconds, a database that cannot grow, memories."""


@dataclass(frozen=True, slots=True)
class _Foot:
    body: int
    head: int
    body_sum: bytes
    head_sum: bytes

    def pack(self) -> bytes:
        return _FOOT.pack(self.body, self.head, self.body_sum, self.head_sum, _MARK)

    @staticmethod
    def read(file: BinaryIO) -> _Foot | None:
        """That of a file which has the lengths that it tells."""
        size = file.seek(0, os.SEEK_END)
        if size < _FOOT.size:
            return None
        file.seek(-_FOOT.size, os.SEEK_END)
        *told, mark = _FOOT.unpack(file.read(_FOOT.size))
        foot = _Foot(*told)
        return foot if mark == _MARK and foot.body + foot.head + _FOOT.size == size else None


class KvFiles:
    """The `LaneFiles` of a folder, at most `most` files of `most_bytes` together; the oldest go first."""

    def __init__(self, folder: Path, most: int, most_bytes: int) -> None:
        self._folder = folder
        self._most = most
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def sweep(self) -> None:
        """At the start: remove what was not whole when the process ended, and what is too much by the settings."""
        try:
            for part in self._folder.glob(f"*/*{_PART}"):
                part.unlink(missing_ok=True)
            self._trim(None)
        except OSError as error:
            _log.warning("files with sessions' windows cannot be looked after: %s", _reason(error))

    def write(
        self, lane: Lane, head: Callable[[], bytes | None], body: Callable[[str], None], *, durable: bool
    ) -> bool:
        """See LaneFiles.write. Where it need not be durable, a power cut may leave a file that is not whole; reading
        finds that out."""
        if not self._most:
            return False
        with self._lock:
            told = head()
            if told is None:
                return False
            try:
                self._write(self._path(lane), told, body, durable)
            except (EdgeError, OSError) as error:
                _log.warning("a session's window was not kept in a file: %s", _reason(error))
                return False
        return True

    def _write(self, path: Path, head: bytes, body: Callable[[str], None], durable: bool) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_suffix(_PART)
        part.unlink(missing_ok=True)
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            body(str(part))
            self._check_room(part)
            with part.open("r+b") as file:
                length, told = _summed(file)
                file.seek(length)
                file.write(head + _Foot(length, len(head), told, _sum(head)).pack())
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            part.rename(path)
        except (EdgeError, OSError):
            part.unlink(missing_ok=True)
            raise
        if durable:
            sync_folder(path.parent)
        self._trim(path)

    def _check_room(self, part: Path) -> None:
        free, size = shutil.disk_usage(part).free, part.stat().st_size
        if free < _SPARE_BYTES:
            raise OSError(f"only {free >> 20} MiB of the disk are free")
        if size > self._most_bytes:
            raise OSError(f"it takes {size >> 20} MiB, more than all may take together")

    def _trim(self, newest: Path | None) -> None:
        """Remove the oldest, but for the one just written."""
        dated = sorted(((told.st_mtime_ns, told.st_size, path) for path, told in self._files()), reverse=True)
        dated.sort(key=lambda each: each[2] != newest)
        size = 0
        for at, (_, taken, path) in enumerate(dated):
            size += taken
            if at >= self._most or size > self._most_bytes:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self._folder.glob("*/*.kv"):
            yield path, path.stat()

    def head(self, lane: Lane) -> bytes | None:
        path = self._path(lane)
        try:
            with path.open("rb") as file:
                foot = _Foot.read(file)
                if foot is not None:
                    file.seek(foot.body)
                    head = file.read(foot.head)
                    if _sum(head) == foot.head_sum:
                        return head
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.warning("%s cannot be read: %s", path.name, _reason(error))
            return None
        self.discard(lane, "it is cut or damaged")
        return None

    def body(self, lane: Lane) -> str | None:
        path = self._path(lane)
        try:
            with path.open("rb") as file:
                foot = _Foot.read(file)
                whole = foot is not None and _summed(file, foot.body)[1] == foot.body_sum
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.warning("%s cannot be read: %s", path.name, _reason(error))
            return None
        if whole:
            return str(path)
        self.discard(lane, "it is cut or damaged")
        return None

    def discard(self, lane: Lane, why: str) -> None:
        path = self._path(lane)
        _log.warning("the file %s with a session's window is ignored and removed: %s", path.name, why)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s cannot be removed: %s", path.name, _reason(error))

    def remove(self, owner: str) -> None:
        folder = self._folder / owner
        with self._lock:
            try:
                if not folder.is_dir():
                    return
                for path in list(folder.iterdir()):
                    path.unlink()
                sync_folder(folder)
            except OSError as error:
                raise cause_of(error)(
                    f"Files with what was said in sessions cannot be removed from {folder}: {error.strerror}.",
                    hint="Nothing was forgotten. Make the folder writable for the daemon's user.",
                    path=str(folder),
                ) from error

    def _path(self, lane: Lane) -> Path:
        return self._folder / f"{lane}.kv"


def _summed(file: BinaryIO, length: int | None = None) -> tuple[int, bytes]:
    """Length and checksum of a file's beginning, or of all of it."""
    digest, done = hashlib.blake2b(digest_size=16), 0
    file.seek(0)
    while chunk := file.read(_CHUNK if length is None else min(_CHUNK, length - done)):
        digest.update(chunk)
        done += len(chunk)
    return done, digest.digest()


def _sum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _reason(error: EdgeError | OSError) -> str:
    if isinstance(error, EdgeError):
        return error.message
    return error.strerror or str(error)
