"""`edge batches`: work on many items that agents report, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from edge.cli.options import Options, asking, pass_options, talking

if TYPE_CHECKING:
    from edge.wire import BatchWire

STATES = ("running", "done", "cancelled")


@click.group(invoke_without_command=True, short_help="List work on many items, and how far it is.")
@click.option("--state", type=click.Choice(STATES), help="Only those in this state.")
@click.option("--limit", type=click.IntRange(1, 500), metavar="N", help="Batches on a page (default 50).")
@click.option("--before", type=click.IntRange(min=1), metavar="ID", help="Only those older than this id.")
@talking
@click.pass_context
def batches(context: click.Context, state: str | None, limit: int | None, before: int | None) -> None:
    """List batches, newest first: id, session, state, items done of all, failures, what it is.

    Of every session, unless --session names one; EDGE_SESSION does not narrow it.

    \b
    edge batches
    edge batches --state running --json
    edge batches show 3
    """
    if context.invoked_subcommand is None:
        _list(context.ensure_object(Options), state, limit, before)


def _list(options: Options, state: str | None, limit: int | None, before: int | None) -> None:
    from edge.cli.terminal import print_err, print_json, print_out, table

    page = options.client().batches(session=options.named_session, state=state, before=before, limit=limit)
    if options.as_json:
        print_json(page)
        return
    if not page["batches"]:
        print_err("There is no batch here.")
        return
    for line in table([("id", "session", "state", "done", "failed", "title"), *map(_row, page["batches"])]):
        print_out(line)
    if page["next_before"] is not None:
        print_err(f"There are more: add --before {page['next_before']}.")


def _row(batch: BatchWire) -> tuple[str, ...]:
    done = f"{batch['done']} of {batch['total']}"
    return str(batch["id"]), batch["session"], batch["state"], done, str(batch["failed"]), batch["title"]


@batches.command(short_help="Show a batch with its newest failures.")
@click.argument("batch", metavar="ID", type=click.IntRange(min=1))
@asking
@pass_options
def show(options: Options, batch: int) -> None:
    """Show a batch: how far it is, the item to do now, and the newest 50 items that failed and why.

    \b
    edge batches show 3
    edge batches show 3 --json | jq .next
    """
    from edge.cli.terminal import local_time, on_one_line, print_err, print_json, print_out

    found = options.client().batch(batch)
    if options.as_json:
        print_json(found)
        return
    following = "" if found["next"] is None or found["state"] != "running" else f", next is item {found['next']}"
    print_out(f"#{found['id']}  {on_one_line(found['title'])}")
    print_out(f"{found['state']}: {found['done']} of {found['total']} done, {found['failed']} failed{following}")
    print_out(f"task {on_one_line(found['task'])} of session {on_one_line(found['session'])}, memory #{found['unit']}")
    print_out(f"begun {local_time(found['started_at'])}, last report {local_time(found['updated_at'])}")
    for failure in found["failures"]:
        print_out(f"  item {failure['item']}: {on_one_line(failure['reason'])}")
    if found["failed"] > len(found["failures"]):
        print_err(f"These are the newest of {found['failed']}: `edge batches failures {batch}` lists them all.")


@batches.command(short_help="List what failed in a batch, and why.")
@click.argument("batch", metavar="ID", type=click.IntRange(min=1))
@click.option("--limit", type=click.IntRange(1, 500), metavar="N", help="Failures on a page (default 50).")
@click.option("--before", type=click.IntRange(min=1), metavar="ITEM", help="Only those of items before this one.")
@asking
@pass_options
def failures(options: Options, batch: int, limit: int | None, before: int | None) -> None:
    """List the items of a batch that failed, newest first, and why.

    \b
    edge batches failures 3
    edge batches failures 3 --limit 500 --json | jq -r '.failures[].item'
    """
    from edge.cli.terminal import on_one_line, print_err, print_json, print_out

    page = options.client().failures(batch, before=before, limit=limit)
    if options.as_json:
        print_json(page)
        return
    for failure in page["failures"]:
        print_out(f"item {failure['item']}: {on_one_line(failure['reason'])}")
    if page["next_before"] is not None:
        print_err(f"There are more: add --before {page['next_before']}.")
