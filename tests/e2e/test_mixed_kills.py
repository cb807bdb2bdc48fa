"""Killed again and again under turns, corrections, forgetting, batches, contexts and the archive, all at once."""

from __future__ import annotations

import http.client
import random
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from edge.client.events import Done, Found
from edge.errors import EdgeError
from edge.wire import MemoryWire
from tests.e2e.running import DaemonProcess
from tests.e2e.stored import stored_turns
from tests.e2e.talking import Talk

PEOPLE = (("sister", "My sister's phone number is now {}."), ("brother", "我弟弟的手机号换成了 {}。"))
"""Whose number each writer changes: it does not touch what the other checks."""
_LETTERS = str.maketrans("0123456789-", "abcdefghijx")


class Writer(threading.Thread):
    """Changes things until the daemon dies, and keeps what was confirmed; `pending` is what it last asked for."""

    def __init__(self, talk: Talk, number: int, known: Known, chance: random.Random) -> None:
        super().__init__()
        self.enough = threading.Event()
        self._talk = talk
        self._session = f"writer-{number}"
        self._statement = PEOPLE[number][1]
        self._known = known
        self._chance = chance

    def run(self) -> None:
        acts: list[tuple[Callable[[], None], int]] = [
            (self._turn, 4), (self._correct, 4), (self._tell, 3), (self._forget, 2), (self._advance, 4),
            (self._set_context, 2), (self._act, 3), (self._put_away, 2),
        ]  # fmt: skip
        with suppress(EdgeError, OSError, http.client.HTTPException):
            for done in range(10_000):
                (act,) = self._chance.choices([act for act, _ in acts], [weight for _, weight in acts])
                act()
                if done == 5:
                    self.enough.set()

    def _turn(self) -> None:
        message = f"Say: {self._session} {self._known.next_name()} 好"
        with self._talk.turn(self._session, message) as turn:
            for event in turn:
                if isinstance(event, Found):
                    self._known.said.add(message)
                if isinstance(event, Done):
                    self._known.replied[message] = event.data["reply"]

    def _correct(self) -> None:
        number = f"139{self._chance.randrange(10**8):08}"
        self._known.pending_number = number
        with self._talk.turn(self._session, self._statement.format(number)) as turn:
            for event in turn:
                if isinstance(event, Found):
                    self._known.number = number

    def _tell(self) -> None:
        added = self._talk.remember(f"The crate {self._known.next_name()} is blue 蓝", self._session)["added"]
        self._known.facts.update(added)

    def _forget(self) -> None:
        if self._known.facts:
            unit = self._chance.choice(sorted(self._known.facts))
            self._known.facts.discard(unit)
            self._known.archived.discard(unit)
            self._known.gone.update(self._talk.forget(unit)["forgotten"])

    def _advance(self) -> None:
        batch = self._talk.begin_batch(self._session, "task", f"Counting {self._session}", 1_000_000)
        self._known.handled = max(self._known.handled, batch["handled"])
        item = batch["handled"] + 1
        if item % 4:
            self._talk.advance_batch(batch["id"], item)
        else:
            self._talk.fail_batch(batch["id"], item, "no answer")
        self._known.handled = item

    def _set_context(self) -> None:
        name = self._known.next_name()
        self._known.pending_context = name
        self._talk.set_context(self._session, {"current_tool": name})
        self._known.context = name

    def _act(self) -> None:
        """A turn that brings its context, as the one of its session."""
        name = self._known.next_name()
        self._talk.request(
            "POST",
            "/v1/turns",
            {
                "session": acting(self._session),
                "message": f"Say: {name} 好",
                "stream": False,
                "context": {"current_tool": name, "last_tool_result": f"结果 {name}"},
            },
        )

    def _put_away(self) -> None:
        """Into the archive, or out of it: the state while it is asked for is not known."""
        if self._known.facts:
            unit = self._chance.choice(sorted(self._known.facts))
            away = unit in self._known.archived
            self._known.unsure = unit
            (self._talk.restore if away else self._talk.archive)(unit)
            self._known.archived ^= {unit}
            self._known.unsure = None


def acting(session: str) -> str:
    """The session in which a writer's turns bring contexts, and nothing else sets one."""
    return f"{session}-acts"


class Known:
    """What one writer was told in all lives."""

    def __init__(self, number: int) -> None:
        self.said: set[str] = set()
        self.replied: dict[str, str] = {}
        self.facts: set[int] = set()
        self.archived: set[int] = set()
        self.unsure: int | None = None
        self.gone: set[int] = set()
        self.number = self.pending_number = ""
        self.context = self.pending_context = ""
        self.handled = 0
        self._names = number

    def next_name(self) -> str:
        """A word that was never said before."""
        self._names += len(PEOPLE)
        return f"{self._names}".translate(_LETTERS)


def kill_again_and_again(folder: Path, times: int) -> None:
    chance = random.Random(times)
    daemon = DaemonProcess(folder)
    known = [Known(number) for number in range(len(PEOPLE))]
    with daemon as first:
        talk = first
        for life in range(times):
            writers = [Writer(talk, number, own, random.Random(f"{life} {number}")) for number, own in enumerate(known)]
            for writer in writers:
                writer.start()
            for writer in writers:
                assert writer.enough.wait(60), daemon.log[-2000:]
            for _ in range(chance.randint(0, 60)):
                talk.alive()
            daemon.kill()
            for writer in writers:
                writer.join()
            talk = daemon.start()
            for number, own in enumerate(known):
                check(talk, own, number, daemon.state)
        assert "Traceback" not in daemon.log


def check(talk: Talk, known: Known, number: int, state: Path) -> None:
    """Every confirmed change is there, and what was forgotten is not."""
    turns = {turn.message: turn for turn in stored_turns(state)}
    assert known.said <= turns.keys()
    lost = {message: turns[message].reply for message, reply in known.replied.items() if turns[message].reply != reply}
    # A reply that was made while something was forgotten that stood before the model is not kept.
    assert not any(lost.values()), lost
    assert len(lost) <= len(known.replied) / 4
    units = {unit["id"]: unit for unit in talk.all_memories(past=True)}
    assert known.facts <= units.keys()
    assert not known.gone & units.keys()
    _check_archive(units, known)
    _check_number(units.values(), known, PEOPLE[number][0])
    batch = talk.begin_batch(f"writer-{number}", "task", f"Counting writer-{number}", 1_000_000)
    assert batch["handled"] - known.handled in (0, 1)
    assert batch["failed"] == batch["handled"] // 4
    context = talk.context(f"writer-{number}")["context"]
    assert context.get("current_tool", "") in (known.context, known.pending_context)
    _check_act(talk, acting(f"writer-{number}"), state)
    with closing(sqlite3.connect(f"file:{state / 'memory.db'}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA quick_check").fetchall() == [("ok",)]


def _check_act(talk: Talk, session: str, state: Path) -> None:
    """The words of the last turn, its context and what came of that are there together, or none of them."""
    said = [turn.message for turn in stored_turns(state) if turn.session == session]
    names = [message.removeprefix("Say: ").removesuffix(" 好") for message in said]
    assert talk.context(session)["context"].get("current_tool") == (names[-1] if names else None)
    results = talk.all_memories(session=session, kind="tool_result")
    assert {unit["content"] for unit in results} == {f"{name}: 结果 {name}" for name in names}


def _check_archive(units: dict[int, MemoryWire], known: Known) -> None:
    """What a call was under way for may stand on either side; from here on it is known again."""
    if known.unsure in units:
        known.archived -= {known.unsure}
        known.archived |= {known.unsure} if units[known.unsure]["archived_at"] else set()
    known.unsure = None
    for unit in known.facts:
        assert (units[unit]["archived_at"] is not None) is (unit in known.archived)


def _check_number(units: Iterable[MemoryWire], known: Known, whose: str) -> None:
    """One number is current: the one confirmed last, or one that was on its way."""
    numbers = [
        unit["value"]
        for unit in units
        if unit["slot"] == "phone" and unit["subject"] == whose and unit["superseded_by"] is None
        if unit["ended_why"] is None
    ]
    assert len(numbers) <= 1
    if known.number:
        assert numbers[0] in (known.number, known.pending_number)
        known.number = numbers[0]


def test_kills_under_a_mixed_load(folder: Path) -> None:
    kill_again_and_again(folder, 5)


@pytest.mark.long
def test_two_hundred_kills_under_a_mixed_load(folder: Path) -> None:
    kill_again_and_again(folder, 200)
