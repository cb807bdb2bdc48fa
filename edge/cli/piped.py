"""The chat in a pipe: each line is a turn."""

from __future__ import annotations

import sys

from edge.cli.options import Options
from edge.cli.reply import converse
from edge.cli.report import report
from edge.cli.words import decoded
from edge.errors import DaemonNotRunning, EdgeError, SocketForbidden

GONE = (DaemonNotRunning, SocketForbidden)
"""After these the next line would fare no better."""


def talk_line_by_line(options: Options) -> int:
    """Say each line of standard input that is not empty; gives the exit status of the first error, or 0."""
    client = options.client()
    status = 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = decoded(line, number).strip()
            if text:
                converse(client, options.session, text, as_json=options.as_json)
        except EdgeError as error:
            report(error, as_json=options.as_json)
            status = status or error.exit_status
            if isinstance(error, GONE):
                break
    return status
