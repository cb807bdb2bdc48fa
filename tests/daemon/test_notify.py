"""What the service manager is told."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.daemon.notify import Notifier


class Manager:
    """Stands in for systemd: a datagram socket."""

    def __init__(self, address: str) -> None:
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.link.bind("\0" + address[1:] if address.startswith("@") else address)
        self.link.settimeout(10)
        self.environ = {"NOTIFY_SOCKET": address}

    def heard(self) -> str:
        return self.link.recv(4096).decode()


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    made = Manager(str(tmp_path / "n") if request.param == "path" else f"@edge-test-{os.getpid()}")
    yield made
    made.link.close()


def test_each_state_as_sd_notify_has_it(manager: Manager) -> None:
    notifier = Notifier(manager.environ)
    notifier.ready("Serving on /run/小/edge.sock")
    notifier.alive()
    notifier.stopping()
    heard = [manager.heard() for _ in range(3)]
    assert heard == ["READY=1\nSTATUS=Serving on /run/小/edge.sock", "WATCHDOG=1", "STOPPING=1"]


def test_without_a_manager_nothing_happens() -> None:
    Notifier({}).ready("x")


def test_a_manager_that_is_gone_is_logged_and_no_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("x")
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
        ({"WATCHDOG_USEC": "²"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_ours_or_nobodys(environ: dict[str, str], seconds: float | None) -> None:
    assert Notifier(environ).watchdog_seconds == seconds
