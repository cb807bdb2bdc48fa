"""`edge sessions`: the threads of conversation."""

from __future__ import annotations

import click

from edge.cli.options import Options, asking, pass_options


@click.command(short_help="List your sessions, last used first.")
@asking
@pass_options
def sessions(options: Options) -> None:
    """List your sessions, last used first: name, turns, first and last turn.

    \b
    edge sessions
    edge sessions --json | jq -r '.sessions[].session'
    """
    from edge.cli.terminal import local_time, print_err, print_json, print_out, table

    found = options.client().sessions()
    if options.as_json:
        print_json({"sessions": found})
        return
    rows = [
        (each["session"], str(each["turns"]), local_time(each["first_turn_at"]), local_time(each["last_turn_at"]))
        for each in found
    ]
    if not rows:
        print_err("There is no session yet; `edge chat` begins one.")
        return
    for line in table([("session", "turns", "first", "last"), *rows]):
        print_out(line)
