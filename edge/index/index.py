"""The vector index: segments on the disk, fresh vectors in memory, and the store behind both.

What is in neither, an interval whose file was damaged or superseded units that no graph holds, is read from the store
and compared exactly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from edge.engine.ports import Mask, Vector
from edge.engine.vector_ports import IndexState, SegmentState, VectorRows, Verified
from edge.index import files
from edge.index.files import storage_error
from edge.index.gathering import Source, gather
from edge.index.head import Head
from edge.index.holdings import Holdings
from edge.index.parts import Part, allowed_rows, best_of, cosines_of
from edge.index.segment import Segment, SegmentDamaged
from edge.index.upkeep import Upkeep
from edge.index.verifying import Fault, verify_segments
from edge.memory.units import UnitId

T = TypeVar("T")
SCANNED_MISSING = 16_384
"""Vectors of missing intervals, the newest, that a search reads from the store: about 60 ms."""
_UNIT_LENGTH_TOLERANCE = 1e-3


class SegmentedIndex:
    """A `VectorIndex`; `open_index` makes it. A lock lets any thread search. See the port for the methods."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._upkeep = Upkeep(holdings)
        self._lock = threading.RLock()

    def memory_bytes(self) -> int:
        with self._lock:
            return self._holdings.memory_bytes() + self._upkeep.memory_bytes()

    def state(self) -> IndexState:
        with self._lock:
            held = self._holdings
            return IndexState(
                vectors=held.count,
                fresh=len(held.head),
                missing=sum(gap.through - gap.after for gap in held.gaps),
                segments=tuple(
                    SegmentState(one.entry.name, len(one.units), len(one.units) - len(one), one.bytes)
                    for one in held.segments
                ),
                work=self._upkeep.work,
                unfit=tuple(held.unfit),
            )

    def follow(self) -> None:
        with self._lock:
            self._holdings.follow()

    def search(self, vector: Vector, limit: int, allowed: Mask | None) -> list[tuple[UnitId, float]]:
        """Raises ValueError for a vector of another dimension or not of length 1, and for a negative limit."""
        query = self._checked(vector)
        if limit < 0:
            raise ValueError(f"a limit of {limit}")
        if limit == 0:
            return []
        with self._lock:
            while True:
                try:
                    return gather(self._sources(query, allowed), limit)
                except SegmentDamaged as damage:
                    self._upkeep.lose({damage.segment}, str(damage))

    def step(self) -> bool:
        with self._lock:
            return self._storing(self._upkeep.step)

    def seal(self) -> None:
        with self._lock:
            self._upkeep.seal()

    def rebuild(self) -> None:
        with self._lock:
            self._upkeep.rebuild()

    def verify(self) -> Iterator[Verified]:
        """The lock is held for one item at a time."""
        faults: list[Fault] = []
        steps = verify_segments(self._holdings)
        total = self._holdings.count
        while True:
            with self._lock:
                step = self._storing(lambda: next(steps, None))
                if step is None:
                    break
                if step.fault is not None:
                    faults.append(step.fault)
                    self._upkeep.lose({step.fault.segment}, step.fault.reason)
                done = step.done
            yield Verified(min(done, total), total, tuple(fault.reason for fault in faults))
        yield Verified(total, total, tuple(fault.reason for fault in faults))

    def close(self) -> None:
        with self._lock:
            self._upkeep.stop()
            files.note_closing(self._holdings.folder)
            self._holdings.segments = []
            self._holdings.head = Head(self._holdings.shape.dimension, 0)

    def _storing(self, work: Callable[[], T]) -> T:
        """Do what uses the folder, and name what is wrong with it."""
        try:
            return work()
        except OSError as error:
            raise storage_error(self._holdings.folder, error) from error

    def _checked(self, vector: Vector) -> Vector:
        dimension = self._holdings.shape.dimension
        if vector.shape != (dimension,):
            raise ValueError(f"a vector of shape {vector.shape} in an index of {dimension} dimensions")
        if not abs(float(np.vecdot(vector, vector)) - 1.0) <= 2 * _UNIT_LENGTH_TOLERANCE:
            raise ValueError("the vector is not of length 1")
        return np.ascontiguousarray(vector, dtype=np.float32)

    def _sources(self, query: Vector, allowed: Mask | None) -> list[Source]:
        held = self._holdings
        mask = _padded(allowed, held.greatest_unit())
        sources = [Source(len(segment), _asks(segment, query, mask)) for segment in held.segments]
        sources.append(Source(len(held.head), _asks(held.head, query, mask)))
        sources += [Source(0, _compares(rows, query, allowed)) for rows in self._from_store(mask)]
        return sources

    def _from_store(self, mask: Mask | None) -> Iterator[VectorRows]:
        """What a search has to read there: the newest of what is missing, and superseded units that may be found."""
        held, embedder, left = self._holdings, self._holdings.shape.embedder, SCANNED_MISSING
        for gap in reversed(held.gaps):
            if left > 0:
                rows = held.log.newest_between(embedder, gap.after, gap.through, left)
                left -= len(rows.units)
                yield rows
        left_out = held.left_out(mask)
        if len(left_out):
            yield held.log.vectors_of(embedder, left_out)


def _padded(allowed: Mask | None, greatest: int) -> Mask | None:
    """The filter, as long as the greatest unit needs it."""
    if allowed is None or greatest < len(allowed):
        return allowed
    return np.concatenate([allowed, np.zeros(greatest + 1 - len(allowed), dtype=np.bool_)])


def _asks(part: Segment | Head, query: Vector, mask: Mask | None) -> Callable[[int], Part]:
    return lambda wanted: part.search(query, wanted, mask)


def _compares(rows: VectorRows, query: Vector, allowed: Mask | None) -> Callable[[int], Part]:
    """A source whose vectors were read already."""
    units, cosines = rows.units, cosines_of(rows.vectors, query)
    inside = allowed_rows(units, _padded(allowed, int(units.max(initial=0))))
    if inside is not None:
        units, cosines = units[inside], cosines[inside]
    return lambda wanted: best_of(units, cosines, wanted)
