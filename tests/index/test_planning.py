from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.index.planning import MOST_DEAD, Bounds, Interval, Size, Task, next_task

BOUNDS = Bounds(head=10, capacity=200)
NO_HEAD = Size(Interval(10**6, 10**6), 0, 0)


def run(*sizes: tuple[int, int] | int, stale: tuple[int, ...] = ()) -> list[Size]:
    """Segments one after the other, each of so many rows, so many of them dead."""
    made: list[Size] = []
    for number, size in enumerate(sizes):
        rows, dead = size if isinstance(size, tuple) else (size, 0)
        after = made[-1].interval.through if made else 0
        made.append(Size(Interval(after, after + rows), rows, dead, number in stale))
    return made


def head(rows: int) -> Size:
    return Size(Interval(1000, 1000 + rows), rows, 0)


GAP, OLD_GAP = Interval(500, 900), Interval(0, 40)


@pytest.mark.parametrize(
    ("sizes", "gaps", "fresh", "task"),
    [
        ([], [], NO_HEAD, None),
        ([], [], head(9), None),
        ([], [], head(10), Task("seal", Interval(1000, 1010), 10)),
        (run((10, 9)), [GAP], head(10), Task("seal", Interval(1000, 1010), 10)),
        (run((10, 9)), [OLD_GAP, GAP], head(9), Task("rebuild", GAP, 200)),
        ([], [OLD_GAP], head(0), Task("rebuild", OLD_GAP, 40)),
        (run(10, 10), [], NO_HEAD, None),
        (run((100, 25)), [], NO_HEAD, None),
        (run((100, 26)), [], NO_HEAD, Task("merge", Interval(0, 100), 74)),
        (run((100, 100)), [], NO_HEAD, Task("merge", Interval(0, 100), 0)),
        (run(100, (100, 60), (90, 30), (90, 80), 90), [], NO_HEAD, Task("merge", Interval(100, 380), 110)),
        (run((200, 60), (200, 60)), [], NO_HEAD, Task("merge", Interval(0, 200), 140)),
        (run(100, 50, stale=(0, 1)), [], NO_HEAD, Task("rebuild", Interval(0, 150), 150)),
        (run(150, 150, stale=(0, 1)), [], NO_HEAD, Task("rebuild", Interval(0, 150), 150)),
        (run(150, 150, stale=(1,)), [], NO_HEAD, Task("rebuild", Interval(150, 300), 150)),
        (run(500, stale=(0,)), [], NO_HEAD, Task("rebuild", Interval(0, 500), 500)),
        (run(*[10] * 7), [], NO_HEAD, None),
        (run(*[10] * 8), [], NO_HEAD, Task("merge", Interval(0, 80), 80)),
        (run(*[1] * 15), [], NO_HEAD, None),
        (run(*[1] * 16), [], NO_HEAD, Task("merge", Interval(0, 16), 16)),
        (run(80, 80), [], NO_HEAD, None),
        (run(90, 90), [], NO_HEAD, Task("merge", Interval(0, 180), 180)),
        (run(80, 80, *[10] * 8), [], NO_HEAD, Task("merge", Interval(160, 240), 80)),
        (run(180, 180, 180), [], NO_HEAD, None),
        (run(180, *[10] * 4, 90, 90), [], NO_HEAD, Task("merge", Interval(220, 400), 180)),
        (run(180, *[10] * 4, 180), [], NO_HEAD, Task("merge", Interval(180, 220), 40)),
        (run(180, 20, 180), [], NO_HEAD, Task("merge", Interval(180, 380), 200)),
        (run(180, 30, 180), [], NO_HEAD, None),
        (run(180, 30, 180, 10, 80), [], NO_HEAD, Task("merge", Interval(390, 480), 90)),
        (run(180, 80, 10, 10), [], NO_HEAD, None),
    ],
)
def test_what_comes_next(sizes: list[Size], gaps: list[Interval], fresh: Size, task: Task | None) -> None:
    assert next_task(sizes, gaps, fresh, BOUNDS) == task


class Growing:
    """Sizes as an index would have them, without vectors: every task is done at once."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.sizes: list[Size] = []
        self.number = 0
        self.fresh = 0
        self.sealed = 0
        self.written = 0
        self.most_segments = 0

    def add(self, count: int) -> None:
        self.number += count
        self.fresh += count
        self.work()

    def work(self, *, early: bool = False) -> None:
        before = self._weight()
        for _ in range(10_000):
            fresh = Size(Interval(self.number - self.fresh, self.number), self.fresh, 0)
            task = next_task(self.sizes, [], fresh, self.bounds, early=early)
            if task is None:
                break
            self._do(task)
            after = self._weight()
            assert task.name == "seal" or after < before, "a task that changes nothing comes again"
            before = after
        else:
            raise AssertionError("the work does not end")
        self.most_segments = max(self.most_segments, len(self.sizes))

    def _weight(self) -> tuple[int, int, int]:
        """What each task but a seal makes smaller."""
        sizes = self.sizes
        return sum(size.stale for size in sizes), sum(size.dead for size in sizes), len(sizes)

    def _do(self, task: Task) -> None:
        interval = task.interval
        inside = [
            size
            for size in self.sizes
            if interval.after <= size.interval.after and size.interval.through <= interval.through
        ]
        rows = sum(size.live for size in inside)
        if task.name == "seal":
            rows, self.fresh = self.fresh, 0
            self.sealed += rows
        assert 0 <= rows <= self.bounds.capacity
        self.written += rows
        kept = [size for size in self.sizes if size not in inside]
        new = [Size(interval, rows, 0)] if rows else []
        self.sizes = sorted(kept + new, key=lambda size: size.interval.after)


def test_an_early_head_is_sealed_where_it_is_worth_a_file() -> None:
    bounds = Bounds(4096, 138_000)
    assert next_task([], [], head(511), bounds, early=True) is None
    assert next_task([], [], head(512), bounds, early=True) == Task("seal", Interval(1000, 1512), 512)
    assert next_task([], [], head(512), bounds) is None
    assert next_task([], [], head(0), Bounds(4, 100), early=True) is None


@pytest.mark.parametrize(("a_day", "days", "most_segments", "most_writes"), [(40, 3650, 22, 4.5), (3000, 365, 24, 4)])
def test_years_of_quiet_nights(a_day: int, days: int, most_segments: int, most_writes: float) -> None:
    """Heads that are sealed small are merged as well, and no vector is written over and over."""
    growing = Growing(Bounds(4096, 133_000))
    for _ in range(days):
        growing.add(a_day)
        growing.work(early=True)
    assert growing.fresh < growing.bounds.worth_a_file
    assert growing.most_segments <= most_segments
    assert growing.written / growing.sealed <= most_writes


def test_growth_to_a_million_with_the_default_bounds() -> None:
    growing = Growing(Bounds(4096, 138_000))
    for _ in range(245):
        growing.add(4096)
    assert growing.sealed > 1_000_000
    assert growing.written / growing.sealed <= 4
    assert growing.most_segments <= 24
    assert sum(size.rows for size in growing.sizes) == growing.sealed


@settings(max_examples=60)
@given(
    bounds=st.builds(Bounds, head=st.integers(1, 100), capacity=st.integers(100, 5000)),
    steps=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3)), max_size=60),
    chance=st.randoms(use_true_random=False),
)
def test_any_growth_stays_small(
    bounds: Bounds,
    steps: list[tuple[int, int]],
    chance: Random,
) -> None:
    """Heads are added, units die, all is to be built anew: no task is too large, and the work ends each time."""
    growing = Growing(bounds)
    for heads, kind in steps:
        if kind == 1:
            growing.sizes = [_with_dead(size, chance.randint) for size in growing.sizes]
        elif kind == 2:
            growing.sizes = [Size(size.interval, size.rows, size.dead, True) for size in growing.sizes]
        for _ in range(heads):
            growing.add(bounds.head)
        assert all(size.dead <= MOST_DEAD * size.rows and not size.stale for size in growing.sizes)
    full = growing.sealed / bounds.capacity
    assert growing.most_segments <= 60 + 3 * full


def _with_dead(size: Size, randint: Callable[[int, int], int]) -> Size:
    dead = randint(size.dead, size.rows) if randint(0, 1) else size.dead
    return Size(size.interval, size.rows, dead, size.stale)
