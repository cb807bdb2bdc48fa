"""Builds a segment for an interval of the store's embeddings: sealing, merging and rebuilding are all this.

Everything is read from the store, which is the truth, so a segment that is built from others' intervals repeats none of
their faults. It goes on in steps of some milliseconds.
"""

from __future__ import annotations

import errno
import mmap
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import hnswlib
import numpy as np

from edge.disk import sync_file
from edge.engine.ports import Ids
from edge.engine.vector_ports import VectorLog, VectorRows
from edge.index.checks import Checks, Sums
from edge.index.files import ROWS_SUFFIX, TEMPORARY, Entry, Shape, graph_path, name_of, rows_path
from edge.index.layout import HEADER_BYTES, LayoutUnfit, Records, UpperLevels, find_upper_levels, read_layout
from edge.index.saving import save
from edge.index.sidefile import Side, outline_of, write_side

ELEMENT_BYTES = 140
"""What hnswlib keeps in memory for an element beside its record: a lock, a level, upper links, the labels' table."""
_RESERVE = 38 << 20
"""Bytes of a build that are not the graph's: the store's cache, rows on their way, what the process that writes the
file has of its own, what the allocator keeps."""
_READ, _ADD, _SUM = 1024, 16, 2048
"""Vectors in one read from the store, in one step of building, and in one of summing."""
_SEED = 100
_STEM = "segment"


@dataclass(frozen=True, slots=True)
class Job:
    """What to build: at most `capacity` embeddings with `after` < number <= `through`. `forgotten` is where the store's
    list of forgotten units stands."""

    after: int
    through: int
    forgotten: int
    capacity: int


Build = Generator[int, None, Entry | None]
"""Gives the number of vectors done with each step, and at its end the entry; None for an interval without embeddings.
The entry ends before the interval does where its capacity is used up."""


def capacity_of(shape: Shape, build_bytes: int) -> int:
    """How many vectors a build may hold so that it stays inside its memory; at least a few."""
    record = 4 * (1 + 2 * shape.links + shape.dimension + 2)
    return max(64, (build_bytes - _RESERVE) // (record + ELEMENT_BYTES))


def build_segment(folder: Path, shape: Shape, log: VectorLog, job: Job, threads: int) -> Build:
    """Build the files of a segment; nothing names them yet. Raises OSError, and what the log raises."""
    temporary = folder / (_STEM + TEMPORARY)
    gathered = yield from _build_graph(temporary, shape, log, job, threads)
    if gathered.is_empty:
        return None
    side = (yield from _describe(temporary, gathered)) if gathered.count else _empty_side(gathered)
    return _name(folder, shape, job, side)


def _build_graph(
    temporary: Path, shape: Shape, log: VectorLog, job: Job, threads: int
) -> Generator[int, None, _Gathered]:
    """Read the interval into a graph and write it; the graph leaves the memory with this function, which takes a step
    of its own."""
    gathered = _Gathered(job.after)
    graph = hnswlib.Index("ip", shape.dimension)
    room = max(1, min(job.capacity, job.through - job.after))
    graph.init_index(room, M=shape.links, ef_construction=shape.ef_construction, random_seed=_SEED)
    for rows in _read(log, shape, job, gathered):
        units, vectors = rows.units[~rows.superseded], rows.vectors[~rows.superseded]
        for first in range(0, len(units), _ADD):
            batch = vectors[first : first + _ADD]
            graph.add_items(batch, np.arange(gathered.count, gathered.count + len(batch)), num_threads=threads)
            gathered.take(units[first : first + _ADD])
            yield gathered.count
        if not len(units):
            yield gathered.count
        gathered.pass_by(rows)
    if gathered.count:
        with closing(save(temporary, graph)) as steps:
            for _ in steps:
                yield gathered.count
        yield gathered.count
    return gathered


class _Gathered:
    """What a build has read so far: the unit of each label, superseded units, and the last number."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.through = after
        self.count = 0
        self._units: list[Ids] = []
        self._left_out: list[Ids] = []

    @property
    def is_empty(self) -> bool:
        return not self.count and not self._left_out

    @property
    def units(self) -> Ids:
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._units])

    @property
    def left_out(self) -> Ids:
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *self._left_out]))

    def take(self, units: Ids) -> None:
        self._units.append(units)
        self.count += len(units)

    def pass_by(self, rows: VectorRows) -> None:
        """The end of a batch: remember what was left out of it, and how far the interval is read."""
        if rows.superseded.any():
            self._left_out.append(rows.units[rows.superseded])
        self.through = int(rows.numbers[-1])


def _read(log: VectorLog, shape: Shape, job: Job, gathered: _Gathered) -> Generator[VectorRows]:
    while gathered.count < job.capacity:
        limit = min(_READ, job.capacity - gathered.count)
        rows = log.vectors_between(shape.embedder, gathered.through, job.through, limit)
        if not len(rows.units):
            gathered.through = job.through
            return
        yield rows


def _describe(path: Path, gathered: _Gathered) -> Generator[int, None, Side]:
    """Read a graph's file as it was written, a piece with each step."""
    yield gathered.count
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        records = Records(mapped, read_layout(mapped[:HEADER_BYTES]))
        upper = find_upper_levels(records)
    except LayoutUnfit as error:
        raise OSError(errno.EIO, f"the vector index was written wrong: {error}") from error
    yield gathered.count
    units = gathered.units[records.labels()]
    yield gathered.count
    sums: Sums = np.empty((gathered.count, 2), dtype=np.uint32)
    checks = Checks(records.layout)
    for first in range(0, gathered.count, _SUM):
        sums[first : first + _SUM] = checks.of(records.words[first : first + _SUM])
        yield gathered.count
    with path.open("rb") as written:
        outline = outline_of(written, records.layout.tail_at)
    return Side(gathered.after, gathered.through, units, sums, gathered.left_out, upper, len(mapped), outline)


def _empty_side(gathered: _Gathered) -> Side:
    nothing = UpperLevels(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint8))
    none: Ids = np.zeros(0, dtype=np.int64)
    sums: Sums = np.zeros((0, 2), dtype=np.uint32)
    return Side(gathered.after, gathered.through, none, sums, gathered.left_out, nothing, 0, "")


def _name(folder: Path, shape: Shape, job: Job, side: Side) -> Entry:
    """Write the rows file and give both files their name."""
    temporary = folder / (_STEM + TEMPORARY)
    rows = folder / (_STEM + ROWS_SUFFIX + TEMPORARY)
    sha256 = write_side(rows, shape, side)
    sync_file(rows)
    name = name_of(sha256)
    if len(side.units):
        temporary.rename(graph_path(folder, name))
    rows.rename(rows_path(folder, name))
    return Entry(name, sha256, side.after, side.through, job.forgotten)
