"""`edge memories`: what is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from edge.cli.moments import moment
from edge.cli.options import Options, pass_options, talking
from edge.cli.units import KINDS

if TYPE_CHECKING:
    from edge.wire import MemoryWire


@click.command(short_help="List what is remembered, newest first.")
@click.option("--kind", type=click.Choice(KINDS), help="Only this kind.")
@click.option(
    "--as-of", type=moment, metavar="TIME", help="What was so then; a day, such as 2026-03-01, means its end."
)
@click.option("--past", is_flag=True, help="Also what has expired, was superseded or archived.")
@click.option("--archived", is_flag=True, help="Only what was archived.")
@click.option("--limit", type=click.IntRange(1, 500), metavar="N", help="Memories on a page (default 50).")
@click.option("--before", type=click.IntRange(min=1), metavar="ID", help="The page of those older than this id.")
@click.option("--all", "everything", is_flag=True, help="Every page, not only one.")
@click.option("--history", type=click.IntRange(min=1), metavar="ID", help="What took whose place, up to this memory.")
@click.option("--why", type=click.IntRange(min=1), metavar="ID", help="The words that this memory comes from.")
@click.option(
    "--archive", type=click.IntRange(min=1), metavar="ID", multiple=True, help="Put this memory away; can be repeated."
)
@click.option(
    "--restore",
    type=click.IntRange(min=1),
    metavar="ID",
    multiple=True,
    help="Bring this one back from the archive; can be repeated.",
)
@talking
@pass_options
def memories(
    options: Options,
    kind: str | None,
    as_of: str | None,
    past: bool,
    archived: bool,
    limit: int | None,
    before: int | None,
    everything: bool,
    history: int | None,
    why: int | None,
    archive: tuple[int, ...],
    restore: tuple[int, ...],
) -> None:
    """List what is remembered, newest first: id, date, kind, content.

    Of every session, unless --session names one; EDGE_SESSION does not narrow it. --kind to --archived choose which,
    --limit to --all how many; --history and --why tell of one memory instead, --archive and --restore move some. What
    is archived is not recalled unless nothing else is found.

    \b
    edge memories
    edge memories --kind user_profile --past
    edge memories --as-of 2026-03-01
    edge memories --history 41
    edge memories --restore 41
    edge memories --all --json > memories.json
    """
    from edge.cli.terminal import print_err, print_json
    from edge.cli.units import print_units

    if history is not None or why is not None:
        _tell(options, history, why)
        return
    if archive or restore:
        from edge.cli.archived import move

        move(options, archive, restore)
        return
    client = options.client()
    session = options.named_session
    if everything:
        every = client.all_memories(
            session=session, kind=kind, past=past, before=before, as_of=as_of, archived=archived
        )
        _print_all(every, options)
        return
    page = client.memories(
        session=session, kind=kind, past=past, limit=limit, before=before, as_of=as_of, archived=archived
    )
    if options.as_json:
        print_json(page)
        return
    if not print_units(page["memories"]):
        print_err("Nothing is remembered here.")
    if page["next_before"] is not None:
        print_err(f"There are more: add --before {page['next_before']}, or --all.")


def _tell(options: Options, history: int | None, why: int | None) -> None:
    """How one memory came to be what it is."""
    from edge.cli.provenance import print_history, print_why
    from edge.cli.terminal import print_json

    client = options.client()
    if history is not None and why is not None:
        raise click.UsageError("--history and --why do not go together.")
    if history is not None:
        versions = client.history(history)
        print_json(versions) if options.as_json else print_history(versions["memories"])
    elif why is not None:
        answer = client.why(why)
        print_json(answer) if options.as_json else print_why(answer)


def _print_all(units: Iterable[MemoryWire], options: Options) -> None:
    """Print units as they come: there can be more than fit in memory at once."""
    from edge.cli.terminal import print_err, print_out
    from edge.cli.units import print_units

    if not options.as_json:
        if not print_units(units):
            print_err("Nothing is remembered here.")
        return
    import json

    separator = '{"memories": [\n'
    for unit in units:
        print_out(separator + json.dumps(unit, ensure_ascii=False), end="")
        separator = ",\n"
    print_out(('{"memories": [' if separator != ",\n" else "\n") + '], "next_before": null}')
