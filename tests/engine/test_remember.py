"""Remember: what a turn leaves behind, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from edge.memory.units import Draft, Kind, Source, TurnState
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def turn(desk: Desk, message: str, reply: str, heard: Sequence[str] = (), state: TurnState = TurnState.DONE) -> None:
    desk.clock.pass_by(minutes=1)
    now = desk.clock.now()
    reading = desk.remember.read(ANN, MAIN, message)
    begun = desk.remember.begin_turn(ANN, MAIN, message, now, reading)
    assert begun.turn is not None
    desk.remember.finish_turn(
        ANN, MAIN, begun.turn, reply, state, [message, *heard], now, session_only=reading.session_only
    )


def episodes(desk: Desk, source: Source) -> list[str]:
    return [unit.content for unit in desk.units() if unit.kind is Kind.EPISODE and unit.source is source]


def test_a_turn_leaves_both_sides_words_and_the_facts(desk: Desk) -> None:
    turn(desk, "My name is Will. What should I see?", "Try the harbour tour, or the old castle.")
    assert episodes(desk, Source.USER) == ["My name is Will. What should I see?"]
    assert episodes(desk, Source.ASSISTANT) == ["Try the harbour tour, or the old castle."]
    (name,) = (unit for unit in desk.units() if unit.slot == "name")
    assert (name.value, name.source, name.source_turn) == ("will", Source.USER, 1)


@pytest.mark.parametrize("state", [TurnState.CANCELLED, TurnState.FAILED])
def test_a_reply_that_broke_off_is_no_memory(desk: Desk, state: TurnState) -> None:
    turn(desk, "What should I see?", "Try the harbour tour, or the old", state=state)
    assert episodes(desk, Source.ASSISTANT) == []
    (kept,) = desk.store.turns(ANN, MAIN, last=5)
    assert (kept.reply, kept.state) == ("Try the harbour tour, or the old", state)


def test_a_cut_reply_is_one(desk: Desk) -> None:
    turn(desk, "What should I see?", "Try the harbour tour, or the old", state=TurnState.CUT)
    assert len(episodes(desk, Source.ASSISTANT)) == 1


@pytest.mark.parametrize(
    ("message", "facts", "restated"),
    [
        ("What do I like?", ["The user likes oolong tea.", "The user lives in Bonn."], "You like oolong tea, in Bonn."),
        ("我喜欢什么？", ["用户喜欢乌龙茶。", "用户住在汉堡。"], "你喜欢乌龙茶，住在汉堡。"),
    ],
)  # fmt: skip
def test_fifty_turns_that_restate_do_not_grow_the_store(
    desk: Desk, message: str, facts: list[str], restated: str
) -> None:
    for _ in range(50):
        turn(desk, message, restated, facts)
    assert len(desk.units()) == 1
    assert len(desk.store.turns(ANN, MAIN, last=100)) == 50


def test_nothing_is_drawn_from_the_assistants_words(desk: Desk) -> None:
    turn(desk, "Say something.", "My name is Edge, I live in Berlin and my phone number is 030 123456.")
    assert [unit.slot for unit in desk.units()] == [None, None]


def test_a_statement_is_a_fact_and_the_facts_in_it(desk: Desk) -> None:
    written = desk.remember.statement(ANN, None, "My name is Will.", desk.clock.now())
    assert [(unit.kind, unit.slot) for unit in desk.units()] == [
        (Kind.FACT_REFERENCE, None),
        (Kind.USER_PROFILE, "name"),
    ]
    again = desk.remember.statement(ANN, OTHER, "My name is Will", desk.clock.now())
    assert again.added == ()
    assert set(again.confirmed) == set(written.added)


def test_a_statement_about_the_talk_at_hand_needs_one(desk: Desk) -> None:
    desk.remember.statement(ANN, None, "I put two lamps in my cart.", desk.clock.now())
    assert [unit.session for unit in desk.units()] == [None]
    desk.remember.statement(BOB, MAIN, "I put two lamps in my cart.", desk.clock.now())
    assert {unit.session for unit in desk.units(BOB)} == {MAIN}


def test_forgotten_is_gone_from_vectors_too(desk: Desk) -> None:
    desk.say("The zeppelin leaves at nine.")
    (unit,) = desk.units()
    assert desk.vectors.index is not None
    assert desk.vectors.index.state().vectors == 1
    assert desk.forget(BOB, [unit.id]) == ()
    assert desk.forget(ANN, [unit.id]) == (unit.id,)
    assert desk.vectors.index.state().vectors == 0
    assert desk.units() == []


def test_drafts_are_stored_as_given(desk: Desk) -> None:
    draft = Draft(Kind.TOOL_RESULT, "It is 12 km.", source=Source.TOOL, entities=("km",), importance=0.9)
    desk.remember.drafts(ANN, MAIN, [draft], desk.clock.now())
    (unit,) = desk.units()
    assert (unit.kind, unit.source, unit.entities, unit.importance) == (Kind.TOOL_RESULT, Source.TOOL, ("km",), 0.9)
    assert (unit.session, unit.source_turn) == (MAIN, None)
