"""A whole chat without a network, and without one call that would have used it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.real import real_daemon
from tests.e2e.running import REAL, DaemonProcess
from tests.e2e.talking import Talk

pytestmark = pytest.mark.models
_TRACE = ("strace", "-f", "-qq", "-e", "trace=network", "-s", "16", "-o")
_CHAT = "My name is Zhang Wei.\n我的订单号是 CN20260317。\nWhat is my name?\n我的订单号是多少？\n"


def works(*command: str) -> bool:
    return (
        shutil.which(command[0]) is not None and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    )


def chat(daemon: DaemonProcess, *before: str) -> str:
    """Piped into `edge chat`: each line is a turn."""
    command = (*before, *REAL[:-1], "chat")
    done = subprocess.run(command, env=daemon.environ, input=_CHAT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_chat(daemon: DaemonProcess, talk: Talk, *before: str) -> None:
    replies = chat(daemon, *before)
    assert "Zhang Wei" in replies.splitlines()[2]
    assert "CN20260317" in replies.splitlines()[3]
    assert talk.recall("订单号")["degraded"] == []
    assert talk.forget(talk.remember("The garage code is 4711")["added"][0])["forgotten"]


@pytest.mark.skipif(not works("strace", "-o", "/dev/null"), reason="strace does not work here")
def test_no_ip_socket_is_opened_in_a_whole_chat(folder: Path) -> None:
    served, asked = folder / "served", folder / "asked"
    daemon = real_daemon(folder, *_TRACE, str(served))
    with daemon as talk:
        check_chat(daemon, talk, *_TRACE, str(asked))
        os.kill(talk.status()["pid"], signal.SIGTERM)
        assert daemon.ended() == 0
    for trace in (served.read_text(), asked.read_text()):
        assert "AF_UNIX" in trace
        assert "AF_INET" not in trace
        assert "AF_NETLINK" not in trace


@pytest.mark.skipif(not works("unshare", "-n"), reason="no network namespace can be made here")
def test_in_an_empty_network_namespace_everything_works(folder: Path) -> None:
    daemon = real_daemon(folder, "unshare", "-n")
    with daemon as talk:
        check_chat(daemon, talk)
        assert daemon.stop() == 0
