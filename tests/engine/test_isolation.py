"""Two owners with the same session names interleave what they do; none ever sees what is another's, or another talk's.

On the real store, with the real use cases; the embedder alone is a fake. Whatever an owner tells holds a mark of the
owner, whatever concerns a talk alone also one of the session: where a mark turns up, one sees whose it was.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from edge.engine.archive import Archive
from edge.engine.forgetting import Copies, Forgetting, Wanted
from edge.engine.ports import Scope
from edge.engine.recall import Limits, Recall
from edge.engine.remember import Remember
from edge.engine.serving import Given, Serving
from edge.engine.vectors import Vectors, embedder_key
from edge.errors import MemoryNotFound, SessionNotFound
from edge.memory.archive import Decay, Why
from edge.memory.lifecycle import Lifespans
from edge.memory.units import OwnerId, SessionId, TurnState, Unit
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.clock import SetClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex
from tests.memory.test_rules import RULES

OWNERS = [OwnerId("uid:1000"), OwnerId("uid:1001")]
SESSIONS = [SessionId("main"), SessionId("厨房")]
KNOWN_EVERYWHERE = [
    "My order number is ORD-{own}{number}.",
    "我的订单号是 CN{own}{number}。",
    "The zeppelin {own}{number} is blue.",
    "飞艇{own}{number}是蓝色的。",
]
OF_THE_TALK = ["I put 3 mugs {own}{talk} in my cart.", "我把两本词典{own}{talk}放进了购物车。"]
QUESTIONS = [
    "What is my order number?",
    "我的订单号是多少？",
    "What is in my cart?",
    "我的购物车里有什么？",
    "Which zeppelin is blue?",
    "哪艘飞艇是蓝色的？",
    "What did I say about the mugs and the zeppelin?",
]
DEEDS = ("tell", "tell of the talk", "correct", "ask", "forget", "archive", "forget words", "forget session")
OFTEN = DEEDS + 2 * ("tell", "tell of the talk", "ask")
MARK = re.compile(r"(?P<own>7[12]{3})(?:(?P<talk>9[34]{3})|\d)")


def own_mark(owner: int) -> str:
    return "7" + str(owner + 1) * 3


def talk_mark(session: int) -> str:
    return "9" + str(session + 3) * 3


class Step(NamedTuple):
    """One owner does one thing in one session."""

    owner: int
    session: int
    what: str
    which: int


STEPS = st.builds(
    Step,
    st.integers(0, 1),
    st.integers(0, 1),
    st.sampled_from(OFTEN),
    st.integers(0, 9),
)


class World:
    """One machine, its store and its use cases."""

    def __init__(self, store: SqliteStore, clock: SetClock) -> None:
        self.store, self.clock = store, clock
        vectors = Vectors()
        embedder = HashEmbedder()
        store.use_embedder(embedder_key(embedder))
        vectors.attach(embedder, ExactIndex(store.vector_log, embedder_key(embedder), embedder.dimension))
        self.recall = Recall(store, RULES, vectors, Limits(50, 8, 0.2, 0.2), clock)
        self.remember = Remember(store, RULES, vectors, Lifespans())
        self.archive = Archive(store.archive, store.cold, Lifespans(), Decay(), clock)
        self.serving = Serving(store, store.archive, self.archive, RULES.assent)
        copies = Copies(lambda owner: None, lambda owner: None, vectors, lambda: None)
        self.forgetting = Forgetting(store, store.forgetting, self.recall, copies)

    def take(self, step: Step) -> None:
        self.clock.pass_by(minutes=1)
        match step.what:
            case "tell":
                self.say(step, KNOWN_EVERYWHERE[step.which % len(KNOWN_EVERYWHERE)])
            case "tell of the talk":
                self.say(step, OF_THE_TALK[step.which % len(OF_THE_TALK)])
            case "correct":
                self.say(step, "No, it's ORD-{own}{number}." if step.which % 2 else "不对，是 CN{own}{number}。")
            case "ask":
                self.ask(step, QUESTIONS[step.which % len(QUESTIONS)])
            case _:
                self.let_go(step)
        self.look_around(step)

    def say(self, step: Step, template: str) -> None:
        marks = {"own": own_mark(step.owner), "talk": talk_mark(step.session), "number": step.which}
        self.exchange(step, template.format(**marks), "Noted.", [])

    def ask(self, step: Step, question: str) -> None:
        found = self.recall.find(self.scope(step), question)
        told = [each.unit for each in (*found.recalled, *(dropped for dropped, _ in found.dropped))]
        self.check(step, told)
        self.exchange(step, question, " ".join(unit.content for unit in told[:3]), told)

    def exchange(self, step: Step, message: str, reply: str, given: list[Unit]) -> None:
        owner, session = OWNERS[step.owner], SESSIONS[step.session]
        written = self.remember.begin_turn(owner, session, message, self.clock.now())
        self.serving.heard(owner, session, message, written)
        assert written.turn is not None
        self.remember.finish_turn(
            owner,
            session,
            written.turn,
            reply,
            TurnState.DONE,
            [message, reply],
            self.clock.now(),
            session_only=self.remember.read(owner, session, message).session_only,
        )
        self.serving.replied(self.scope(step), message, reply, Given((), given))
        while self.remember.embed_backlog(16):
            pass

    def let_go(self, step: Step) -> None:
        owner, session, now = OWNERS[step.owner], SESSIONS[step.session], self.clock.now()
        units = [unit.id for unit in self.all_of(step.owner)]
        others = self.all_of(1 - step.owner)
        try:
            match step.what:
                case "forget session":
                    self.forgetting.forget(owner, Wanted(session=session, facts=step.which > 6), None, now)
                case "forget words":
                    self.forgetting.forget(
                        owner, Wanted(query=["zeppelin", "词典", own_mark(1)][step.which % 3]), None, now
                    )
                case "forget" if units:
                    self.forgetting.forget_unit(owner, units[step.which % len(units)])
                case "archive" if units:
                    self.archive.put_away(owner, [units[step.which % len(units)]], Why.BY_HAND, now)
        except (MemoryNotFound, SessionNotFound):
            pass
        assert self.all_of(1 - step.owner) == others

    def look_around(self, step: Step) -> None:
        """Every way to read: all that is there is the owner's, and what is bound is this talk's."""
        owner, session, scope = OWNERS[step.owner], SESSIONS[step.session], self.scope(step)
        self.check(step, self.store.units(scope, range(1, 999)).values())  # type: ignore[arg-type]
        self.check(step, self.store.slot_units(scope, ["order_id", "cart_item"], None))
        page = self.store.page(
            owner, session=session, kinds=None, before=None, limit=500, as_of=scope.as_of, include_past=True
        )
        self.check(step, page.units)
        self.check(step, self.archive.page(owner, session=session, kinds=None, before=None, limit=500).units)
        for turn in self.store.turns(owner, session, last=500):
            assert (turn.owner, turn.session) == (owner, session)
            self.check_text(step, turn.message + turn.reply)
        assert {info.id for info in self.store.sessions(owner)} <= set(SESSIONS)
        for other in range(2):
            held = self.store.forgetting.holding(owner, own_mark(1 - step.owner) + str(other), 9)
            assert all(self.store.unit(owner, unit).owner == owner for unit in held)

    def check(self, step: Step, units: Iterator[Unit] | list[Unit] | tuple[Unit, ...]) -> None:
        for unit in units:
            assert unit.owner == OWNERS[step.owner]
            assert unit.session in {None, SESSIONS[step.session]}
            self.check_text(step, unit.content)

    @staticmethod
    def check_text(step: Step, text: str) -> None:
        for mark in MARK.finditer(text):
            assert mark["own"] == own_mark(step.owner), text
            assert mark["talk"] in {None, talk_mark(step.session)}, text

    def all_of(self, owner: int) -> list[Unit]:
        found = self.store.page(
            OWNERS[owner], session=None, kinds=None, before=None, limit=500, as_of=self.clock.now(), include_past=True
        )
        return list(found.units)

    def scope(self, step: Step) -> Scope:
        return Scope(OWNERS[step.owner], SESSIONS[step.session], self.clock.now(), present=True)


@contextmanager
def world() -> Iterator[World]:
    clock = SetClock()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "memory.db", clock)
        try:
            yield World(store, clock)
        finally:
            store.close()


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=5, max_size=30))
def test_nobody_sees_what_is_anothers(steps: list[Step]) -> None:
    with world() as machine:
        for step in steps:
            machine.take(step)


def test_the_marks_would_show_it() -> None:
    """What the check looks for is really in what is told and found."""
    with world() as machine:
        machine.take(Step(0, 0, "tell", 0))
        machine.take(Step(0, 0, "tell of the talk", 0))
        machine.take(Step(0, 0, "tell of the talk", 1))
        texts = [unit.content for unit in machine.all_of(0)]
        marks = [mark for text in texts for mark in MARK.finditer(text)]
        assert {mark["own"] for mark in marks} == {own_mark(0)}
        assert {mark["talk"] for mark in marks} == {None, talk_mark(0)}
        bound = [unit for unit in machine.all_of(0) if talk_mark(0) in unit.content]
        assert len(bound) >= 4
        assert {unit.session for unit in bound} == {SESSIONS[0]}
        found = machine.recall.find(machine.scope(Step(0, 0, "ask", 0)), QUESTIONS[2])
        assert talk_mark(0) in found.recalled[0].unit.content
        assert machine.recall.find(machine.scope(Step(0, 1, "ask", 0)), QUESTIONS[2]).recalled == ()
