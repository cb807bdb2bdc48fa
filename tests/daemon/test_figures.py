"""What is counted of turns, and how long things took."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.daemon.figures import RECALL_BOUNDS, Spread, TurnFigures
from edge.engine.events import Timings, TurnDone, TurnFailed, Usage
from edge.engine.model_ports import Finish
from edge.engine.recall import Found
from edge.errors import Cancelled, ModelFailed
from edge.memory.intents import Intent, Label, Move
from edge.memory.units import SessionId, TurnId

FOUND = Found((), None, False, (), (), 0.002, 0.03, {"text": 0.004, "embed": 0.02})
DONE = TurnDone(
    turn=TurnId(1), session=SessionId("main"), reply="小白", finish=Finish.STOP, told_by_runtime=False, found=FOUND,
    sent=frozenset(), remembered=(), usage=Usage(100, 80, 20, 7, 8), timings=Timings(0.002, 0.03, 0.4, 1.2),
    intent=Intent(Label.GENERAL, 0.5, "no rule fits", Move.OTHER),
)  # fmt: skip


def test_turns_are_counted_by_how_they_ended() -> None:
    figures = TurnFigures()
    for event in (
        DONE, replace(DONE, finish=Finish.LENGTH), replace(DONE, told_by_runtime=True),
        TurnFailed(Cancelled("stopped")), TurnFailed(ModelFailed("broke")),
    ):  # fmt: skip
        figures.ended(event)
    assert figures.turns == {"done": 2, "cut": 1, "cancelled": 1, "failed": 1}
    assert figures.by_runtime == 1
    assert figures.tokens == {"reused": 240, "evaluated": 60, "generated": 21, "memories": 24}
    assert figures.first_token.count == 3
    assert figures.turn.sum == pytest.approx(3.6)
    assert {stage: spread.count for stage, spread in figures.stages.items()} == {"rules": 3, "text": 3, "embed": 3}


def test_a_turn_without_a_token_has_no_first_one() -> None:
    figures = TurnFigures()
    figures.ended(replace(DONE, timings=Timings(0.0, 0.0, None, 0.1)))
    assert (figures.first_token.count, figures.turn.count) == (0, 1)


@given(st.lists(st.floats(0, 10), min_size=1), st.floats(0.01, 1))
def test_a_share_lies_within_the_interval_of_the_one_that_it_is(times: list[float], share: float) -> None:
    spread = Spread(RECALL_BOUNDS)
    for seconds in times:
        spread.add(seconds)
    assert spread.count == len(times)
    assert spread.sum == pytest.approx(sum(times))
    told = spread.below(share)
    assert told is not None
    # The first value by order of which so many are at most as large, and the interval that it lies in.
    exact = next(each for number, each in enumerate(sorted(times), 1) if number >= share * len(times) - 1e-9)
    low = max((bound for bound in RECALL_BOUNDS if bound < exact), default=0.0)
    high = min((bound for bound in RECALL_BOUNDS if bound >= exact), default=RECALL_BOUNDS[-1])
    assert low - 1e-9 <= told <= high + 1e-9


def test_of_nothing_no_share_is_known() -> None:
    assert Spread(RECALL_BOUNDS).below(0.5) is None
