"""Masks that are kept are always what a query of the same moment gives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.engine.ports import Mask, Scope
from edge.errors import RequestInvalid
from edge.memory.units import Draft, Insert, Kind, OwnerId, SessionId, UnitId
from edge.store import masks
from edge.store.masks import KEPT
from edge.store.rows import micros
from edge.store.scopes import in_scope, visible
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, episode, fact, insert, scope

OWNERS, UNITS = st.sampled_from([ANN, ANN, BOB]), st.integers(1, 20).map(UnitId)
SESSIONS = st.none() | st.sampled_from([MAIN, WORK])
MOMENTS = st.integers(-2, 4).map(lambda hours: after(hours=hours))
KINDS = st.sampled_from([frozenset({Kind.EPISODE}), frozenset({Kind.EPISODE, Kind.USER_PROFILE}), frozenset()])


@st.composite
def inserts(draw: st.DrawFn) -> Insert:
    kind = draw(st.sampled_from([Kind.EPISODE, Kind.USER_PROFILE, Kind.TOOL_RESULT]))
    change = insert(Draft(kind, draw(st.sampled_from(["天气很好", "likes tea"]))), session=draw(SESSIONS))
    return Insert(
        change.draft,
        change.session,
        change.key,
        draw(MOMENTS),
        draw(st.none() | MOMENTS),
        tuple(draw(st.lists(UNITS, max_size=2, unique=True))),
    )


CHANGES = st.lists(inserts(), min_size=1, max_size=3)


@dataclass(frozen=True)
class Write:
    owner: OwnerId
    changes: list[Insert]
    at: datetime

    def do(self, store: SqliteStore) -> None:
        store.apply(self.owner, self.changes, self.at)


@dataclass(frozen=True)
class Fail(Write):
    def do(self, store: SqliteStore) -> None:
        with pytest.raises(RequestInvalid):
            store.apply(self.owner, [*self.changes, insert(fact("half \ud83d"))], self.at)


@dataclass(frozen=True)
class Forget:
    owner: OwnerId
    units: list[UnitId]

    def do(self, store: SqliteStore) -> None:
        store.forget(self.owner, self.units)


@dataclass(frozen=True)
class Set:
    """As what archives or moves units will do it."""

    column: str
    value: int | str | None
    unit: UnitId

    def do(self, store: SqliteStore) -> None:
        with store._db.relaxed_transaction() as db:
            db.execute(f"UPDATE units SET {self.column} = ? WHERE id = ?", (self.value, self.unit))


@dataclass(frozen=True)
class Nothing:
    def do(self, store: SqliteStore) -> None:
        """Only the clock moves."""


STEPS = st.one_of(
    st.builds(Write, OWNERS, CHANGES, MOMENTS),
    st.builds(Fail, OWNERS, CHANGES, MOMENTS),
    st.builds(Forget, OWNERS, st.lists(UNITS, max_size=2)),
    st.builds(Set, st.just("archived_at"), MOMENTS.map(micros), UNITS),
    st.builds(Set, st.just("archived_at"), st.none(), UNITS),
    st.builds(Set, st.just("session"), SESSIONS, UNITS),
    st.builds(Set, st.just("valid_until"), MOMENTS.map(micros), UNITS),
    st.just(Nothing()),
)


def queried(store: SqliteStore, asked: Scope) -> list[int]:
    rows = store._db.rows(f"SELECT u.id FROM units u NOT INDEXED WHERE {visible(asked)} ORDER BY u.id", in_scope(asked))
    return [unit for (unit,) in rows]


def check(store: SqliteStore, asked: Scope) -> None:
    mask, expected = store.visible(asked), queried(store, asked)
    assert np.flatnonzero(mask).tolist() == expected
    assert len(mask) == (expected[-1] + 1 if expected else 0)
    assert not mask.flags.writeable


def check_all(store: SqliteStore, at: datetime, kinds: frozenset[Kind]) -> Mask:
    for session in (None, MAIN, WORK):
        check(store, Scope(ANN, session, at, kinds, present=False))
        check(store, Scope(ANN, session, at, kinds, present=True))
        check(store, Scope(ANN, session, at, present=True))
    check(store, Scope(BOB, MAIN, at, present=True))
    return store.visible(Scope(ANN, None, at, present=True))


@given(
    first=st.lists(inserts(), min_size=6, max_size=12),
    steps=st.lists(st.tuples(STEPS, MOMENTS, KINDS), min_size=6, max_size=20),
    renewed=st.sampled_from([256, 256, 3]),
)
@settings(max_examples=60, deadline=None)
def test_masks_are_exact_whatever_is_written_and_however_the_clock_moves(
    first: list[Insert], steps: list[tuple[Write | Forget | Set | Nothing, datetime, frozenset[Kind]]], renewed: int
) -> None:
    with (
        patch.object(masks, "_RENEWED_AT_LEAST", renewed),
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(Path(folder) / "memory.db", NoonClock())) as store,
    ):
        store.apply(ANN, first, NOON)
        seen: list[tuple[Mask, list[bool]]] = []
        for step, at, kinds in steps:
            step.do(store)
            mask = check_all(store, at, kinds)
            seen.append((mask, mask.tolist()))
        assert all(mask.tolist() == before for mask, before in seen)


def statements(store: SqliteStore, work: Callable[[], object]) -> list[str]:
    found: list[str] = []
    store._db._connection.set_trace_callback(found.append)
    work()
    store._db._connection.set_trace_callback(None)
    return found


def reads_all(store: SqliteStore, asked: Scope) -> bool:
    return any("group_concat" in statement for statement in statements(store, lambda: store.visible(asked)))


def now(hours: float = 0, kinds: frozenset[Kind] | None = None) -> Scope:
    return scope(session=None, as_of=after(hours=hours), kinds=kinds, present=True)


def test_only_the_first_question_reads_all(sqlite_store: SqliteStore) -> None:
    sqlite_store.apply(ANN, [insert(episode(f"第 {number} 句话")) for number in range(100)], NOON)
    assert reads_all(sqlite_store, now())
    assert statements(sqlite_store, lambda: sqlite_store.visible(now())) == []
    begun = sqlite_store.begin_turn(ANN, MAIN, "hello", [insert(episode("hello"))], NOON)
    assert not reads_all(sqlite_store, now(0.5))
    assert sqlite_store.visible(now(0.5))[begun.added[0]]


def test_counting_use_changes_no_mask(sqlite_store: SqliteStore) -> None:
    ids = sqlite_store.apply(ANN, [insert(episode("hello"))], NOON).added
    sqlite_store.visible(now())
    sqlite_store.mark_used(ANN, ids, NOON)
    assert statements(sqlite_store, lambda: sqlite_store.visible(now())) == []


def test_where_much_was_written_all_is_read(sqlite_store: SqliteStore) -> None:
    sqlite_store.visible(now())
    changes = [insert(episode(f"第 {number} 句话")) for number in range(300)]
    sqlite_store.apply(ANN, changes, NOON)
    assert reads_all(sqlite_store, now())
    assert sqlite_store.visible(now()).sum() == 300


def test_a_clock_that_jumps_over_many_ends_reads_all(sqlite_store: SqliteStore) -> None:
    changes = [insert(episode(f"第 {number} 句话"), valid_until=after(hours=1)) for number in range(300)]
    sqlite_store.apply(ANN, changes, NOON)
    assert sqlite_store.visible(now()).sum() == 300
    assert reads_all(sqlite_store, now(2))
    assert len(sqlite_store.visible(now(2))) == 0


def test_few_masks_are_kept_those_asked_for_last(sqlite_store: SqliteStore) -> None:
    sqlite_store.apply(ANN, [insert(fact("x"))], NOON)
    kinds = [frozenset({Kind.USER_PROFILE, *more}) for more in (set(), *({kind} for kind in Kind))]
    scopes = {asked.kinds: asked for asked in [now(kinds=chosen) for chosen in [None, *kinds, frozenset(Kind)]]}
    scopes[frozenset({Kind.USER_PROFILE, Kind.EPISODE, Kind.TOOL_RESULT})] = now(
        kinds=frozenset({Kind.USER_PROFILE, Kind.EPISODE, Kind.TOOL_RESULT})
    )
    first, *others = scopes.values()
    assert len(others) >= KEPT
    sqlite_store.visible(first)
    for asked in others[: KEPT - 1]:
        sqlite_store.visible(asked)
    assert len(sqlite_store._masks._kept) == KEPT
    assert not reads_all(sqlite_store, first)
    sqlite_store.visible(others[KEPT - 1])
    assert len(sqlite_store._masks._kept) == KEPT
    assert not reads_all(sqlite_store, first)
    assert reads_all(sqlite_store, others[0])


def test_sessions_share_what_is_bound_to_none(sqlite_store: SqliteStore) -> None:
    sqlite_store.apply(ANN, [insert(episode("hello")), insert(episode("购物车"), session=WORK)], NOON)
    for session in (MAIN, WORK, SessionId("third")):
        check(sqlite_store, scope(session=session, present=True))
    assert len(sqlite_store._masks._kept) == 1


def test_a_mask_outlives_the_database_being_written_anew(sqlite_store: SqliteStore) -> None:
    ids = sqlite_store.apply(ANN, [insert(episode("苹果")), insert(episode("hello"))], NOON).added
    check(sqlite_store, now())
    sqlite_store.forget(ANN, [ids[0]])
    check(sqlite_store, now())
    sqlite_store.apply(ANN, [insert(episode("再来"))], NOON)
    check(sqlite_store, now())
