"""Which turns count as recalls, which served, and which sound forgetful."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge.engine.health import Health
from edge.engine.recall import Found
from edge.memory.health import Tally
from edge.memory.units import UnitId
from tests.engine.making import ANN, BOB, Desk, fact, found, remembered
from tests.fakes.health import FakeHealth
from tests.memory.test_rules import RULES

NOTHING = Found((), None, False, (), (), 0.0, 0.0)
ASKED = replace(NOTHING, about_the_past=True)


def with_one() -> Found:
    return replace(NOTHING, recalled=tuple(found(remembered(Desk().store, fact("The user likes tea.")))))


def tally(message: str, reply: str, recalled: Found, *served: int, is_told: bool = False) -> Tally:
    kept = FakeHealth()
    units = [UnitId(unit) for unit in served]
    Health(kept, RULES.amnesia).replied(ANN, message, reply, recalled, units, is_told=is_told)
    return kept.tally(ANN)


@pytest.mark.parametrize("question", ["What do I like?", "what do i like to drink", "我喜欢喝什么？"])
def test_a_question_is_a_recall_that_serves_or_does_not(question: str) -> None:
    assert tally(question, "You like tea.", with_one(), 1).recalls == "1"
    assert tally(question, "It is sunny.", with_one()).recalls == "0"
    assert tally(question, "I don't know that yet.", ASKED).recalls == "0"


@pytest.mark.parametrize("message", ["I moved to Bonn.", "我搬到波恩了。"])
def test_what_only_tells_is_none(message: str) -> None:
    assert tally(message, "Got it.", with_one()).recalls == ""


def test_nor_is_a_question_of_which_memory_has_nothing_and_needs_nothing() -> None:
    assert tally("What is the capital of France?", "Paris.", NOTHING).recalls == ""


def test_nor_is_one_that_something_else_answers() -> None:
    assert tally("How far are you?", "40 of 100.", ASKED, is_told=True).recalls == ""
    assert tally("Do I still like tea?", "Yes, you like tea.", with_one(), 1, is_told=True).recalls == "1"


@pytest.mark.parametrize("reply", ["I don't remember.", "Could you repeat that?", "I'm not sure.", "我不记得了。"])
def test_a_forgetful_turn_has_recalled_nothing(reply: str) -> None:
    assert tally("Hello.", reply, NOTHING).forgetful_turns == 1
    assert tally("Hello.", reply, with_one()).forgetful_turns == 0
    assert tally("Hello.", reply, NOTHING, 4).forgetful_turns == 0


def test_three_in_a_row_are_an_alert_and_the_next_good_turn_ends_it() -> None:
    kept = FakeHealth()
    health = Health(kept, RULES.amnesia)
    for reply in ("I don't remember.", "我记不清了。", "Can you remind me?"):
        assert not kept.tally(ANN).has_amnesia
        health.replied(ANN, "Hm.", reply, NOTHING, (), is_told=False)
    assert kept.tally(ANN).has_amnesia
    assert kept.tally(BOB) == Tally()
    health.replied(ANN, "Hm.", "All right.", NOTHING, (), is_told=False)
    assert kept.tally(ANN).forgetful_turns == 0


def test_what_changes_nothing_is_not_written() -> None:
    kept = FakeHealth()
    Health(kept, RULES.amnesia).replied(ANN, "Hello.", "Hi!", NOTHING, (), is_told=False)
    assert kept.kept == {}
