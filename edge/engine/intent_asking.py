"""The model's say in what a turn is for, where no rule is sure and there is time: it chooses among at most three."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from edge.engine.model_ports import LanguageModel, StopSignal
from edge.engine.ports import Worker
from edge.engine.running import RunningTurn
from edge.engine.speed import Pace
from edge.errors import ModelFailed
from edge.memory.cluster_signals import usable
from edge.memory.intents import SURE, Intent, Label
from edge.memory.questions import is_question
from edge.memory.rules import Rules
from edge.memory.secrets import redacted
from edge.prompt.intent_choosing import IntentChoosing

_log = logging.getLogger(__name__)
_SHARE = 4
"""Of the tokens that a turn has time for, one in so many may go into the question."""
_OF_QUESTIONS = (Label.FACT, Label.AGGREGATE)
_OF_OTHERS = (Label.STATE_CHANGE, Label.PROGRESS)
"""What is most often meant where no rule knows it."""


def choices(message: str, intent: Intent) -> tuple[Label, ...]:
    """Three labels for a message at most: what the rules take it for, and what else it may well be."""
    others = _OF_QUESTIONS if is_question(message) else _OF_OTHERS
    return tuple(dict.fromkeys((intent.label, Label.GENERAL, *others)))[:3]


@dataclass(frozen=True, slots=True)
class Question:
    """The question for a message, the one for an empty message, and the answers to choose from."""

    labels: tuple[Label, ...]
    message: Sequence[int]
    nothing: Sequence[int]
    answers: Sequence[Sequence[int]]

    @property
    def tokens(self) -> int:
        """Tokens that are evaluated for it at most."""
        return len(self.message) + len(self.nothing) + 2 * sum(map(len, self.answers))


class IntentAsking:
    """Asks the model of a turn that is about to open. Lives on the event loop."""

    def __init__(self, rules: Rules, worker: Worker, pace: Pace, *, wanted: bool) -> None:
        """`worker` is the model's thread. Where it is not `wanted`, nothing is asked."""
        self._rules = rules
        self._worker = worker
        self._pace = pace
        self._wanted = wanted

    async def intent(self, turn: RunningTurn, model: LanguageModel, since: float) -> Intent | None:
        """What the turn is for, where the model was asked; None leaves it to the rules. What the model cannot tell, or
        has no time for, is left to them too. Its cache keeps the session's window. Raises Cancelled."""
        if not self._wanted:
            return None
        message, _ = redacted(turn.message)
        intent = self._rules.intent_of(message)
        if intent.confidence >= SURE:
            return intent
        asked = question(model, message, intent)
        in_time = self._pace.tokens(since)
        if in_time is None or _SHARE * asked.tokens > in_time or asked.tokens > model.aside_tokens:
            return intent
        signal = model.new_stop()
        turn.arm(signal)
        try:
            label = await self._worker.run(partial(likeliest, model, asked, signal))
        except ModelFailed as failure:
            _log.warning("what a turn is for is left to the rules: %s", failure.message)
            return intent
        if label is None:
            return intent
        named = ", ".join(each.value for each in asked.labels)
        return Intent(label, SURE, f"the model's choice of {named}", intent.move)


def question(model: LanguageModel, message: str, intent: Intent) -> Question:
    """What is asked of a message that the rules take for this."""
    choosing, labels = IntentChoosing(model.tokenizer), choices(message, intent)
    return Question(labels, choosing.asked(message), choosing.asked(""), [choosing.answer(label) for label in labels])


def likeliest(model: LanguageModel, asked: Question, stop: StopSignal) -> Label | None:
    """The label that a message makes likelier than the others, beside what is likely after none; None where the answers
    are no log-probabilities. On the model's thread. Raises what `score` raises."""
    usual = model.score(asked.nothing, asked.answers, stop)
    scores = model.score(asked.message, asked.answers, stop)
    if not (usable(usual, len(asked.labels)) and usable(scores, len(asked.labels))):
        return None
    gains = [score - other for score, other in zip(scores, usual, strict=True)]
    return asked.labels[max(range(len(gains)), key=gains.__getitem__)]
