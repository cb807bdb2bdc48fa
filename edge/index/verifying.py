"""Compares an index with itself and with the store, a little at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from edge.engine.ports import Ids
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
    """Each segment in turn: the sums of all records, then every embedding of its interval in the store.

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
    count = len(segment.units)
    for first in range(0, count, _ROWS):
        segment.verify(first, first + _ROWS)
        yield Step(min(first + _ROWS, count) // 2)
    yield from _compare(held, segment)


def _compare(held: Holdings, segment: Segment) -> Iterator[Step]:
    """Whether it holds exactly the store's embeddings of its interval, but for what it left out."""
    keys, found, after = segment.live_keys(), 0, segment.entry.after
    while True:
        rows = held.log.vectors_between(held.shape.embedder, after, segment.entry.through, _ROWS)
        if not len(rows.units):
            break
        after = int(rows.numbers[-1])
        wanted = rows.units if not len(segment.left_out) else rows.units[~np.isin(rows.units, segment.left_out)]
        vectors = rows.vectors if len(wanted) == len(rows.units) else rows.vectors[np.isin(rows.units, wanted)]
        lacking = _lacking(keys, segment.keys_of(wanted, vectors)) if len(wanted) else 0
        found += len(wanted)
        if lacking:
            yield Step(found, Fault(segment.entry.name, f"{segment.entry.name} lacks {lacking} of the store's vectors"))
            return
        yield Step((len(segment.units) + found) // 2)
    if found != len(keys):
        reason = f"{segment.entry.name} holds {len(keys)} vectors for {found} of the store's"
        yield Step(found, Fault(segment.entry.name, reason))


def _lacking(keys: Ids, wanted: Ids) -> int:
    """How many of the wanted are not among ascending keys."""
    if not len(keys):
        return len(wanted)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return int(np.count_nonzero(keys[places] != wanted))
