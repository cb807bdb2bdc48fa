"""What every `VectorIndex` does: the fake and the real one."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edge.engine.ports import Ids, Vector, VectorIndex
from edge.index.opening import open_index
from edge.memory.units import UnitId
from tests.fakes.vector_index import ExactIndex
from tests.index.vectors import clustered

DIMENSION = 16


@pytest.fixture(params=["fake", "real"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> VectorIndex:
    makers: dict[str, Callable[[], VectorIndex]] = {
        "fake": lambda: ExactIndex(DIMENSION),
        "real": lambda: open_index(tmp_path / "index", "made-up", DIMENSION, 0).index,
    }
    return makers[request.param]()


def ids(*numbers: int) -> Ids:
    return np.array(numbers, dtype=np.int64)


def axis(number: int) -> Vector:
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[number] = 1.0
    return vector


def between(one: int, other: int, share: float) -> Vector:
    """A vector whose cosine with axis `one` is `share`."""
    vector = axis(one)
    vector[one], vector[other] = share, (1 - share**2) ** 0.5
    return vector


def found(index: VectorIndex, vector: Vector, limit: int, allowed: Ids | None = None) -> list[int]:
    return [int(unit) for unit, _ in index.search(vector, limit, allowed)]


def test_an_empty_index_finds_nothing(index: VectorIndex) -> None:
    assert index.search(axis(0), 10, None) == []
    assert index.search(axis(0), 10, ids(1, 2)) == []
    assert len(index) == 0


def test_the_nearest_comes_first_with_its_cosine(index: VectorIndex) -> None:
    index.add(ids(5, 3, 9), np.stack([between(0, 1, 0.5), between(0, 2, 0.9), axis(3)]))
    answer = index.search(axis(0), 2, None)
    assert [unit for unit, _ in answer] == [3, 5]
    assert [cosine for _, cosine in answer] == pytest.approx([0.9, 0.5], abs=1e-5)


def test_the_limit_may_be_none_or_more_than_there_are(index: VectorIndex) -> None:
    index.add(ids(1, 2), np.stack([axis(0), axis(1)]))
    assert index.search(axis(0), 0, None) == []
    assert found(index, axis(0), 100) == [1, 2]
    assert found(index, axis(0), 100, ids(2, 7)) == [2]


def test_only_allowed_units_are_found(index: VectorIndex) -> None:
    index.add(ids(1, 2, 3), np.stack([axis(0), between(0, 1, 0.8), between(0, 1, 0.2)]))
    assert found(index, axis(0), 2, ids(2, 3)) == [2, 3]
    assert found(index, axis(0), 2, ids()) == []


def test_a_unit_with_several_vectors_is_found_once_by_its_best(index: VectorIndex) -> None:
    index.add(ids(4, 4, 6), np.stack([between(0, 1, 0.3), between(0, 2, 0.95), between(0, 3, 0.6)]))
    index.add(ids(4), between(0, 4, 0.1)[None])
    answer = index.search(axis(0), 10, None)
    assert [unit for unit, _ in answer] == [4, 6]
    assert answer[0][1] == pytest.approx(0.95, abs=1e-5)
    assert len(index) == 4


def test_what_is_removed_is_not_found_again(index: VectorIndex) -> None:
    index.add(ids(1, 2, 1), np.stack([axis(0), between(0, 1, 0.5), axis(2)]))
    index.remove([UnitId(1), UnitId(77)])
    assert found(index, axis(0), 10) == [2]
    assert found(index, axis(2), 10, ids(1, 2)) == [2]
    assert len(index) == 1
    index.remove([])
    index.remove([UnitId(2), UnitId(2)])
    assert index.search(axis(0), 10, None) == []
    assert len(index) == 0


@pytest.mark.parametrize(
    ("units", "vectors"),
    [
        (ids(1), np.zeros((1, DIMENSION + 1), dtype=np.float32)),
        (ids(1, 2), axis(0)[None]),
        (ids(1), axis(0)),
        (ids(0), axis(0)[None]),
        (ids(-3), axis(0)[None]),
        (ids(1), 2 * axis(0)[None]),
        (ids(1), np.zeros((1, DIMENSION), dtype=np.float32)),
        (ids(1), np.full((1, DIMENSION), np.nan, dtype=np.float32)),
        (ids(1, 2), np.stack([axis(0), np.full(DIMENSION, np.inf, dtype=np.float32)])),
    ],
)
def test_what_cannot_be_searched_is_refused_whole(index: VectorIndex, units: Ids, vectors: Vector) -> None:
    with pytest.raises(ValueError):
        index.add(units, vectors)
    assert len(index) == 0


@pytest.mark.parametrize("vector", [np.full(DIMENSION, np.nan, dtype=np.float32), axis(0)[:-1], axis(0)[None]])
def test_what_cannot_be_asked_is_refused(index: VectorIndex, vector: Vector) -> None:
    index.add(ids(1), axis(0)[None])
    with pytest.raises(ValueError):
        index.search(vector, 1, None)
    with pytest.raises(ValueError, match="limit"):
        index.search(axis(0), -1, None)


def test_adding_nothing_changes_nothing(index: VectorIndex) -> None:
    index.add(ids(), np.zeros((0, DIMENSION), dtype=np.float32))
    assert len(index) == 0


@pytest.mark.parametrize("limit", [1, 10, 300])
@pytest.mark.parametrize("one_in", [1, 2, 5, 100])
def test_never_fewer_than_there_are(index: VectorIndex, limit: int, one_in: int) -> None:
    vectors = clustered(2500, DIMENSION, seed=1)
    units = np.arange(2500, dtype=np.int64) // 2 + 1
    index.add(units, vectors)
    allowed = np.arange(1, 1251, one_in, dtype=np.int64)
    for question in clustered(5, DIMENSION, seed=2):
        answer = index.search(question, limit, allowed)
        assert len({unit for unit, _ in answer}) == len(answer) == min(limit, len(allowed))
        assert {int(unit) for unit, _ in answer} <= set(allowed.tolist())
        cosines = [cosine for _, cosine in answer]
        assert cosines == sorted(cosines, reverse=True)


def test_units_of_many_vectors_leave_room_for_others(index: VectorIndex) -> None:
    places = clustered(40, DIMENSION, seed=1)
    units = np.repeat(np.arange(1, 41, dtype=np.int64), 60)
    index.add(units, places[units - 1])
    answer = index.search(places[6], 15, None)
    expected = np.sort(places @ places[6])[::-1][:15]
    assert [cosine for _, cosine in answer] == pytest.approx(expected.tolist(), abs=1e-5)


def test_it_says_what_memory_it_holds(index: VectorIndex) -> None:
    index.add(np.arange(1, 1001, dtype=np.int64), clustered(1000, DIMENSION, seed=1))
    assert 1000 * DIMENSION * 4 <= index.memory_bytes() <= 1000 * DIMENSION * 4 * 10
