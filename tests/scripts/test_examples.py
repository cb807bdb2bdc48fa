"""The examples do what they say, against a real daemon."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.client import Session
from tests.e2e.running import DaemonProcess

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "scripts/examples/add_contacts.py"
OPENAI = ROOT / "scripts/examples/openai_chat.py"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path that is short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="edge"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_ten_contacts_are_added_over_a_failure_and_a_kill(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        told = subprocess.run(
            [sys.executable, str(EXAMPLE), str(folder / "contacts.jsonl")],
            env={**daemon.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert told.returncode == 0, told.stderr
        assert told.stdout.splitlines() == [
            "1: Ann Lee", "2: 王芳", "3: Carlos Ruiz", "5: 李娜", "6: Femi Ade", "7: Grace Hall",
            "The agent was killed. Adding 10 contacts: 5 of 10 done, 1 failed (item 4: no e-mail address).",
            "7: Grace Hall", "8: Hana Sato", "9: Ivan Petrov", "10: 陈静",
            "The agent has ended. Adding 10 contacts: finished, 9 of 10 done, 1 failed (item 4: no e-mail address).",
        ]  # fmt: skip
        added = [json.loads(line)["name"] for line in (folder / "contacts.jsonl").read_text().splitlines()]
        assert len(added) == len(set(added)) == 9
        (batch,) = talk.batches()["batches"]
        assert (batch["state"], batch["failures"]) == ("done", [{"item": 4, "reason": "no e-mail address"}])
        assert talk.context("contacts")["context"] == {}
        asked = Session("contacts", daemon.socket).say("进度如何？")
        assert asked["reply"] == "Adding 10 contacts：已结束，完成9/10，1个失败（第4个：no e-mail address）。"
        assert daemon.stop() == 0


def test_the_openai_client_is_told_in_one_talk_what_was_said_in_another(folder: Path) -> None:
    def run(daemon: DaemonProcess) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(OPENAI)], env={**daemon.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
            text=True, timeout=120,
        )  # fmt: skip

    daemon = DaemonProcess(folder)
    with daemon as talk:
        told = run(daemon)
        assert told.returncode == 0, told.stderr
        lines = told.stdout.splitlines()
        assert lines[-4:] == [
            "[tuesday] What is my order number?", "Your order number is A-20391.",
            "[星期三] 我的订单号是多少？", "你的订单号是A-20391。",
        ]  # fmt: skip
        assert {session["session"] for session in talk.sessions()} == {
            "openai-monday", "openai-tuesday", "openai-星期三",
        }  # fmt: skip
        assert daemon.stop() == 0
    refused = run(daemon)
    assert (refused.returncode, refused.stdout) == (1, "[monday] My order number is A-20391.\n")
    assert "Traceback" not in refused.stderr
