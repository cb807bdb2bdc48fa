"""What a person says on the command line or on standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

from edge.errors import BodyInvalid, RequestInvalid


def words_from(arguments: tuple[str, ...], field: str) -> str:
    """The arguments as one text; with none, or with `-`, what stands on standard input.

    Raises RequestInvalid where that is nothing, BodyInvalid where it is not UTF-8.
    """
    if arguments in ((), ("-",)):
        text = _read_input(field, asked=bool(arguments))
    else:
        text = " ".join(arguments)
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise BodyInvalid(f"{field} is not UTF-8.", field=field)
    if not text.strip():
        raise RequestInvalid(f"{field} is empty.", field=field, hint="Give it as an argument, or on standard input.")
    return text


def _read_input(field: str, *, asked: bool) -> str:
    if not asked and sys.stdin.isatty():
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
        ) from None
