"""Short ways to make indexes, run them to their end, and compare their answers with the truth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from edge.engine.ports import Mask, Vector
from edge.engine.vector_ports import VectorIndex
from edge.index import building, segment
from edge.index.building import Build, Job, build_segment, capacity_of
from edge.index.files import Entry, Shape
from edge.index.index import SegmentedIndex
from edge.index.opening import open_index
from edge.index.options import Options
from edge.index.segment import Segment
from edge.memory.units import UnitId
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered

EVERYTHING = 10_000
EMBEDDER = "made-up/8"
_RESERVE = building._RESERVE


def small(dimension: int = 8, *, head: int = 32, capacity: int = 256) -> Options:
    """Bounds that a few hundred vectors reach."""
    per_vector = 4 * (1 + 32 + dimension + 2) + building.ELEMENT_BYTES
    options = Options(threads=1, head_vectors=head, build_bytes=_RESERVE + capacity * per_vector)
    assert capacity_of(Shape(EMBEDDER, dimension), options.build_bytes) == max(64, capacity)
    return options


def filled(count: int, dimension: int = 8) -> VectorLog:
    """A log of so many units, from 1, with one made-up vector each."""
    log = VectorLog(dimension)
    return more(log, count)


def more(log: VectorLog, count: int, *, first: int = 1, seed: int = 1) -> VectorLog:
    log.keep(range(first, first + count), clustered(count, log.dimension, seed=seed))
    return log


def opened(folder: Path, log: VectorLog, options: Options | None = None) -> SegmentedIndex:
    return open_index(folder, EMBEDDER, log.dimension, log, options or small(log.dimension))


def drain(index: VectorIndex, most: int = 20_000) -> int:
    """Steps until nothing is due; how many. Work that never ends fails."""
    for steps in range(most):
        if not index.step():
            return steps
    raise AssertionError("the work does not end")


def sealed(folder: Path, log: VectorLog, options: Options | None = None) -> SegmentedIndex:
    """An index that has done all its work."""
    index = opened(folder, log, options)
    drain(index)
    return index


def built(folder: Path, log: VectorLog, after: int = 0, through: int | None = None, links: int = 16) -> Segment:
    """One segment of a log's interval."""
    shape = Shape(EMBEDDER, log.dimension, links)
    entry = built_entry(folder, log, after, through, shape)
    assert entry is not None
    return Segment(folder, shape, entry)


def built_entry(
    folder: Path, log: VectorLog, after: int = 0, through: int | None = None, shape: Shape | None = None
) -> Entry | None:
    last = log.last_number(EMBEDDER) if through is None else through
    job = Job(after, last, log.forgotten_after(EMBEDDER, 0)[0], 1 << 20)
    return finish(build_segment(folder, shape or Shape(EMBEDDER, log.dimension), log, job, 1))


def finish(build: Build) -> Entry | None:
    """All steps of a build, and what comes of it."""
    while True:
        try:
            next(build)
        except StopIteration as end:
            entry: Entry | None = end.value
            return entry


def walk_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of a few hundred rows walk through their graph, as those of many thousands do."""
    monkeypatch.setattr(segment, "STEP_ROWS", 1)
    monkeypatch.setattr(segment, "PICKED_ROWS", 1)
    monkeypatch.setattr(segment, "SEARCH_EF", 32)


def mask_of(units: Iterable[int], length: int | None = None) -> Mask:
    chosen = np.array(sorted(units), dtype=np.int64)
    mask = np.zeros(int(chosen.max(initial=-1)) + 1 if length is None else length, dtype=np.bool_)
    mask[chosen] = True
    return mask


def exact(log: VectorLog, query: Vector, allowed: Mask | None = None) -> dict[int, float]:
    """Every allowed unit with its best cosine, best first."""
    best: dict[int, float] = {}
    for unit, cosine in zip(log.units.tolist(), (log.vectors @ query).tolist(), strict=True):
        if allowed is None or (unit < len(allowed) and allowed[unit]):
            best[unit] = max(cosine, best.get(unit, -2.0))
    return dict(sorted(best.items(), key=lambda found: -found[1]))


Answer = list[tuple[UnitId, float]]


def check_true(answer: Answer, truth: dict[int, float], limit: int) -> float:
    """Well-formed, nothing wrong in it, nothing short; gives the share of the nearest that it holds."""
    assert len({unit for unit, _ in answer}) == len(answer) == min(limit, len(truth))
    cosines = [cosine for _, cosine in answer]
    assert cosines == sorted(cosines, reverse=True)
    assert dict(answer) == pytest.approx({unit: truth[unit] for unit, _ in answer}, abs=1e-5)
    if not answer:
        return 1.0
    least = list(truth.values())[len(answer) - 1] - 1e-5
    return sum(cosine >= least for cosine in cosines) / len(answer)


def check_exact(answer: Answer, truth: dict[int, float], limit: int) -> None:
    assert check_true(answer, truth, limit) == 1.0


def assert_whole(index: SegmentedIndex, log: VectorLog) -> None:
    """Nothing is missing, and every answer is exact."""
    assert index.state().missing == 0
    for query in clustered(5, log.dimension, seed=2):
        check_exact(index.search(query, 20, None), exact(log, query), 20)
        check_exact(index.search(query, EVERYTHING, None), exact(log, query), EVERYTHING)


def bytes_of_folder(folder: Path) -> bytes:
    """All that is on the disk."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
