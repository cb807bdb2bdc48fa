"""The model asked of messages that rules are not sure of, measured."""

from __future__ import annotations

from collections.abc import Sequence

from edge.engine.model_ports import StopSignal
from edge.memory.intents import Move
from scripts.benchmarks.intents import Judged
from scripts.benchmarks.intents_asked import measure_asked
from tests.fakes.language_model import ScriptedModel
from tests.memory.test_rules import RULES


class Last(ScriptedModel):
    """Takes the last of the answers for the likeliest after any message."""

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        about_nothing = b"Message: \n" in self.tokenizer.decode(prefix)
        return [-2.0] * (len(candidates) - 1) + [-2.0 if about_nothing else -1.0]


def test_only_what_the_rules_are_less_sure_of_is_asked() -> None:
    text = "What is my phone number?"
    judged = [Judged("part1", RULES.intent_of(text).label, Move.ASK, text)]
    sure = RULES.intent_of(judged[0].text).confidence
    assert measure_asked(RULES, judged, Last(), sure).tables[0].rows == []
    ((group, count, by_rules, general, offered, chosen),) = measure_asked(RULES, judged, Last(), 1.1).tables[0].rows
    assert (group, count, by_rules, general, offered, chosen) == ("part1, en", 1, 1.0, 0.0, 1.0, 0.0)
