"""The model's say in what a turn is for: when it is asked, among what it chooses, and what it may not harm."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from edge.daemon.workers import ThreadWorker
from edge.engine.events import TurnDone
from edge.engine.intent_asking import IntentAsking, choices
from edge.engine.model_ports import Sampling, StopSignal
from edge.engine.running import RunningTurn
from edge.engine.speed import Figures, Measured, Pace, Speed
from edge.errors import Cancelled, ModelFailed
from edge.memory.intents import SURE, Intent, Label, Move
from edge.memory.rules import Rules
from tests.engine.making import ANN, MAIN
from tests.engine.test_turn import house, run
from tests.fakes.clock import SetClock
from tests.fakes.language_model import ScriptedModel
from tests.memory.test_rules import RULES

UNSURE = Intent(Label.GENERAL, 0.5, "no rule fits", Move.OTHER)


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are sure of nothing, whatever the table holds."""
    monkeypatch.setattr(Rules, "intent_of", lambda rules, message, language=None: UNSURE)


class Chooser(ScriptedModel):
    """Takes the answer with these words for the likeliest, but every one of them for as likely without a message."""

    def __init__(self, words: str = "", error: Exception | None = None) -> None:
        super().__init__()
        self._words = words
        self._error = error

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        super().score(prefix, candidates, stop)
        if self._error is not None:
            raise self._error
        about_nothing = self.tokenizer.decode(prefix).decode().count("Message: \n") == 1
        texts = [self.tokenizer.decode(candidate).decode() for candidate in candidates]
        return [-1.0 if self._words in text and not about_nothing else -2.0 for text in texts]


def asked(model: ScriptedModel, message: str, *, wanted: bool = True, seconds_a_token: float = 0.001) -> Intent | None:
    speed = Speed()
    speed.begin(replace(Figures(), overhead=Measured(0.0, 0.0)), guess=seconds_a_token)
    clock = SetClock()
    worker = ThreadWorker("model", 4)
    asking = IntentAsking(RULES, worker, Pace(speed, 2.0, clock), wanted=wanted)
    turn = RunningTurn(ANN, MAIN, message, Sampling(max_tokens=9), clock.monotonic())

    async def ask() -> Intent | None:
        return await asking.intent(turn, model, clock.monotonic())

    try:
        return asyncio.run(ask())
    finally:
        worker.close()


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize(
    ("message", "words", "label"),
    [
        ("Where did we eat?", "Remembered", Label.FACT),
        ("Sold the tandem yesterday!", "Change", Label.STATE_CHANGE),
        ("Sold the tandem yesterday!", "General", Label.GENERAL),
        ("今天孩子掉了颗牙", "Change", Label.STATE_CHANGE),
        ("昨天在哪里吃的饭？", "Remembered", Label.FACT),
    ],
)
def test_where_no_rule_is_sure_the_likeliest_of_three_is_taken(message: str, words: str, label: Label) -> None:
    intent = asked(Chooser(words), message)
    assert intent is not None
    assert (intent.label, intent.confidence, intent.leads) == (label, SURE, label)
    assert "the model's choice" in intent.why


@pytest.mark.parametrize("message", ["What is my phone number?", "我叫什么名字？", "good morning!"])
def test_where_a_rule_is_sure_no_model_is_asked(message: str) -> None:
    model = Chooser("Change")
    assert asked(model, message) == RULES.intent_of(message)
    assert model.aside == []


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize("message", ["Sold the tandem yesterday!", "从十倒数到一"])
def test_without_time_or_without_being_wanted_the_rules_decide(message: str) -> None:
    model = Chooser("Change")
    assert asked(model, message, seconds_a_token=0.02) == UNSURE
    assert asked(model, message, wanted=False) is None
    assert model.aside == []


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize("scores", [float("nan"), 1.0])
def test_likelihoods_that_are_none_leave_it_to_the_rules(scores: float) -> None:
    class Odd(ScriptedModel):
        def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
            return [scores] * len(candidates)

    assert asked(Odd(), "Sold the tandem yesterday!") == UNSURE


@pytest.mark.usefixtures("unsure")
def test_a_model_that_fails_leaves_it_to_the_rules_and_a_stopped_turn_ends() -> None:
    message = "Sold the tandem yesterday!"
    assert asked(Chooser(error=ModelFailed("it broke")), message) == UNSURE
    with pytest.raises(Cancelled):
        asked(Chooser(error=Cancelled("stopped")), message)


@pytest.mark.usefixtures("unsure")
def test_the_model_sees_no_secret() -> None:
    model = Chooser("Change")
    asked(model, "Sold the tandem, sk-proj-4f9aQ7Lm2Xw8Zr5Tt1Vb6Nc3")
    shown = [model.tokenizer.decode(prompt).decode() for prompt in model.aside]
    assert shown
    assert not any("4f9aQ7Lm2Xw8Zr5" in text for text in shown)


@pytest.mark.parametrize("label", [Label.GENERAL, Label.SMALL_TALK, Label.FACT])
@pytest.mark.parametrize("message", ["Sold the tandem!", "今年小宝发烧过几回？"])
def test_at_most_three_are_to_be_chosen_from_and_two_always_are(label: Label, message: str) -> None:
    offered = choices(message, Intent(label, 0.5, "as the test says", Move.OTHER))
    assert {label, Label.GENERAL} <= set(offered)
    assert 2 <= len(offered) == len(set(offered)) <= 3


@pytest.mark.usefixtures("unsure")
def test_a_turn_is_for_what_the_model_chose_and_its_window_stays() -> None:
    async def story() -> None:
        async with house(Chooser("Change"), asking=True) as made:
            made.speed.begin(Figures(), guess=0.001)
            first = (await made.talk("We ride bicycles."))[-1]
            done = (await made.talk("Sold the tandem yesterday!"))[-1]
            assert isinstance(first, TurnDone)
            assert isinstance(done, TurnDone)
            assert done.intent.label is Label.STATE_CHANGE
            assert done.usage.evaluated == done.usage.appended
            assert done.usage.reused > 0

    run(story)
