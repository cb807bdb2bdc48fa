"""A reply that only says the person's words back: what is shown, kept and evaluated in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from edge.engine.events import Event, RecallDone, TokenMade, TurnDone
from edge.engine.model_ports import Finish, Sampling
from edge.engine.running import RunningTurn
from edge.engine.windows import Windows
from edge.errors import Cancelled, DiskFull, ModelFailed
from edge.memory.echoes import echo_of
from edge.memory.units import Source, TurnState
from edge.prompt.composition import Composer
from edge.prompt.replies import ACKNOWLEDGEMENTS
from tests.engine.making import ANN, BOB, plan
from tests.engine.test_turn import House, error_of, house, reached, run, told
from tests.fakes.language_model import Gate, ScriptedModel
from tests.models.real_llama import real_llama


def done_of(events: Sequence[Event]) -> TurnDone:
    done = events[-1]
    assert isinstance(done, TurnDone)
    return done


def shown(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TokenMade))


async def goes_on_from(at: House, done: TurnDone) -> None:
    """The next turn finds all of this one in the cache, as it was shown."""
    assert done.usage.evaluated == done.usage.appended > 0
    assert done.usage.prompt == done.usage.evaluated + done.usage.reused
    after = done_of(await at.talk("Let us go on with something else."))
    assert after.usage.evaluated == after.usage.appended
    assert after.usage.reused == done.usage.prompt + done.usage.completion
    assert f"assistant\n{done.reply}\nuser\n" in at.prompt_texts()[-1]


# --- statements ---


@pytest.mark.parametrize(
    ("message", "echo", "reply"),
    [
        ("I love coffee.", "I love coffee.", "Got it."),
        ("I love coffee.", "You love coffee! 😀", "Got it."),
        ("The sky looks grey. It may rain.", "It may rain.", "All right."),
        ("我喜欢喝咖啡。", "我喜欢喝咖啡。", "好的，记下了。"),
        ("我喜欢喝咖啡。", "你喜欢喝咖啡", "好的，记下了。"),
        ("天阴了😀", "天阴了。", "好的。"),
    ],
)
def test_an_echoed_statement_is_acknowledged(message: str, echo: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel([echo, "Fine."])) as at:
            events = await at.talk(message)
            done = done_of(events)
            assert isinstance(events[0], RecallDone)
            assert done.reply == shown(events) == at.kept()[0].reply == reply
            assert done.told_by_runtime
            assert done.finish is Finish.STOP
            assert at.kept()[0].state is TurnState.DONE
            assert all(unit.source is Source.USER for unit in at.units())
            await goes_on_from(at, done)

    run(story)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("I love coffee.", "I love coffee too!"),
        ("I love coffee.", "You love coffee 😀☕ so much."),
        ("I love coffee.", "I see."),
        ("I love coffee.", "😀"),
        ("I love coffee.", ""),
        ("😀", "😀"),
        ("Hello!", "Hello!"),
        ("我喜欢喝咖啡。", "你喜欢喝咖啡，我记住了。"),
        ("我喜欢喝咖啡。", "我也是！"),
        ("你好。", "你好。"),
    ],
)
def test_what_only_begins_as_an_echo_comes_whole(message: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel([reply, "Fine."])) as at:
            events = await at.talk(message)
            done = done_of(events)
            assert done.reply == shown(events) == at.kept()[0].reply == reply
            assert not done.told_by_runtime
            assert len(at.model.samplings) == 1
            await goes_on_from(at, done)

    run(story)


class Waiting(ScriptedModel):
    """Waits behind the third piece of each reply."""

    def __init__(self, reply: str) -> None:
        super().__init__([reply])
        self.behind_third = Gate()

    def _pieces(self, reply, finish, taken, stop):  # type: ignore[no-untyped-def]
        for count, piece in enumerate(super()._pieces(reply, finish, taken, stop), 1):
            yield piece
            if count == 3:
                self.behind_third.wait(stop)


@pytest.mark.parametrize(
    ("reply", "before"), [("You love coffee a lot.", ""), ("I love coffee.", ""), ("Coffee is nice.", "Coffee is nice")]
)
def test_what_may_become_an_echo_is_held_back_and_nothing_else(reply: str, before: str) -> None:
    async def story() -> None:
        model = Waiting(reply)
        async with house(model) as at:
            turn = at.start("I love coffee and tea.")
            assert isinstance(await turn.events.get(), RecallDone)
            await reached(model.behind_third)
            for _ in range(50):
                await asyncio.sleep(0)
            events = [turn.events.get_nowait() for _ in range(turn.events.qsize())]
            so_far = [event for event in events if event is not None]
            assert shown(so_far) == before
            model.behind_third.open()
            assert shown([*so_far, *await told(turn)]) == reply

    run(story)


@pytest.mark.parametrize(
    ("first", "second", "reply"),
    [
        (
            "I live in Berlin.",
            "I live in Hamburg.",
            "Got it. You told me earlier that you live in Berlin. Is it Hamburg now?",
        ),
        ("我住在柏林。", "我住在汉堡。", "好的，记下了。你之前说住在柏林，现在是汉堡了吗？"),
    ],
)
def test_a_question_of_the_runtime_follows_on_what_it_acknowledged(first: str, second: str, reply: str) -> None:
    async def story() -> None:
        read = "Fine."  # of a reply that the model only reads along
        async with house(ScriptedModel([first, read, second, read])) as at:
            await at.talk(first)
            at.clock.pass_by(hours=30)
            events = await at.talk(second)
            done = done_of(events)
            assert done.reply == shown(events) == at.kept()[-1].reply == reply
            assert done.asked is not None
            assert all(unit.source is Source.USER for unit in at.units())
            after = done_of(await at.talk("Let us go on with something else."))
            assert after.usage.evaluated == after.usage.appended
            assert f"assistant\n{reply}\nuser\n" in at.prompt_texts()[-1]

    run(story)


# --- questions ---


@pytest.mark.parametrize(
    ("question", "again"),
    [
        ("Do whales sing?", "Yes, they do."),
        ("鲸鱼会唱歌吗？", "会的。"),
        ("Tell me a joke.", "No."),
        ("讲个笑话。", "没有。"),
    ],
)
def test_an_echoed_question_is_asked_once_more_without_its_first_token(question: str, again: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel([question, again, "Fine."])) as at:
            events = await at.talk(question)
            done = done_of(events)
            assert done.reply == shown(events) == at.kept()[0].reply == again
            assert not done.told_by_runtime
            first, second = at.model.samplings
            assert first == Sampling(max_tokens=100)
            assert second.not_first == tuple(at.model.tokenizer.encode(question)[:1])
            assert at.model.prompts[0] == at.model.prompts[1]
            await goes_on_from(at, done)

    run(story)


@pytest.mark.parametrize(
    ("told_before", "question", "again", "quote"),
    [
        (
            "My name is Zhang Wei.",
            "What is my name?",
            "what is my name",
            "You said yesterday: Your name is Zhang Wei.",
        ),
        ("My name is Zhang Wei.", "What is my name?", "", "You said yesterday: Your name is Zhang Wei."),
        ("我叫张伟。", "我叫什么名字？", "您叫什么名字？", "你昨天说过：你的名字是张伟。"),
        ("我叫张伟。", "我叫什么名字？", " ", "你昨天说过：你的名字是张伟。"),
    ],
)
def test_after_a_second_echo_the_best_memory_is_quoted(told_before: str, question: str, again: str, quote: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Got it.", question, again, "Fine."]), fast=False) as at:
            await at.talk(told_before)
            at.clock.pass_by(hours=24)
            events = await at.talk(question)
            done = done_of(events)
            assert done.reply == shown(events) == at.kept()[-1].reply == quote
            assert done.told_by_runtime
            assert not any(unit.content == quote for unit in at.units())
            await goes_on_from(at, done)

    run(story)


@pytest.mark.parametrize(
    ("question", "again", "reply"),
    [
        ("Do whales sing?", "do whales sing", "I don't know that yet. Would you tell me?"),
        ("你会唱歌吗？", "我会唱歌吗", "这个我还不知道，可以告诉我吗？"),
    ],
)
def test_after_a_second_echo_with_no_memory_that_is_said(question: str, again: str, reply: str) -> None:
    async def story() -> None:
        read = "Fine."  # of a reply that it only reads along
        async with house(ScriptedModel([question, again, read, question, again, read])) as at:
            for _ in range(2):  # the question that is remembered from the first time is no answer
                done = done_of(await at.talk(question))
                assert done.reply == at.kept()[-1].reply == reply
                assert done.told_by_runtime
            await goes_on_from(at, done)

    run(story)


@pytest.mark.parametrize(
    ("said", "question", "again", "reply", "by_runtime"),
    [
        ("I read the book Momo.", "What books have I read?", "Momo, Emma.", "Momo, Emma.", False),
        ("我读了《毛毛》这本书。", "我读过哪些书？", "《毛毛》、《活着》。", "《毛毛》、《活着》。", False),
        (
            "I read the book Momo.",
            "What books have I read?",
            "what books have I read?\n" * 9,
            "You said today: I read the book Momo.",
            True,
        ),
        (
            "我读了《毛毛》这本书。",
            "我读过哪些书？",
            "您读过哪些书？\n" * 9,
            "你今天说过：我读了《毛毛》这本书。",
            True,
        ),
    ],
)
def test_an_echo_that_goes_round_as_a_list_is_an_echo_like_any_other(
    said: str, question: str, again: str, reply: str, by_runtime: bool
) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I see.", f"{question}\n" * 9, again, "Fine."]), fast=False) as at:
            await at.talk(said)
            events = await at.talk(question)
            done = done_of(events)
            assert done.reply == shown(events) == at.kept()[-1].reply == reply
            assert done.told_by_runtime is by_runtime
            await goes_on_from(at, done)

    run(story)


@pytest.mark.parametrize(
    ("statement", "noted", "question", "answer"),
    [
        ("I love coffee.", "Got it.", "Do whales sing?", "Yes, they do."),
        ("我喜欢喝咖啡。", "好的，记下了。", "鲸鱼会唱歌吗？", "会的。"),
    ],
)
def test_what_took_note_of_a_statement_does_not_answer_a_question(
    statement: str, noted: str, question: str, answer: str
) -> None:
    async def story() -> None:
        read = "Fine."  # of a reply that the model only reads along
        async with house(ScriptedModel([statement, read, noted, noted, answer, "Fine."])) as at:
            assert done_of(await at.talk(statement)).reply == noted
            assert done_of(await at.talk("It rained all day.")).reply == noted
            done = done_of(await at.talk(question))
            assert done.reply == answer
            assert not done.told_by_runtime
            await goes_on_from(at, done)

    run(story)


# --- who wants their words back ---


@pytest.mark.parametrize(
    ("messages", "reply"),
    [
        (["Repeat after me: I love coffee."], "I love coffee."),
        (["Say: hello"], "hello"),
        (["Correct this sentence. I love coffee."], "I love coffee."),
        (["Repeat everything I say.", "I love coffee."], "I love coffee."),
        (["跟我念：我爱北京。"], "我爱北京。"),
        (["重复：我爱北京。"], "我爱北京。"),
        (["我说什么你就重复什么。", "我爱北京。"], "我爱北京。"),
        (["把这句话翻译成英文。我爱北京。"], "我爱北京。"),
    ],
)
def test_who_asks_for_a_repetition_gets_it(messages: list[str], reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(lambda _: reply)) as at:
            for message in messages:
                done = done_of(await at.talk(message))
            assert done.reply == reply
            assert not done.told_by_runtime

    run(story)


# --- limits, stops and failures ---

LONG = "I walked along the river with my brother and we talked about the boat that he wants to build."


@pytest.mark.parametrize(
    ("message", "tokens", "reply", "state"),
    [
        ("I love coffee.", 2, "I love", TurnState.CUT),
        ("I love coffee.", 4, "Got it.", TurnState.DONE),
        ("Tea.", 2, "Tea.", TurnState.CUT),
        (LONG, 12, "All right.", TurnState.DONE),
        (LONG, 6, "I walked along the river with", TurnState.CUT),
    ],
)
def test_a_reply_at_its_limit(message: str, tokens: int, reply: str, state: TurnState) -> None:
    async def story() -> None:
        async with house(ScriptedModel([message, "Fine."])) as at:
            events = await told(at.start(message, tokens=tokens))
            assert done_of(events).reply == shown(events) == reply
            assert (at.kept()[0].reply, at.kept()[0].state) == (reply, state)
            after = done_of(await at.talk("Let us go on with something else."))
            assert after.usage.evaluated == after.usage.appended

    run(story)


def test_words_of_the_runtime_that_have_no_room_are_not_said() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Do whales sing?", "do whales sing?", "Fine."])) as at:
            done = done_of(await told(at.start("Do whales sing?", tokens=6)))
            assert (done.reply, done.told_by_runtime) == ("do whales sing?", False)
            await goes_on_from(at, done)

    run(story)


class Stopped(ScriptedModel):
    """The client goes away in the n-th stream, after its second piece."""

    def __init__(self, replies: Sequence[str], stream: int) -> None:
        super().__init__(replies)
        self.turn: RunningTurn | None = None
        self._at = stream

    def _pieces(self, reply, finish, taken, stop):  # type: ignore[no-untyped-def]
        for count, piece in enumerate(super()._pieces(reply, finish, taken, stop), 1):
            yield piece
            if count == 2 and len(self.prompts) == self._at:
                assert self.turn is not None
                self.turn.cancel()


@pytest.mark.parametrize(
    ("stream", "replies", "kept"),
    [
        (1, ["Do whales sing?"], ""),
        (2, ["Do whales sing?", "do whales sing?"], ""),
        (2, ["Do whales sing?", "Yes, whales do."], "Yes,"),
    ],
)
def test_stopped_while_it_is_held_back_keeps_what_was_shown(stream: int, replies: list[str], kept: str) -> None:
    async def story() -> None:
        model = Stopped([*replies, "Fine."], stream)
        async with house(model) as at:
            model.turn = at.start("Do whales sing?")
            events = await told(model.turn)
            assert isinstance(error_of(events), Cancelled)
            assert shown(events) == at.kept()[0].reply == kept
            assert at.kept()[0].state is TurnState.CANCELLED
            after = done_of(await at.talk("Let us go on."))
            assert after.usage.prompt == after.usage.evaluated + after.usage.reused
            assert at.prompt_texts()[-1].count("hales") == (0 if not kept else 1)

    run(story)


def test_a_model_that_fails_while_its_words_are_held_back_leaves_none() -> None:
    class Breaking(ScriptedModel):
        def _pieces(self, reply, finish, taken, stop):  # type: ignore[no-untyped-def]
            for count, piece in enumerate(super()._pieces(reply, finish, taken, stop), 1):
                if count == 3:
                    raise ModelFailed("It broke off.")
                yield piece

    async def story() -> None:
        async with house(Breaking(["I love coffee."])) as at:
            events = await at.talk("I love coffee.")
            assert isinstance(error_of(events), ModelFailed)
            assert shown(events) == ""
            assert (at.kept()[0].reply, at.kept()[0].state) == ("", TurnState.FAILED)

    run(story)


def test_a_model_that_fails_when_it_is_asked_again_leaves_no_echo() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Do whales sing?", ModelFailed("It broke off."), "Fine."])) as at:
            events = await at.talk("Do whales sing?")
            assert isinstance(error_of(events), ModelFailed)
            assert (at.kept()[0].reply, at.kept()[0].state) == ("", TurnState.FAILED)
            assert done_of(await at.talk("Let us go on.")).reply == "Fine."

    run(story)


def test_nothing_is_acknowledged_where_the_words_could_not_be_stored() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["I love coffee."])) as at:
            at.store.full_for = {"words"}
            events = await at.talk("I love coffee.")
            assert isinstance(error_of(events), DiskFull)
            assert shown(events) == ""
            assert at.kept() == []

    run(story)


# --- the default model ---


@pytest.mark.models
def test_the_default_model_does_not_say_the_persons_words_back() -> None:
    """It does by itself, in both languages, and then goes on with questions."""
    talks = {
        ANN: ("I love coffee.", "It rained all day.", "Can a cat swim?"),
        BOB: ("我喜欢喝咖啡。", "今天下了一天雨。", "猫会游泳吗？"),
    }

    async def story() -> None:
        model = real_llama(2048)
        async with house(cast(ScriptedModel, model)) as at:
            at.windows = Windows(at.store, Composer(model.tokenizer), plan(role=""))
            for owner, messages in talks.items():
                for message in messages:
                    done = done_of(await at.talk(message, owner=owner))
                    echo = echo_of(message)
                    assert done.reply.strip()
                    assert echo is not None
                    assert not echo.is_echoed(done.reply)
                    if message != messages[0]:
                        assert done.usage.evaluated == done.usage.appended
                assert not done.told_by_runtime
                assert done.reply not in ACKNOWLEDGEMENTS
        model.close()

    run(story)
