"""A window grows at its end and knows what the model has not seen."""

from __future__ import annotations

from edge.memory.units import TurnId, UnitId
from edge.prompt.window import Marks, Window, must_compact


def test_appending_changes_nothing_before() -> None:
    window = Window((1, 2), frozenset({UnitId(1)}), pending=1).append((3, 4), frozenset({UnitId(2)}))
    assert window == Window((1, 2, 3, 4), frozenset({UnitId(1), UnitId(2)}), pending=3)


def test_closing_a_turn_leaves_the_closing_mark_to_evaluate() -> None:
    window = Window((1, 2), pending=2).close_turn((7, 8), (9,), TurnId(5), 1)
    assert window == Window((1, 2, 7, 8, 9), turns=frozenset({TurnId(5)}), pending=2)


def test_the_high_mark_and_the_replys_room_both_hold() -> None:
    window = Window(tuple(range(60)))
    high = Marks(context=200, reply=20, high=100, low=30)
    assert not must_compact(window, 40, high)
    assert must_compact(window, 41, high)
    narrow = Marks(context=110, reply=20, high=100, low=30)
    assert not must_compact(window, 30, narrow)
    assert must_compact(window, 31, narrow)
