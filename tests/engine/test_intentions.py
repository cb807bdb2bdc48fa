"""Turns of a session that is about something: what they recall first, and that nothing else is led by it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from edge.engine.events import Event, TurnDone
from edge.engine.intentions import Intentions
from edge.engine.topics import Topics
from edge.engine.windows import Prompt, Windows
from edge.memory.topics import content_terms
from edge.memory.units import Recalled, SessionId
from tests.engine.making import ANN, BOB, MAIN, scope
from tests.engine.test_turn import House, house, reached, run
from tests.engine.test_turn import told as turn_told
from tests.fakes.language_model import Gate, ScriptedModel
from tests.memory.test_rules import RULES

TALKS = {
    "en": (
        ("We plan the trip to Lisbon with flights in May.", "The total amount is 900 euros."),
        ("The kitchen gets new cabinets and tiles.", "The total amount is 4000 euros."),
        ("The trip to Lisbon again: the flights in May.", "Are the flights to Lisbon in May cheap?"),
        "What was the total amount?",
        ("The tiles of the kitchen again.", "Which cabinets go with the kitchen tiles?"),
    ),
    "zh": (
        ("我们计划五月去里斯本旅行，先看航班。", "总共花费900欧元。"),
        ("厨房要换新的橱柜和瓷砖。", "总共花费4000欧元。"),
        ("再说去里斯本旅行的航班。", "五月去里斯本旅行的航班便宜吗？"),
        "总共花费多少？",
        ("再说厨房的瓷砖。", "厨房的瓷砖配什么橱柜？"),
    ),
}


def found_in(events: Sequence[Event]) -> Sequence[Recalled]:
    """What a turn recalled, best first."""
    done = events[-1]
    assert isinstance(done, TurnDone)
    return done.found.recalled


def best_amount(events: Sequence[Event]) -> str:
    """The unit with an amount that was recalled before the other."""
    return next(each.unit.content for each in found_in(events) if "00" in each.unit.content)


async def told(made: House, language: str) -> None:
    trip, kitchen, *_ = TALKS[language]
    for session, words in (("trip", trip), ("kitchen", kitchen)):
        for message in words:
            await made.talk(message, SessionId(session))
    made.embed()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_what_matches_alike_the_session_gets_what_it_is_about(language: str) -> None:
    *_, trip, question, kitchen = TALKS[language]

    async def story() -> None:
        async with house(ScriptedModel(lambda _: "I see.")) as made:
            await told(made, language)
            assert "4000" in best_amount(await made.talk(question, SessionId("from nowhere")))
            for session, words, amount in (("a", trip, "900"), ("b", kitchen, "4000"), ("c", trip, "900")):
                for message in words:
                    await made.talk(message, SessionId(session))
                found = await made.talk(question, SessionId(session))
                assert amount in best_amount(found)

    run(story)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_another_session_another_person_and_another_subject_are_not_led(language: str) -> None:
    *_, trip, question, _ = TALKS[language]
    leave = {"en": "Let's talk about something else.", "zh": "换个话题吧。"}[language]

    async def story() -> None:
        async with house(ScriptedModel(lambda _: "I see.")) as made:
            await told(made, language)
            for message in trip:
                await made.talk(message)
                await made.talk(message, owner=BOB)
            assert all("intent" not in each.signals for each in found_in(await made.talk(question, SessionId("other"))))
            assert all(each.unit.owner == BOB for each in found_in(await made.talk(question, owner=BOB)))
            await made.talk(leave)
            assert all("intent" not in each.signals for each in found_in(await made.talk(question)))

    run(story)


def test_the_intent_is_followed_after_a_restart_and_shown_with_each_unit() -> None:
    *_, trip, question, _ = TALKS["en"]

    async def story() -> None:
        async with house(ScriptedModel(lambda _: "I see.")) as made:
            await told(made, "en")
            for message in trip:
                await made.talk(message)
            anew = Topics(made.store.topics, made.vectors), Intentions(made.store.intents, RULES)
            lead = anew[1].lead(ANN, anew[0].turn_to(scope(session=MAIN), question), question)
            assert lead.confidence > 0.5
            agreed = {each.unit.content: each.signals["intent"] for each in found_in(await made.talk(question))}
            assert agreed[TALKS["en"][0][1]] > agreed[TALKS["en"][1][1]]

    run(story)


def test_what_is_forgotten_leads_no_more() -> None:
    *_, words, question, _ = TALKS["en"]

    async def story() -> None:
        async with house(ScriptedModel(lambda _: "I see.")) as made:
            await told(made, "en")
            for message in words:
                await made.talk(message)
            said = [unit.id for unit in made.units() if unit.content == words[0]]
            made.forget(ANN, said)
            assert made.store.intents.of_units(ANN, said) == {}
            assert made.store.topics.topics(ANN, MAIN)[0].intent is None
            assert "4000" in best_amount(await made.talk(question))

    run(story)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_forgotten_while_the_model_speaks_is_not_written_again(language: str) -> None:
    *_, words, question, _ = TALKS[language]

    async def story() -> None:
        gate = Gate()
        gate.open()
        async with house(ScriptedModel(lambda _: "I see.", gate=gate)) as made:
            for message in words:
                await made.talk(message)
            made.embed()
            made.model.gate = again = Gate()
            turn = made.start(question)
            await reached(again)
            await made.workers[0].run(partial(forget_all, made))
            again.open()
            await turn_told(turn)
            topic = made.store.topics.topics(ANN, MAIN)[0]
            assert (topic.terms, topic.vector, topic.intent) == ({}, None, None)
            left = [unit.id for unit in made.units()]
            assert made.store.intents.of_units(ANN, left) == {}

    run(story)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_forgotten_before_words_are_stored_is_not_in_their_topic(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, words, question, _ = TALKS[language]
    prepare = Windows.prepare

    async def story() -> None:
        async with house(ScriptedModel(lambda _: "I see.")) as made:
            for message in words:
                await made.talk(message)

            def outrun(windows: Windows, *args: Any, **more: Any) -> Prompt:
                prompt = prepare(windows, *args, **more)
                forget_all(made)
                return prompt

            with monkeypatch.context() as patched:
                patched.setattr(Windows, "prepare", outrun)
                await made.talk(question)
            topic = made.store.topics.topics(ANN, MAIN)[0]
            assert set(topic.terms) <= set(content_terms(question))
            assert topic.intent is None or topic.intent.turns <= 1

    run(story)


def forget_all(made: House) -> None:
    made.forget(ANN, [unit.id for unit in made.units()])
    made.windows.forget(ANN)
