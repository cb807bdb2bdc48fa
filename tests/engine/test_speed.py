"""Speed is smoothed, and what is too short to tell is left out."""

from __future__ import annotations

from edge.engine.model_ports import Finish, Generation
from edge.engine.speed import Speed


def generation(evaluated: int, prefill: float, made: int, generating: float) -> Generation:
    return Generation(Finish.STOP, tuple(range(made)), evaluated, 0, prefill, generating)


def test_nothing_is_known_before_the_first_telling_measure() -> None:
    speed = Speed()
    for short in (generation(15, 1.0, 15, 1.0), generation(100, 0.0, 100, 0.0)):
        speed.note(short)
        assert (speed.prefill, speed.generate) == (None, None)


def test_the_newest_counts_a_fifth() -> None:
    speed = Speed()
    speed.note(generation(100, 1.0, 20, 1.0))
    assert (speed.prefill, speed.generate) == (100.0, 20.0)
    speed.note(generation(200, 1.0, 3, 1.0))
    assert (speed.prefill, speed.generate) == (120.0, 20.0)
