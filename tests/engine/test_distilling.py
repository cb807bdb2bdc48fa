"""The step that draws facts from what a person said: only what they state, whatever the model answers."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import TypeVar

import pytest

from edge.engine.distilling import Distilling
from edge.engine.model_ports import StopSignal
from edge.engine.offpeak import AsideModel, Interrupts, Worked
from edge.engine.ports import Scope
from edge.errors import Cancelled
from edge.memory.archive import Why
from edge.memory.distilling import CONFIDENCE
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, TurnState, Unit
from edge.prompt.distilling import KNOWN, Weighing
from tests.engine.making import ANN, BOB, MAIN, Desk
from tests.fakes.language_model import ScriptedModel
from tests.fakes.memory_store import FakeMemoryStore

T = TypeVar("T")

BEES = "I keep bees on the roof of a library in Rostock."
BEES_TOLD = "The user keeps bees on the roof of a library in Rostock."
BOATS = "我在莱比锡造木船和皮划艇。"
BOATS_TOLD = "用户在莱比锡造木船和皮划艇。"
KAYAK = "I bought a red kayak from a carpenter in Bergen."
KAYAK_TOLD = "The user bought a red kayak from a carpenter in Bergen."


class Inline:
    """A worker that works at once."""

    async def run(self, work: Callable[[], T]) -> T:
        return work()

    async def stream(self, work: Callable[[], Iterator[T]]) -> AsyncGenerator[T]:
        for item in work():
            yield item


class WeighingModel(ScriptedModel):
    """Weighs a line by a function of its text: nats by which it is a fact. Whatever else it is asked is a mistake."""

    def __init__(self, weigh: Callable[[str], float], *, model_id: str = "weighing") -> None:
        super().__init__([AssertionError("it is never asked for text")], model_id=model_id)
        self.weigh = weigh
        self.asked: list[str] = []
        self._specific = {tuple(Weighing(self.tokenizer, language).specific) for language in KNOWN}

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        if stop.is_set():
            raise Cancelled("The model was stopped on request.")
        texts = [self.tokenizer.decode(tokens).decode() for tokens in candidates]
        self.asked += texts
        if tuple(prefix) not in self._specific:
            return [-1.0] * len(texts)
        pairs = zip(texts, candidates, strict=True)
        return [self.weigh(text) / len(tokens) - 1.0 for text, tokens in pairs]


def sensible(text: str) -> float:
    """A good model's answer: what says nothing is an empty remark."""
    return -9.0 if any(text in known.empty for known in KNOWN.values()) else 9.0


class Night:
    """A memory, and the step on it."""

    def __init__(self, weigh: Callable[[str], float] = sensible) -> None:
        self.desk = Desk()
        self.store: FakeMemoryStore = self.desk.store
        self.model = WeighingModel(weigh)
        self.interrupts = Interrupts()
        self.written = 0
        self.begin_anew()

    def begin_anew(self) -> None:
        self.step = Distilling(
            Inline(), self.store, self.store.distilling, self.desk.remember, self.desk.clock, self._note_written
        )

    def _note_written(self) -> None:
        self.written += 1

    def say(self, message: str, reply: str = "", *, owner: OwnerId = ANN, session: SessionId = MAIN) -> Unit:
        self.desk.clock.pass_by(minutes=1)
        at = self.desk.clock.now()
        written = self.desk.remember.begin_turn(owner, session, message, at)
        assert written.turn is not None
        self.desk.remember.finish_turn(
            owner, session, written.turn, reply, TurnState.DONE, [message], at, session_only=False
        )
        return self.store.unit(owner, written.added[0])

    def work(self, owner: OwnerId = ANN) -> Worked:
        return asyncio.run(self.step.work(owner, AsideModel(self.model, Inline(), self.interrupts)))

    def all(self, owner: OwnerId = ANN) -> Worked:
        worked = self.work(owner)
        while worked.more:
            worked = self.work(owner)
        return worked

    def distilled(self, owner: OwnerId = ANN) -> list[Unit]:
        """Units that no rule made."""
        units = self.desk.units(owner)
        return [unit for unit in units if unit.kind is Kind.FACT_REFERENCE and unit.confidence <= CONFIDENCE]


@pytest.mark.parametrize(("words", "told"), [(BEES, BEES_TOLD), (BOATS, BOATS_TOLD)])
def test_what_a_person_says_of_themselves_becomes_a_unit(words: str, told: str) -> None:
    night = Night()
    episode = night.say(f"Hello! {words}")
    night.desk.clock.pass_by(hours=9)
    assert night.work().counts == {"read": 1, "distilled": 1}
    (unit,) = night.distilled()
    assert (unit.content, unit.source, unit.source_turn) == (told, Source.USER, episode.source_turn)
    assert unit.valid_from == episode.valid_from
    provenance = night.store.truth.provenance(ANN, unit.id)
    assert provenance.quote is not None
    assert provenance.quote in words
    assert night.written == 1


def test_nothing_is_read_twice() -> None:
    night = Night()
    night.say(BEES)
    night.all()
    assert night.work() == Worked(more=False)
    night.begin_anew()
    night.say(KAYAK)
    night.all()
    assert [unit.content for unit in night.distilled()] == [BEES_TOLD, KAYAK_TOLD]


def test_what_rules_read_is_left_to_them() -> None:
    night = Night()
    night.say("My name is Ann Teller. I keep bees on the roof of a library in Rostock.")
    night.all()
    assert night.distilled() == []


def test_no_words_but_the_person_s_own_are_read() -> None:
    night = Night()
    night.say(
        "Tell me a story about bees", "I keep bees on the roof of a castle in Bergen. My sister paints tall ships."
    )
    others = [
        Draft(Kind.EPISODE, "Ann: I keep bees on the roof of a windmill in Delft.", source=Source.IMPORT),
        Draft(Kind.FACT_REFERENCE, "I keep bees on the roof of a lighthouse in Brest."),
        Draft(
            Kind.TOOL_RESULT, "I keep bees on the roof of a factory in Turin.", source=Source.TOOL, session_only=True
        ),
    ]
    night.desk.remember.drafts(ANN, MAIN, others, night.desk.clock.now())
    before = night.desk.units()
    night.all()
    assert night.desk.units() == before
    assert night.model.asked == []


def test_said_again_it_is_one_unit_that_is_surer() -> None:
    night = Night()
    night.say(BEES)
    night.all()
    again = night.say(f"Well, {BEES}")
    night.all()
    (unit,) = (unit for unit in night.desk.units() if unit.kind is Kind.FACT_REFERENCE)
    assert unit.content == BEES_TOLD
    assert unit.confidence > CONFIDENCE
    confirmed = night.store.truth.provenance(ANN, unit.id).confirmed_in
    assert [turn.id for turn in confirmed] == [again.source_turn]


@pytest.mark.parametrize("between", [True, False])
def test_said_again_in_nearly_the_same_words_it_is_one_unit(between: bool) -> None:
    night = Night()
    night.say("I bought two red kayaks from a carpenter in Bergen.")
    if between:
        night.all()
    night.say("I bought 2 red kayaks from the carpenter in Bergen.")
    night.all()
    told = [unit.content for unit in night.desk.units() if unit.kind is Kind.FACT_REFERENCE]
    assert told == ["The user bought two red kayaks from a carpenter in Bergen."]


def test_another_number_is_another_unit() -> None:
    night = Night()
    night.say("I bought 2 red kayaks from a carpenter in Bergen.")
    night.say("I bought 3 red kayaks from a carpenter in Bergen.")
    night.all()
    assert len(night.distilled()) == 2


def test_what_the_model_weighs_lightly_is_read_and_left() -> None:
    night = Night(lambda text: -9.0 if text == KAYAK_TOLD else sensible(text))
    night.say(f"{BEES} {KAYAK}")
    assert night.all().counts == {"read": 1, "distilled": 1}
    assert [unit.content for unit in night.distilled()] == [BEES_TOLD]
    assert night.work() == Worked(more=False)


def test_what_belongs_to_a_session_stays_there() -> None:
    night = Night()
    episode = night.say("For now I keep the carpenter's red kayak in the library.")
    night.all()
    for unit in night.distilled():
        assert unit.session == episode.session


def test_a_person_s_own_words_are_recalled_before_the_line_and_the_line_where_they_are_put_away() -> None:
    night = Night()
    episode = night.say(f"Hello! {BEES}")
    night.all()
    night.desk.embed()
    asked = Scope(ANN, MAIN, night.desk.clock.now(), present=True)

    def told() -> list[str]:
        return [found.unit.content for found in night.desk.recall.find(asked, "Where are the bees kept?").recalled]

    assert told() == [episode.content]
    night.store.archive.archive(ANN, [episode.id], Why.BY_HAND, night.desk.clock.now())
    assert told() == [BEES_TOLD]


def test_an_owner_s_words_are_read_in_their_own_night() -> None:
    night = Night()
    night.say(BEES)
    night.say(KAYAK, owner=BOB)
    night.all(BOB)
    assert (night.distilled(ANN), [unit.content for unit in night.distilled(BOB)]) == ([], [KAYAK_TOLD])


def test_many_words_are_read_in_small_units_of_work() -> None:
    night = Night()
    for number in range(2, 42):
        night.say(f"I painted a ship with {number} masts for a museum in Delft.")
    worked = night.work()
    assert worked.more
    assert worked.counts == {"read": 8, "distilled": 8}
    night.all()
    assert len(night.distilled()) == 40


# --- what goes wrong ----------------------------------------------------------------------------------------------


def test_a_turn_that_arrives_loses_nothing_but_the_unit_of_work() -> None:
    night = Night()
    night.say(BEES)
    night.interrupts.hold()
    with pytest.raises(Cancelled):
        night.work()
    assert night.distilled() == []
    night.interrupts.release()
    night.begin_anew()
    night.all()
    assert [unit.content for unit in night.distilled()] == [BEES_TOLD]


def test_words_that_are_forgotten_meanwhile_leave_nothing() -> None:
    night = Night()
    episode = night.say(BEES)
    kayak = night.say(KAYAK)

    def forgetting(text: str) -> float:
        if text == BEES_TOLD:
            night.desk.forget(ANN, [episode.id])
        return sensible(text)

    night.model.weigh = forgetting
    night.all()
    assert [unit.content for unit in night.distilled()] == [KAYAK_TOLD]
    (unit,) = night.distilled()
    assert set(night.desk.forget(ANN, [kayak.id])) == {kayak.id, unit.id}


def test_a_forgotten_unit_is_not_drawn_again() -> None:
    night = Night()
    night.say(BEES)
    night.all()
    night.desk.forget(ANN, [unit.id for unit in night.distilled()])
    night.begin_anew()
    night.all()
    assert [unit for unit in night.desk.units() if "bees" in unit.content] == []


def thrown(seed: int) -> Callable[[str], float]:
    """Random numbers."""
    dice = random.Random(seed)
    return lambda _: dice.gauss(0, 9)


HOSTILE: dict[str, Callable[[str], float]] = {
    "no number": lambda _: math.nan,
    "endless": lambda _: math.inf,
    "minus endless": lambda _: -math.inf,
    "always the same": lambda _: 0.0,
    "likes everything": lambda _: 99.0,
    "likes nothing": lambda _: -99.0,
    "the other way round": lambda text: -sensible(text),
    "length": lambda text: float(len(text)),
    **{f"random {seed}": thrown(seed) for seed in range(20)},
}


@pytest.mark.parametrize("weigh", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_model_that_cannot_weigh_makes_no_unit_and_reads_nothing(weigh: Callable[[str], float]) -> None:
    night = Night(weigh)
    for words in (BEES, BOATS, KAYAK):
        night.say(words)
    before = night.desk.units()
    assert not night.all().more
    assert night.desk.units() == before
    night.model = WeighingModel(sensible, model_id="a better one")
    night.all()
    assert [unit.content for unit in night.distilled()] == [BEES_TOLD, BOATS_TOLD, KAYAK_TOLD]


@pytest.mark.parametrize("seed", range(20))
def test_a_model_that_goes_mad_later_keeps_nothing_but_what_the_person_said(seed: int) -> None:
    dice = random.Random(seed)
    night = Night(lambda text: sensible(text) if is_known(text) else dice.gauss(0, 9))
    said = [
        BEES,
        BOATS,
        KAYAK,
        "Thank you!",
        "Do I keep bees?",
        "Write a letter to the library.",
        "如果我有船，我就去海边。",
    ]
    for words in said:
        night.say(words, "I keep a lighthouse in Brest. 我在北京养了一只猫。")
    night.all()
    assert {unit.content for unit in night.distilled()} <= {BEES_TOLD, BOATS_TOLD, KAYAK_TOLD}


def test_without_a_model_the_words_stay_unread() -> None:
    night = Night()
    night.say(BEES)
    assert asyncio.run(night.step.work(ANN, None)) == Worked(more=False)
    night.all()
    assert [unit.content for unit in night.distilled()] == [BEES_TOLD]


@pytest.mark.parametrize(("words", "empty"), [(BEES, "Hello! How are you?"), (BOATS, "你好，今天怎么样？")])
def test_it_is_due_where_a_line_waits_and_reads_the_rest_on_the_way(words: str, empty: str) -> None:
    night = Night()
    assert not asyncio.run(night.step.is_due(ANN))
    for number in range(40):
        night.say(f"{empty} {number}")
    assert not asyncio.run(night.step.is_due(ANN))
    assert night.store.distilling.unread(ANN, 9) is None
    night.say(empty)
    night.say(words)
    assert asyncio.run(night.step.is_due(ANN))
    assert not asyncio.run(night.step.is_due(BOB))
    assert (night.model.asked, night.distilled()) == ([], [])
    night.all()
    assert len(night.distilled()) == 1
    assert not asyncio.run(night.step.is_due(ANN))


def is_known(text: str) -> bool:
    return any(text in (*known.telling, *known.empty) for known in KNOWN.values())
