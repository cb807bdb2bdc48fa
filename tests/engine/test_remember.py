"""Remember: what a turn leaves behind, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from edge.engine.ports import Scope
from edge.memory.units import Draft, Ending, Kind, Source, TurnState
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
    written = desk.remember.statement(ANN, None, "My name is Will, say the papers.", desk.clock.now())
    assert [(unit.kind, unit.slot) for unit in desk.units()] == [
        (Kind.FACT_REFERENCE, None),
        (Kind.USER_PROFILE, "name"),
    ]
    again = desk.remember.statement(ANN, OTHER, "My name is Will, say the papers", desk.clock.now())
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


def current(desk: Desk, text: str) -> list[str]:
    """What holds a text and is remembered as current."""
    return [unit.content for unit in desk.units(past=False) if text in unit.content]


@pytest.mark.parametrize(
    ("told", "moved", "question", "before", "after"),
    [
        ("I live in Berlin", "I moved to Hamburg", "Where do I live?", "Berlin", "Hamburg"),
        ("我住在柏林", "我搬到汉堡了", "我住在哪里？", "柏林", "汉堡"),
    ],
)
def test_a_remembered_sentence_that_fills_a_slot_does_not_outlive_it(
    desk: Desk, told: str, moved: str, question: str, before: str, after: str
) -> None:
    for text in (told, moved):
        desk.clock.pass_by(minutes=1)
        (unit,) = desk.remember.statement(ANN, None, text, desk.clock.now()).added
        assert desk.store.unit(ANN, unit).slot == "home"
    desk.embed()
    assert current(desk, before) == []
    found = desk.recall.find(Scope(ANN, MAIN, desk.clock.now(), present=True), question)
    assert after in found.recalled[0].unit.content
    assert not any(before in each.unit.content for each in found.recalled)


@pytest.mark.parametrize(
    ("told", "moved", "before", "beside"),
    [
        ("I live in Berlin near the lake with my two cats.", "I moved to Hamburg", "Berlin", "cats"),
        ("我住在柏林，邻居晚上吹小号。", "我搬到汉堡了", "柏林", "小号"),
    ],
)
def test_one_that_says_more_ends_with_its_slot(desk: Desk, told: str, moved: str, before: str, beside: str) -> None:
    words, _ = desk.remember.statement(ANN, None, told, desk.clock.now()).added
    assert current(desk, beside) == [told]
    desk.clock.pass_by(minutes=1)
    written = desk.remember.statement(ANN, None, moved, desk.clock.now())
    assert words in written.superseded
    assert current(desk, before) == []
    ended = desk.store.unit(ANN, words)
    assert (ended.superseded_by, ended.ended_why) == (written.added[0], Ending.NEWER)


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("I live in Berlin. My neighbour plays the trumpet.", "My neighbour plays the trumpet."),
        ("我住在柏林。邻居晚上吹小号。", "邻居晚上吹小号。"),
    ],
)
def test_what_is_said_beside_it_in_another_sentence_stays(desk: Desk, told: str, kept: str) -> None:
    desk.remember.statement(ANN, None, told, desk.clock.now())
    desk.clock.pass_by(minutes=1)
    desk.remember.statement(ANN, None, "I moved to Hamburg", desk.clock.now())
    assert kept in current(desk, kept)
