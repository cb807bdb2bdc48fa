"""What an index should do next, from the sizes of its parts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

MOST_DEAD = 0.25
"""Share of a segment's vectors that may be dead or superseded before it is built anew."""
_FAN = 8
"""Sealed heads that make one segment of the next tier."""
_FULL = 0.9
"""Of the capacity: segments of the middle tier wait until they fill so much together."""
_WORTH = 8
"""A head of so manieth part of its bound is worth a file of its own, once the time for it is good."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers of embeddings: `after` < number <= `through`."""

    after: int
    through: int


@dataclass(frozen=True, slots=True)
class Size:
    """A segment: what it covers, vectors in its file, those of them that a merge would leave out, and whether it is to
    be built anew in any case."""

    interval: Interval
    rows: int
    dead: int
    stale: bool = False

    @property
    def live(self) -> int:
        return self.rows - self.dead

    @property
    def is_due(self) -> bool:
        return self.stale or self.dead > MOST_DEAD * self.rows


@dataclass(frozen=True, slots=True)
class Bounds:
    """Vectors in memory before they are sealed, and vectors that one build may hold."""

    head: int
    capacity: int

    @property
    def worth_a_file(self) -> int:
        """Vectors in memory from which on they may be sealed before their bound."""
        return max(1, self.head // _WORTH)


@dataclass(frozen=True, slots=True)
class Task:
    """Build a segment for an interval: `seal`, `merge` or `rebuild`. `expected` vectors."""

    name: str
    interval: Interval
    expected: int


def next_task(
    sizes: Sequence[Size], gaps: Sequence[Interval], head: Size, bounds: Bounds, *, early: bool = False
) -> Task | None:
    """What is due: to seal a full head, or an `early` one that is worth it; to rebuild what is missing, to build anew
    what is stale or holds too much that is dead, to merge what is small. `sizes` are by ascending interval."""
    if head.rows >= (bounds.worth_a_file if early else bounds.head):
        return Task("seal", head.interval, head.rows)
    if gaps:
        gap = gaps[-1]
        return Task("rebuild", gap, min(bounds.capacity, gap.through - gap.after))
    due = _due(sizes, bounds)
    if due:
        return Task("rebuild" if due[0].stale else "merge", *_all_of(due))
    small = _mergeable(sizes, bounds) or _stranded(sizes, bounds)
    return Task("merge", *_all_of(small)) if small else None


def _due(sizes: Sequence[Size], bounds: Bounds) -> list[Size]:
    """The first segment that is due, with those beside it that are due too and fit into one build."""
    for number, size in enumerate(sizes):
        if size.is_due:
            return _prefix([size, *_while_due(sizes[number + 1 :])], bounds)
    return []


def _while_due(sizes: Sequence[Size]) -> list[Size]:
    due: list[Size] = []
    for size in sizes:
        if not size.is_due:
            break
        due.append(size)
    return due


def _mergeable(sizes: Sequence[Size], bounds: Bounds) -> list[Size]:
    """A run of neighbours of one tier that are enough to make one of the next."""
    for run in _runs(sizes, bounds):
        if _are_enough(run, bounds):
            return _prefix(run, bounds)
    return []


def _stranded(sizes: Sequence[Size], bounds: Bounds) -> list[Size]:
    """A run that grows no more, as segments of a higher tier follow it, with the first of these where it fits in.

    Growth alone leaves the higher tiers before the lower ones; deaths do not.
    """
    runs = _runs(sizes, bounds)
    for run, following in pairwise(runs):
        if _tier(run[0], bounds) < _tier(following[0], bounds):
            found = _prefix([*run, following[0]], bounds)
            if len(found) > 1:
                return found
    return []


def _runs(sizes: Sequence[Size], bounds: Bounds) -> list[list[Size]]:
    """Neighbours of one tier."""
    return [list(run) for _, run in groupby(sizes, key=lambda size: _tier(size, bounds))]


def _are_enough(run: Sequence[Size], bounds: Bounds) -> bool:
    tier, live = _tier(run[0], bounds), sum(size.live for size in run)
    if len(run) < 2 or tier == 2:
        return False
    target = min(_FAN * bounds.head, bounds.capacity) if tier == 0 else bounds.capacity
    return live >= (target if tier == 0 else _FULL * target) or len(run) >= 2 * _FAN


def _tier(size: Size, bounds: Bounds) -> int:
    """0 for what sealed heads are, 2 for what is too large to be merged, 1 between."""
    if size.live > bounds.capacity / 2:
        return 2
    return 0 if size.live < _FAN * bounds.head / 2 else 1


def _prefix(run: Sequence[Size], bounds: Bounds) -> list[Size]:
    """As many from the start of a run as fit into one build, at least one."""
    chosen, live = [run[0]], run[0].live
    for size in run[1:]:
        live += size.live
        if live > bounds.capacity:
            break
        chosen.append(size)
    return chosen


def _all_of(run: Sequence[Size]) -> tuple[Interval, int]:
    return Interval(run[0].interval.after, run[-1].interval.through), sum(size.live for size in run)
