"""A segment: an immutable file of hnswlib, searched where it is mapped.

Opening looks at the outline only; a record's sums are compared when a search has looked at it for the first time, and
before the answer is given. So no answer rests on a damaged record, and a gigabyte opens at once.
"""

from __future__ import annotations

import mmap
import os
from math import ceil
from pathlib import Path

import numpy as np

from edge.engine.ports import Ids, Mask, Vector
from edge.index.checks import Checks
from edge.index.files import Entry, IndexUnfit, Shape, graph_path, reading, rows_path
from edge.index.layout import HEADER_BYTES, LayoutUnfit, Records, Rows, Words, read_layout
from edge.index.parts import EMPTY, Part, allowed_rows, best_of, cosines_of
from edge.index.sidefile import Side, outline_of, read_side
from edge.index.walk import Graph, Nearest

SEARCH_EF = 64
"""Least number of elements that a walk keeps; twice as many as are asked for."""
STEP_ROWS = 300
"""Rows that are compared one after the other in the time of one step of a walk; measured 14 us and 0.047 us."""
PICKED_ROWS = 90
"""The same for rows that have to be picked out first; measured 0.155 us."""
_BLOCK = 1024


class SegmentDamaged(Exception):
    """A record that a search has looked at is not what was written; `segment` is the name of the segment."""

    def __init__(self, segment: str, reason: str) -> None:
        super().__init__(reason)
        self.segment = segment


class Segment:
    """The files of one entry of the manifest, open. Its methods that look at records raise SegmentDamaged."""

    def __init__(self, folder: Path, shape: Shape, entry: Entry) -> None:
        """Open it. Raises IndexUnfit with the reason."""
        self.entry = entry
        self.stale = False
        """Whether it is to be built anew on request."""
        self._path = graph_path(folder, entry.name)
        side = read_side(folder, shape, entry)
        self.built_after = side.after
        """Where the interval began for which it was built."""
        self.units, self.left_out, self._sums = side.units, side.left_out, side.sums
        self.greatest_unit = int(max(self.units.max(initial=0), self.left_out.max(initial=0)))
        self.bytes = side.graph_bytes + rows_path(folder, entry.name).stat().st_size
        self.dead = np.zeros(len(self.units), dtype=np.bool_)
        self._dead_count = 0
        self._blanked = np.zeros(0, dtype=np.int64)
        self._verified = np.zeros(len(self.units), dtype=np.bool_)
        self._unverified_count = len(self.units)
        if len(self.units):
            self.records = _map_graph(self._path, shape, side)
            self._checks = Checks(self.records.layout)
            self.graph = Graph(self.records, side.upper)

    def __len__(self) -> int:
        """Vectors that can be found."""
        return len(self.units) - self._dead_count

    @property
    def is_cut(self) -> bool:
        """Whether another segment has taken over the beginning of what it holds."""
        return self.entry.after > self.built_after

    @property
    def nbytes(self) -> int:
        """Bytes of memory beside what is mapped."""
        return self.dead.nbytes + self._verified.nbytes

    def search(self, query: Vector, wanted: int, allowed: Mask | None) -> Part:
        """The best rows: by a walk through the graph where that is cheaper than to compare them all."""
        rows = allowed_rows(self.units, allowed)
        if self._dead_count:
            rows = ~self.dead if rows is None else rows & ~self.dead
        count = len(self.units) if rows is None else int(np.count_nonzero(rows))
        if not count:
            return EMPTY
        if count == len(self.units):
            rows = None
        ef = max(SEARCH_EF, 2 * wanted)
        if self._walk_is_cheaper(ef, count):
            nearest = self.graph.search(query, ef, rows)
            if self._unverified_count:
                self._check(np.flatnonzero(nearest.seen & ~self._verified))
            if len(nearest.rows) >= min(wanted, count):
                return self._part(nearest, wanted, count)
        return self._scan(query, wanted, rows, count)

    def kill(self, units: Ids) -> None:
        """Never return these units again."""
        found = np.isin(self.units, units)
        if found.any():
            self.dead |= found
            self._dead_count = int(np.count_nonzero(self.dead))

    def count_live(self, units: Ids) -> int:
        """How many rows of these units are not dead."""
        return int(np.count_nonzero(np.isin(self.units, units) & ~self.dead))

    def unblanked(self) -> Rows:
        """Dead rows whose vectors may still be in the file."""
        return np.setdiff1d(np.flatnonzero(self.dead), self._blanked, assume_unique=True)

    def blank(self, rows: Rows) -> None:
        """Overwrite the vectors of dead rows, but for those that are blank since an earlier opening. Raises OSError."""
        layout = self.records.layout
        nothing = bytes(4 * layout.dimension)
        written = rows[self.records.words[rows, layout.vector_at : layout.vector_end].any(axis=1)]
        file = os.open(self._path, os.O_WRONLY)
        try:
            for row in written.tolist():
                os.pwrite(file, nothing, HEADER_BYTES + 4 * (row * layout.words + layout.vector_at))
            os.fsync(file)
        finally:
            os.close(file)
        self._blanked = np.concatenate([self._blanked, rows])

    def verify(self, first: int, last: int) -> None:
        """Compare the sums of rows [first, last), whether they were compared before or not."""
        self._check(np.arange(first, min(last, len(self.units))))

    def keys(self) -> Ids:
        """The unit and the vector's sum of each row as one number."""
        return vector_keys(self.units, self._sums[:, 1])

    def keys_of(self, units: Ids, vectors: Vector) -> Ids:
        """The same of vectors from elsewhere, in their order."""
        return vector_keys(units, self._checks.of_vectors(vectors))

    def is_there(self) -> bool:
        """Whether its files still have their names. Raises OSError."""
        rows = rows_path(self._path.parent, self.entry.name)
        return rows.exists() and (self._path.exists() or not len(self.units))

    def advise(self, *, warm: bool) -> None:
        """Tell the kernel to read it soon and whole, or only what is touched."""
        if len(self.units):
            self.records.mapped.madvise(mmap.MADV_RANDOM)
            if warm:
                self.records.mapped.madvise(mmap.MADV_WILLNEED)

    def _walk_is_cheaper(self, ef: int, count: int) -> bool:
        steps = ef * ceil(len(self.units) / count)
        return steps * STEP_ROWS < len(self.units) and steps * PICKED_ROWS < count

    def _part(self, nearest: Nearest, wanted: int, count: int) -> Part:
        rows = nearest.rows[:wanted]
        return Part(self.units[rows], nearest.cosines[:wanted], count > len(rows))

    def _scan(self, query: Vector, wanted: int, rows: Mask | None, count: int) -> Part:
        if self._unverified_count:
            unseen = ~self._verified if rows is None else rows & ~self._verified
            self._check(np.flatnonzero(unseen))
        if rows is None or PICKED_ROWS * len(self.units) < STEP_ROWS * count:
            cosines = cosines_of(self.records.vectors(0, len(self.units)), query)
            picked = slice(None) if rows is None else rows
            return best_of(self.units[picked], cosines[picked], wanted)
        numbers = np.flatnonzero(rows)
        blocks = [numbers[first : first + _BLOCK] for first in range(0, count, _BLOCK)]
        words = (self.records.words.take(block, axis=0) for block in blocks)
        cosines = np.concatenate([np.vecdot(self.records.vectors_in(block), query) for block in words])
        return best_of(self.units[numbers], cosines, wanted)

    def _check(self, rows: Rows) -> None:
        """Compare the sums of some rows. Those of a dead row's vector are not: it may be blank."""
        for first in range(0, len(rows), _BLOCK):
            block = rows[first : first + _BLOCK]
            differ = self._checks.of(self.records.words.take(block, axis=0)) != self._sums[block]
            differ[:, 1] &= ~self.dead[block]
            if differ.any():
                bad = int(block[differ.any(axis=1)][0])
                raise SegmentDamaged(
                    self.entry.name, f"record {bad} of {self._path.name} has another sum than its rows file says"
                )
            self._unverified_count -= int(np.count_nonzero(~self._verified[block]))
            self._verified[block] = True


def vector_keys(units: Ids, sums: Words) -> Ids:
    """A unit and the sum of one of its vectors as one number."""
    return (units.astype(np.int64) << 32) | sums.astype(np.int64)


def _map_graph(path: Path, shape: Shape, side: Side) -> Records:
    try:
        with reading(path) as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if len(mapped) != side.graph_bytes:
                raise IndexUnfit(f"{path.name} has {len(mapped)} bytes, not {side.graph_bytes}")
            records = Records(mapped, read_layout(file.read(HEADER_BYTES)))
            outline = outline_of(file, records.layout.tail_at)
    except LayoutUnfit as error:
        raise IndexUnfit(f"{path.name} does not fit: {error}") from error
    layout = records.layout
    if (layout.count, layout.dimension, layout.links) != (len(side.units), shape.dimension, 2 * shape.links):
        raise IndexUnfit(f"{path.name} holds {layout.count} vectors of {layout.dimension} dimensions")
    if outline != side.outline:
        raise IndexUnfit(f"the outline of {path.name} has another sha256 than its rows file says")
    return records
