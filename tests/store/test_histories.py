"""Random histories: the store in SQLite and the plain one in dictionaries never differ."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from edge.engine.ports import Scope
from edge.memory.text import content_key
from edge.memory.units import (
    Change,
    Confirm,
    Draft,
    Insert,
    Kind,
    OwnerId,
    SessionId,
    Source,
    TurnId,
    TurnState,
    UnitId,
)
from edge.store.sqlite import open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.conftest import NoonClock
from tests.store.making import ANN, BOB, MAIN, WORK, after

OWNERS, SESSIONS = st.sampled_from([ANN, BOB]), st.sampled_from([MAIN, WORK])
MOMENTS = st.integers(-3, 6).map(lambda hours: after(hours=hours))
WORDS = st.sampled_from(["tea 茶", "likes tea", "A-2041", "订单 A-2041", "小猫", "phone 0151 2345", "ok"])
STATES = st.sampled_from([state for state in TurnState if state is not TurnState.OPEN])
UNITS = st.integers(1, 25).map(UnitId)
DRAFTS = st.builds(
    Draft,
    kind=st.sampled_from(Kind),
    content=WORDS,
    source=st.sampled_from(Source),
    subject=st.sampled_from(["self", "sister"]),
    slot=st.none() | st.sampled_from(["phone", "like"]),
    value=st.none() | st.sampled_from(["tea", "A-2041", "小猫"]),
    quote=st.none() | WORDS,
)


@st.composite
def inserts(draw: st.DrawFn) -> Insert:
    draft = draw(DRAFTS)
    return Insert(
        draft,
        draw(st.none() | SESSIONS),
        content_key(draft.kind, draft.subject, draft.source, draft.content),
        draw(MOMENTS),
        draw(st.none() | MOMENTS),
        tuple(draw(st.lists(UNITS, max_size=2, unique=True))),
    )


CHANGES = st.lists(inserts() | st.builds(Confirm, UNITS), max_size=3)


class Histories(RuleBasedStateMachine):
    """Each step is done to both stores; each answer, and the whole state after it, must be the same."""

    open_turns = Bundle("open_turns")

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "memory.db"
        self.real = open_store(self.path, NoonClock())
        self.plain = FakeMemoryStore()

    @rule(target=open_turns, owner=OWNERS, session=SESSIONS, message=WORDS, changes=CHANGES, at=MOMENTS)
    def begin(
        self, owner: OwnerId, session: SessionId, message: str, changes: list[Change], at: datetime
    ) -> tuple[OwnerId, TurnId]:
        written = self.real.begin_turn(owner, session, message, changes, at)
        assert written == self.plain.begin_turn(owner, session, message, changes, at)
        assert written.turn is not None
        return owner, written.turn

    @rule(turn=consumes(open_turns), reply=WORDS, state=STATES, changes=CHANGES, at=MOMENTS)
    def finish(
        self, turn: tuple[OwnerId, TurnId], reply: str, state: TurnState, changes: list[Change], at: datetime
    ) -> None:
        owner, number = turn
        written = self.real.finish_turn(owner, number, reply, state, changes, at)
        assert written == self.plain.finish_turn(owner, number, reply, state, changes, at)

    @rule(owner=OWNERS, changes=CHANGES, at=MOMENTS)
    def apply(self, owner: OwnerId, changes: list[Change], at: datetime) -> None:
        assert self.real.apply(owner, changes, at) == self.plain.apply(owner, changes, at)

    @rule(owner=OWNERS, units=st.lists(UNITS, max_size=3))
    def forget(self, owner: OwnerId, units: list[UnitId]) -> None:
        assert self.real.forget(owner, units) == self.plain.forget(owner, units)

    @rule(owner=OWNERS, session=st.none() | SESSIONS, as_of=MOMENTS, query=WORDS)
    def ask(self, owner: OwnerId, session: SessionId | None, as_of: datetime, query: str) -> None:
        scope = Scope(owner, session, as_of)
        real, plain = self.real.search_text(scope, query, 5), self.plain.search_text(scope, query, 5)
        assert [score for _, score in real] == pytest.approx([score for _, score in plain])
        for subject in (None, "sister"):
            slots = ["phone", "like"]
            assert self.real.slot_units(scope, slots, subject) == self.plain.slot_units(scope, slots, subject)
        keys = [content_key(kind, "self", Source.USER, query) for kind in Kind]
        assert self.real.known(scope, keys) == self.plain.known(scope, keys)
        assert list(self.real.visible_ids(scope)) == list(self.plain.visible_ids(scope))

    @rule()
    def reopen(self) -> None:
        self.real.close()
        self.real = open_store(self.path, NoonClock())

    @invariant()
    def the_same(self) -> None:
        for owner in (ANN, BOB):
            pages = [
                store.page(owner, session=None, kinds=None, before=None, limit=999, as_of=after(), include_past=True)
                for store in (self.real, self.plain)
            ]
            assert pages[0] == pages[1]
            assert self.real.counts(owner) == self.plain.counts(owner)
            for session in (MAIN, WORK):
                assert self.real.turns(owner, session, last=99) == self.plain.turns(owner, session, last=99)

    def teardown(self) -> None:
        self.real.close()
        self.folder.cleanup()


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
