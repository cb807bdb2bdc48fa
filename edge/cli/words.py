"""What a person says on the command line or on standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from edge.cli.terminal import is_terminal
from edge.errors import BodyInvalid, RequestInvalid

UTF8_HINT = "Set the terminal to UTF-8, or convert a file with `iconv -t UTF-8`."


def words_from(arguments: tuple[str, ...], field: str) -> str:
    """The arguments as one text; with none, or with `-`, what stands on standard input.

    Raises RequestInvalid where that is nothing, BodyInvalid where it is not UTF-8.
    """
    if arguments in ((), ("-",)):
        text = _read_input(field, asked=bool(arguments))
    else:
        text = _as_utf8(" ".join(arguments), field)
    if not text.strip():
        raise RequestInvalid(f"{field} is empty.", field=field, hint="Give it as an argument, or on standard input.")
    return text


def _as_utf8(text: str, field: str) -> str:
    """An argument as UTF-8, also where the locale made Python read it as something else."""
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError:
        raise BodyInvalid(f"{field} is not UTF-8.", field=field, hint=UTF8_HINT) from None


def _read_input(field: str, *, asked: bool) -> str:
    if not asked and is_terminal(sys.stdin):
        raise RequestInvalid(f"{field} is missing.", field=field, hint="Give it as an argument, or `-` to type it.")
    return "".join(decoded_lines(sys.stdin.buffer)).strip("\n")


def decoded_lines(stream: BinaryIO) -> Iterator[str]:
    """Lines of UTF-8. Raises BodyInvalid naming the first line that is not."""
    for number, line in enumerate(stream, 1):
        yield decoded(line, number)


def decoded(line: bytes, number: int) -> str:
    """One line as text; a byte order mark before the first is not part of it."""
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise BodyInvalid(
            f"Line {number} of standard input is not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}.",
            line=number,
            hint=UTF8_HINT,
        ) from None
