"""Memory units as people read them."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from edge.cli.terminal import is_terminal, local_time, on_one_line, print_err, print_out, styled
from edge.wire import MemoryWire, RecallAnswer, RecalledWire

KINDS = ("user_profile", "session_state", "tool_result", "fact_reference", "batch_operation", "episode")
"""The kinds of `edge.memory.units.Kind`; a test keeps them equal."""
_NOT_SEARCHED = {"index": "parts of the index", "embeddings": "the vectors of most memories"}


LONGEST_SHOWN = 500
"""Characters of a memory that a list on a terminal shows; a pipe gets all, and JSON too."""


def unit_line(unit: MemoryWire) -> str:
    """A unit on a line of its own: id, date, kind, content, and why it is past if it is."""
    mark = _standing(unit)
    line = f"{unit_id(unit['id'])}  {local_time(unit['created_at'])}  {unit['kind']:<15}  {_content(unit['content'])}"
    return line + (styled(f"  ({mark})", sys.stdout, dim=True) if mark else "")


def _content(text: str) -> str:
    line = on_one_line(text)
    if len(line) <= LONGEST_SHOWN or not is_terminal(sys.stdout):
        return line
    return f"{line[:LONGEST_SHOWN]}… ({len(line):,} characters)"


def _standing(unit: MemoryWire) -> str:
    if unit["superseded_by"] is not None:
        return f"superseded by #{unit['superseded_by']}"
    if unit["archived_at"] is not None:
        why = unit.get("archived_why")
        return f"archived {local_time(unit['archived_at'])}" + (f", {why}" if why else "")
    if unit["valid_until"] is not None:
        return f"until {local_time(unit['valid_until'])}"
    return ""


def unit_id(unit: int) -> str:
    """An id as lists show it."""
    return styled(f"{'#' + str(unit):>7}", sys.stdout, bold=True)


def print_units(units: Iterable[MemoryWire]) -> int:
    """Print units, a line each, and give their number."""
    count = 0
    for unit in units:
        print_out(unit_line(unit))
        count += 1
    return count


def print_recalled(answer: RecallAnswer, *, explain: bool) -> None:
    """Print what recall found, best first; with `explain` also the signals, and what was dropped and why."""
    for unit in answer["recalled"]:
        print_out(_recalled_line(unit))
        if explain and unit.get("signals"):
            print_out(" " * 9 + "  ".join(f"{name} {value:.2f}" for name, value in unit["signals"].items()))
    if explain:
        for dropped in answer["dropped"]:
            print_out(
                f"{unit_id(dropped['id'])}  {dropped['score']:.2f}  dropped: {on_one_line(dropped['why'])}"
                f"  {_content(dropped['content'])}"
            )
        print_out(f"rules {answer['rules_ms']:.2f} ms, recall in all {answer['recall_ms']:.2f} ms")
    if answer["nothing_reliable"]:
        print_err("Nothing reliable was found: a turn would ask instead of guessing.")
    if answer["degraded"]:
        print_err(f"Recalled without: {not_searched(answer['degraded'])}; `edge status` says why.")


def _recalled_line(unit: RecalledWire) -> str:
    return (
        f"{unit_id(unit['id'])}  {unit['score']:.2f}  {unit['stage']:<6}  {local_time(unit['created_at'])}"
        f"  {unit['kind']:<15}  {_content(unit.get('passage', unit['content']))}{_archived(unit)}"
    )


def _archived(unit: RecalledWire) -> str:
    """Where it comes from the archive, why it was there."""
    why = unit.get("archived_why")
    return "" if why is None else f"  (archived, {why})"


def not_searched(degraded: Iterable[str]) -> str:
    """What a recall could not search, in words."""
    return ", ".join(_NOT_SEARCHED.get(name, name) for name in degraded)


def not_kept(redacted: Iterable[str]) -> str:
    """Which secrets were taken out of what was said, in words."""
    return f"not kept: {', '.join(redacted)}"
