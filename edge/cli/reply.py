"""Shows a reply while it comes."""

from __future__ import annotations

import sys

from edge.cli.explaining import print_explained
from edge.cli.terminal import Note, is_terminal, print_err, print_json, say, styled
from edge.cli.units import not_kept, not_searched
from edge.client.calls import Client
from edge.client.events import Done, Found, Loading, Token, Turn
from edge.wire import DoneEvent

CUT = "(cut: the reply reached its limit, model.reply_tokens in the settings)"


def converse(
    client: Client,
    session: str,
    message: str,
    *,
    as_json: bool,
    reply_tokens: int | None = None,
    explain: bool = False,
) -> None:
    """Say something in a session and print the reply: as it comes, or as one JSON object when it is whole. With
    `explain` also how it came about, which the object tells in any case."""
    note = Note()
    note.show("remembering and recalling ...")
    try:
        with client.turn(session, message, reply_tokens) as turn:
            if as_json:
                print_json(_whole(turn))
            else:
                _print_pieces(turn, note, explain)
    finally:
        note.clear()


def _whole(turn: Turn) -> DoneEvent:
    [done] = [event.data for event in turn if isinstance(event, Done)]
    return done


def _print_pieces(turn: Turn, note: Note, explain: bool) -> None:
    """Print pieces as they come, and end the line whatever happens."""
    begun = False
    try:
        for event in turn:
            match event:
                case Loading():
                    note.show("loading the model ...")
                case Found(data):
                    _show_degraded(data["degraded"], note)
                    note.show("reading ...")
                case Token(text):
                    note.clear()
                    begun = True
                    say(text, end="")
                case Done(data):
                    note.clear()
                    _end(data, begun=begun)
                    begun = False
                    if explain:
                        print_explained(data)
    finally:
        if begun:
            say()


def _end(done: DoneEvent, *, begun: bool) -> None:
    say("" if begun else done["reply"])
    if done["finish"] == "length" and is_terminal(sys.stderr):
        print_err(styled(CUT, sys.stderr, dim=True))
    if done["redacted"] and is_terminal(sys.stderr):
        print_err(styled(f"({not_kept(done['redacted'])})", sys.stderr, dim=True))


def _show_degraded(degraded: list[str], note: Note) -> None:
    """Tell a person that recall was not whole: "not found" then means less."""
    if degraded and is_terminal(sys.stderr):
        note.clear()
        print_err(styled(f"(recalled without: {not_searched(degraded)})", sys.stderr, dim=True))
