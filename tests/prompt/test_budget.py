"""What gives way, in which order, and what never does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import PromptTooLong
from edge.prompt.budget import Cause, GaveWay, Granted, Section, Wanted, allot, low_mark

SIZES = st.integers(0, 40)
WANTED = st.builds(Wanted, SIZES, SIZES, SIZES, SIZES, st.lists(SIZES, max_size=5), st.lists(SIZES, max_size=5))


def total(wanted: Wanted, granted: Granted) -> int:
    optional = wanted.summary * granted.summary + wanted.tool_result * granted.tool_result
    optional += wanted.tool_call * granted.tool_call
    turns = wanted.turns[len(wanted.turns) - granted.turns :]
    return wanted.fixed + optional + sum(wanted.memories[: granted.memories]) + sum(turns)


@given(st.integers(0, 200), WANTED)
def test_what_is_granted_fits_and_is_counted(room: int, wanted: Wanted) -> None:
    if wanted.fixed > room:
        with pytest.raises(PromptTooLong) as refused:
            allot(room, wanted)
        over = wanted.fixed - room
        assert refused.value.details == {"prompt_tokens": wanted.fixed, "room_tokens": room, "over_by": over}
        return
    granted = allot(room, wanted)
    assert granted.total == total(wanted, granted) <= room


@given(st.integers(0, 200), WANTED)
def test_what_gives_way_last_is_served_first(room: int, wanted: Wanted) -> None:
    if wanted.fixed > room:
        return
    granted = allot(room, wanted)
    left = room - wanted.fixed - sum(wanted.turns[len(wanted.turns) - granted.turns :])
    if granted.turns < len(wanted.turns):
        assert wanted.turns[-granted.turns - 1] > left
    left -= sum(wanted.memories[: granted.memories])
    if granted.memories < len(wanted.memories):
        assert wanted.memories[granted.memories] > left
    for size, kept in (
        (wanted.tool_call, granted.tool_call),
        (wanted.tool_result, granted.tool_result),
        (wanted.summary, granted.summary),
    ):
        assert kept == (size <= left)
        left -= size * kept


def test_they_give_way_one_after_the_other() -> None:
    wanted = Wanted(fixed=100, summary=10, tool_result=10, tool_call=10, memories=[10, 10], turns=[10, 10])
    order = [allot(room, wanted) for room in range(170, 99, -10)]
    assert [(g.summary, g.tool_result, g.tool_call, g.memories, g.turns) for g in order] == [
        (True, True, True, 2, 2),
        (False, True, True, 2, 2),
        (False, False, True, 2, 2),
        (False, False, False, 2, 2),
        (False, False, False, 1, 2),
        (False, False, False, 0, 2),
        (False, False, False, 0, 1),
        (False, False, False, 0, 0),
    ]


# --- in time ---

ASKED = st.builds(
    Wanted, SIZES, SIZES, SIZES, SIZES, st.lists(SIZES, max_size=5), st.lists(SIZES, max_size=5), st.integers(0, 10),
    st.booleans(), st.booleans(),
).filter(lambda wanted: wanted.held <= wanted.fixed)  # fmt: skip
TALKS = ASKED.map(lambda wanted: replace(wanted, turns=()))
IN_TIME = st.integers(0, 200)
AMPLE = 1000


def sections(granted: Granted) -> tuple[int, int, bool, bool, bool]:
    """What is granted, in the order of giving way, the last first."""
    return granted.turns, granted.memories, granted.tool_call, granted.tool_result, granted.summary


def least(wanted: Wanted, in_time: int) -> int:
    """Tokens of what stays however long it takes."""
    best = wanted.memories[0] if wanted.memories else 0
    return wanted.fixed + best * (wanted.certain or (wanted.asked and best <= in_time / 5))


@given(st.integers(40, 200), IN_TIME, ASKED)
def test_what_is_granted_is_evaluated_in_time_unless_nothing_else_is_left(
    room: int, in_time: int, wanted: Wanted
) -> None:
    granted = allot(room, wanted, in_time)
    assert granted.total == total(wanted, granted) <= room
    assert granted.total - wanted.held <= max(in_time, least(wanted, in_time) - wanted.held)


@given(TALKS, IN_TIME, IN_TIME)
def test_more_time_gives_no_less(wanted: Wanted, one: int, other: int) -> None:
    fewer, more = (allot(AMPLE, wanted, in_time) for in_time in sorted((one, other)))
    assert fewer.memories <= more.memories
    assert sections(fewer) <= sections(more)


@given(st.integers(40, 200), ASKED)
def test_with_time_enough_the_tokens_alone_decide(room: int, wanted: Wanted) -> None:
    assert allot(room, wanted, AMPLE) == allot(room, wanted)


@given(st.integers(40, 200), IN_TIME, ASKED)
def test_all_that_gave_way_is_told_with_what_there_was_not_enough_of(room: int, in_time: int, wanted: Wanted) -> None:
    asked = wanted.fixed + wanted.summary + wanted.tool_result + wanted.tool_call
    asked += sum(wanted.memories) + sum(wanted.turns)
    granted = allot(room, wanted, in_time)
    assert sum(each.tokens for each in granted.gave_way) == asked - granted.total
    by_tokens = allot(room, wanted).gave_way
    assert {each.cause for each in by_tokens} <= {Cause.TOKENS}
    if granted == allot(room, wanted):
        assert granted.gave_way == by_tokens
    else:
        assert Cause.SECONDS in {each.cause for each in granted.gave_way}


def test_the_best_memory_stays_where_it_is_certain_or_short_beside_the_time() -> None:
    wanted = Wanted(fixed=100, memories=[20, 20], held=10)
    for in_time, certain, asked, memories in (
        (0, False, False, 0),
        (0, True, False, 1),
        (99, False, True, 0),
        (100, False, True, 1),
        (100, False, False, 0),
        (110, False, False, 1),
        (130, False, False, 2),
    ):
        granted = allot(AMPLE, replace(wanted, certain=certain, asked=asked), in_time)
        assert granted.memories == memories, (in_time, certain, asked)
    assert allot(100, replace(wanted, certain=True), 0).memories == 0


def test_what_gave_way_is_counted_by_section_and_cause() -> None:
    wanted = Wanted(fixed=10, tool_result=30, memories=[10, 10, 10], held=5)
    assert allot(70, wanted).gave_way == ()
    assert allot(65, wanted, 15).gave_way == (
        GaveWay(Section.TOOL_RESULT, 1, 30, Cause.TOKENS),
        GaveWay(Section.MEMORIES, 2, 20, Cause.SECONDS),
    )


@given(SIZES, SIZES, SIZES, SIZES, IN_TIME, IN_TIME)
def test_the_low_mark_sinks_with_the_time_but_not_below_the_base(
    low: int, base: int, fixed: int, adds: int, one: int, other: int
) -> None:
    sunk, higher = (low_mark(low, base, fixed, adds, in_time) for in_time in sorted((one, other)))
    assert min(low, base) <= sunk <= higher <= low
    assert low_mark(low, base, fixed, adds, None) == low
    if sunk > base:
        turns = sunk - base
        assert fixed + turns <= min(one, other)
        assert turns <= (min(one, other) - fixed) // 2 or fixed + turns + adds <= min(one, other)
