"""What is in a daemon's files, read without the daemon."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple


class StoredTurn(NamedTuple):
    session: str
    message: str
    reply: str
    state: str


def stored_turns(state: Path) -> list[StoredTurn]:
    """All turns, oldest first."""
    with closing(sqlite3.connect(f"file:{state / 'memory.db'}?mode=ro", uri=True)) as db:
        return [StoredTurn(*row) for row in db.execute("SELECT session, message, reply, state FROM turns ORDER BY id")]


def files_holding(state: Path, text: str) -> list[str]:
    """Names of the files in the state folder in which a text stands."""
    return [path.name for path in sorted(state.rglob("*")) if path.is_file() and text.encode() in path.read_bytes()]
