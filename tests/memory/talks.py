"""Talks of fifty turns through the real use cases: a slot is told, corrected, confirmed, and asked for at the end."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from edge.engine.ports import Scope
from edge.engine.recall import Found, Limits, Recall
from edge.engine.remember import Remember
from edge.engine.vectors import Vectors
from edge.memory.lifecycle import Lifespans
from edge.memory.rules import Rules
from edge.memory.text import squeezed
from edge.memory.units import OwnerId, SessionId, Stage, TurnState
from tests.fakes.clock import SetClock
from tests.fakes.memory_store import FakeMemoryStore

CASES = Path(__file__).parent / "cases"
ANN, MAIN = OwnerId("uid:1000"), SessionId("main")
_LENGTH = 50

_SMALL_TALK = (
    "The weather is lovely today.",
    "今天天气真不错。",
    "What is the capital of France?",
    "Tell me a joke, please.",
    "给我讲个笑话吧。",
    "How long do I boil an egg?",
    "鸡蛋要煮多久？",
    "Ha, that was a good one!",
    "哈哈，有意思。",
    "Why is the sky blue?",
    "天为什么是蓝的？",
    "I saw a film about penguins last night.",
    "昨晚我看了一部关于企鹅的电影。",
)
"""What else is talked about in between."""


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the tables `talks_*.toml`."""

    told: str
    corrected_in: int
    corrected: str
    confirmed: str
    asked: str
    answer: str
    gone: str


def read_cases(name: str) -> list[Case]:
    """The rows of a table."""
    return [Case(*row) for row in tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))["talks"]]


class Talk:
    """A memory of one owner, without vectors."""

    def __init__(self, rules: Rules) -> None:
        self.clock = SetClock()
        self.store = FakeMemoryStore()
        self._recall = Recall(self.store, rules, Vectors(), Limits(200, 8, 0.35, 0.4), self.clock)
        self._remember = Remember(self.store, rules, Vectors(), Lifespans())

    def say(self, message: str) -> None:
        """A turn with a reply that says nothing new."""
        self.clock.pass_by(minutes=1)
        turn = self._remember.begin_turn(ANN, MAIN, message, self.clock.now()).turn
        assert turn is not None
        self._remember.finish_turn(
            ANN, MAIN, turn, "OK.", TurnState.DONE, [message], self.clock.now(), session_only=False
        )

    def ask(self, question: str) -> Found:
        """What recall finds now."""
        self.clock.pass_by(minutes=1)
        return self._recall.find(Scope(ANN, MAIN, self.clock.now() + timedelta(seconds=1), present=True), question)


def play(case: Case, rules: Rules) -> Found:
    """The talk of a case up to its question in the last turn."""
    talk = Talk(rules)
    said = {1: case.told, case.corrected_in: case.corrected, case.corrected_in + 1: case.confirmed}
    for turn in range(1, _LENGTH):
        talk.say(said.get(turn, _SMALL_TALK[turn % len(_SMALL_TALK)]))
    return talk.ask(case.asked)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A row of the tables `spoken_*.toml`: `corrected`, `confirmed` and `gone` may be empty."""

    told: str
    corrected: str
    confirmed: str
    asked: str
    answer: str
    gone: str

    def outcome(self, rules: Rules) -> str:
        """`right`, `missed` where the rules answer nothing, or `wrong`."""
        talk = Talk(rules)
        for message in (self.told, self.corrected, self.confirmed, *_SMALL_TALK[:4]):
            if message:
                talk.say(message)
        told = [hit.unit.content for hit in talk.ask(self.asked).recalled if hit.stage is Stage.RULE]
        if self.gone and any(self.gone in content for content in told):
            return "wrong"
        if any(squeezed(self.answer) in squeezed(content) for content in told):
            return "right"
        return "wrong" if told else "missed"


def read_spoken(name: str) -> list[Spoken]:
    """The rows of such a table."""
    return [Spoken(*row) for row in tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))["talks"]]


def what_is_wrong(case: Case, found: Found) -> str | None:
    """Why what was found is not the answer of the rules alone; None where it is."""
    if found.asked is None:
        return "not seen as a question for a slot"
    told = [recalled.unit.content for recalled in found.recalled if recalled.stage is Stage.RULE]
    if not told or (found.asked.certain and len(told) < len(found.recalled)):
        return f"not answered by the rules from {', '.join(found.asked.slots)}"
    if not any(squeezed(case.answer) in squeezed(content) for content in told):
        return f"answered with {told}"
    if any(case.gone in content for content in told):
        return f"still answered with {told}"
    return None
