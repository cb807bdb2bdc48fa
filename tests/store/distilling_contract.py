"""What every DistillingStore does, beside a MemoryStore: the same tests for SQLite and for the fake."""

from __future__ import annotations

from typing import Protocol

from edge.engine.archive_ports import ArchiveStore
from edge.engine.distilling_ports import Distilled, DistillingStore
from edge.engine.ports import MemoryStore
from edge.memory.archive import Why
from edge.memory.units import Confirm, Draft, Kind, OwnerId, Source, TurnId, TurnState, UnitId
from tests.store.making import ANN, BOB, MAIN, NOON, after, episode, fact, insert, said_by_assistant, scope

LINE = "The user keeps bees in Rostock."


class Stores(MemoryStore, Protocol):
    """The units, and how far they were read."""

    @property
    def distilling(self) -> DistillingStore: ...
    @property
    def archive(self) -> ArchiveStore: ...


def say(store: Stores, words: str, *drafts: Draft, owner: OwnerId = ANN) -> tuple[TurnId, UnitId]:
    """A turn with its words, and units drawn from it."""
    written = store.begin_turn(owner, MAIN, words, [insert(episode(words)), *map(insert, drafts)], NOON)
    assert written.turn is not None
    return written.turn, written.added[0]


def unread(store: Stores, limit: int = 9, owner: OwnerId = ANN) -> list[str]:
    found = store.distilling.unread(owner, limit)
    return [] if found is None else [unit.content for unit in found.episodes]


def distilled(turn: TurnId, words: UnitId, line: str = LINE) -> Distilled:
    draft = Draft(Kind.FACT_REFERENCE, line, quote="I keep bees in Rostock")
    return Distilled(words, turn, (insert(draft),))


class DistillingContract:
    """Subclasses give the `store`."""

    def test_a_person_s_words_without_facts_are_unread_oldest_first(self, store: Stores) -> None:
        say(store, "I keep bees")
        say(store, "I am Ann", fact("The user's name is Ann.", "name", "Ann"))
        say(store, "我养了蜜蜂")
        assert unread(store) == ["I keep bees", "我养了蜜蜂"]

    def test_words_of_others_are_never_unread(self, store: Stores) -> None:
        turn, _ = say(store, "hello")
        reply = insert(said_by_assistant(episode("You keep dogs")))
        result = insert(Draft(Kind.TOOL_RESULT, "I keep hens", source=Source.TOOL, session_only=True), session=MAIN)
        store.finish_turn(ANN, turn, "You keep dogs", TurnState.DONE, [reply, result], NOON)
        store.apply(ANN, [insert(episode("I keep bees", Source.IMPORT)), insert(episode("I keep cats"))], NOON)
        assert unread(store) == ["hello"]

    def test_words_that_a_rule_found_confirming_are_not_unread(self, store: Stores) -> None:
        say(store, "I am Ann", fact("The user's name is Ann.", "name", "Ann"))
        (known,) = store.slot_units(scope(), ["name"], None)
        store.begin_turn(ANN, MAIN, "Ann is my name", [insert(episode("Ann is my name")), Confirm(known.id)], NOON)
        assert unread(store) == []

    def test_what_was_read_is_not_read_again(self, store: Stores) -> None:
        words = [say(store, text) for text in ("I keep bees", "I keep cats", "I keep dogs")]
        first = store.distilling.unread(ANN, 2)
        assert first is not None
        assert (first.through, first.more) == (words[1][1], True)
        assert store.distilling.keep_distilled(ANN, first.through, [], NOON) == ()
        assert unread(store) == ["I keep dogs"]
        last = store.distilling.unread(ANN, 2)
        assert last is not None
        assert not last.more
        store.distilling.keep_distilled(ANN, last.through, [], NOON)
        assert store.distilling.unread(ANN, 2) is None
        say(store, "I keep eels")
        assert unread(store) == ["I keep eels"]

    def test_what_is_drawn_comes_from_the_turn(self, store: Stores) -> None:
        turn, words = say(store, "I keep bees in Rostock")
        (unit,) = store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], after(hours=9))
        kept = store.unit(ANN, unit)
        assert (kept.content, kept.source_turn, kept.source) == (LINE, turn, Source.USER)
        assert (kept.valid_from, kept.created_at) == (NOON, after(hours=9))

    def test_the_same_call_again_does_nothing(self, store: Stores) -> None:
        turn, words = say(store, "I keep bees in Rostock")
        assert len(store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], NOON)) == 1
        assert store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], NOON) == ()

    def test_nothing_is_drawn_from_words_that_are_gone(self, store: Stores) -> None:
        turn, words = say(store, "I keep bees in Rostock")
        other, left = say(store, "I keep bees in Bergen")
        store.forget(ANN, [words])
        drawn = [distilled(turn, words), distilled(other, left, "The user keeps bees in Bergen.")]
        assert len(store.distilling.keep_distilled(ANN, left, drawn, NOON)) == 1
        assert store.search_text(scope(), "Rostock", 9) == []

    def test_archived_words_are_not_read_and_nothing_is_drawn_from_them(self, store: Stores) -> None:
        turn, words = say(store, "I keep bees in Rostock")
        store.archive.archive(ANN, [words], Why.BY_HAND, NOON)
        assert unread(store) == []
        assert store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], NOON) == ()

    def test_what_was_drawn_goes_with_the_words(self, store: Stores) -> None:
        turn, words = say(store, "I keep bees in Rostock")
        (unit,) = store.distilling.keep_distilled(ANN, words, [distilled(turn, words)], NOON)
        assert set(store.forget(ANN, [words])) == {words, unit}

    def test_an_owner_reads_nothing_of_another_s(self, store: Stores) -> None:
        turn, words = say(store, "I keep bees in Rostock")
        assert unread(store, owner=BOB) == []
        assert store.distilling.keep_distilled(BOB, words, [distilled(turn, words)], NOON) == ()
        assert unread(store) == ["I keep bees in Rostock"]
