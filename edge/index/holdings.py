"""What an index holds, and how it follows the store's log of embeddings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from edge.engine.ports import Ids, Mask
from edge.engine.vector_ports import VectorLog
from edge.index.building import capacity_of
from edge.index.files import Shape
from edge.index.head import Head
from edge.index.options import Options
from edge.index.planning import Bounds, Interval
from edge.index.segment import Segment

_READ = 4096


@dataclass(slots=True)
class Holdings:
    """Segments by ascending interval, the head above them, and the gaps between them: intervals that are missing.

    `forgotten` is where the store's list of forgotten units stands for all of them, `blanked` up to where the vectors
    of forgotten units are gone from the files. `unfit` says why files were moved aside; when those were of another
    state of the store, which may hold what this one forgot, they go as soon as nothing is missing.
    """

    folder: Path
    shape: Shape
    log: VectorLog
    options: Options
    segments: list[Segment]
    blanked: int
    head: Head = field(init=False)
    forgotten: int = field(init=False)
    gaps: list[Interval] = field(init=False)
    unfit: list[str] = field(default_factory=list)
    aside_is_foreign: bool = False

    def __post_init__(self) -> None:
        self.forgotten = min((segment.entry.forgotten for segment in self.segments), default=0)
        sealed = max((segment.entry.through for segment in self.segments), default=0)
        self.head = Head(self.shape.dimension, sealed)
        self.gaps = []
        self.find_gaps()
        self._fill_head()
        self.follow()

    @property
    def bounds(self) -> Bounds:
        """How large its parts may get."""
        return Bounds(self.options.head_vectors, capacity_of(self.shape, self.options.build_bytes))

    @property
    def count(self) -> int:
        """Vectors that can be found."""
        return sum(map(len, self.segments)) + len(self.head)

    def follow(self) -> None:
        """Take in what the store kept and forgot since."""
        while True:
            rows = self.log.vectors_between(self.shape.embedder, self.head.last, None, _READ)
            if not len(rows.units):
                break
            self.head.append(rows)
        number, units = self.log.forgotten_after(self.shape.embedder, self.forgotten)
        if len(units):
            self.forget(units)
        self.forgotten = number

    def forget(self, units: Ids) -> None:
        """Never return these units again."""
        self.head.remove(units)
        for segment in self.segments:
            segment.kill(units)

    def find_gaps(self) -> None:
        """Intervals below the head without a segment; those in which there is nothing go to the next one."""
        self.gaps = self._uncovered()  # at first all: should the store not answer, too much is missing, not too little
        empty = {gap.through: gap for gap in self.gaps if not self._holds_something(gap)}
        for segment in self.segments:
            if segment.entry.after in empty:
                segment.entry = replace(segment.entry, after=empty[segment.entry.after].after)
        self.gaps = [gap for gap in self.gaps if gap.through not in empty]

    def greatest_unit(self) -> int:
        """The greatest unit of all parts."""
        return max([self.head.greatest_unit(), *(segment.greatest_unit for segment in self.segments)])

    def left_out(self, allowed: Mask | None) -> Ids:
        """Superseded units that are in no graph, those that a filter allows; it reaches to the greatest unit."""
        none: Ids = np.zeros(0, dtype=np.int64)
        found = [segment.left_out for segment in self.segments]
        if allowed is not None:
            found = [units[allowed[units]] for units in found]
        return np.unique(np.concatenate([none, *found]))

    def memory_bytes(self) -> int:
        """Bytes of memory beside what is mapped."""
        return self.head.nbytes + sum(segment.nbytes for segment in self.segments)

    def _fill_head(self) -> None:
        """What is above the sealed numbers: into memory while it is little, else it is missing and built."""
        most, start = 2 * self.options.head_vectors, self.head.start
        rows = self.log.vectors_between(self.shape.embedder, start, None, most + 1)
        if len(rows.units) <= most:
            self.head.append(rows)
            return
        last = self.log.last_number(self.shape.embedder)
        self.gaps.append(Interval(start, last))
        self.head = Head(self.shape.dimension, last)

    def _uncovered(self) -> list[Interval]:
        """All below the head that no segment covers."""
        starts = [0, *(segment.entry.through for segment in self.segments)]
        ends = [*(segment.entry.after for segment in self.segments), self.head.start]
        return [Interval(start, end) for start, end in zip(starts, ends, strict=True) if start < end]

    def _holds_something(self, gap: Interval) -> bool:
        return len(self.log.vectors_between(self.shape.embedder, gap.after, gap.through, 1).units) > 0
