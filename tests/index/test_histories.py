"""Any order of what an index lives through, with real files, beside a dict that knows the truth."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from edge.engine.ports import Mask, Vector
from edge.index import segment as segment_module
from edge.index.index import SegmentedIndex
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import bytes_of_folder, check_true, drain, exact, mask_of, opened, small

VECTORS = clustered(400, 8, seed=3)


class Histories(RuleBasedStateMachine):
    """Units have one to three vectors; their ids are never given twice, as the store's."""

    least_recall = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="edge-index-"))
        self.log = VectorLog(8)
        self.forgotten: list[tuple[int, Vector]] = []
        self.superseded: set[int] = set()
        self.next_unit = 1
        self.behind = False
        self.shares: list[float] = []

    @initialize(head=st.sampled_from([1, 16, 64]), capacity=st.sampled_from([64, 100, 300]))
    def open(self, head: int, capacity: int) -> None:
        self.options = small(head=head, capacity=capacity)
        self.index: SegmentedIndex = opened(self.folder, self.log, self.options)

    @rule(units=st.integers(1, 60), chunks=st.integers(1, 3), vector=st.integers(0, 399))
    def keep(self, units: int, chunks: int, vector: int) -> None:
        kept = [self.next_unit + place // chunks for place in range(units * chunks)]
        self.next_unit += units
        self.log.keep(kept, VECTORS[(vector + 7 * np.arange(len(kept))) % 400])
        self.behind = True

    @precondition(lambda self: len(self.log.units) > 0)
    @rule(places=st.lists(st.integers(0, 10_000), min_size=1, max_size=25), run=st.integers(1, 20))
    def forget(self, places: list[int], run: int) -> None:
        units = np.unique(self.log.units)
        gone = {int(units[(place + step) % len(units)]) for place in places for step in range(run)}
        self.forgotten += [
            (int(unit), vector)
            for unit, vector in zip(self.log.units.tolist(), self.log.vectors, strict=True)
            if unit in gone
        ]
        self.log.forget(gone)
        self.behind = True

    @precondition(lambda self: len(self.log.units) > 0)
    @rule(places=st.lists(st.integers(0, 10_000), min_size=1, max_size=25))
    def supersede(self, places: list[int]) -> None:
        self.log.supersede([int(self.log.units[place % len(self.log.units)]) for place in places])

    @rule()
    def follow(self) -> None:
        self.index.follow()
        self.behind = False

    @rule(steps=st.integers(1, 12))
    def step(self, steps: int) -> None:
        for _ in range(steps):
            self.index.step()

    @rule()
    def finish(self) -> None:
        self.follow()
        drain(self.index)
        state = self.index.state()
        assert (state.missing, state.work) == (0, None)
        assert state.fresh < self.options.head_vectors
        assert all(one.dead <= 0.25 * one.vectors for one in state.segments)
        left = set(map(bytes, self.log.vectors))
        content = bytes_of_folder(self.folder)
        assert not any(bytes(vector) in content for _, vector in self.forgotten if bytes(vector) not in left)

    @rule()
    def rebuild(self) -> None:
        self.index.rebuild()

    @rule(capacity=st.sampled_from([64, 100, 300]), closed=st.booleans())
    def open_again(self, capacity: int, closed: bool) -> None:
        """With or without having been closed, as after a kill; the bound of a build may be another."""
        if closed:
            self.index.close()
        self.options = small(head=self.options.head_vectors, capacity=capacity)
        self.index = opened(self.folder, self.log, self.options)
        self.behind = False
        assert self.index.state().unfit == ()

    @rule()
    def verify(self) -> None:
        self.follow()
        assert list(self.index.verify())[-1].faults == ()

    @rule(
        query=st.integers(0, 399),
        limit=st.integers(0, 50) | st.just(5000),
        allowed=st.none() | st.tuples(st.integers(1, 20), st.integers(0, 19)),
    )
    def search(self, query: int, limit: int, allowed: tuple[int, int] | None) -> None:
        if self.behind:
            self.follow()
        mask = None if allowed is None else self.mask(*allowed)
        truth = exact(self.log, VECTORS[query], mask)
        self.shares.append(check_true(self.index.search(VECTORS[query], limit, mask), truth, limit))
        assert self.shares[-1] >= self.least_recall

    def mask(self, one_in: int, first: int) -> Mask:
        return mask_of(range(first + 1, self.next_unit, one_in))

    @invariant()
    def its_parts_add_up(self) -> None:
        if not hasattr(self, "index"):
            return
        state = self.index.state()
        assert state.vectors == state.fresh + sum(one.vectors - one.dead for one in state.segments)

    def teardown(self) -> None:
        if hasattr(self, "index"):
            self.finish()
            self.verify()
            for query in range(0, 400, 40):
                self.search(query, 20, None)
        assert not self.shares or np.mean(self.shares) >= 0.95
        shutil.rmtree(self.folder)


class Walking(Histories):
    """The same where segments walk through their graphs, which may miss a neighbour."""

    least_recall = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.patched = pytest.MonkeyPatch()
        for name, value in (("STEP_ROWS", 1), ("PICKED_ROWS", 1), ("SEARCH_EF", 16)):
            self.patched.setattr(segment_module, name, value)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.patched.undo()


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestWalking = Walking.TestCase
TestWalking.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
