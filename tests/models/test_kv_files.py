"""Files with sessions' windows: whole or not there, the newest of them, and gone when forgotten."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from edge.engine.kv_ports import Lane
from edge.errors import StoreFailed, StoreReadOnly
from edge.models.kv_files import KvFiles

ONE, TWO, THREE, BOBS = (Lane(name) for name in ("ann/1", "ann/2", "ann/3", "bob/1"))


def files(folder: Path, most: int = 8, most_bytes: int = 1 << 20) -> KvFiles:
    return KvFiles(folder, most, most_bytes)


def told(text: str) -> Callable[[], bytes | None]:
    data = text.encode()
    return lambda: data


def writes(data: bytes) -> Callable[[str], None]:
    def body(path: str) -> None:
        Path(path).write_bytes(data)

    return body


def kept(at: KvFiles, lane: Lane, data: bytes = b"keys and values", head: str = "头") -> bool:
    return at.write(lane, told(head), writes(data), durable=True)


def on_disk(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    at = files(tmp_path)
    assert kept(at, ONE, b"\0" * 3_000_000 + b"end", "头 and head") is False
    assert kept(at, ONE, b"\0" * 300_000 + b"end", "头 and head")
    assert at.head(ONE) == "头 and head".encode()
    path = at.body(ONE)
    assert path is not None
    assert Path(path).read_bytes().startswith(b"\0" * 300_000 + b"end")
    assert at.head(TWO) is None
    assert at.body(TWO) is None


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_its_owners_alone_and_takes_the_place_of_the_last(tmp_path: Path, durable: bool) -> None:
    at = files(tmp_path / "kv")
    assert at.write(ONE, told("1"), writes(b"first"), durable=durable)
    assert at.write(ONE, told("2"), writes(b"second"), durable=durable)
    assert at.head(ONE) == b"2"
    assert on_disk(tmp_path / "kv") == {"ann/1.kv"}
    assert os.stat(tmp_path / "kv/ann/1.kv").st_mode & 0o777 == 0o600
    assert os.stat(tmp_path / "kv/ann").st_mode & 0o777 == 0o700


def test_nothing_is_written_where_there_is_no_header_or_no_file_is_wanted(tmp_path: Path) -> None:
    assert not files(tmp_path).write(ONE, lambda: None, writes(b"data"), durable=True)
    assert not kept(files(tmp_path, most=0), ONE)
    assert on_disk(tmp_path) == set()


@pytest.mark.parametrize("length", [0, 1, 14, 15, 17, 18, 40, 70, 73])
def test_a_cut_file_is_ignored_removed_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture, length: int) -> None:
    at = files(tmp_path)
    kept(at, ONE)
    path = tmp_path / "ann/1.kv"
    whole = path.read_bytes()
    assert len(whole) == 74
    path.write_bytes(whole[:length])
    assert at.head(ONE) is None
    assert "cut or damaged" in caplog.text
    assert on_disk(tmp_path) == set()


@pytest.mark.parametrize("at_byte", range(74))
def test_no_byte_changes_unseen(tmp_path: Path, at_byte: int) -> None:
    at = files(tmp_path)
    kept(at, ONE)
    path = tmp_path / "ann/1.kv"
    data = bytearray(path.read_bytes())
    data[at_byte] ^= 1
    path.write_bytes(data)
    assert at.head(ONE) is None or at.body(ONE) is None
    assert on_disk(tmp_path) == set()


def test_what_fails_to_be_written_is_said_and_leaves_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fails(path: str) -> None:
        Path(path).write_bytes(b"half")
        raise StoreFailed("llama.cpp could not write 9 tokens.")

    def full(path: str) -> None:
        raise OSError(28, "No space left on device")

    at = files(tmp_path)
    kept(at, ONE, head="as it was")
    for body, why in ((fails, "could not write 9 tokens"), (full, "No space left")):
        assert not at.write(ONE, told("new"), body, durable=True)
        assert why in caplog.text
    assert on_disk(tmp_path) == {"ann/1.kv"}
    assert at.head(ONE) == b"as it was"


def test_the_last_room_of_a_disk_is_left_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    usage = type("Usage", (), {"free": 63 << 20})
    monkeypatch.setattr("edge.models.kv_files.shutil.disk_usage", lambda _: usage)
    assert not kept(files(tmp_path), ONE)
    assert "63 MiB of the disk are free" in caplog.text
    assert on_disk(tmp_path) == set()


def test_the_oldest_go_first(tmp_path: Path) -> None:
    at = files(tmp_path, most=2)
    for age, lane in ((30, ONE), (20, BOBS)):
        kept(at, lane)
        os.utime(tmp_path / f"{lane}.kv", ns=(age, 10**9 - age))
    kept(at, THREE)
    assert on_disk(tmp_path) == {"bob/1.kv", "ann/3.kv"}


def test_all_together_take_no_more_than_so_many_bytes(tmp_path: Path) -> None:
    at = files(tmp_path, most_bytes=1000)
    for age, lane in ((30, ONE), (20, TWO), (10, BOBS)):
        kept(at, lane, b"x" * 300)
        if age > 10:
            os.utime(tmp_path / f"{lane}.kv", ns=(age, 10**9 - age))
    assert on_disk(tmp_path) == {"ann/2.kv", "bob/1.kv"}
    assert not kept(at, THREE, b"x" * 1001)


def test_the_start_removes_what_was_not_whole_and_what_is_too_much(tmp_path: Path) -> None:
    at = files(tmp_path)
    kept(at, ONE)
    os.utime(tmp_path / "ann/1.kv", ns=(1, 1))
    kept(at, TWO)
    (tmp_path / "ann/3.part").write_bytes(b"forgotten words")
    files(tmp_path, most=1).sweep()
    assert on_disk(tmp_path) == {"ann/2.kv"}
    files(tmp_path / "not there").sweep()


def test_an_owners_files_go_whole_or_not_and_nobody_elses_do(tmp_path: Path) -> None:
    at = files(tmp_path)
    for lane in (ONE, TWO, BOBS):
        kept(at, lane)
    (tmp_path / "ann/3.part").write_bytes(b"being written when the process ended")
    at.remove("ann")
    assert on_disk(tmp_path) == {"bob/1.kv"}
    at.remove("ann")
    at.remove("nobody")


def test_removing_waits_for_what_is_being_written(tmp_path: Path) -> None:
    at, begun, go_on = files(tmp_path), threading.Event(), threading.Event()

    def slow(path: str) -> None:
        begun.set()
        go_on.wait(30)
        Path(path).write_bytes(b"words to be forgotten")

    writer = threading.Thread(target=lambda: at.write(ONE, told("head"), slow, durable=True))
    remover = threading.Thread(target=lambda: at.remove("ann"))
    writer.start()
    assert begun.wait(30)
    remover.start()
    go_on.set()
    writer.join()
    remover.join()
    assert on_disk(tmp_path) == set()


def test_what_cannot_be_removed_is_an_error_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = files(tmp_path)
    kept(at, ONE)

    def refuses(path: Path, **_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuses)
    with pytest.raises(StoreReadOnly, match="Read-only"):
        at.remove("ann")


def test_a_file_of_no_use_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    at = files(tmp_path)
    kept(at, ONE)
    at.discard(ONE, "it is of another model")
    assert "it is of another model" in caplog.text
    assert on_disk(tmp_path) == set()
