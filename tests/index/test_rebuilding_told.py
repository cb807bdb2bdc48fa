"""What the log and the state tell of a rebuilding: one line at its end, and progress that never goes back."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.index.making import drain, filled, more, sealed, small


@pytest.fixture(autouse=True)
def info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "edge.index")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [message for message in caplog.messages if "built anew from the database" in message]


def test_sealing_and_merging_are_no_rebuilding(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = filled(30)
    index = sealed(tmp_path, log)
    for first in range(31, 600, 30):
        more(log, 30, first=first)
        index.follow()
        drain(index)
    assert index.state().segments
    assert told(caplog) == []


def test_a_rebuilding_is_told_once_whatever_is_sealed_meanwhile(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=128))
    caplog.clear()
    index.rebuild()
    progress = []
    while index.step():
        work = index.state().work
        if work is not None and work.task == "rebuild":
            progress.append(work.done)
        if not told(caplog) and len(log.units) < 400:
            more(log, 1, first=len(log.units) + 1, seed=len(log.units))
            index.follow()
    assert progress == sorted(progress)
    assert told(caplog) == ["300 vectors of the index were built anew from the database"]
