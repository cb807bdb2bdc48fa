"""The table of lanes, whatever sessions do."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from edge.engine.kv_ports import Lane, shared
from edge.models.cells import Cells
from edge.models.lanes import LaneTable
from tests.fakes.lanes import SEQUENCES, TokenCache

ROOM, WINDOW = 60, 40
PROMPTS = st.lists(st.integers(0, 2), min_size=1, max_size=WINDOW - 4)
TURNS = st.lists(
    st.tuples(st.sampled_from("abcdefg"), PROMPTS, st.integers(1, 4), st.sampled_from(("say", "say", "drop", "bring"))),
    max_size=25,
)


def cells_by_hand(cells: Cells, sequences: Sequence[int]) -> int:
    return len({cell for sequence in sequences for cell in cells._cells[sequence]})


@given(TURNS)
def test_whatever_sessions_do_room_is_kept_and_what_is_held_is_right(
    turns: list[tuple[str, list[int], int, str]],
) -> None:
    cache = TokenCache()
    table = LaneTable(cache, SEQUENCES, ROOM)
    before: dict[Lane, list[int]] = {}
    for name, prompt, reply, deed in turns:
        lane = Lane(name)
        if deed == "drop":
            table.drop(lane)
            before.pop(lane, None)
            continue
        most = len(prompt) + reply
        leaving = table.leaving(lane, most)
        longest = max((shared(held, prompt[:-1]) for held in before.values()), default=0)
        if deed == "bring":
            cache.cells.append(table.make_room(lane, len(prompt)), prompt)
        else:
            kept = table.enter(lane, prompt, most)
            assert kept == longest < len(prompt)
            assert list(table.held(lane)) == prompt[:kept]
            cache.cells.append(table.sequence(lane), [*prompt[kept:], *[9] * reply])
            assert not set(leaving) & set(table.names)
        before = {each: held for each, held in before.items() if each in table.names}
        before[lane] = list(table.held(lane))
        assert {each: list(table.held(each)) for each in table.names} == before
        assert table.names[-1] == lane
        assert len(table.names) < len(SEQUENCES)
        assert len({table.sequence(each) for each in table.names}) == len(table.names)
        assert cells_by_hand(cache.cells, SEQUENCES) == cache.cells.used(SEQUENCES) <= ROOM


@given(PROMPTS, PROMPTS)
def test_shared_is_the_longest_common_beginning(one: list[int], other: list[int]) -> None:
    length = shared(one, other)
    assert one[:length] == other[:length]
    assert length in (len(one), len(other)) or one[length] != other[length]


def test_who_leaves_is_still_what_who_enters_begins_with() -> None:
    cache = TokenCache()
    table = LaneTable(cache, SEQUENCES, ROOM)
    first = Lane("first")
    table.enter(first, [1, 2, 3, 4], 40)
    cache.cells.append(table.sequence(first), list(range(1, 41)))
    assert table.leaving(Lane("second"), 40) == [first]
    assert table.enter(Lane("second"), [1, 2, 3, 9, 9], 40) == 3
    assert table.names == ("second",)
    assert cache.cells.used(SEQUENCES) == 3
