"""`edge backup`: a copy of everybody's memory, made while it is used."""

from __future__ import annotations

import click

from edge.cli.options import Options, asking, pass_options


@click.command(short_help="Make a backup now.")
@asking
@pass_options
def backup(options: Options) -> None:
    """Make a verified copy of everybody's memory in the folder backups of the state folder.

    Turns go on meanwhile. The oldest goes where there are more than `offpeak.backups`, and all that hold what was
    forgotten since. For root and for the user who runs the daemon; each night makes one by itself. `edge restore` puts
    one back. Ctrl-C stops it, and leaves nothing.

    \b
    edge backup
    edge backup --json | jq -r .path
    """
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import on_one_line, print_json, print_out, size

    with options.client().back_up() as making, ProgressLine() as line:
        for each in making:
            line.show("copying", each["bytes"], each["total"], size(each["total"]))
    made = making.result
    if options.as_json:
        print_json(made)
        return
    gone = f", {made['removed']} older removed" if made["removed"] else ""
    print_out(f"{on_one_line(made['path'])}: {size(made['bytes'])}, verified{gone}")
