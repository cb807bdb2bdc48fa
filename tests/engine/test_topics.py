"""Turns that change the subject: what freezes, what comes back, what the model is told, and what a refusal undoes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from edge.engine.events import Event, TurnDone, TurnFailed
from edge.engine.model_ports import QueryEmbedding
from edge.engine.ports import Vector
from edge.engine.topics import Topics
from edge.errors import DiskFull, EmbedderFailed, PromptTooLong, StoreFailed
from edge.memory.archive import Why
from edge.memory.units import OwnerId, SessionId, TurnId
from edge.prompt.texts import RESET_MARK, Shift
from tests.engine.making import ANN, BOB, MAIN, OTHER, scope
from tests.engine.test_turn import House, error_of, house, run
from tests.fakes.embedder import HashEmbedder
from tests.fakes.language_model import ScriptedModel

TALKS = {
    "en": (
        "In this talk the bill's step reached is payment, invoice R-77.",
        "Different topic: I have a complaint about the driver.",
        "Back to the bill, please.",
        "The user changes the subject.",
        "The user comes back to an earlier subject.",
    ),
    "zh": (
        "本次对话里，账单办到付款这一步了，编号R-77。",
        "换个话题，我要投诉送货的司机。",
        "说回账单。",
        "用户换了话题。",
        "用户回到之前的话题。",
    ),
}


def shift_of(events: Sequence[Event]) -> Shift | None:
    assert isinstance(events[-1], TurnDone)
    return events[-1].topic


def frozen(made: House, owner: OwnerId = ANN) -> list[str]:
    return [unit.content for unit in made.units(owner) if unit.archived_why == Why.TOPIC]


def last_turn(made: House) -> str:
    """What the last turn added to the window, as text."""
    return made.prompt_texts()[-1].rpartition("\nuser\n")[2]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_subject_that_is_left_freezes_and_comes_back(language: str) -> None:
    bill, complaint, back, told_new, told_back = TALKS[language]

    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 3)) as made:
            assert shift_of(await made.talk(bill)) is None
            assert RESET_MARK not in made.prompt_texts()[-1]
            assert frozen(made) == []
            assert shift_of(await made.talk(complaint)) is Shift.NEW
            assert frozen(made) == [bill]
            assert f"system\n{RESET_MARK}\n{told_new}" in made.prompt_texts()[-1]
            assert "R-77" not in last_turn(made)
            assert shift_of(await made.talk(back)) is Shift.BACK
            assert frozen(made) == []
            assert f"system\n{RESET_MARK}\n{told_back}" in made.prompt_texts()[-1]
            assert "R-77" in last_turn(made)

    run(story)


def test_the_window_only_grows() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 3)) as made:
            for message in TALKS["en"][:3]:
                events = await made.talk(message)
                assert isinstance(events[-1], TurnDone)
                assert events[-1].usage.evaluated == events[-1].usage.appended
            first, second, third = made.model.prompts
            assert second[: len(first)] == first
            assert third[: len(second)] == second

    run(story)


def test_what_was_distilled_is_told_again_without_its_words() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 3)) as made:
            await made.talk("I put 3 mugs in my cart.")
            await made.talk("Let's talk about something else.")
            await made.talk("Back to the mugs.")
            assert "You have 3 mugs in the cart" in last_turn(made)
            assert "I put 3 mugs" not in last_turn(made)

    run(story)


def test_a_change_is_one_of_its_owner_and_session() -> None:
    bill, complaint, *_ = TALKS["zh"]

    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 9)) as made:
            for session, owner in ((MAIN, ANN), (OTHER, ANN), (MAIN, BOB)):
                await made.talk(bill, session, owner)
            await made.talk(complaint)
            assert frozen(made) == [bill]
            assert frozen(made, BOB) == []
            assert {unit.session for unit in made.units() if unit.archived_why == Why.TOPIC} == {MAIN}
            assert shift_of(await made.talk("说回账单。", OTHER)) is None

    run(story)


def test_a_refused_turn_leaves_the_topic_as_it_was() -> None:
    bill, complaint, back, *_ = TALKS["en"]

    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 9)) as made:
            await made.talk(bill)
            assert isinstance(error_of(await made.talk(complaint + " word" * 5000)), PromptTooLong)
            assert frozen(made) == []
            await made.talk(complaint)
            assert isinstance(error_of(await made.talk(back + " word" * 5000)), PromptTooLong)
            assert frozen(made) == [bill]
            assert shift_of(await made.talk(back)) is Shift.BACK

    run(story)


def test_what_a_turn_left_frozen_that_came_to_nothing_holds_again_with_the_next() -> None:
    bill, complaint, *_ = TALKS["en"]

    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 9)) as made:
            await made.talk(bill)
            made.store.full_for.add("words")
            assert isinstance((await made.talk(complaint))[-1], TurnFailed)
            made.store.full_for.clear()
            assert shift_of(await made.talk("And the bill?")) is None
            assert frozen(made) == []

    run(story)


def test_a_turn_ends_well_where_its_topic_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise DiskFull("There is no room left.")

    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 2)) as made:
            monkeypatch.setattr(made.store.topics, "begin_topic", full)
            monkeypatch.setattr(made.store.topics, "claim", full)
            assert isinstance((await made.talk(TALKS["en"][0]))[-1], TurnDone)
            assert made.store.topics.topics(ANN, MAIN) == []

    run(story)


def test_a_topic_that_cannot_be_read_fails_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(owner: OwnerId, session: SessionId) -> None:
        raise StoreFailed("The database does not answer.")

    async def story() -> None:
        async with house() as made:
            monkeypatch.setattr(made.store.topics, "topics", broken)
            assert isinstance(error_of(await made.talk("Hello.")), StoreFailed)
            assert made.kept() == []

    run(story)


class Failing(HashEmbedder):
    """An embedder that fails at questions."""

    def embed_query(self, text: str) -> Vector:
        raise EmbedderFailed("The embedder does not answer.")

    def read_query(self, text: str) -> QueryEmbedding:
        raise EmbedderFailed("The embedder does not answer.")


def test_far_words_alone_begin_a_topic_where_vectors_tell() -> None:
    far = "Kangaroos jump through deserts"

    async def story(embedder: HashEmbedder, wanted: Shift | None) -> None:
        async with house(ScriptedModel(["I see."] * 3)) as made:
            made.attach(embedder)
            await made.talk("My electricity bill looks wrong")
            (topic,) = made.store.topics.topics(ANN, MAIN)
            assert (topic.vector is None) == isinstance(embedder, Failing)
            assert shift_of(await made.talk(far)) is wanted

    run(lambda: story(HashEmbedder(512), Shift.NEW))
    run(lambda: story(Failing(), None))


def test_the_vector_follows_what_says_something_in_english() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 5)) as made:
            for message in ("Hello.", "电费账单的编号是多少呢？", "Thanks!"):
                await made.talk(message)
            (topic,) = made.store.topics.topics(ANN, MAIN)
            assert topic.vector is None
            await made.talk("The electricity bill names another meter.")
            (topic,) = made.store.topics.topics(ANN, MAIN)
            assert topic.vector is not None

    run(story)


def test_a_vector_of_another_embedder_says_nothing() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 3)) as made:
            await made.talk("My electricity bill looks wrong.")
            made.attach(HashEmbedder(32))
            assert shift_of(await made.talk("Kangaroos jump through deserts.")) is None

    run(story)


def test_after_a_restart_a_session_is_where_it_was() -> None:
    bill, complaint, back, *_ = TALKS["zh"]

    async def story() -> None:
        async with house(ScriptedModel(["I see."] * 3)) as made:
            await made.talk(bill)
            await made.talk(complaint)
            begun = Topics(made.store.topics, made.vectors)  # knows no more than the store
            thread = await asyncio.to_thread(begun.turn_to, scope(), back)
            assert thread.shift is Shift.BACK
            assert [made.store.unit(ANN, unit).content for unit in thread.units] == [bill]

    run(story)


def test_a_reply_that_ends_before_its_words_are_kept_claims_nothing() -> None:
    async def story() -> None:
        async with house() as made:
            topics = Topics(made.store.topics, made.vectors)
            thread = topics.turn_to(scope(), "The electricity bill is wrong.")
            topics.ended(ANN, thread, TurnId(1))
            topics.moved(ANN, thread, "The electricity bill is wrong.")
            assert made.store.topics.topics(ANN, MAIN) == []

    run(story)
