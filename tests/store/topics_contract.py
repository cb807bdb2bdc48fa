"""What every TopicStore does, beside a MemoryStore: the same tests for SQLite and for the fake."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pytest

from edge.engine.archive_ports import ArchiveStore
from edge.engine.ports import MemoryStore
from edge.engine.topic_ports import KEPT_TOPICS, TopicStore
from edge.memory.archive import Why
from edge.memory.topics import TopicId
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, TurnId, TurnState, UnitId
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, fact, insert, scope


class Stores(MemoryStore, Protocol):
    """The units, and their topics."""

    @property
    def topics(self) -> TopicStore: ...
    @property
    def archive(self) -> ArchiveStore: ...


def say(
    store: Stores, words: str, *drafts: Draft, owner: OwnerId = ANN, session: SessionId = MAIN
) -> tuple[TurnId, tuple[UnitId, ...]]:
    """A turn with units; those for the session alone are bound to it."""
    changes = [insert(draft, session=session if draft.session_only else None) for draft in drafts]
    written = store.begin_turn(owner, session, words, changes, NOON)
    assert written.turn is not None
    return written.turn, written.added


def state(content: str, kind: Kind = Kind.SESSION_STATE) -> Draft:
    return Draft(kind, content, session_only=True)


def begun(store: Stores, *drafts: Draft, words: str = "the bill") -> tuple[TopicId, tuple[UnitId, ...]]:
    turn, units = say(store, words, *drafts)
    return store.topics.begin_topic(ANN, MAIN, turn, {"bill": 2}), units


def active(store: Stores, units: tuple[UnitId, ...]) -> set[UnitId]:
    return set(store.units(scope(present=True), units))


class TopicStoreContract:
    """Subclasses give the `store`."""

    def test_the_topic_of_the_last_turn_comes_first(self, store: Stores) -> None:
        bill, _ = begun(store)
        turn, _ = say(store, "投诉")
        complaint = store.topics.begin_topic(ANN, MAIN, turn, {"投诉": 2})
        assert [topic.id for topic in store.topics.topics(ANN, MAIN)] == [complaint, bill]
        turn, _ = say(store, "back to the bill")
        store.topics.go_on(ANN, bill, turn, {"bill": 3, "back": 1})
        first, second = store.topics.topics(ANN, MAIN)
        assert (first.id, first.terms, first.vector) == (bill, {"bill": 3, "back": 1}, None)
        assert (second.id, second.terms) == (complaint, {"投诉": 2})

    def test_a_topic_is_of_one_owner_and_one_session(self, store: Stores) -> None:
        bill, (unit,) = begun(store, state("step: payment"))
        assert store.topics.topics(ANN, WORK) == store.topics.topics(BOB, MAIN) == []
        turn, _ = say(store, "hello", owner=BOB)
        store.topics.go_on(BOB, bill, turn, {"hello": 1})
        store.topics.smooth(BOB, bill, np.ones(3, dtype=np.float32))
        assert store.topics.freeze(BOB, bill, NOON) == ()
        assert [(topic.terms, topic.vector) for topic in store.topics.topics(ANN, MAIN)] == [({"bill": 2}, None)]
        store.topics.freeze(ANN, bill, NOON)
        assert store.topics.thaw(BOB, bill) == ()
        assert active(store, (unit,)) == set()

    def test_a_vector_is_kept(self, store: Stores) -> None:
        bill, _ = begun(store)
        vector = np.array([0.6, 0.8], dtype=np.float32)
        store.topics.smooth(ANN, bill, vector)
        (topic,) = store.topics.topics(ANN, MAIN)
        assert topic.vector is not None
        assert topic.vector.tolist() == vector.tolist()

    def test_what_the_session_alone_knows_freezes_and_comes_back(self, store: Stores) -> None:
        drafts = [state("step: payment"), state("the step is payment", Kind.EPISODE)]
        others = [state("result: 7", Kind.TOOL_RESULT), state("Adding", Kind.BATCH_OPERATION), fact("likes tea")]
        bill, units = begun(store, *drafts, *others)
        assert store.topics.freeze(ANN, bill, after(minutes=1)) == units[:2]
        assert active(store, units) == set(units[2:])
        frozen = store.unit(ANN, units[0])
        assert (frozen.archived_at, frozen.archived_why) == (after(minutes=1), Why.TOPIC.value)
        assert store.topics.freeze(ANN, bill, after(minutes=2)) == ()
        assert store.topics.thaw(ANN, bill) == units[:2]
        assert active(store, units) == set(units)
        assert store.unit(ANN, units[0]).archived_why is None
        assert store.topics.thaw(ANN, bill) == ()

    def test_another_topic_keeps_what_is_its_own(self, store: Stores) -> None:
        bill, ours = begun(store, state("step: payment"))
        turn, theirs = say(store, "complaint", state("step: review"))
        complaint = store.topics.begin_topic(ANN, MAIN, turn, {"complaint": 2})
        store.topics.freeze(ANN, bill, NOON)
        assert active(store, ours + theirs) == set(theirs)
        store.topics.freeze(ANN, complaint, NOON)
        store.topics.thaw(ANN, bill)
        assert active(store, ours + theirs) == set(ours)

    def test_what_a_turn_of_a_topic_makes_later_is_claimed(self, store: Stores) -> None:
        bill, _ = begun(store)
        turn, first = say(store, "go on", state("step: two"))
        store.topics.go_on(ANN, bill, turn, {"bill": 2})
        said = insert(Draft(Kind.EPISODE, "It is step two.", source=Source.ASSISTANT, session_only=True), session=MAIN)
        second = store.finish_turn(ANN, turn, "It is step two.", TurnState.DONE, [said], NOON).added
        assert store.topics.freeze(ANN, bill, NOON) == first
        store.topics.claim(ANN, turn)
        assert store.topics.freeze(ANN, bill, NOON) == second

    @pytest.mark.parametrize("why", [Why.BY_HAND, Why.DECAYED])
    def test_what_was_archived_otherwise_stays_so(self, store: Stores, why: Why) -> None:
        bill, (unit,) = begun(store, state("step: payment"))
        store.archive.archive(ANN, [unit], why, NOON)
        assert store.topics.freeze(ANN, bill, after(minutes=1)) == ()
        assert store.topics.thaw(ANN, bill) == ()
        assert store.unit(ANN, unit).archived_why == why.value

    def test_what_was_replaced_is_not_frozen(self, store: Stores) -> None:
        bill, (old,) = begun(store, state("step: payment"))
        turn = store.begin_turn(
            ANN, MAIN, "step two", [insert(state("step: two"), session=MAIN, supersedes=(old,))], NOON
        )
        assert turn.turn is not None
        store.topics.go_on(ANN, bill, turn.turn, {"bill": 2})
        assert store.topics.freeze(ANN, bill, NOON) == turn.added

    def test_of_many_topics_the_oldest_go(self, store: Stores) -> None:
        first, (unit,) = begun(store, state("step: payment"))
        store.topics.freeze(ANN, first, NOON)
        for number in range(KEPT_TOPICS):
            turn, _ = say(store, f"topic {number}")
            store.topics.begin_topic(ANN, MAIN, turn, {})
        ids = [topic.id for topic in store.topics.topics(ANN, MAIN)]
        assert (len(ids), first in ids) == (KEPT_TOPICS, False)
        assert store.unit(ANN, unit).archived_why == Why.TOPIC.value

    def test_forgetting_what_was_said_takes_the_words_of_its_topics(self, store: Stores) -> None:
        bill, units = begun(store, Draft(Kind.EPISODE, "the bill R-77"), words="the bill R-77")
        store.topics.smooth(ANN, bill, np.ones(2, dtype=np.float32))
        turn, _ = say(store, "complaint")
        complaint = store.topics.begin_topic(ANN, MAIN, turn, {"complaint": 2})
        turn, _ = say(store, "the bill R-77", owner=BOB)
        store.topics.begin_topic(BOB, MAIN, turn, {"bill": 2})
        store.forget(ANN, units)
        latest, cleared = store.topics.topics(ANN, MAIN)
        assert (latest.id, latest.terms) == (complaint, {"complaint": 2})
        assert (cleared.id, cleared.terms, cleared.vector) == (bill, {}, None)
        assert [topic.terms for topic in store.topics.topics(BOB, MAIN)] == [{"bill": 2}]

    def test_a_forgotten_unit_leaves_its_topic(self, store: Stores) -> None:
        bill, units = begun(store, state("step: payment"), state("step: two"))
        store.topics.freeze(ANN, bill, NOON)
        store.forget(ANN, units[:1])
        assert store.topics.thaw(ANN, bill) == units[1:]
