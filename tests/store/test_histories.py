"""Random histories: the store in SQLite and the plain one in dictionaries never differ."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from edge.engine.ports import Scope
from edge.engine.vector_ports import VectorRows
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
from tests.store.making import ANN, BOB, MAIN, WORK, after, embedding
from tests.store.vector_log_contract import forgotten

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


NAMES = ("mini/2", "other/2")
EMBEDDERS, MARKS, NUMBERS = st.sampled_from(NAMES), st.sampled_from(["one", "two"]), st.integers(0, 30)
CHANGES = st.lists(inserts() | st.builds(Confirm, UNITS), max_size=3)


def plain_rows(rows: VectorRows) -> list[list[object]]:
    return [rows.numbers.tolist(), rows.units.tolist(), rows.vectors.tolist(), rows.superseded.tolist()]


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
        for present in (False, True):
            masks = [store.visible(replace(scope, present=present)) for store in (self.real, self.plain)]
            assert masks[0].tolist() == masks[1].tolist()

    @rule(embedder=EMBEDDERS, units=st.lists(UNITS, max_size=4, unique=True), chunks=st.integers(1, 2))
    def embed(self, embedder: str, units: list[UnitId], chunks: int) -> None:
        rows = [embedding(unit, chunk, float(unit + chunk)) for unit in units for chunk in range(chunks)]
        self.real.save_embeddings(embedder, rows)
        self.plain.save_embeddings(embedder, rows)

    @rule(embedder=EMBEDDERS, limit=st.integers(0, 5))
    def wait(self, embedder: str, limit: int) -> None:
        assert self.real.missing_embeddings(embedder, limit) == self.plain.missing_embeddings(embedder, limit)

    @rule(embedder=EMBEDDERS)
    def use(self, embedder: str) -> None:
        self.real.use_embedder(embedder)
        self.plain.use_embedder(embedder)

    @rule(embedder=EMBEDDERS, limit=st.integers(1, 4))
    def drop(self, embedder: str, limit: int) -> None:
        if embedder in self.real.retired_embedders():
            assert self.real.drop_embedder(embedder, limit) == self.plain.drop_embedder(embedder, limit)

    @rule(embedder=EMBEDDERS, mark=MARKS)
    def mark(self, embedder: str, mark: str) -> None:
        self.real.vector_log.keep_mark(embedder, mark)
        self.plain.vector_log.keep_mark(embedder, mark)

    @rule(embedder=EMBEDDERS, mark=MARKS, forgotten=st.integers(0, 20))
    def prune(self, embedder: str, mark: str, forgotten: int) -> None:
        self.real.vector_log.prune(embedder, keep=mark, forgotten=forgotten)
        self.plain.vector_log.prune(embedder, keep=mark, forgotten=forgotten)

    @rule(embedder=EMBEDDERS, after=NUMBERS, through=NUMBERS, limit=st.integers(0, 5), units=st.lists(UNITS))
    def follow(self, embedder: str, after: int, through: int, limit: int, units: list[UnitId]) -> None:
        ids = np.array(units, dtype=np.int64)
        real, plain = (
            [
                plain_rows(store.vector_log.vectors_between(embedder, after, None, limit)),
                plain_rows(store.vector_log.vectors_between(embedder, after, through, limit)),
                plain_rows(store.vector_log.newest_between(embedder, after, through, limit)),
                plain_rows(store.vector_log.vectors_of(embedder, ids)),
            ]
            for store in (self.real, self.plain)
        )
        assert real == plain

    @rule()
    def reopen(self) -> None:
        self.real.close()
        self.real = open_store(self.path, NoonClock())

    @invariant()
    def the_same_log(self) -> None:
        stores = (self.real, self.plain)
        assert self.real.embedder() == self.plain.embedder()
        assert sorted(self.real.retired_embedders()) == sorted(self.plain.retired_embedders())
        for embedder in NAMES:
            for told in (
                [store.vector_log.last_number(embedder) for store in stores],
                [store.count_missing(embedder) for store in stores],
                [forgotten(store, embedder, 0) for store in stores],
                [store.vector_log.superseded(embedder).tolist() for store in stores],
                [[store.vector_log.has_mark(embedder, mark) for mark in ("one", "two")] for store in stores],
            ):
                assert told[0] == told[1]

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
