"""Run as a program: tells sessions and forgets them without end, and prints what was confirmed, to be killed."""

from __future__ import annotations

import sys
from pathlib import Path

from edge.clock import SystemClock
from edge.engine.forgetting_ports import Selection
from edge.memory.units import SessionId, TurnState
from edge.store.sqlite import SqliteStore, open_store
from tests.store.making import ANN, NOON, episode, fact, insert

TURNS = 3
_LETTERS = str.maketrans("0123456789-", "abcdefghijx")


def word(session: str) -> str:
    """A word that stands in that session and nowhere else."""
    return f"zq{session.translate(_LETTERS)}qz鳄"


def main(path: str, seed: str) -> None:
    store = open_store(Path(path), SystemClock())
    store.recover(NOON)
    number = 0
    while True:
        number += 1
        session = SessionId(f"{seed}-{number}")
        tell(store, session)
        confirm("told", session)
        store.forgetting.forget_selection(ANN, Selection(session=session), None)
        confirm("gone", session)


def tell(store: SqliteStore, session: SessionId) -> None:
    for turn in range(TURNS):
        said = f"{word(session)} {turn}"
        changes = [insert(episode(said)), insert(fact(f"state {said}"), session=session)]
        begun = store.begin_turn(ANN, session, said, changes, NOON)
        assert begun.turn is not None
        store.finish_turn(ANN, begun.turn, f"reply {said}", TurnState.DONE, (), NOON)


def confirm(what: str, session: str) -> None:
    sys.stdout.write(f"{what} {session}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
