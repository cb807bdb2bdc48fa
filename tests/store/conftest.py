"""A clock and a store on a disk."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from edge.store.sqlite import SqliteStore, open_store
from tests.store.making import NOON


class NoonClock:
    """It is always noon."""

    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "state" / "memory.db"


@pytest.fixture
def sqlite_store(database: Path) -> Iterator[SqliteStore]:
    store = open_store(database, NoonClock())
    yield store
    store.close()
