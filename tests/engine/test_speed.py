"""Speed is smoothed, what is too short to tell is left out, and what is known leaves a turn so many tokens."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.engine.model_ports import Finish, Generation
from edge.engine.speed import Figures, Measured, Pace, Speed, tried
from tests.fakes.clock import SetClock
from tests.fakes.language_model import ScriptedModel

SECONDS = st.floats(0.0001, 10)


def generation(evaluated: int, prefill: float, made: int = 0, generating: float = 0.0) -> Generation:
    return Generation(Finish.STOP, tuple(range(made)), evaluated, 0, prefill, generating)


def speed_of(token_seconds: float, overhead: float = 0.0) -> Speed:
    return Speed(Figures(prefill=Measured(token_seconds, 0.0), overhead=Measured(overhead, 0.0)))


def test_nothing_is_known_before_the_first_telling_measure() -> None:
    speed = Speed()
    for short in (generation(15, 1.0, 15, 1.0), generation(100, 0.0, 100, 0.0)):
        speed.note(short)
        assert (speed.prefill, speed.generate, speed.token_seconds) == (None, None, None)


def test_the_newest_counts_a_fifth() -> None:
    speed = Speed()
    speed.note(generation(100, 1.0, 20, 1.0))
    assert (speed.prefill, speed.generate) == (100.0, 20.0)
    speed.note(generation(200, 1.0, 3, 1.0))
    assert speed.prefill == pytest.approx(1 / 0.009, abs=0.01)
    assert speed.generate == 20.0


def test_what_went_by_beside_is_noted_where_the_model_made_the_first_token() -> None:
    speed = Speed()
    before = speed.figures.overhead
    speed.note(generation(100, 1.0))
    assert speed.figures.overhead == before
    speed.note(generation(100, 1.0), before.mean / 2)
    assert before.mean * 0.9 == pytest.approx(speed.figures.overhead.mean)


@given(SECONDS, st.lists(SECONDS, max_size=30))
def test_one_measure_moves_the_mean_by_a_fifth_at_most_upwards(first: float, others: list[float]) -> None:
    known = [Measured.first(first)]
    for seconds in others:
        known.append(known[-1].after(seconds))
    for before, after in pairwise(known):
        assert after.mean <= before.mean * 1.2 * (1 + 1e-9)
        assert after.careful >= after.mean > 0


def test_a_pace_that_lasts_is_learnt_and_its_unsteadiness_with_it() -> None:
    steady, unsteady = Measured.first(0.001), Measured.first(0.001)
    for n in range(60):
        steady = steady.after(0.01)
        unsteady = unsteady.after(0.015 if n % 2 else 0.005)
    assert steady.mean == pytest.approx(0.01, rel=0.01)
    assert steady.careful == pytest.approx(0.01, rel=0.01)
    assert unsteady.careful > 0.015


def test_a_guess_serves_until_something_was_measured() -> None:
    speed = Speed()
    speed.begin(Figures(), guess=0.01)
    assert (speed.token_seconds, speed.prefill) == (0.01, None)
    speed.note(generation(100, 2.0))
    assert speed.token_seconds == pytest.approx(0.024)
    speed.begin(Figures(prefill=Measured(0.5, 0.0)))
    assert speed.token_seconds == 0.5


def test_the_time_that_is_left_turns_into_tokens() -> None:
    clock = SetClock()
    pace = Pace(speed_of(0.01, overhead=0.1), 2.0, clock)
    began = clock.monotonic()
    assert pace.tokens(began) == 184
    clock.pass_by(seconds=1)
    assert pace.tokens(began) == 88
    clock.pass_by(seconds=5)
    assert pace.tokens(began) == 0
    assert Pace(Speed(), 2.0, clock).tokens(began) is None


@given(SECONDS, st.floats(0, 5), st.floats(0.1, 100), st.floats(0.1, 100))
def test_more_time_is_never_fewer_tokens(each: float, overhead: float, one: float, other: float) -> None:
    clock = SetClock()
    few, many = (
        Pace(speed_of(each, overhead), target, clock).tokens(clock.monotonic()) for target in sorted((one, other))
    )
    assert few is not None
    assert many is not None
    assert 0 <= few <= many <= max(one, other) / each


def test_a_trial_leaves_the_streams_window_alone() -> None:
    clock = SetClock()
    model = ScriptedModel()
    assert tried(model, clock) is None
    assert model.prompts == []
    [prompt] = model.aside
    assert len(prompt) == 32
