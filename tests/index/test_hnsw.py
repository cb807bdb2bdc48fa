from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from edge.engine.ports import Ids, Vector
from edge.index.files import Shape
from edge.index.hnsw import HnswIndex
from edge.index.opening import open_index
from edge.memory.units import UnitId
from tests.index.vectors import clustered

DIMENSION = 48
COUNT = 10_000
VECTORS = clustered(200, 8, seed=3)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> HnswIndex:
    index = open_index(tmp_path_factory.mktemp("index"), "made-up", DIMENSION, 0, threads=2).index
    index.add(np.arange(1, COUNT + 1, dtype=np.int64), clustered(COUNT, DIMENSION, seed=1))
    return index


def recall(index: HnswIndex, limit: int, allowed: Ids) -> float:
    """The share of the nearest allowed units that is found."""
    vectors = clustered(COUNT, DIMENSION, seed=1)[allowed - 1]
    hits = 0
    for question in clustered(50, DIMENSION, seed=2):
        nearest = allowed[np.argsort(-(vectors @ question))[:limit]]
        hits += len({int(unit) for unit, _ in index.search(question, limit, allowed)} & set(nearest.tolist()))
    return hits / (50 * limit)


@pytest.mark.parametrize("limit", [10, 200])
@pytest.mark.parametrize("allowed", [COUNT, 5000, 2500, 1000, 100, 10])
def test_it_finds_what_an_exact_search_finds(filled: HnswIndex, limit: int, allowed: int) -> None:
    units = np.sort(np.random.default_rng(4).choice(COUNT, allowed, replace=False)).astype(np.int64) + 1
    assert recall(filled, min(limit, allowed), units) >= 0.95


def test_it_finds_what_an_exact_search_finds_among_all(filled: HnswIndex) -> None:
    question = clustered(1, DIMENSION, seed=9)[0]
    everything = np.arange(1, COUNT + 1, dtype=np.int64)
    assert filled.search(question, 10, None) == filled.search(question, 10, everything)
    assert len(filled.search(question, COUNT, None)) == COUNT


def test_it_finds_as_well_after_much_was_removed(tmp_path: Path) -> None:
    index = open_index(tmp_path, "made-up", DIMENSION, 0, threads=2).index
    index.add(np.arange(1, COUNT + 1, dtype=np.int64), clustered(COUNT, DIMENSION, seed=1))
    gone = np.random.default_rng(5).permutation(np.arange(1, COUNT + 1, dtype=np.int64))
    for share, left in ((2400, 7600), (2400, 5200)):
        index.remove([UnitId(unit) for unit in gone[:share].tolist()])
        gone = np.sort(gone[share:])
        assert recall(index, 10, gone) >= 0.95
        index.save(left)
        index = open_index(tmp_path, "made-up", DIMENSION, left).index
        assert len(index) == left
        assert recall(index, 10, gone) >= 0.95


def test_a_save_leaves_out_what_was_removed_once_it_is_much(tmp_path: Path) -> None:
    index = open_index(tmp_path, "made-up", DIMENSION, 0).index
    index.add(np.arange(1, 1001, dtype=np.int64), clustered(1000, DIMENSION, seed=1))
    index.save(1)
    before = index.memory_bytes()
    index.remove([UnitId(unit) for unit in range(1, 601)])
    index.save(2)
    assert index.memory_bytes() < 0.5 * before
    assert len(index.search(clustered(1, DIMENSION, seed=2)[0], 1000, None)) == 400


def test_the_same_vector_many_times_is_found_each_time(tmp_path: Path) -> None:
    index = open_index(tmp_path, "made-up", DIMENSION, 0).index
    index.add(np.arange(1, 3001, dtype=np.int64), np.repeat(clustered(1, DIMENSION, seed=1), 3000, axis=0))
    assert len(index.search(clustered(1, DIMENSION, seed=1)[0], 50, None)) == 50


class AgainstDict(RuleBasedStateMachine):
    """Any order of adding, removing and searching, beside a dict that does the same."""

    def __init__(self) -> None:
        super().__init__()
        self.index = HnswIndex(Path("unused"), Shape("made-up", 8), None, threads=1)
        self.known: dict[int, list[Vector]] = {}

    @rule(rows=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 199)), max_size=40))
    def add(self, rows: list[tuple[int, int]]) -> None:
        units = np.array([unit for unit, _ in rows], dtype=np.int64)
        vectors = VECTORS[[number for _, number in rows]]
        self.index.add(units, vectors)
        for unit, vector in zip(units.tolist(), vectors, strict=True):
            self.known.setdefault(unit, []).append(vector)

    @rule(units=st.lists(st.integers(1, 35), max_size=10))
    def remove(self, units: list[int]) -> None:
        self.index.remove([UnitId(unit) for unit in units])
        for unit in units:
            self.known.pop(unit, None)

    @rule(
        question=st.integers(0, 199),
        limit=st.integers(0, 40),
        allowed=st.none() | st.sets(st.integers(1, 35)),
    )
    def search(self, question: int, limit: int, allowed: set[int] | None) -> None:
        given = None if allowed is None else np.array(sorted(allowed), dtype=np.int64)
        answer = self.index.search(VECTORS[question], limit, given)
        best = {
            unit: max(float(vector @ VECTORS[question]) for vector in vectors)
            for unit, vectors in self.known.items()
            if allowed is None or unit in allowed
        }
        assert len(answer) == min(limit, len(best))
        assert {int(unit): cosine for unit, cosine in answer} == pytest.approx(
            {int(unit): best[unit] for unit, _ in answer}, abs=1e-5
        )
        self.compare([cosine for _, cosine in answer], sorted(best.values(), reverse=True)[:limit])

    def compare(self, found: list[float], nearest: list[float]) -> None:
        assert found == pytest.approx(nearest, abs=1e-5)

    @invariant()
    def counts_its_vectors(self) -> None:
        assert len(self.index) == sum(len(vectors) for vectors in self.known.values())


class ThroughGraph(AgainstDict):
    """The same among so many others that the graph is used, which may miss a neighbour."""

    def __init__(self) -> None:
        super().__init__()
        for first in range(1000, 2500, 200):
            self.add([(first + number, number) for number in range(200)])

    def compare(self, found: list[float], nearest: list[float]) -> None:
        assert found == sorted(found, reverse=True)
        assert sum(found) >= 0.95 * sum(nearest) - 0.5


TestAgainstDict = AgainstDict.TestCase
TestThroughGraph = ThroughGraph.TestCase
TestThroughGraph.settings = settings(max_examples=15, deadline=None)
