"""`edge forget`: remove memories for good, after a look at what goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from edge.cli.options import Options, asking, pass_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from edge.client.calls import Client
    from edge.wire import ForgetPreview, ForgotAnswer

SHOWN = 20
"""Lines of a preview; JSON has more."""
REMAINS = (
    "Backups that the daemon made are replaced by the next night. What was copied elsewhere before is not reached: "
    "delete that too."
)


def unit_number(text: str) -> int:
    """An id as it is listed: 41 or #41. Raises BadParameter."""
    number = text.removeprefix("#")
    if not number.isascii() or not number.isdecimal() or int(number[:19]) == 0 or len(number) > 18:
        raise click.BadParameter(f"{text!r} is not an id; `edge memories` lists them.")
    return int(number)


@click.command(short_help="Remove memories for good.")
@click.argument("ids", nargs=-1, type=unit_number, metavar="[ID...]")
@click.option("--query", metavar="TEXT", help="Memories that hold these words; if none does, those near in meaning.")
@click.option("--session", "session", metavar="NAME", help="Everything of one session.")
@click.option("--facts", is_flag=True, help="With --session: also the facts from it that every session knows.")
@click.option("--all-of", "all_of", metavar="OWNER", help="Everything of `me`; root may name another: uid:1000.")
@click.option("--preview", "only_show", is_flag=True, help="Show what would go, and forget nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@asking
@pass_options
def forget(
    options: Options,
    ids: tuple[int, ...],
    query: str | None,
    session: str | None,
    facts: bool,
    all_of: str | None,
    only_show: bool,
    yes: bool,
) -> None:
    """Remove memories for good: from the database, the search and what the model has read.

    What says the same goes too: the words it was drawn from, and what else was drawn from them. Shows what goes, and
    asks. `edge memories` lists the ids. A session goes with its turns and all that concerns it alone; facts from it
    that every session knows (a name, a number) stay, unless --facts is given.

    \b
    edge forget 41 42
    edge forget --query "old address"
    edge forget --session trip --facts
    edge forget --all-of me
    """
    from edge.cli.terminal import print_err, print_json, print_out

    if all_of is not None:
        if ids or query or session or facts:
            raise click.UsageError("--all-of goes with nothing else that says what to forget.")
        from edge.cli.forget_all import forget_all

        forget_all(options, None if all_of == "me" else all_of, only_show=only_show, asks=not yes)
        return
    wanted = _wanted(ids, query, session, facts=facts)
    client, asks = options.client(), not yes
    preview = client.forget_preview(**wanted)
    if only_show:
        print_json(preview) if options.as_json else _print_lines(preview)
        return
    if asks:
        _ask(preview)
    gone = carry_out(client, wanted, preview, preview["token"] if asks else None)
    if options.as_json:
        print_json(gone)
        return
    print_out(told(gone))
    print_err(REMAINS)


def _wanted(ids: tuple[int, ...], query: str | None, session: str | None, *, facts: bool) -> dict[str, Any]:
    ways = {"ids": list(dict.fromkeys(ids)) or None, "query": query, "session": session}
    given = {name: value for name, value in ways.items() if value is not None}
    if len(given) != 1:
        raise click.UsageError("Say what to forget, in one way: ids, --query, --session or --all-of.")
    if facts and session is None:
        raise click.UsageError("--facts goes with --session.")
    return {**given, "facts": True} if facts else given


def _ask(preview: ForgetPreview) -> None:
    """Show what goes, and ask. Raises UsageError where nobody can answer, Abort where the answer is no."""
    from edge.cli.terminal import print_err

    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here: add --yes to forget without a question.")
    for line in preview_lines(preview):
        print_err(line)
    if not click.confirm("Forget this for good?", err=True):
        raise click.Abort


def _print_lines(preview: ForgetPreview) -> None:
    from edge.cli.terminal import print_out

    for line in preview_lines(preview):
        print_out(line)


def preview_lines(preview: ForgetPreview) -> Iterator[str]:
    """What goes, in lines: how many, the first of them, and what stays."""
    from edge.cli.units import unit_line

    if preview["found_by"] == "meaning":
        yield "No memory holds these words; these are near in meaning:"
    yield from (unit_line(unit) for unit in preview["memories"][:SHOWN])
    more = len(preview["ids"]) - len(preview["memories"][:SHOWN])
    if more > 0:
        yield f"and {more} more"
    memories, turns = _count(len(preview["ids"]), "memory", "memories"), _count(preview["turns"], "turn", "turns")
    yield f"{memories} and the words of {turns} go."
    if preview["kept"]:
        yield "These facts from it stay, as every session knows them (--facts forgets them too):"
        yield from (unit_line(unit) for unit in preview["kept"][:SHOWN])
        if len(preview["kept_ids"]) > SHOWN:
            yield f"and {len(preview['kept_ids']) - SHOWN} more"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def carry_out(client: Client, wanted: Mapping[str, Any], preview: ForgetPreview, token: str | None) -> ForgotAnswer:
    """Forget what a preview showed. The words go from the chat's own input history too."""
    from edge.cli.history import forget_lines

    words = list(_words(client, preview))
    gone = client.forget_selected(token, **wanted)
    forget_lines(words)
    return gone


def _words(client: Client, preview: ForgetPreview) -> Iterator[str]:
    """Contents and values of all that goes; what the preview does not show whole is looked up."""
    going = set(preview["ids"])
    units = preview["memories"] if len(preview["memories"]) == len(going) else client.all_memories(past=True)
    for unit in units:
        if unit["id"] in going:
            yield from (text for text in (unit["content"], unit["value"]) if text)


def told(gone: ForgotAnswer) -> str:
    """What was forgotten, on a line."""
    ids = gone["forgotten"]
    if len(ids) > SHOWN:
        return f"Forgotten: {_count(len(ids), 'memory', 'memories')}"
    return "Forgotten: " + (", ".join(f"#{unit}" for unit in ids) or _count(gone["turns"], "turn", "turns"))
