"""The lines a person typed in the chat, kept for the arrow keys in a file that only they can read.

What is forgotten goes from here as well: it is a copy of the person's words like any other. Secrets are not written to
the file, also those that the person asked to remember: they stand in the memory then, and only there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from edge.places import state_dir

MAX_LINES = 1000


def history_path() -> Path:
    """The file, in the state folder."""
    return state_dir(os.environ, Path.home()) / "chat_history"


def load_history() -> None:
    """Give readline the lines of earlier chats. A history that cannot be read is no reason not to talk."""
    import readline

    readline.clear_history()
    readline.set_auto_history(False)
    for line in _read(history_path()):
        readline.add_history(line)


def remember_line(line: str) -> None:
    """Add a line, in memory and, without secrets, in the file."""
    import readline

    readline.add_history(line)
    path = history_path()
    _write(path, [*_read(path), _without_secrets(line)])


def forget_lines(contents: Iterable[str]) -> None:
    """Remove the lines in which a forgotten memory's words stand, in whatever case."""
    forgotten = [form for content in contents for form in (content, _without_secrets(content))]
    words = {form.strip().casefold() for form in forgotten} - {""}
    path = history_path()
    before = _read(path)
    kept = [line for line in before if not any(content in line.casefold() for content in words)]
    if len(kept) < len(before):
        _write(path, kept)
        if "readline" in sys.modules:
            load_history()


def forget_all_lines() -> None:
    """Remove all of them."""
    path = history_path()
    if path.exists():
        _write(path, [])


def _without_secrets(line: str) -> str:
    from edge.memory.secrets import redacted

    return redacted(line)[0]


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _write(path: Path, lines: list[str]) -> None:
    """Replace the file in one step; where that is not possible (a full or read-only disk) it stays as it is."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines[-MAX_LINES:])
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
