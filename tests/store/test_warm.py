"""What is kept of units in memory is always what the database holds, and recall with it what it is without."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.clock import SystemClock
from edge.engine.ports import Scope
from edge.engine.recall import Limits, Recall
from edge.engine.vectors import Vectors, embedder_key
from edge.memory.text import search_terms
from edge.memory.units import Insert, Kind, OwnerId, SessionId, TurnState, UnitId
from edge.store import warm
from edge.store.nearby import read_codes
from edge.store.reads import read_units
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex
from tests.memory.test_rules import RULES
from tests.store.conftest import NoonClock
from tests.store.making import ANN, BOB, MAIN, NOON, after, episode, fact, insert, scope
from tests.store.test_masks import (
    CHANGES,
    MOMENTS,
    OWNERS,
    UNITS,
    Fail,
    Forget,
    Nothing,
    Set,
    Write,
    inserts,
    statements,
)

EMBEDDER = HashEmbedder()
KEY = embedder_key(EMBEDDER)
ALL = [UnitId(number) for number in range(1, 40)]


@dataclass(frozen=True)
class Embed:
    def do(self, store: SqliteStore) -> None:
        vectors = Vectors()
        vectors.attach(EMBEDDER, ExactIndex(store.vector_log, KEY, EMBEDDER.dimension))
        while vectors.embed_backlog(store, 8):
            pass


@dataclass(frozen=True)
class Use:
    owner: OwnerId
    units: list[UnitId]
    at: datetime

    def do(self, store: SqliteStore) -> None:
        store.mark_used(self.owner, self.units, self.at)


@dataclass(frozen=True)
class Drop:
    """As after a change of embedder and back."""

    def do(self, store: SqliteStore) -> None:
        store.use_embedder("other/8")
        while store.drop_embedder(KEY, 5):
            pass
        store.use_embedder(KEY)


@dataclass(frozen=True)
class Ahead:
    def do(self, store: SqliteStore) -> None:
        store._warm._due = None
        while store.read_ahead(7):
            pass


@dataclass(frozen=True)
class Turn:
    owner: OwnerId
    words: str
    at: datetime

    def do(self, store: SqliteStore) -> None:
        written = store.begin_turn(self.owner, MAIN, self.words, [insert(episode(self.words))], self.at)
        assert written.turn is not None
        store.finish_turn(self.owner, written.turn, "Yes. 好的。", TurnState.DONE, [], self.at)


Step = Write | Fail | Forget | Set | Nothing | Embed | Use | Drop | Ahead | Turn
WORDS = st.sampled_from(
    ["The kettle is in the attic.", "水壶在阁楼。", "Tom helped me with the bicycle.", "小李帮我修自行车。"]
)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(Write, OWNERS, CHANGES, MOMENTS),
    st.builds(Turn, OWNERS, WORDS, MOMENTS),
    st.builds(Fail, OWNERS, CHANGES, MOMENTS),
    st.builds(Forget, OWNERS, st.lists(UNITS, max_size=2)),
    st.builds(Set, st.sampled_from(["content", "owner"]), st.sampled_from(["水壶", str(BOB)]), UNITS),
    st.builds(Set, st.just("relevance"), st.integers(0, 2), UNITS),
    st.builds(Use, OWNERS, st.lists(UNITS, max_size=3), MOMENTS),
    st.just(Embed()),
    st.just(Embed()),
    st.just(Drop()),
    st.just(Ahead()),
    st.just(Nothing()),
)


def check(store: SqliteStore, owner: OwnerId, at: datetime) -> None:
    asked = Scope(owner, MAIN, at, present=True)
    found, expected = store.units(asked, ALL), read_units(store._db, asked, ALL)
    assert found == expected
    assert store.terms(found.values()) == {unit.id: frozenset(search_terms(unit.content)) for unit in expected.values()}
    own = [unit for (unit,) in store._db.rows("SELECT id FROM units WHERE owner = ?", (owner,))]
    assert store.token_codes(owner, KEY, ALL, 10**6) == {
        unit: codes for unit, codes in read_codes(store._db, KEY, ALL).items() if unit in own
    }
    assert store._warm.size == sum(store._warm._sizes.values()) <= warm.WARM_BYTES
    assert store._warm._sizes.keys() == store._warm._kept.keys()


@given(
    first=st.lists(inserts(), min_size=6, max_size=12),
    steps=st.lists(st.tuples(STEPS, MOMENTS), min_size=6, max_size=20),
    room=st.sampled_from([warm.WARM_BYTES, 6000, 0]),
)
@settings(max_examples=50, deadline=None)
def test_what_is_kept_is_exact_whatever_is_written(
    first: list[Insert], steps: list[tuple[Step, datetime]], room: int
) -> None:
    with (
        patch.object(warm, "WARM_BYTES", room),
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(Path(folder) / "memory.db", NoonClock())) as store,
    ):
        store.use_embedder(KEY)
        store.apply(ANN, first, NOON)
        for step, at in steps:
            step.do(store)
            check(store, ANN, at)
            check(store, BOB, at)


@pytest.mark.parametrize(
    "step",
    [
        Set("content", "水壶", UnitId(3)),
        Set("owner", str(BOB), UnitId(3)),
        Set("relevance", 2, UnitId(3)),
        Use(ANN, [UnitId(3)], NOON),
        Forget(ANN, [UnitId(3)]),
        Drop(),
    ],
)
def test_each_kind_of_write_is_seen(sqlite_store: SqliteStore, step: Step) -> None:
    sqlite_store.use_embedder(KEY)
    sqlite_store.apply(ANN, [insert(episode(f"words {number}")) for number in range(20)], NOON)
    for before in (Nothing(), Embed(), step, Embed()):
        before.do(sqlite_store)
        check(sqlite_store, ANN, after(minutes=1))
        check(sqlite_store, BOB, after(minutes=1))


def recall_of(store: SqliteStore) -> Recall:
    vectors = Vectors()
    vectors.attach(EMBEDDER, ExactIndex(store.vector_log, KEY, EMBEDDER.dimension))
    return Recall(store, RULES, vectors, Limits(200, 20, 0.0, 0.0), SystemClock())


@given(
    words=st.lists(WORDS, min_size=18, max_size=24),
    steps=st.lists(st.tuples(STEPS, MOMENTS), min_size=3, max_size=8),
    question=st.sampled_from(["Who helped me with the bicycle?", "水壶在哪里？", "When was the kettle there?"]),
)
@settings(max_examples=25, deadline=None)
def test_recall_finds_the_same_with_and_without_what_is_kept(
    words: list[str], steps: list[tuple[Step, datetime]], question: str
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(Path(folder) / "memory.db", NoonClock())) as store,
    ):
        store.use_embedder(KEY)
        for said in words:
            Turn(ANN, said, NOON).do(store)
        recall = recall_of(store)
        for step, at in steps:
            step.do(store)
            asked = Scope(ANN, SessionId("new"), at, present=True)
            kept = recall.find(asked, question)
            store.let_go()
            fresh = recall.find(asked, question)
            assert (kept.recalled, kept.dropped) == (fresh.recalled, fresh.dropped)


@pytest.mark.parametrize("secret", ["The code of the safe is 4711.", "保险箱的密码是四七一一。"])
def test_a_forgotten_text_leaves_at_once(sqlite_store: SqliteStore, secret: str) -> None:
    told = [insert(episode(secret)), *(insert(episode(f"Words {number}")) for number in range(20))]
    sqlite_store.use_embedder(KEY)
    written = sqlite_store.apply(ANN, told, NOON)
    Embed().do(sqlite_store)
    while sqlite_store.read_ahead(64):
        pass
    assert any(kept.unit and kept.unit.content == secret for kept in sqlite_store._warm._kept.values())
    sqlite_store.forget(ANN, written.added[:1])
    assert written.added[0] not in sqlite_store._warm._kept
    assert sqlite_store._warm.size == sum(kept.size() for kept in sqlite_store._warm._kept.values())


def reads_units(store: SqliteStore, work: Callable[[], object]) -> bool:
    return any("u.content" in statement for statement in statements(store, work))


def test_the_last_day_and_profiles_are_read_ahead(sqlite_store: SqliteStore) -> None:
    old = sqlite_store.apply(ANN, [insert(episode(f"old {number}")) for number in range(20)], NOON)
    name = sqlite_store.apply(ANN, [insert(fact("The user's name is Ann.", "name", "Ann"))], NOON)
    fresh = sqlite_store.apply(BOB, [insert(episode(f"新的 {number}")) for number in range(20)], after(days=3))
    sqlite_store.use_embedder(KEY)
    Embed().do(sqlite_store)
    steps = 1
    while sqlite_store.read_ahead(6):
        steps += 1
    assert steps == 4
    assert sqlite_store._warm._kept.keys() == {*name.added, *fresh.added}
    now = scope(BOB, None, after(days=3), present=True)
    assert not reads_units(sqlite_store, lambda: sqlite_store.units(now, fresh.added))
    assert reads_units(sqlite_store, lambda: sqlite_store.units(scope(present=True), old.added))
    assert sqlite_store.kept_bytes() > 0
    sqlite_store.let_go()
    assert reads_units(sqlite_store, lambda: sqlite_store.units(now, fresh.added))


def test_the_past_is_read_from_the_database(sqlite_store: SqliteStore) -> None:
    told = sqlite_store.apply(ANN, [insert(episode(f"words {number}")) for number in range(20)], NOON)
    assert len(sqlite_store.units(scope(present=True), told.added)) == 20
    assert reads_units(sqlite_store, lambda: sqlite_store.units(scope(), told.added))
    assert sqlite_store.units(scope(as_of=after(hours=-1)), told.added) == {}


def test_counting_use_keeps_terms_and_codes(sqlite_store: SqliteStore) -> None:
    told = sqlite_store.apply(ANN, [insert(episode(f"words {number}")) for number in range(20)], NOON)
    sqlite_store.use_embedder(KEY)
    Embed().do(sqlite_store)
    asked = scope(present=True, kinds=frozenset({Kind.EPISODE}))
    sqlite_store.terms(sqlite_store.units(asked, told.added).values())
    sqlite_store.token_codes(ANN, KEY, told.added, 10**6)
    sqlite_store.mark_used(ANN, told.added[:2], after(minutes=1))
    used = sqlite_store.units(asked, told.added)
    assert [used[unit].access_count for unit in told.added[:3]] == [1, 1, 0]
    assert all(kept.terms and kept.codes for kept in sqlite_store._warm._kept.values())
    read = statements(sqlite_store, lambda: sqlite_store.token_codes(ANN, KEY, told.added, 10**6))
    assert not any("v.codes" in statement for statement in read)
