"""Turns that ask back, and turns that answer for the past: what is streamed, stored, and kept in the window."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from edge.engine.events import Event, TokenMade, TurnDone
from edge.engine.model_ports import Sampling
from edge.memory.units import TurnState
from tests.engine.making import ANN, MAIN
from tests.engine.test_turn import House, house, run, told
from tests.fakes.language_model import ScriptedModel

QUESTION = "You told me earlier that you live in Berlin. Is it Hamburg now?"
NO_EARLIER = "I don't know of an earlier one. What I know:"
QUESTION_ZH = "你之前说住在柏林，现在是汉堡了吗？"


def done(events: Sequence[Event]) -> TurnDone:
    assert isinstance(events[-1], TurnDone)
    return events[-1]


async def say(made: House, message: str, tokens: int = 100) -> tuple[TurnDone, str]:
    """The end of a turn, and what was streamed."""
    made.clock.pass_by(hours=30)
    events = await told(made.turns.start(ANN, MAIN, message, Sampling(max_tokens=tokens)))
    return done(events), "".join(event.text for event in events if isinstance(event, TokenMade))


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("I live in Berlin.", "I live in Hamburg.", QUESTION),
        ("我住在柏林。", "我住在汉堡。", QUESTION_ZH),
    ],
)
def test_the_question_is_part_of_the_reply(first: str, second: str, question: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."])) as made:
            before, _ = await say(made, first)
            end, streamed = await say(made, second)
            assert before.asked is None
            assert end.asked is not None
            homes = [unit.id for unit in made.units() if unit.slot == "home"]
            assert [end.asked.older, end.asked.newer] == homes
            assert streamed == end.reply == f"I see. {question}"
            assert made.kept()[-1].reply == end.reply
            window = made.windows._windows.get((ANN, MAIN))
            assert window is not None
            assert question in made.model.tokenizer.decode(window.tokens).decode()
            assert end.usage.completion == len(made.model.tokenizer.encode(end.reply))
            after, _ = await say(made, "yes" if question is QUESTION else "对")
            assert after.asked is None
            assert after.usage.prompt == after.usage.reused + after.usage.evaluated
            assert after.usage.evaluated == after.usage.appended
            assert question in made.prompt_texts()[-1]

    run(story)


def test_a_reply_without_room_is_asked_about_in_the_next_turn() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."])) as made:
            room = len(made.model.tokenizer.encode(f"I see. {QUESTION}"))
            await say(made, "I live in Berlin.")
            end, streamed = await say(made, "I live in Hamburg.", tokens=room - 1)
            assert (end.asked, streamed) == (None, "I see.")
            end, streamed = await say(made, "Nice weather.", tokens=room)
            assert end.asked is not None
            assert streamed == f"I see. {QUESTION}"

    run(story)


def test_a_cut_reply_is_not_asked_behind() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["word " * 40])) as made:
            await say(made, "I live in Berlin.", tokens=5)
            end, _ = await say(made, "I live in Hamburg.", tokens=5)
            assert end.asked is None
            assert made.kept()[-1].state is TurnState.CUT

    run(story)


def test_the_runtimes_own_question_is_not_followed_by_another() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see."])) as made:
            for statement in ("I live in Berlin.", "I live in Hamburg."):
                made.clock.pass_by(hours=1)
                made.remember.statement(ANN, None, statement, made.clock.now())
            end, _ = await say(made, "What is my phone number?")
            assert end.reply.endswith("Would you tell me?")
            assert end.asked is None
            end, streamed = await say(made, "Where do I live?")
            assert streamed == f"You live in Hamburg. {QUESTION}"
            assert end.told_by_runtime
            assert end.asked is not None
            assert made.kept()[-1].reply == streamed

    run(story)


@pytest.mark.parametrize(
    ("statements", "question", "reply"),
    [
        (
            ["I live in Berlin.", "I live in Hamburg now."],
            "Where did I live before?",
            "Earlier you lived in Berlin (until yesterday).",
        ),
        (["我住在柏林。", "我现在住在汉堡。"], "我以前住在哪里？", "以前你住在柏林（到昨天）。"),
        (
            ["My phone number is 0151 2345678.", "My new phone number is 0151 9999999."],
            "what was my old phone number?",
            "Earlier your phone number was 0151 2345678 (until yesterday).",
        ),
        (
            ["我的电话是13800138000。", "我的新电话是13900139000。"],
            "我以前的电话是多少？",
            "以前你的电话号码是13800138000（到昨天）。",
        ),
        (["I live in Berlin."], "Where did I live before?", f"{NO_EARLIER} you live in Berlin."),
        (["我住在柏林。"], "我以前住在哪里？", "更早的我不知道。我知道的是：你住在柏林。"),
        (
            ["I live in Berlin."],
            "Where did I live in March?",
            "I don't know how it was in March. What I know since 4 May: you live in Berlin.",
        ),
        (
            ["I live in Berlin.", "Actually, no, I live in Hamburg."],
            "Where did I live before?",
            f"{NO_EARLIER} you live in Hamburg.",
        ),
    ],
)
def test_the_past_is_answered_from_history(statements: list[str], question: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["OK."])) as made:
            for statement in statements:
                await say(made, statement)
            end, _ = await say(made, question)
            assert end.reply == reply
            assert end.found.recalled

    run(story)


@pytest.mark.parametrize(
    ("statements", "question", "reply"),
    [
        (["I live in Berlin.", "I live in Hamburg now."], "Where do I live?", "You live in Hamburg."),
        (["我住在柏林。", "我现在住在汉堡。"], "我住哪？", "你住在汉堡。"),
    ],
)
def test_a_question_for_now_never_returns_the_old(statements: list[str], question: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["OK."])) as made:
            for statement in statements:
                await say(made, statement)
            end, _ = await say(made, question)
            assert end.reply == reply
            assert [found.unit.superseded_by for found in end.found.recalled] == [None]

    run(story)


def test_the_model_gets_the_past_with_its_dates() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["OK."]), fast=False) as made:
            await say(made, "I live in Berlin.")
            await say(made, "I live in Hamburg now.")
            made.windows.forget(ANN)
            await say(made, "Where did I live before?")
            assert "[you said] From 4 May to yesterday: You live in Berlin." in made.prompt_texts()[-1]

    run(story)
