"""`edge chat`: a conversation, on a terminal or line by line in a pipe."""

from __future__ import annotations

import sys

import click

from edge.cli.options import Options, pass_options, talking
from edge.cli.terminal import is_terminal


@click.command()
@click.option("--no-history", is_flag=True, help="Keep no file of the lines you type.")
@talking
@pass_options
def chat(options: Options, no_history: bool) -> int:
    """Talk with the assistant.

    On a terminal: Ctrl-C stops a reply, or clears the line; Ctrl-C twice, Ctrl-D or /quit leaves; /help lists the
    commands. A line that begins with // is said with one / less. The lines you type are kept for the arrow keys in
    chat_history in the state folder, which only you can read; --no-history keeps none.

    In a pipe each line that is not empty is a turn, said as it stands, and each reply is printed without decoration;
    with --json each is one JSON object on a line. After an error the next lines are still said, unless the daemon
    is gone; the exit status is the first error's.

    \b
    edge chat
    edge chat --session work
    printf 'My name is Zhang Wei.\\nWhat is my name?\\n' | edge chat
    """
    if is_terminal(sys.stdin):
        from edge.cli.dialogue import Dialogue

        return Dialogue(options, keep_history=not no_history).run()
    from edge.cli.piped import talk_line_by_line

    return talk_line_by_line(options)
