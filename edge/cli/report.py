"""Errors as people and programs read them."""

from __future__ import annotations

import sys

from edge.cli.terminal import print_err, shown, styled
from edge.errors import EdgeError


def report(error: EdgeError, *, as_json: bool = False) -> None:
    """Print an error on standard error: what happened, and what to do next."""
    if as_json:
        import json

        print_err(json.dumps({"error": error.to_wire()}, ensure_ascii=False))
        return
    print_err(styled("edge:", sys.stderr, fg="red", bold=True) + " " + shown(error.message))
    if error.hint:
        print_err(styled("hint:", sys.stderr, fg="yellow") + " " + shown(error.hint))
