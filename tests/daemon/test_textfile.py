"""The file for node_exporter: whole, readable, and only where it is wanted."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path

import pytest

from edge.daemon.textfile import Textfile, textfile_path
from edge.errors import SettingsInvalid
from edge.settings import HealthSettings


def file_of(path: Path, *figures: bytes) -> Textfile:
    left = list(figures)

    async def told() -> bytes:
        return left.pop(0)

    return Textfile(path, told)


def test_none_is_wanted_by_default() -> None:
    assert textfile_path(HealthSettings()) is None


@pytest.mark.parametrize("wrong", ["edge.prom", "/var/lib/edge.txt", "/var/lib/edge", ".prom"])
def test_a_path_that_node_exporter_would_not_read_is_refused(wrong: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"health\.textfile"):
        textfile_path(HealthSettings(wrong))


def test_it_is_replaced_whole_and_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "edge.prom"
    file = file_of(path, b"edge_turns 1\n", b"edge_turns 2\n")
    before = os.umask(0o077)
    try:
        asyncio.run(file.write())
        first = path.stat().st_ino
        asyncio.run(file.write())
    finally:
        os.umask(before)
    assert path.read_bytes() == b"edge_turns 2\n"
    assert path.stat().st_ino != first
    assert path.stat().st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["edge.prom"]
    file.remove()
    file.remove()
    assert os.listdir(tmp_path) == []


def test_the_file_before_stays_where_the_new_one_fails_and_it_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "edge.prom"
    file = file_of(path, b"1\n", b"2\n", b"3\n", b"4\n")
    asyncio.run(file.write())
    part = tmp_path / ".edge.prom.part"
    part.mkdir()
    with caplog.at_level(logging.WARNING):
        asyncio.run(file.write())
        asyncio.run(file.write())
    assert path.read_bytes() == b"1\n"
    assert len(caplog.messages) == 1
    part.rmdir()
    asyncio.run(file.write())
    assert path.read_bytes() == b"4\n"
