from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.index.gathering import Source, gather
from edge.index.parts import EMPTY, Part, best_of
from tests.index.making import check_exact

Rows = list[tuple[int, int]]


class Asked:
    """A part that counts how often it was asked."""

    def __init__(self, rows: Rows) -> None:
        self.units = np.array([unit for unit, _ in rows], dtype=np.int64)
        self.cosines = np.array([cosine / 100 for _, cosine in rows], dtype=np.float32)
        self.wanted: list[int] = []

    def __call__(self, wanted: int) -> Part:
        self.wanted.append(wanted)
        return best_of(self.units, self.cosines, wanted)


ROWS = st.lists(st.tuples(st.integers(1, 40), st.integers(-100, 100)), max_size=80)


@given(parts=st.lists(ROWS, min_size=1, max_size=6), limit=st.integers(1, 50), lie=st.booleans())
def test_it_gathers_what_comparing_everything_finds(parts: list[Rows], limit: int, lie: bool) -> None:
    """Whatever the parts say of their size: those that read from the store say 0."""
    sources = [Source(0 if lie else len(rows), Asked(rows)) for rows in parts]
    best: dict[int, float] = {}
    for unit, cosine in (row for rows in parts for row in rows):
        best[unit] = max(cosine / 100, best.get(unit, -2.0))
    truth = dict(sorted(best.items(), key=lambda found: -found[1]))
    check_exact(gather(sources, limit), truth, limit)


def test_all_that_is_near_may_lie_in_one_part() -> None:
    near, far = Asked([(unit, 90) for unit in range(100)]), Asked([(unit, 10) for unit in range(100, 10_000)])
    found = gather([Source(100, near), Source(9900, far)], 50)
    assert {unit for unit, _ in found} <= set(range(100))
    assert len(found) == 50
    assert len(near.wanted) > 1
    assert len(far.wanted) == 1


def test_a_unit_of_many_chunks_leaves_room_for_others() -> None:
    one = Asked([(7, 99)] * 500 + [(unit, 50) for unit in range(10, 30)])
    assert gather([Source(520, one)], 3)[0][0] == 7
    assert len(gather([Source(520, one)], 21)) == 21
    assert one.wanted[-1] < 2000


@pytest.mark.parametrize("sources", [[Source(0, lambda _: EMPTY)], [Source(5, lambda _: EMPTY)] * 3])
def test_nothing_is_gathered_from_nothing(sources: list[Source]) -> None:
    assert gather(sources, 10) == []


def test_parts_are_asked_once_where_their_share_is_enough() -> None:
    asked: list[Callable[[int], Part]] = [
        Asked([(10 * unit + part, 100 - unit) for unit in range(50)]) for part in range(4)
    ]
    gather([Source(50, ask) for ask in asked], 20)
    assert all(len(ask.wanted) == 1 for ask in asked if isinstance(ask, Asked))
