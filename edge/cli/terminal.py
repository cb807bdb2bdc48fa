"""What people see: text made safe for a terminal, colours, times, tables, and JSON."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Any

import click

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
"""Control characters as the pictures that Unicode has for them."""
_CONTROLS = _PICTURES | dict.fromkeys(range(0x80, 0xA0), "\ufffd")
_REORDERING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
"""Marks that turn the writing direction of what follows, beyond the text they stand in."""
_SHOWN = {code: picture for code, picture in (_CONTROLS | _REORDERING).items() if chr(code) not in "\n\t"}
_ONE_LINE = _SHOWN | {ord("\n"): " ", ord("\r"): " ", ord("\t"): " ", 0x2028: " ", 0x2029: " "}


def use_utf8() -> None:
    """Read and write UTF-8 whatever the locale says: memories are in every language.

    A lone surrogate, which JSON can carry and UTF-8 cannot, is written as JSON's own escape.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        elif stream is None:
            # Closed by the caller (`>&-`): what is said there is said to nobody.
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8"))
    if sys.stdin is None:
        # Closed by the caller (`<&-`): there is nothing to read.
        sys.stdin = io.TextIOWrapper(io.FileIO(os.devnull), encoding="utf-8")


def is_terminal(stream: IO[Any]) -> bool:
    """Whether a person is at the other end of a stream."""
    return not stream.closed and stream.isatty()


def has_colours(stream: IO[Any]) -> bool:
    """Colours are for terminals that can show them, unless NO_COLOR is set (see no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, stream: IO[Any], **style: Any) -> str:
    """Text with a style where the stream has colours."""
    return click.style(text, **style) if has_colours(stream) else text


def shown(text: str) -> str:
    """Text that cannot steer a terminal: control characters but newline and tab become visible signs."""
    return text.translate(_SHOWN)


def on_one_line(text: str) -> str:
    """Text for a list: safe as `shown` makes it, and without line breaks."""
    return text.translate(_ONE_LINE)


def say(text: str = "", *, end: str = "\n") -> None:
    """Print words of a person or of the model: made safe on a terminal, untouched in a pipe."""
    print_out(shown(text) if is_terminal(sys.stdout) else text, end=end)


def print_out(text: str, *, end: str = "\n") -> None:
    """Print on standard output, at once."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def print_err(text: str, *, end: str = "\n") -> None:
    """Print on standard error, at once."""
    sys.stderr.write(text + end)
    sys.stderr.flush()


def print_json(value: Any) -> None:
    """Print one JSON value: over several lines for a person, on one in a pipe."""
    import json

    print_out(json.dumps(value, ensure_ascii=False, indent=2 if is_terminal(sys.stdout) else None))


def local_time(utc: str | None) -> str:
    """A wire time as the person's own clock shows it, to the minute."""
    if utc is None:
        return "-"
    from datetime import datetime

    try:
        return datetime.fromisoformat(utc).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return on_one_line(utc)


def size(count: int) -> str:
    """Bytes in the unit that suits them."""
    if count < 1000:
        return f"{count} B"
    for unit, factor in (("kB", 1e3), ("MB", 1e6)):
        if count < 999.5 * factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count / 1e9:.2f} GB"


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows as lines with aligned columns; the last column is left ragged, for it may be wide or long."""
    cells = [[on_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in list(zip(*cells, strict=True))[:-1]]
    return [
        "  ".join([*(_padded(cell, width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in cells
    ]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for a Chinese character, none for a combining one."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


class Note:
    """A short remark on the terminal's last line while a person waits; gone when the answer comes."""

    def __init__(self) -> None:
        self._wanted = has_cursor(sys.stderr) and is_terminal(sys.stdout)
        self._stands = False

    def show(self, text: str) -> None:
        """Show a remark in place of the one before."""
        if self._wanted:
            print_err("\r\x1b[K" + styled(text, sys.stderr, dim=True), end="")
            self._stands = True

    def clear(self) -> None:
        """Take the remark away."""
        if self._stands:
            print_err("\r\x1b[K", end="")
            self._stands = False


def has_cursor(stream: IO[Any]) -> bool:
    """Whether a line can be written over on a stream."""
    return is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"
