"""Compares an index with itself and with the store, a little at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from edge.engine.ports import Ids, Mask, Vector
from edge.index.files import IndexUnfit
from edge.index.holdings import Holdings
from edge.index.segment import Segment, SegmentDamaged

_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Fault:
    """A segment that is not what it should be, and why."""

    segment: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """Vectors looked at so far, and what was found wrong in this step."""

    done: int
    fault: Fault | None = None


def verify_segments(held: Holdings) -> Iterator[Step]:
    """Each segment in turn: what opening compares, the sums of all records, then every embedding of its interval in
    the store.

    What is replaced meanwhile is passed over: it was just built from the store.
    """
    done = 0
    for segment in tuple(held.segments):
        steps = _verify(held, segment)
        while segment in held.segments:
            try:
                step = next(steps, None)
            except SegmentDamaged as damage:
                yield Step(done, Fault(damage.segment, str(damage)))
                break
            if step is None:
                break
            yield Step(done + step.done, step.fault)
            if step.fault is not None:
                break
        done += len(segment)


def _verify(held: Holdings, segment: Segment) -> Iterator[Step]:
    if not segment.is_there():
        yield Step(0, Fault(segment.entry.name, f"files of {segment.entry.name} were removed while they were open"))
        return
    try:
        Segment(held.folder, held.shape, segment.entry)
    except IndexUnfit as error:
        yield Step(0, Fault(segment.entry.name, str(error)))
        return
    count = len(segment.units)
    for first in range(0, count, _ROWS):
        segment.verify(first, first + _ROWS)
        yield Step(min(first + _ROWS, count) // 2)
    yield from _compare(held, segment)


def _compare(held: Holdings, segment: Segment) -> Iterator[Step]:
    """Whether it holds exactly the store's embeddings of its interval, but for what it left out."""
    keys, through = segment.keys(), segment.entry.through
    order = np.argsort(keys)
    known, met = keys[order], np.zeros(len(keys), dtype=np.bool_)
    after = min(segment.entry.after, segment.built_after)
    while len((rows := held.log.vectors_between(held.shape.embedder, after, through, _ROWS)).units):
        after = int(rows.numbers[-1])
        wanted = ~np.isin(rows.units, segment.left_out)
        lacking = _meet(segment, known, met, rows.units[wanted], rows.vectors[wanted])
        done = (len(keys) + int(np.count_nonzero(met))) // 2
        if lacking:
            yield Step(done, Fault(segment.entry.name, f"{segment.entry.name} lacks {lacking} of the store's vectors"))
            return
        yield Step(done)
    # What was forgotten or superseded meanwhile is no fault.
    extra = np.count_nonzero(~met & ~segment.dead[order] & ~np.isin(segment.units[order], segment.left_out))
    if extra:
        reason = f"{segment.entry.name} holds {extra} vectors that the store does not"
        yield Step(len(keys), Fault(segment.entry.name, reason))


def _meet(segment: Segment, known: Ids, met: Mask, units: Ids, vectors: Vector) -> int:
    """Note which of the known keys are those of some vectors; how many of these are not known."""
    if not len(known) or not len(units):
        return len(units)
    wanted = np.unique(segment.keys_of(units, vectors))
    met |= np.isin(known, wanted)
    return int(np.count_nonzero(~np.isin(wanted, known)))
