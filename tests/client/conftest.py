"""A scripted daemon for the client."""

from __future__ import annotations

from tests.cli.conftest import daemon, folder, home

__all__ = ["daemon", "folder", "home"]
