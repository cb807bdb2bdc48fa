"""Turns on an event loop: the order of what is told, stops at any point, failures of the disk and of the model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from edge.daemon.workers import ThreadWorker
from edge.engine.answers import Answers
from edge.engine.archive import Archive
from edge.engine.batches import Batches
from edge.engine.contexts import Context, Contexts
from edge.engine.events import Event, RecallDone, TokenMade, TurnDone, TurnFailed
from edge.engine.health import Health
from edge.engine.intent_asking import IntentAsking
from edge.engine.intentions import Intentions
from edge.engine.model_ports import Sampling
from edge.engine.offpeak import Interrupts
from edge.engine.opening import MemoryDesk, Speaker
from edge.engine.planning import Planning
from edge.engine.ports import NewContext, Written
from edge.engine.running import NO_TERMS, RunningTurn, Terms
from edge.engine.serving import Serving
from edge.engine.speed import Pace, Speed
from edge.engine.topics import Topics
from edge.engine.turn import Turns
from edge.engine.whether import Whether
from edge.engine.windows import Windows
from edge.errors import Busy, Cancelled, DiskFull, EdgeError, ModelFailed, ModelMissing, PromptTooLong, Stopping
from edge.memory.archive import Decay
from edge.memory.health import Tally
from edge.memory.lifecycle import Lifespans
from edge.memory.rules_corrections import Mention
from edge.memory.rules_facts import FactFinder
from edge.memory.units import Change, Draft, Kind, OwnerId, SessionId, Turn, TurnId, TurnState, UnitId
from edge.prompt.composition import Composer
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk, plan
from tests.fakes.health import FakeHealth
from tests.fakes.language_model import Gate, ScriptedModel
from tests.fakes.memory_store import FakeMemoryStore
from tests.memory.test_rules import RULES

LONG_REPLY = "word " * 40


class SlowStore(FakeMemoryStore):
    """A store that waits where it is told to, and whose disk can be full."""

    def __init__(self) -> None:
        super().__init__()
        self.full_for: set[str] = set()
        self.may_write = threading.Event()
        self.may_write.set()

    def begin_turn(
        self,
        owner: OwnerId,
        session: SessionId,
        message: str,
        changes: Sequence[Change],
        at: datetime,
        context: NewContext | None = None,
    ) -> Written:
        self._write("words")
        return super().begin_turn(owner, session, message, changes, at, context)

    def finish_turn(
        self, owner: OwnerId, turn: TurnId, reply: str, state: TurnState, changes: Sequence[Change], at: datetime
    ) -> Written:
        self._write("reply")
        return super().finish_turn(owner, turn, reply, state, changes, at)

    def _write(self, what: str) -> None:
        assert self.may_write.wait(timeout=30)
        if what in self.full_for:
            raise DiskFull("There is no room left.")


class House(Desk):
    """Turns over fakes, with real worker threads."""

    store: SlowStore

    def __init__(self, model: ScriptedModel, *, waiting: int = 2, fast: bool = True, asking: bool = False) -> None:
        super().__init__(store=SlowStore())
        self.archive = Archive(self.store.archive, self.store.cold, Lifespans(), Decay(), self.clock)
        self.serving = Serving(self.store, self.store.archive, self.archive, RULES.assent)
        self.contexts = Contexts(self.store.contexts, self.remember)
        self.batches = Batches(self.store.batches, RULES.progress, kept=timedelta(days=7))
        self.topics = Topics(self.store.topics, self.vectors)
        self.model = model
        self.workers = ThreadWorker("memory", 64), ThreadWorker("model", 64)
        self.windows = Windows(self.store, Composer(model.tokenizer), plan(role="You are Edge."))
        self.written = 0
        self.missing: EdgeError | None = None
        self.interrupts = Interrupts()
        self.speed = Speed()
        pace = Pace(self.speed, 2.0, self.clock)
        self.health = FakeHealth()
        self.ended: list[TurnDone | TurnFailed] = []
        self.turns = Turns(
            MemoryDesk(
                self.workers[0],
                Planning(self.recall, self.store, self.store.truth, RULES, 8),
                self.remember,
                self.contexts,
                self.batches,
                self.serving,
                self.topics,
                Intentions(self.store.intents, RULES),
                Whether(self.store, self.store.truth, RULES, fast=fast),
                pace,
                Health(self.health, RULES.amnesia),
            ),
            Answers(RULES, fast=fast),
            self.workers[1],
            self._speaker,
            self.clock,
            waiting=waiting,
            written=self._note_written,
            speed=self.speed,
            interrupts=self.interrupts,
            asking=IntentAsking(RULES, self.workers[1], pace, wanted=asking),
            ended=self.ended.append,
        )

    async def _speaker(self) -> Speaker:
        if self.missing is not None:
            raise self.missing
        return Speaker(self.model, self.windows)

    def _note_written(self) -> None:
        self.written += 1

    def start(
        self, message: str, session: SessionId = MAIN, owner: OwnerId = ANN, tokens: int = 100,
        context: Context | None = None, terms: Terms = NO_TERMS,
    ) -> RunningTurn:  # fmt: skip
        return self.turns.start(owner, session, message, Sampling(max_tokens=tokens), context, terms)

    async def talk(self, message: str, session: SessionId = MAIN, owner: OwnerId = ANN) -> list[Event]:
        return await told(self.start(message, session, owner))

    def kept(self, session: SessionId = MAIN, owner: OwnerId = ANN) -> list[Turn]:
        return self.store.turns(owner, session, last=100)

    def prompt_texts(self) -> list[str]:
        return [self.model.tokenizer.decode(prompt).decode() for prompt in self.model.prompts]


async def told(turn: RunningTurn) -> list[Event]:
    """All events; the last is the end of the turn."""
    events = []
    while (event := await turn.events.get()) is not None:
        events.append(event)
    return events


@asynccontextmanager
async def house(
    model: ScriptedModel | None = None, *, waiting: int = 2, fast: bool = True, asking: bool = False
) -> AsyncIterator[House]:
    made = House(model or ScriptedModel(), waiting=waiting, fast=fast, asking=asking)
    try:
        yield made
    finally:
        await made.turns.close()
        for worker in made.workers:
            await asyncio.to_thread(worker.close)


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(story(), 60)

    asyncio.run(bounded())


async def reached(gate: Gate) -> None:
    assert await asyncio.to_thread(gate.reached.wait, 30)


def error_of(events: Sequence[Event]) -> EdgeError:
    assert isinstance(events[-1], TurnFailed)
    assert not any(isinstance(event, TurnDone | TurnFailed) for event in events[:-1])
    return events[-1].error


# --- what is counted of turns ---


@pytest.mark.parametrize(("message", "reply"), [("Who am I?", "I don't remember."), ("我是谁？", "我不记得了。")])
def test_each_end_is_told_and_what_it_says_of_memory_is_kept(message: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel([reply, "Hi.", "Hi."]), fast=False) as at:
            events = await at.talk(message)
            assert at.ended == [events[-1]]
            assert at.health.tally(ANN).forgetful_turns == 1
            await at.talk("Hello.", OTHER)
            assert at.health.tally(ANN).forgetful_turns == 0
            at.missing = ModelMissing("It is gone.")
            failed = await at.talk("Hello.")
            assert at.ended[2:] == [failed[-1]]
            assert at.health.tally(BOB) == Tally()

    run(story)


# --- a turn that goes well ---


@pytest.mark.parametrize(("message", "reply"), [("Hello there.", "Hi 🙂, you!"), ("你好。", "你好，请说。")])
def test_a_turn_tells_recall_then_the_reply_then_done(message: str, reply: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel([reply])) as at:
            events = await at.talk(message)
            assert isinstance(events[0], RecallDone)
            assert "".join(event.text for event in events if isinstance(event, TokenMade)) == reply
            done = events[-1]
            assert isinstance(done, TurnDone)
            assert (done.reply, done.turn, done.finish.value) == (reply, events[0].turn, "stop")
            assert done.usage.prompt == done.usage.reused + done.usage.evaluated
            (kept,) = at.kept()
            assert (kept.message, kept.reply, kept.state) == (message, reply, TurnState.DONE)
            assert at.written == 1

    run(story)


def test_each_turn_evaluates_only_what_was_appended() -> None:
    async def story() -> None:
        async with house() as at:
            for n in range(6):
                events = await at.talk(f"Message {n}: the zeppelin leaves at {n} o'clock.")
                done = events[-1]
                assert isinstance(done, TurnDone)
                assert done.usage.evaluated == done.usage.appended
                assert not done.usage.rebuilt
            prompts = at.model.prompts
            assert all(after[: len(before)] == before for before, after in pairwise(prompts))

    run(story)


def test_a_reply_at_its_limit_is_stored_as_cut() -> None:
    async def story() -> None:
        async with house(ScriptedModel([LONG_REPLY])) as at:
            events = await told(at.start("Go on.", tokens=5))
            assert isinstance(events[-1], TurnDone)
            assert events[-1].finish.value == "length"
            assert at.kept()[0].state is TurnState.CUT
            again = (await at.talk("Go on."))[-1]
            assert isinstance(again, TurnDone)
            assert again.usage.evaluated == again.usage.appended

    run(story)


@pytest.mark.parametrize(
    ("question", "asks"), [("What is my phone number?", "Would you tell me?"), ("我的电话号码是多少？", "可以告诉我吗")]
)
def test_an_empty_slot_is_answered_by_the_runtime_and_leaves_no_memory_of_it(question: str, asks: str) -> None:
    async def story() -> None:
        async with house() as at:
            for _ in range(3):
                done = (await at.talk(question))[-1]
                assert isinstance(done, TurnDone)
                assert asks in done.reply
            assert {unit.kind for unit in at.units()} == {Kind.EPISODE}
            assert len(at.units()) == 1
            await at.talk("Fine, let us talk about the zeppelin.")
            assert at.prompt_texts()[-1].count(asks) == 3

    run(story)


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("My order number is A-20391.", "What is my order number?", "Your order number is A-20391."),
        ("我的订单号是A-20391。", "我的订单号是多少？", "你的订单号是A-20391。"),
        ("My order number is A-20391.", "我的订单号是多少？", "你的订单号是A-20391。"),
        ("我叫张伟。", "What is my name?", "Your name is 张伟."),
        ("My phone number is 138-0013-8000.", "What is my phone number?", "Your phone number is 138-0013-8000."),
        ("I like tea.", "What is my sister's phone number?", "Your sister's phone number is 555-0199."),
    ],
)
def test_what_a_slot_certainly_holds_is_said_at_once(told: str, question: str, answer: str) -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Noted.", "Hm.", "Hm."])) as at:
            await at.talk(told)
            await at.talk("My sister's phone number is 555-0199.")
            units = len(at.units())
            events = await at.talk(question)
            done = events[-1]
            assert isinstance(done, TurnDone)
            assert done.reply == answer
            assert done.told_by_runtime
            assert done.usage.evaluated == done.usage.appended > 0
            assert len(at.units()) == units + 1  # the question; the answer only restates
            after = (await at.talk("Thanks."))[-1]
            assert isinstance(after, TurnDone)
            assert after.usage.evaluated == after.usage.appended
            assert after.usage.reused == done.usage.prompt + done.usage.completion

    run(story)


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (["I like tea."], "What is my favourite colour?", None),
        (["我喜欢茶。"], "我最喜欢的颜色是什么？", None),
        (["I like tea.", "My favourite colour is green."], "What is my favourite colour?", "green."),
        (["我喜欢茶。", "我最喜欢的颜色是绿色。"], "我最喜欢的颜色是什么？", "绿色。"),
        (["I like tea.", "I prefer window seats."], "What do I like?", None),
        (["I like tea.", "I like plums."], "What do I like?", "You like plums. You like tea."),
        (["我住在杭州。"], "我住在哪里？", "你住在杭州。"),
    ],
)
def test_only_the_slot_that_was_asked_for_is_said_at_once(told: list[str], question: str, answer: str | None) -> None:
    async def story() -> None:
        async with house(ScriptedModel(lambda _: "In the model's words.")) as at:
            for statement in told:
                await at.talk(statement)
            done = (await at.talk(question))[-1]
            assert isinstance(done, TurnDone)
            assert done.told_by_runtime == (answer is not None)
            assert done.found.recalled
            assert done.reply.endswith(answer or "In the model's words.")
            assert "tea" not in done.reply or "What do I like" in question
            assert "茶" not in done.reply

    run(story)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where did I leave the car?", "I don't know that yet. Would you tell me?"),
        ("我昨天买了什么？", "这个我还不知道，可以告诉我吗？"),
        ("What is the best way to clean my telescope?", None),
        ("我的自行车怎么修？", None),
    ],
)
def test_what_only_memory_could_know_and_does_not_is_said_by_the_runtime(
    question: str, answer: str | None, fast: bool
) -> None:
    async def story() -> None:
        async with house(ScriptedModel(lambda _: "Something made up."), fast=fast) as at:
            await at.talk("The weather is fine today.")
            done = (await at.talk(question))[-1]
            assert isinstance(done, TurnDone)
            assert done.told_by_runtime == (answer is not None)
            assert done.reply == (answer or "Something made up.")

    run(story)


def test_with_fast_answers_off_the_model_words_it() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Noted.", "It is Zhang Wei!"]), fast=False) as at:
            await at.talk("My name is Zhang Wei.")
            done = (await at.talk("What is my name?"))[-1]
            assert isinstance(done, TurnDone)
            assert done.reply == "It is Zhang Wei!"
            assert not done.told_by_runtime

    run(story)


def test_a_told_answer_comes_before_the_model_reads_along() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(["Noted."])) as at:
            await at.talk("My name is Zhang Wei.")
            at.model.gate = gate
            turn = at.start("What is my name?")
            shown = [await turn.events.get(), await turn.events.get()]
            assert isinstance(shown[1], TokenMade)
            assert shown[1].text == "Your name is Zhang Wei."
            await asyncio.to_thread(gate.reached.wait)
            turn.cancel()
            gate.open()
            assert isinstance((await told(turn))[-1], TurnFailed)
            assert at.kept()[-1].state is TurnState.CANCELLED

    run(story)


def test_what_served_is_counted() -> None:
    async def story() -> None:
        async with house() as at:
            await at.talk("My name is Zhang Wei.")
            await at.talk("What is my name?", OTHER)
            (name,) = (unit for unit in at.units() if unit.slot == "name")
            assert name.access_count == 1
            assert name.last_accessed == at.clock.now()
            assert name.relevance == 1.1

    run(story)


def test_core_facts_said_back_are_no_memory() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Noted.", "Noted.", "Zhang Wei has the order A-20391-XK."])) as at:
            await at.talk("My name is Zhang Wei.")
            await at.talk("My order number is A-20391-XK.")
            await at.talk("Hm.", OTHER)
            assert not any(unit.content.startswith("Zhang Wei has") for unit in at.units())

    run(story)


def test_the_role_text_said_back_is_no_memory() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["You are Edge."])) as at:
            await at.talk("Who?")
            assert len(at.units()) == 1

    run(story)


# --- stopping ---


def test_stopped_in_prefill() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate)) as at:
            turn = at.start("The zeppelin leaves at nine.")
            await reached(gate)
            turn.cancel()
            events = await told(turn)
            assert isinstance(error_of(events), Cancelled)
            assert not any(isinstance(event, TokenMade) for event in events)
            (kept,) = at.kept()
            assert (kept.message, kept.reply, kept.state) == (
                "The zeppelin leaves at nine.", "", TurnState.CANCELLED,
            )  # fmt: skip
            gate.open()
            done = (await at.talk("And now?"))[-1]
            assert isinstance(done, TurnDone)

    run(story)


def test_stopped_while_it_streams_keeps_what_was_said() -> None:
    async def story() -> None:
        turns: list[RunningTurn] = []

        class Interrupted(ScriptedModel):
            """The client goes away after the third token."""

            def _pieces(self, reply, finish, taken, stop):  # type: ignore[no-untyped-def]
                for count, piece in enumerate(super()._pieces(reply, finish, taken, stop), 1):
                    yield piece
                    if count == 3 and len(self.prompts) == 1:
                        turns[0].cancel()

        async with house(Interrupted(["one two three four five six", "Good."])) as at:
            turns.append(at.start("Count."))
            events = await told(turns[0])
            assert isinstance(error_of(events), Cancelled)
            said = "".join(event.text for event in events if isinstance(event, TokenMade))
            assert said == "one two three"
            (kept,) = at.kept()
            assert (kept.reply, kept.state) == (said, TurnState.CANCELLED)
            await at.talk("Again.")
            assert said + "\nuser" in at.prompt_texts()[-1].replace("assistant\n", "")

    run(story)


def test_stopped_while_it_waits_is_not_begun() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate)) as at:
            first, second = at.start("One."), at.start("Two.")
            await reached(gate)
            second.cancel()
            gate.open()
            assert isinstance((await told(first))[-1], TurnDone)
            assert isinstance(error_of(await told(second)), Cancelled)
            assert [turn.message for turn in at.kept()] == ["One."]

    run(story)


def test_stopped_twice_is_stopped_once() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate)) as at:
            turn = at.start("One.")
            await reached(gate)
            turn.cancel()
            turn.cancel()
            events = await told(turn)
            assert isinstance(error_of(events), Cancelled)
            turn.cancel()
            assert len(at.kept()) == 1

    run(story)


def test_closing_stops_what_runs_and_what_waits_and_takes_nothing_new() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate)) as at:
            first, second, third = at.start("One."), at.start("Two."), at.start("Three.", OTHER)
            await reached(gate)
            await at.turns.close()
            for turn in (first, second, third):
                assert isinstance(error_of(await told(turn)), Cancelled)
            assert at.turns.depth == 0
            with pytest.raises(Stopping):
                at.start("Four.")
            assert all(turn.state is TurnState.CANCELLED for turn in at.kept() + at.kept(OTHER))

    run(story)


# --- order and limits ---


def test_turns_of_a_session_follow_one_another() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(["First.", "Second."], gate=gate)) as at:
            one, two = at.start("One."), at.start("Two.")
            await reached(gate)
            gate.open()
            await told(one)
            await told(two)
            assert [(turn.message, turn.reply) for turn in at.kept()] == [("One.", "First."), ("Two.", "Second.")]
            assert "First." in at.prompt_texts()[1]
            assert at.turns._sessions._locks == {}

    run(story)


def test_one_more_than_may_wait_is_refused_and_nothing_of_it_stored() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate), waiting=2) as at:
            turns = [at.start(f"{n}") for n in range(3)]
            with pytest.raises(Busy) as refused:
                at.start("one too many", OTHER)
            assert refused.value.details == {"waiting": 3}
            await reached(gate)
            gate.open()
            for turn in turns:
                await told(turn)
            assert isinstance((await at.talk("again"))[-1], TurnDone)
            assert at.kept(OTHER) == []

    run(story)


def test_owners_with_the_same_session_name_share_nothing() -> None:
    async def story() -> None:
        async with house() as at:
            await at.talk("My name is Zhang Wei.")
            await at.talk("What was that?", owner=BOB)
            assert "Zhang Wei" not in at.prompt_texts()[-1]
            assert len(at.kept(owner=BOB)) == 1

    run(story)


# --- failures ---


def test_nothing_of_a_reply_is_shown_before_the_words_are_stored() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Hi."])) as at:
            at.store.may_write.clear()
            turn = at.start("Hello.")
            while not at.model.prompts:
                await asyncio.sleep(0)
            await at.workers[1].run(lambda: None)  # the model has said all it has to say
            assert turn.events.empty()
            at.store.may_write.set()
            assert isinstance((await told(turn))[-1], TurnDone)

    run(story)


def test_a_full_disk_during_prefill_stops_the_model_and_stores_nothing() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate)) as at:
            at.store.full_for = {"words"}
            at.store.may_write.clear()
            turn = at.start("My name is Zhang Wei.")
            await reached(gate)
            at.store.may_write.set()
            events = await told(turn)
            assert [type(event) for event in events] == [TurnFailed]
            assert isinstance(error_of(events), DiskFull)
            assert turn.signal is not None
            assert turn.signal.is_set()
            assert at.kept() == []
            assert at.units() == []
            at.store.full_for = set()
            gate.open()
            assert isinstance((await at.talk("Hello?"))[-1], TurnDone)
            assert "Zhang Wei" not in at.prompt_texts()[-1]

    run(story)


def test_a_disk_that_is_full_at_the_end_is_told() -> None:
    async def story() -> None:
        async with house(ScriptedModel(["Hi."])) as at:
            at.store.full_for = {"reply"}
            assert isinstance(error_of(await at.talk("Hello.")), DiskFull)
            at.store.full_for = set()
            assert isinstance((await at.talk("Hello?"))[-1], TurnDone)

    run(story)


def test_a_model_that_fails_leaves_a_failed_turn_and_the_next_one_goes_well() -> None:
    async def story() -> None:
        async with house(ScriptedModel([ModelFailed("It broke off."), "Hi."])) as at:
            events = await at.talk("Hello.")
            assert isinstance(error_of(events), ModelFailed)
            assert isinstance(events[0], RecallDone)
            assert [turn.state for turn in at.kept()] == [TurnState.FAILED]
            assert at.written == 1
            assert isinstance((await at.talk("Hello?"))[-1], TurnDone)

    run(story)


def test_what_fails_beside_a_turn_is_logged_and_the_turn_is_stored(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(owner: OwnerId, ids: Collection[UnitId], at: datetime) -> None:
        raise DiskFull("There is no room left.")

    async def story() -> None:
        async with house(ScriptedModel(["Noted."])) as at:
            await at.talk("My order number is A-20391-XK.")
            monkeypatch.setattr(at.store, "mark_used", full)
            assert isinstance((await at.talk("What is my order number?"))[-1], TurnDone)
            assert [turn.state for turn in at.kept()] == [TurnState.DONE, TurnState.DONE]

    run(story)
    assert [record.getMessage() for record in caplog.records] == [
        "what the reply used is not counted: There is no room left."
    ]


def test_a_model_that_fails_in_mid_reply_leaves_what_was_said() -> None:
    class Breaking(ScriptedModel):
        def _pieces(self, reply, finish, taken, stop):  # type: ignore[no-untyped-def]
            for count, piece in enumerate(super()._pieces(reply, finish, taken, stop), 1):
                if count == 3:
                    raise ModelFailed("It broke off.")
                yield piece

    async def story() -> None:
        async with house(Breaking(["one two three four"])) as at:
            assert isinstance(error_of(await at.talk("Count.")), ModelFailed)
            (kept,) = at.kept()
            assert (kept.reply, kept.state) == ("one two", TurnState.FAILED)
            assert [unit.kind for unit in at.units()] == [Kind.EPISODE]

    run(story)


def test_an_unexpected_error_is_told_as_one() -> None:
    async def story() -> None:
        async with house(ScriptedModel([RuntimeError("a bug")])) as at:
            error = error_of(await at.talk("Hello."))
            assert type(error) is EdgeError
            assert "RuntimeError" in error.message
            assert [turn.state for turn in at.kept()] == [TurnState.FAILED]

    run(story)


def test_without_a_model_the_turn_says_why_and_the_next_one_tries_again() -> None:
    async def story() -> None:
        async with house() as at:
            at.missing = ModelMissing("There is no model.")
            assert isinstance(error_of(await at.talk("Hello.")), ModelMissing)
            assert at.kept() == []
            at.missing = None
            assert isinstance((await at.talk("Hello."))[-1], TurnDone)

    run(story)


def test_a_message_that_does_not_fit_changes_nothing() -> None:
    async def story() -> None:
        async with house() as at:
            assert isinstance(error_of(await at.talk("word " * 5000)), PromptTooLong)
            assert at.kept() == []
            assert at.units() == []
            assert at.model.prompts == []

    run(story)


def test_what_is_forgotten_while_the_model_speaks_is_not_in_the_next_prompt() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(["Fine."], gate=gate)) as at:
            gate.open()
            await at.talk("The code of the door is 7731-44.")
            unit = at.units()[0].id
            at.model.gate = again = Gate()
            turn = at.start("Which code did I say?")
            await reached(again)

            def forget() -> None:
                at.forget(ANN, [unit])
                at.windows.forget(ANN)

            await at.workers[0].run(forget)
            again.open()
            await told(turn)
            await at.talk("Hello again.")
            assert "7731" in at.prompt_texts()[1]
            assert "7731" not in at.prompt_texts()[2]

    run(story)


def test_where_its_words_cannot_be_stored_its_context_is_not_either() -> None:
    async def story() -> None:
        async with house() as at:
            await told(at.start("Create it.", context={"current_tool": "create"}))
            assert at.contexts.read(ANN, MAIN).context == {"current_tool": "create"}
            at.store.full_for = {"words"}
            assert isinstance(error_of(await told(at.start("查一下。", context={"current_tool": "查询"}))), DiskFull)
            assert at.contexts.read(ANN, MAIN).context == {"current_tool": "create"}
            assert [turn.message for turn in at.kept()] == ["Create it."]

    run(story)


@pytest.mark.parametrize("message", ["I put two mugs into my cart.", "我把两个杯子放进了购物车。", "My name is Will."])
def test_a_message_is_read_once(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    find = FactFinder.find

    def counted(self: FactFinder, text: str, mentions: Sequence[Mention] = ()) -> tuple[Draft, ...]:
        reads.append(text)
        return find(self, text, mentions)

    async def story() -> None:
        async with house(ScriptedModel(["The harbour is worth a walk at any hour."])) as at:
            with monkeypatch.context() as watched:
                watched.setattr(FactFinder, "find", counted)
                assert isinstance((await at.talk(message))[-1], TurnDone)
            assert reads.count(message) == 1
            assert {unit.session for unit in at.units() if unit.kind is Kind.EPISODE} in ({MAIN}, {None})

    run(story)
