"""How a memory came to be what it is, as people read it: its versions, and the words it comes from."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from edge.cli.terminal import local_time, on_one_line, print_out, styled
from edge.cli.units import unit_id, unit_line
from edge.wire import MemoryWire, WhyAnswer, WordsWire

_SOURCES = {"user": "you said", "tool": "a tool found", "assistant": "the assistant said", "import": "imported"}
_INDENT = " " * 9


def print_history(versions: Sequence[MemoryWire]) -> None:
    """Print what took one another's place, oldest first: who said it, from when until when, and why it ended."""
    for unit in versions:
        print_out(f"{unit_id(unit['id'])}  {_span(unit)}  {_source(unit)}: {on_one_line(unit['content'])}")
        if unit.get("ended_why"):
            by = f", by #{unit['superseded_by']}" if unit["superseded_by"] is not None else ""
            print_out(styled(f"{_INDENT}ended: {unit['ended_why']}{by}", sys.stdout, dim=True))


def print_why(answer: WhyAnswer) -> None:
    """Print the words that a memory comes from, its quote marked in them, and what said it again."""
    unit = answer["memory"]
    print_out(unit_line(unit))
    said = answer["said"]
    if said is None:
        print_out(f"{_INDENT}{_source(unit)}, outside a talk, {local_time(unit['created_at'])}")
    else:
        print_out(f"{_INDENT}{_source(unit)}, {_told(said, answer['quote'])}")
    for words in answer["confirmed"]:
        print_out(f"{_INDENT}said again, {_told(words, None)}")
    if unit.get("ended_why"):
        by = f", by #{unit['superseded_by']}" if unit["superseded_by"] is not None else ""
        print_out(f"{_INDENT}ended {local_time(unit['valid_until'])}: {unit['ended_why']}{by}")


def _told(said: WordsWire, quote: str | None) -> str:
    where = f"{local_time(said['at'])} in {on_one_line(said['session'])}: "
    if said["words"] is None:
        return where + "(forgotten)"
    return where + _marked(on_one_line(said["words"]), quote)


def _marked(words: str, quote: str | None) -> str:
    """The words with the quote in them in bold, where there are colours, else as they are."""
    plain = on_one_line(quote or "")
    if not plain or plain not in words:
        return words
    return re.sub(re.escape(plain), lambda found: styled(found[0], sys.stdout, bold=True), words, count=1)


def _span(unit: MemoryWire) -> str:
    until = local_time(unit["valid_until"]) if unit["valid_until"] is not None else "now"
    return f"{local_time(unit['valid_from'])} – {until:<16}"


def _source(unit: MemoryWire) -> str:
    return _SOURCES.get(unit["source"], on_one_line(unit["source"]))
