"""What every IntentStore does, beside a MemoryStore and its topics: the same tests for SQLite and for the fake."""

from __future__ import annotations

from typing import Protocol

from edge.engine.intent_ports import IntentStore
from edge.engine.ports import MemoryStore
from edge.engine.topic_ports import TopicStore
from edge.memory.intent_vectors import IntentVector, agreement, of_turn
from edge.memory.intents import Intent, Label, Move
from edge.memory.topics import TopicId
from edge.memory.units import OwnerId, SessionId, TurnId, UnitId
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, fact, insert


class Stores(MemoryStore, Protocol):
    """The units, their topics, and their intents."""

    @property
    def topics(self) -> TopicStore: ...
    @property
    def intents(self) -> IntentStore: ...


def vector(*terms: str) -> IntentVector:
    return of_turn(Intent(Label.FACT, 0.9, "as the test says", Move.TELL), dict.fromkeys(terms, 1.0))


def say(
    store: Stores, words: str, owner: OwnerId = ANN, session: SessionId = MAIN
) -> tuple[TopicId, TurnId, tuple[UnitId, ...]]:
    """A turn with a unit, which begins a topic."""
    written = store.begin_turn(owner, session, words, [insert(fact(words))], NOON)
    assert written.turn is not None
    return store.topics.begin_topic(owner, session, written.turn, {"x": 1}), written.turn, written.added


class IntentStoreContract:
    """Subclasses give the `store`."""

    def test_a_topic_and_the_units_of_its_turn_have_the_vector(self, store: Stores) -> None:
        topic, turn, units = say(store, "the flight to Lisbon")
        assert store.topics.topics(ANN, MAIN)[0].intent is None
        assert store.intents.of_units(ANN, units) == {}
        store.intents.keep(ANN, topic, turn, vector("lisbon", "flight"))
        kept = store.topics.topics(ANN, MAIN)[0].intent
        assert kept is not None
        assert agreement(kept, vector("lisbon", "flight")) > 0.99
        assert set(store.intents.of_units(ANN, units)) == set(units)

    def test_the_vector_goes_to_the_topic_of_the_turn_alone(self, store: Stores) -> None:
        trip, _, units = say(store, "the flight to Lisbon")
        kitchen, later, others = say(store, "厨房要换瓷砖")
        store.intents.keep(ANN, trip, later, vector("tiles"))
        assert store.intents.of_units(ANN, [*units, *others]) == {}
        store.intents.keep(ANN, kitchen, later, vector("tiles"))
        assert set(store.intents.of_units(ANN, [*units, *others])) == set(others)
        assert [topic.intent is not None for topic in store.topics.topics(ANN, MAIN)] == [True, False]

    def test_an_owner_neither_sets_nor_sees_anothers(self, store: Stores) -> None:
        topic, turn, units = say(store, "the flight to Lisbon")
        store.intents.keep(BOB, topic, turn, vector("lisbon"))
        assert store.topics.topics(ANN, MAIN)[0].intent is None
        store.intents.keep(ANN, topic, turn, vector("lisbon"))
        assert store.intents.of_units(BOB, units) == {}
        assert store.topics.topics(BOB, MAIN) == []

    def test_what_is_rare_tells_more(self, store: Stores) -> None:
        for words in ("kim sails", "kim paints", "kim bakes", "凯莉在画画"):
            say(store, words)
        told = store.intents.rarities({"kim", "sail", "zeppelin"})
        assert told["kim"] < told["sail"] < told["zeppelin"]
        assert min(told.values()) >= 0

    def test_a_forgotten_unit_takes_the_vectors_of_what_was_said_since_in_its_session(self, store: Stores) -> None:
        _, early, before = say(store, "good morning to you")
        store.intents.keep(ANN, store.topics.topics(ANN, MAIN)[0].id, early, vector("morning"))
        trip, turn, units = say(store, "the flight to Lisbon")
        store.intents.keep(ANN, trip, turn, vector("lisbon", "flight"))
        written = store.begin_turn(ANN, MAIN, "it leaves early", [insert(fact("it leaves early"))], NOON)
        assert written.turn is not None
        store.topics.go_on(ANN, trip, written.turn, {"x": 2})
        store.intents.keep(ANN, trip, written.turn, vector("lisbon", "flight", "early"))
        elsewhere, other, kept = say(store, "elsewhere", session=WORK)
        store.intents.keep(ANN, elsewhere, other, vector("elsewhere"))
        store.forget(ANN, units)
        assert store.topics.topics(ANN, MAIN)[0].intent is None
        assert set(store.intents.of_units(ANN, [*before, *units, *written.added, *kept])) == {*before, *kept}
