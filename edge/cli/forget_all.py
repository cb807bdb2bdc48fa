"""`edge forget --all-of`: everything of one person, after a look at how much there is."""

from __future__ import annotations

import sys

import click

from edge.cli.options import Options


def forget_all(options: Options, owner: str | None, *, only_show: bool, asks: bool) -> None:
    """Show how much there is, ask, and remove it."""
    from edge.cli.forget import REMAINS
    from edge.cli.history import forget_all_lines
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import print_err, print_json, print_out

    client = options.client()
    held = client.forget_all_preview(owner)
    words = f"{held['memories']:,} memories, {held['turns']:,} turns in {held['sessions']:,} sessions"
    if only_show:
        print_json(held) if options.as_json else print_out(f"{held['owner']}: {words} go.")
        return
    if asks:
        _ask(held["owner"], words)
    total = held["memories"] + held["turns"]
    with client.forget_all(owner, held["token"] if asks else None) as forgetting, ProgressLine() as line:
        for gone in forgetting:
            line.show("forgetting", min(gone["memories"] + gone["turns"], total), total, f"{total:,}")
    if owner is None:
        forget_all_lines()
    gone = forgetting.result
    if options.as_json:
        print_json(gone)
        return
    print_out(f"Forgotten: all of {gone['owner']}, {gone['memories']:,} memories and {gone['turns']:,} turns.")
    print_err(REMAINS)


def _ask(owner: str, words: str) -> None:
    """Raises UsageError where nobody can answer, Abort where the answer is not the owner's name."""
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here: add --yes to forget without a question.")
    if click.prompt(f"Everything of {owner} goes: {words}. Type {owner} to forget it", err=True) != owner:
        raise click.Abort
