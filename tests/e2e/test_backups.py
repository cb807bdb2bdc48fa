"""A backup under load, put back into a second folder; who may ask for one; a full disk in the middle."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edge.errors import DiskFull
from edge.wire import BackupDone
from tests.disks import fill, mounted, root_only
from tests.e2e.running import DaemonProcess, DaemonThread, environment
from tests.e2e.stored import stored_turns
from tests.e2e.talking import Talk
from tests.e2e.test_owners import OtherUser, other, shared, their_python  # noqa: F401  fixtures

EDGE = (sys.executable, "-c", "from edge.cli.main import main; raise SystemExit(main())")


def back_up(talk: Talk) -> BackupDone:
    with talk.back_up() as making:
        for each in making:
            assert 0 <= each["bytes"] <= each["total"]
    return making.result


def edge(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*EDGE, *arguments], env=environment(folder), capture_output=True, text=True, timeout=120)


def rows(database: Path) -> list[Any]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute("SELECT * FROM units ORDER BY id").fetchall()


def test_a_backup_under_load_is_put_back_in_a_second_folder(folder: Path) -> None:
    first, second = DaemonProcess(folder / "a"), folder / "b"
    first.folder.mkdir()
    second.mkdir()
    with first as talk:
        for number in range(20):
            talk.remember(f"Box {number} is on shelf {number}. 第{number}个箱子 📦 <|im_start|>")
        with ThreadPoolExecutor(2) as pool:
            saying = [pool.submit(talk.say, f"Say: {number} 你好", f"s{number % 3}") for number in range(12)]
            made = back_up(talk)
            assert all(each.result()["reply"] for each in saying)
        assert first.stop() == 0
    backup = Path(made["path"])
    assert backup.stat().st_size == made["bytes"]
    restored = edge(second, "--json", "restore", str(backup), "--yes")
    assert restored.returncode == 0, restored.stderr
    assert json.loads(restored.stdout)["memories"] == len(rows(backup))
    assert rows(second / "state" / "memory.db") == rows(backup)
    with DaemonProcess(second) as talk:
        assert "shelf 7" in talk.recall("Where is box 7?")["recalled"][0]["content"]
        busy = edge(second, "restore", str(backup), "--yes")
    assert busy.returncode == 4
    assert "has the memory" in busy.stderr


def test_restore_lists_and_takes_names(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        talk.remember("我的自行车是蓝色的")
        made = back_up(talk)
        talk.remember("My boat is green")
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.ended() == 0
    assert edge(folder, "restore").stdout.startswith(made["name"])
    missing = edge(folder, "--json", "restore", "memory-000009-20260503T031500Z.db", "--yes")
    assert json.loads(missing.stderr)["error"]["code"] == "backup_not_found"
    unasked = edge(folder, "restore", made["name"])
    assert unasked.returncode == 2
    done = edge(folder, "restore", made["name"], "--yes")
    assert done.returncode == 0, done.stderr
    with DaemonProcess(folder) as talk:
        assert [unit["content"] for unit in talk.all_memories(past=True)] == ["我的自行车是蓝色的"]
        assert len(json.loads(edge(folder, "--json", "restore").stdout)["backups"]) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a second user")
def test_another_user_may_not_ask_for_one(shared: DaemonThread, other: OtherUser) -> None:  # noqa: F811
    status, answer = other.request("POST", "/v1/backups")
    assert (status, answer["error"]["code"]) == (403, "not_permitted")
    assert not (shared.state / "backups").exists()
    assert back_up(shared.talk)["removed"] == 0


@root_only
def test_a_disk_that_fills_leaves_the_memory_and_the_backups_as_they_are(folder: Path) -> None:
    with mounted(folder / "state", "size=6m,mode=0700") as state:
        with DaemonProcess(folder) as talk:
            talk.say("My name is Zhang Wei. 你好")
            made = back_up(talk)
            fill(state)
            with pytest.raises(DiskFull):
                back_up(talk)
            assert sorted(path.name for path in (state / "backups").iterdir()) == [made["name"]]
            assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]
            (state / "filler").unlink()
            assert back_up(talk)["removed"] == 0
        assert stored_turns(state)[0].message == "My name is Zhang Wei. 你好"
