"""Units of several talks, where one holds most of what matches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edge.memory.spreading import spread
from edge.memory.units import Recalled, SessionId, Stage, UnitId
from tests.memory.making import unit


def found(count: int) -> list[Recalled]:
    return [Recalled(unit(number, "words"), 1 - number / 100, Stage.SEARCH) for number in range(count)]


def talks(*names: str) -> dict[UnitId, SessionId | None]:
    return {UnitId(number): SessionId(name) if name else None for number, name in enumerate(names)}


def ids(kept: tuple[Recalled, ...]) -> list[int]:
    return [int(each.unit.id) for each in kept]


def test_a_talk_that_holds_much_leaves_room_for_others() -> None:
    assert ids(spread(found(6), talks("a", "a", "a", "a", "b", "c"), 2, 4)) == [0, 1, 4, 5]


def test_where_others_leave_room_more_of_it_is_taken_in_order() -> None:
    assert ids(spread(found(6), talks("a", "a", "a", "a", "b", "a"), 2, 4)) == [0, 1, 2, 4]


def test_what_was_said_in_no_talk_counts_for_none() -> None:
    assert ids(spread(found(4), talks("", "", "", "a"), 1, 4)) == [0, 1, 2, 3]
    assert ids(spread(found(3), {}, 1, 2)) == [0, 1]


@given(st.lists(st.sampled_from(["a", "b", ""]), max_size=9), st.integers(1, 4), st.integers(0, 9))
def test_as_many_are_taken_as_there_are_best_first(names: list[str], each: int, most: int) -> None:
    kept = ids(spread(found(len(names)), talks(*names), each, most))
    assert len(kept) == min(most, len(names))
    assert kept == sorted(kept)
    assert not kept or kept[0] == 0
