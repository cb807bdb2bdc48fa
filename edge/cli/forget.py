"""`edge forget`: remove memories for good, after a look at what goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from edge.cli.options import Options, asking, pass_options

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from edge.client.calls import Client
    from edge.wire import MemoryWire

NEARBY = 100
"""Units of one turn are written together: their ids lie this close."""


def unit_number(text: str) -> int:
    """An id as it is listed: 41 or #41. Raises BadParameter."""
    number = text.removeprefix("#")
    if not number.isascii() or not number.isdecimal() or int(number[:19]) == 0 or len(number) > 18:
        raise click.BadParameter(f"{text!r} is not an id; `edge memories` lists them.")
    return int(number)


@click.command(short_help="Remove memories for good.")
@click.argument("ids", nargs=-1, required=True, type=unit_number, metavar="ID...")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@asking
@pass_options
def forget(options: Options, ids: tuple[int, ...], yes: bool) -> None:
    """Remove memories for good: from the database, the search and what the model has read.

    What says the same goes too: the words it was drawn from, and what else was drawn from them. Shows what was
    remembered in that turn, and asks. `edge memories` lists the ids.

    \b
    edge forget 41
    edge forget 41 42 --yes
    """
    from edge.cli.terminal import print_json, print_out

    client = options.client()
    units = [unit for each in dict.fromkeys(ids) for unit in with_relatives(client, each)]
    units = list({unit["id"]: unit for unit in units}.values())
    if not yes:
        _ask(units, ids)
    forgotten = forget_all(client, ids, units)
    if options.as_json:
        print_json({"forgotten": forgotten})
    else:
        print_out("Forgotten: " + ", ".join(f"#{unit}" for unit in forgotten))


def with_relatives(client: Client, unit_id: int) -> list[MemoryWire]:
    """A unit and what was drawn from the same turn. Raises MemoryNotFound."""
    unit = client.memory(unit_id)
    if unit["source_turn"] is None:
        return [unit]
    around = client.memories(before=unit_id + NEARBY, limit=2 * NEARBY, past=True)["memories"]
    others = [each for each in around if each["source_turn"] == unit["source_turn"] and each["id"] != unit_id]
    return [unit, *others]


def _ask(units: Sequence[MemoryWire], named: Collection[int]) -> None:
    """Show what goes, or may, and ask. Raises UsageError where nobody can answer, Abort where the answer is no."""
    from edge.cli.terminal import print_err

    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here: add --yes to forget without a question.")
    for line in preview(units, named):
        print_err(line)
    if not click.confirm("Forget this for good?", err=True):
        raise click.Abort


def preview(units: Iterable[MemoryWire], named: Collection[int]) -> Iterator[str]:
    """Lines that show what was named, then what stands beside it in its turn and goes where it says the same."""
    from edge.cli.units import unit_line

    units = list(units)
    yield from (unit_line(unit) for unit in units if unit["id"] in named)
    beside = [unit_line(unit) for unit in units if unit["id"] not in named]
    if beside:
        yield "From the same turn; what says the same goes too:"
        yield from beside


def forget_all(client: Client, ids: Iterable[int], units: Iterable[MemoryWire]) -> list[int]:
    """Forget units and what was drawn from the same words; gives the ids of all that is gone.

    The words go from the chat's own input history too.
    """
    from edge.cli.history import forget_lines
    from edge.errors import MemoryNotFound

    gone: dict[int, None] = {}
    for unit in ids:
        try:
            gone.update(dict.fromkeys(client.forget(unit)["forgotten"]))
        except MemoryNotFound:
            # Gone together with one before it.
            if unit not in gone:
                raise
    told = [unit[field] for unit in units if unit["id"] in gone for field in ("content", "value")]
    forget_lines(text for text in told if text)
    return list(gone)
