"""Threads that search through the port while another adds, seals and merges."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from edge.engine.ports import Mask, Vector
from edge.engine.vector_ports import VectorIndex
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import drain, mask_of, opened, small, walk_always

COUNT, DIMENSION, BATCH = 4096, 16, 16
VECTORS = clustered(COUNT, DIMENSION, seed=1)
QUERIES = clustered(64, DIMENSION, seed=2)
LIMIT = 20


class Searching(threading.Thread):
    """Searches until it is told to stop, and checks every answer by itself: no unit twice or unknown, cosines right
    and in order, not short. `known` grows in place, before the index is told."""

    def __init__(self, index: VectorIndex, known: list[int], followed: list[int], mask: Mask | None, gone: set[int]):
        super().__init__()
        self._index = index
        self._known = known
        self._followed = followed
        self._mask = mask
        self._gone = gone
        self.ending = threading.Event()
        self.searches = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.ending.is_set():
                self._search(QUERIES[self.searches % len(QUERIES)])
                self.searches += 1
        except BaseException as error:
            self.error = error
            raise

    def _search(self, query: Vector) -> None:
        least, gone = self._followed[0], frozenset(self._gone)
        answer = self._index.search(query, LIMIT, self._mask)
        units = [int(unit) for unit, _ in answer]
        assert len(set(units)) == len(units)
        assert all(0 < unit <= self._known[0] for unit in units)
        assert not gone & set(units)
        assert all(self._mask is None or self._mask[unit] for unit in units)
        cosines = [cosine for _, cosine in answer]
        assert cosines == sorted(cosines, reverse=True)
        assert cosines == pytest.approx((VECTORS[np.array(units, dtype=int) - 1] @ query).tolist(), abs=1e-5)
        there = least if self._mask is None else int(self._mask[1 : least + 1].sum())
        assert len(answer) >= min(LIMIT, max(0, there - len(self._gone)))


@pytest.mark.parametrize("walks", [False, True])
def test_many_are_added_while_others_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walks: bool) -> None:
    if walks:
        walk_always(monkeypatch)
    log, known, followed, gone = VectorLog(DIMENSION), [0], [0], set[int]()
    index = opened(tmp_path, log, small(DIMENSION, head=128, capacity=3000))
    masks = [None, mask_of(range(1, COUNT + 1, 3)), mask_of(range(1, COUNT + 1, 200))]
    threads = [Searching(index, known, followed, mask, gone) for mask in masks]
    for thread in threads:
        thread.start()
    tasks = set()
    for first in range(0, COUNT, BATCH):
        known[0] = first + BATCH
        log.keep(range(first + 1, first + BATCH + 1), VECTORS[first : first + BATCH])
        index.follow()
        followed[0] = first + BATCH
        for row in (first, first + BATCH - 1):
            assert index.search(VECTORS[row], 1, None)[0][0] == row + 1
        if first % 512 == 0:
            log.forget([first + 3])
            index.follow()
            gone.add(first + 3)
        for _ in range(3):
            index.step()
            work = index.state().work
            tasks.add(work and work.task)
    index.rebuild()
    drain(index)
    for thread in threads:
        thread.ending.set()
    for thread in threads:
        thread.join()
    assert [thread.error for thread in threads] == [None, None, None]
    assert all(thread.searches > 10 for thread in threads)
    assert {"seal", "merge"} <= tasks
    assert index.state().vectors == COUNT - len(gone)
    assert index.state().unfit == ()
    for step in index.verify():
        assert step.faults == ()
