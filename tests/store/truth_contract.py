"""What every TruthStore does: the same tests for the one in SQLite and for the fake."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import pytest

from edge.engine.ports import MemoryStore
from edge.engine.truth_ports import MOST_OPEN, TruthStore
from edge.errors import MemoryNotFound
from edge.memory.units import (
    Confirm,
    Draft,
    Ending,
    Insert,
    Kind,
    Outcome,
    OwnerId,
    SessionId,
    Settle,
    TurnId,
    TurnState,
    UnitId,
)
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, fact, insert, scope


class Store(MemoryStore, Protocol):
    """A store and its TruthStore."""

    @property
    def truth(self) -> TruthStore: ...


def home(city: str, quote: str | None = None) -> Draft:
    return fact(f"The user lives in {city}.", "home", city.lower(), quote)


def say(
    store: Store, words: str, *changes: Insert | Settle, reply: str = "Noted.", session: SessionId = MAIN
) -> tuple[TurnId, tuple[UnitId, ...]]:
    """A whole turn: its id, and what it added."""
    begun = store.begin_turn(ANN, session, words, changes, NOON)
    assert begun.turn is not None
    store.finish_turn(ANN, begun.turn, reply, TurnState.DONE, (), NOON)
    return begun.turn, begun.added


def contradict(store: Store) -> tuple[UnitId, UnitId, TurnId]:
    """Berlin, then Hamburg without a word of a move: both units, and the turn of the second."""
    _, (berlin,) = say(store, "I live in Berlin.", insert(home("Berlin", "I live in Berlin")))
    doubtful = replace(
        insert(home("Hamburg"), valid_from=after(hours=1), supersedes=(berlin,)),
        endings=(Ending.NEWER,),
        doubts=(berlin,),
    )
    turn, (hamburg,) = say(
        store, "I live in Hamburg.", doubtful, reply="I see. Earlier you said Berlin. Is it Hamburg?"
    )
    return berlin, hamburg, turn


class TruthContract:
    """Subclasses give a fixture `store`."""

    # --- versions ---

    def test_an_ended_unit_says_why(self, store: Store) -> None:
        (one, two) = store.apply(ANN, [insert(home("Berlin")), insert(fact("x"))], NOON).added
        ending = replace(insert(fact("y"), supersedes=(one, two)), endings=(Ending.CORRECTED,))
        store.apply(ANN, [ending], NOON)
        assert store.unit(ANN, one).ended_why is Ending.CORRECTED
        assert store.unit(ANN, two).ended_why is Ending.NEWER
        assert store.unit(ANN, UnitId(3)).ended_why is None

    def test_history_is_the_whole_chain_from_any_of_its_units(self, store: Store) -> None:
        (first,) = store.apply(ANN, [insert(home("Berlin"))], NOON).added
        (other,) = store.apply(ANN, [insert(fact("a guess"))], NOON).added
        (second,) = store.apply(ANN, [insert(home("Bonn"), supersedes=(first, other))], NOON).added
        (third,) = store.apply(ANN, [insert(home("Trier"), supersedes=(second,))], NOON).added
        store.apply(ANN, [insert(fact("something else"))], NOON)
        for unit in (first, other, second, third):
            assert [each.id for each in store.truth.history(ANN, unit)] == [first, other, second, third]

    def test_history_is_the_owners(self, store: Store) -> None:
        (unit,) = store.apply(ANN, [insert(home("Berlin"))], NOON).added
        with pytest.raises(MemoryNotFound):
            store.truth.history(BOB, unit)
        with pytest.raises(MemoryNotFound):
            store.truth.provenance(BOB, unit)

    def test_versions_are_all_that_ever_filled_a_slot_as_the_session_may_see(self, store: Store) -> None:
        (first,) = store.apply(ANN, [insert(home("Berlin"))], NOON).added
        (second,) = store.apply(ANN, [insert(home("Bonn"), supersedes=(first,))], NOON).added
        (bound,) = store.apply(ANN, [insert(home("a hotel"), session=WORK)], NOON).added
        store.apply(ANN, [insert(replace(home("Paris"), subject="sister")), insert(fact("x", "name", "x"))], NOON)
        store.apply(BOB, [insert(home("Rome"))], NOON)
        found = store.truth.versions(scope(), ["home"], "self")
        assert [unit.id for unit in found] == [first, second]
        assert [unit.id for unit in store.truth.versions(scope(session=WORK), ["home"], "self")] == [
            first,
            second,
            bound,
        ]

    # --- provenance ---

    def test_provenance_is_the_words_and_what_said_it_again(self, store: Store) -> None:
        turn, (unit,) = say(store, "Hi! I live in Berlin.", insert(home("Berlin", "I live in Berlin")))
        again = store.begin_turn(ANN, MAIN, "Berlin, yes.", [Confirm(unit)], NOON)
        found = store.truth.provenance(ANN, unit)
        assert (found.unit.id, found.quote) == (unit, "I live in Berlin")
        assert found.turn is not None
        assert (found.turn.id, found.turn.message) == (turn, "Hi! I live in Berlin.")
        assert [each.id for each in found.confirmed_in] == [again.turn]

    def test_what_was_told_outside_a_turn_has_none(self, store: Store) -> None:
        (unit,) = store.apply(ANN, [insert(home("Berlin"))], NOON).added
        found = store.truth.provenance(ANN, unit)
        assert (found.turn, found.quote, found.confirmed_in) == (None, None, ())

    def test_forgotten_words_are_not_shown(self, store: Store) -> None:
        words = Draft(Kind.EPISODE, "I am Will, I live in Berlin.")
        name = fact("The user's name is Will.", "name", "will", "I am Will")
        _, (_, will, berlin) = say(
            store, words.content, insert(words), insert(name), insert(home("Berlin", "I live in Berlin"))
        )
        store.forget(ANN, [will])
        found = store.truth.provenance(ANN, berlin)
        assert found.turn is not None
        assert found.turn.message == ""

    # --- contradictions ---

    def test_a_contradiction_is_open_until_it_is_asked_about(self, store: Store) -> None:
        berlin, hamburg, turn = contradict(store)
        (found,) = store.truth.open_contradictions(ANN, MAIN)
        assert (found.older.id, found.newer.id) == (berlin, hamburg)
        assert [each.id for each in store.truth.open_contradictions(ANN, WORK)] == [found.id]
        assert store.truth.open_contradictions(BOB, MAIN) == []
        assert store.truth.asked_in(ANN, turn) is None
        store.truth.note_asked(BOB, found.id, turn)
        assert store.truth.asked_in(ANN, turn) is None
        store.truth.note_asked(ANN, found.id, turn)
        asked = store.truth.asked_in(ANN, turn)
        assert asked is not None
        assert asked.id == found.id
        assert store.truth.asked_in(BOB, turn) is None
        assert store.truth.open_contradictions(ANN, MAIN) == []

    def test_what_is_not_settled_is_known_asked_about_or_not(self, store: Store) -> None:
        berlin, hamburg, turn = contradict(store)
        (found,) = store.truth.unsettled(ANN, MAIN)
        assert (found.older.id, found.newer.id) == (berlin, hamburg)
        assert store.truth.unsettled(ANN, None) == [found]
        assert store.truth.unsettled(BOB, MAIN) == []
        store.truth.note_asked(ANN, found.id, turn)
        assert [each.id for each in store.truth.unsettled(ANN, MAIN)] == [found.id]
        store.apply(ANN, [Settle(found.id, Outcome.NEWER)], NOON)
        assert store.truth.unsettled(ANN, MAIN) == []

    def test_what_is_in_doubt_in_one_talk_is_so_in_no_other(self, store: Store) -> None:
        (first,) = store.apply(ANN, [insert(home("Berlin"))], NOON).added
        doubtful = replace(insert(fact("f", "slot", "x"), session=MAIN), doubts=(first,))
        store.apply(ANN, [doubtful], NOON)
        assert len(store.truth.unsettled(ANN, MAIN)) == 1
        assert store.truth.unsettled(ANN, WORK) == store.truth.unsettled(ANN, None) == []

    def test_of_many_the_newest_are_looked_at(self, store: Store) -> None:
        (first,) = store.apply(ANN, [insert(home("Berlin"))], NOON).added
        for number in range(MOST_OPEN + 2):  # each of a slot of its own, so that all are current
            doubtful = replace(insert(fact(f"f{number}", f"slot{number}", "x")), doubts=(first,))
            (last,) = store.apply(ANN, [doubtful], NOON).added
        found = store.truth.open_contradictions(ANN, MAIN)
        assert len(found) == MOST_OPEN
        assert found[0].newer.id == last
        assert store.truth.unsettled(ANN, MAIN) == found

    def test_what_is_settled_is_over(self, store: Store) -> None:
        _, _, turn = contradict(store)
        (found,) = store.truth.open_contradictions(ANN, MAIN)
        store.truth.note_asked(ANN, found.id, turn)
        store.apply(BOB, [Settle(found.id, Outcome.NEWER)], NOON)
        assert store.truth.asked_in(ANN, turn) is not None
        store.apply(ANN, [Settle(found.id, Outcome.NEWER)], NOON)
        assert store.truth.asked_in(ANN, turn) is None

    def test_what_was_replaced_meanwhile_is_not_asked_about(self, store: Store) -> None:
        _, hamburg, _ = contradict(store)
        store.apply(ANN, [insert(home("Bonn"), supersedes=(hamburg,))], NOON)
        assert store.truth.open_contradictions(ANN, MAIN) == []

    @pytest.mark.parametrize("which", [0, 1])
    def test_a_contradiction_goes_with_what_it_is_about(self, store: Store, which: int) -> None:
        berlin, hamburg, turn = contradict(store)
        (found,) = store.truth.open_contradictions(ANN, MAIN)
        store.truth.note_asked(ANN, found.id, turn)
        store.forget(ANN, [(berlin, hamburg)[which]])
        assert store.truth.open_contradictions(ANN, MAIN) == []
        assert store.truth.asked_in(ANN, turn) is None
        assert all(
            name not in each.reply for each in store.turns(ANN, MAIN, last=9) for name in [("Berlin", "Hamburg")[which]]
        )

    def test_what_holds_again_rests_on_the_words_that_first_said_it(self, store: Store) -> None:
        berlin, hamburg, _ = contradict(store)
        back = replace(insert(home("Berlin"), supersedes=(hamburg,)), endings=(Ending.SETTLED,), restores=berlin)
        _, (again,) = say(store, "No, Berlin.", back)
        first = store.truth.provenance(ANN, berlin).turn
        assert first is not None
        assert [turn.id for turn in store.truth.provenance(ANN, again).confirmed_in] == [first.id]
        assert berlin in store.forget(ANN, [again])
        assert all("Berlin" not in turn.message for turn in store.turns(ANN, MAIN, last=9))

    # --- doubles ---

    def test_units_are_compared_once(self, store: Store) -> None:
        drafts = [fact("one"), home("Berlin"), Draft(Kind.EPISODE, "words"), fact("two"), fact("three")]
        ids = store.apply(ANN, [insert(draft) for draft in drafts], NOON).added
        units, through = store.truth.uncompared(2)
        assert ([unit.content for unit in units], through) == (["one", "two"], ids[3])
        store.truth.note_compared(through)
        units, through = store.truth.uncompared(2)
        assert ([unit.content for unit in units], through) == (["three"], ids[4])
        store.truth.note_compared(through)
        assert store.truth.uncompared(2) == ([], ids[4])

    def test_what_says_the_same_is_joined_to_the_one_that_stays(self, store: Store) -> None:
        _, (kept,) = say(store, "The tap drips.", insert(replace(fact("The tap drips."), confidence=0.5)))
        turn, (double,) = say(store, "Our tap drips.", insert(fact("Our tap drips.")))
        assert store.truth.merge_same(ANN, kept, double, after(hours=1))
        ended, stays = store.unit(ANN, double), store.unit(ANN, kept)
        assert (ended.superseded_by, ended.ended_why) == (kept, Ending.SAME)
        assert (stays.access_count, stays.confidence, stays.superseded_by) == (1, 0.75, None)
        assert [each.id for each in store.truth.provenance(ANN, kept).confirmed_in] == [turn]
        assert store.units(scope(as_of=after(hours=2), present=True), [kept, double]).keys() == {kept}

    def test_only_current_units_of_one_owner_are_joined(self, store: Store) -> None:
        one, two, three = store.apply(ANN, [insert(fact(text)) for text in ("one", "two", "three")], NOON).added
        (bobs,) = store.apply(BOB, [insert(fact("one"))], NOON).added
        assert not store.truth.merge_same(ANN, one, bobs, NOON)
        assert not store.truth.merge_same(ANN, bobs, one, NOON)
        assert not store.truth.merge_same(ANN, one, one, NOON)
        assert store.truth.merge_same(ANN, one, two, NOON)
        assert not store.truth.merge_same(ANN, one, two, NOON)
        assert not store.truth.merge_same(ANN, two, three, NOON)

    @pytest.mark.parametrize("which", [0, 1])
    def test_what_says_the_same_is_forgotten_together(self, store: Store, which: int) -> None:
        _, (kept,) = say(store, "The tap drips.", insert(fact("The tap drips.")))
        _, (double,) = say(store, "Our tap leaks.", insert(fact("Our tap leaks.")))
        store.truth.merge_same(ANN, kept, double, NOON)
        other: OwnerId = BOB
        assert store.forget(other, [kept]) == ()
        assert set(store.forget(ANN, [(kept, double)[which]])) == {kept, double}
        assert [turn.message for turn in store.turns(ANN, MAIN, last=9)] == ["", ""]
