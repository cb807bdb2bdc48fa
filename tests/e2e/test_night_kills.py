"""A daemon that is killed in the middle of nights: it goes on, and nothing is lost."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.running import DaemonProcess
from tests.e2e.talking import Talk

MOST_EVENTS = 12


def kill_inside(daemon: DaemonProcess, talk: Talk, events: int) -> None:
    """Ask for a night, and kill the daemon when it has told so many events, or at its end."""
    with talk.consolidate(now=True) as running:
        for number, _ in enumerate(running):
            if number == events:
                break
        daemon.kill()


def check_backups(state: Path) -> None:
    """Every backup that has its name is whole."""
    for backup in (state / "backups").glob("memory-*.db"):
        with closing(sqlite3.connect(backup)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("kills", [6, pytest.param(100, marks=pytest.mark.long)])
def test_kills_inside_nights(folder: Path, kills: int) -> None:
    chance = random.Random(kills)
    daemon, told = DaemonProcess(folder), 0
    for _ in range(kills):
        talk = daemon.start()
        assert talk.status()["counts"]["units"] == told
        for _ in range(3):
            talk.remember(f"The {told}th box is on a shelf. 第{told}箱在架上。", kind="fact_reference")
            told += 1
        kill_inside(daemon, talk, chance.randrange(MOST_EVENTS))
        check_backups(daemon.state)
    talk = daemon.start()
    with talk.consolidate(now=True) as running:
        list(running)
    assert running.night is not None
    assert running.night["state"] == "done"
    assert [step["step"] for step in running.night["steps"] if step["failure"] is not None] == []
    assert talk.status()["counts"]["units"] == told
    assert daemon.stop() == 0
    check_backups(daemon.state)
    assert not (daemon.state / "backups" / "unfinished.tmp").exists()
