"""What gives way, in which order, and what never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import PromptTooLong
from edge.prompt.budget import Granted, Wanted, allot

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
