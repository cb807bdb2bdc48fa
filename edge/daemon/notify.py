"""Telling systemd how the daemon is: the sd_notify protocol over a datagram socket."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

_log = logging.getLogger(__name__)


class Notifier:
    """Sends states to the service manager, where there is one (sd_notify(3)); else does nothing.

    A manager that cannot be reached is no reason to end: it is logged.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        micros = environ.get("WATCHDOG_USEC", "")
        for_us = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        wanted = for_us and micros.isascii() and micros.isdigit() and int(micros) > 0
        self.watchdog_seconds = int(micros) / 1e6 if wanted else None

    def ready(self, status: str) -> None:
        """The socket serves."""
        self._send(f"READY=1\nSTATUS={status}")

    def stopping(self) -> None:
        """The daemon drains and ends."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """The worker threads still work."""
        self._send("WATCHDOG=1")

    def _send(self, state: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
                link.sendto(state.encode(), address)
        except OSError as error:
            _log.warning("the service manager was not told %s: %s", state.split("=", maxsplit=1)[0], error)
