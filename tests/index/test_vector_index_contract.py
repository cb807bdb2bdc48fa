"""What every `VectorIndex` does: the fake, and the real one with its vectors in memory and in segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from edge.engine.ports import Mask, Vector
from edge.engine.vector_ports import VectorIndex
from edge.index.opening import open_index
from edge.index.options import Options
from tests.fakes.vector_index import ExactIndex
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import EMBEDDER, check_exact, drain, exact, mask_of, small

DIMENSION = 16


@dataclass
class Kept:
    """An index and the log that it follows."""

    log: VectorLog
    index: VectorIndex
    works: bool
    """Whether background work is done as soon as it is due."""

    def keep(self, units: Iterable[int], vectors: Vector) -> None:
        self.log.keep(units, vectors)
        self.take_in()

    def forget(self, *units: int) -> None:
        self.log.forget(units)
        self.take_in()

    def take_in(self) -> None:
        self.index.follow()
        if self.works:
            drain(self.index)

    def found(self, vector: Vector, limit: int, allowed: Mask | None = None) -> list[int]:
        return [int(unit) for unit, _ in self.index.search(vector, limit, allowed)]


@pytest.fixture(params=["fake", "in memory", "in segments"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    log = VectorLog(DIMENSION)
    makers: dict[str, Callable[[], VectorIndex]] = {
        "fake": lambda: ExactIndex(log, EMBEDDER, DIMENSION),
        "in memory": lambda: open_index(tmp_path, EMBEDDER, DIMENSION, log, Options()),
        "in segments": lambda: open_index(tmp_path, EMBEDDER, DIMENSION, log, small(DIMENSION, head=1, capacity=1000)),
    }
    return Kept(log, makers[request.param](), request.param == "in segments")


def axis(number: int) -> Vector:
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[number] = 1.0
    return vector


def between(one: int, other: int, share: float) -> Vector:
    """A vector whose cosine with axis `one` is `share`."""
    vector = axis(one)
    vector[one], vector[other] = share, (1 - share**2) ** 0.5
    return vector


def test_an_empty_index_finds_nothing(kept: Kept) -> None:
    kept.take_in()
    assert kept.found(axis(0), 10) == []
    assert kept.found(axis(0), 10, mask_of([1, 2])) == []
    assert kept.found(axis(0), 10, mask_of([])) == []
    assert kept.index.state().vectors == 0


def test_the_nearest_comes_first_with_its_cosine(kept: Kept) -> None:
    kept.keep([5, 3, 9], np.stack([between(0, 1, 0.5), between(0, 2, 0.9), axis(3)]))
    answer = kept.index.search(axis(0), 2, None)
    assert [unit for unit, _ in answer] == [3, 5]
    assert [cosine for _, cosine in answer] == pytest.approx([0.9, 0.5], abs=1e-5)
    assert all(type(unit) is int and type(cosine) is float for unit, cosine in answer)


def test_what_was_kept_before_it_was_opened_is_found(tmp_path: Path) -> None:
    log = VectorLog(DIMENSION)
    log.keep([1, 2], np.stack([axis(0), axis(1)]))
    indexes: list[VectorIndex] = [ExactIndex(log, EMBEDDER, DIMENSION), open_index(tmp_path, EMBEDDER, DIMENSION, log)]
    for index in indexes:
        assert index.search(axis(1), 1, None) == [(2, 1.0)]


def test_only_what_was_followed_is_found(kept: Kept) -> None:
    kept.log.keep([1], axis(0)[None])
    assert kept.found(axis(0), 5) == []
    kept.take_in()
    assert kept.found(axis(0), 5) == [1]


def test_following_twice_changes_nothing(kept: Kept) -> None:
    kept.keep([1, 2], np.stack([axis(0), axis(1)]))
    kept.take_in()
    kept.take_in()
    assert (kept.index.state().vectors, kept.found(axis(0), 9)) == (2, [1, 2])


def test_the_limit_may_be_none_or_more_than_there_are(kept: Kept) -> None:
    kept.keep([1, 2], np.stack([axis(0), axis(1)]))
    assert kept.found(axis(0), 0) == []
    assert kept.found(axis(0), 100) == [1, 2]
    assert kept.found(axis(0), 100, mask_of([2, 7])) == [2]


def test_only_allowed_units_are_found(kept: Kept) -> None:
    kept.keep([1, 2, 3], np.stack([axis(0), between(0, 1, 0.8), between(0, 1, 0.2)]))
    assert kept.found(axis(0), 2, mask_of([2, 3])) == [2, 3]
    assert kept.found(axis(0), 2, mask_of([2])) == [2], "units beyond the end of the mask are not allowed"
    assert kept.found(axis(0), 2, mask_of([2], 1000)) == [2]
    assert kept.found(axis(0), 2, mask_of([])) == []
    assert kept.found(axis(0), 2, mask_of([], 1000)) == []


def test_a_mask_may_be_read_only(kept: Kept) -> None:
    kept.keep([1, 2, 3], np.stack([axis(0), axis(1), axis(2)]))
    mask = mask_of([1, 3])
    mask.flags.writeable = False
    assert kept.found(axis(2), 5, mask) == [3, 1]


def test_a_unit_with_several_vectors_is_found_once_by_its_best(kept: Kept) -> None:
    kept.keep([4, 4, 6], np.stack([between(0, 1, 0.3), between(0, 2, 0.95), between(0, 3, 0.6)]))
    kept.keep([4], between(0, 4, 0.1)[None])
    answer = kept.index.search(axis(0), 10, None)
    assert [unit for unit, _ in answer] == [4, 6]
    assert answer[0][1] == pytest.approx(0.95, abs=1e-5)
    assert kept.index.state().vectors == 4


def test_what_is_forgotten_is_not_found_again(kept: Kept) -> None:
    kept.keep([1, 2, 1], np.stack([axis(0), between(0, 1, 0.5), axis(2)]))
    kept.forget(1, 77)
    assert kept.found(axis(0), 10) == [2]
    assert kept.found(axis(2), 10, mask_of([1, 2])) == [2]
    assert kept.index.state().vectors == 1
    kept.forget()
    kept.forget(2)
    assert kept.found(axis(0), 10) == []
    assert kept.index.state().vectors == 0


def test_what_is_kept_and_forgotten_before_it_is_followed_is_not_found(kept: Kept) -> None:
    kept.log.keep([1, 2], np.stack([axis(0), axis(1)]))
    kept.forget(1)
    assert kept.found(axis(0), 10) == [2]


def test_superseded_units_are_found_where_the_filter_allows_them(kept: Kept) -> None:
    kept.log.supersede([1, 3])
    kept.keep([1, 2, 3], np.stack([axis(0), axis(1), axis(2)]))
    kept.log.supersede([2])
    assert kept.found(axis(0), 10, mask_of([1, 2])) == [1, 2]
    assert kept.found(axis(2), 1, mask_of([3])) == [3]


@pytest.mark.parametrize(
    "vector",
    [np.full(DIMENSION, np.nan, dtype=np.float32), axis(0)[:-1], axis(0)[None], 2 * axis(0), 0 * axis(0)],
)
def test_what_cannot_be_asked_is_refused(kept: Kept, vector: Vector) -> None:
    kept.keep([1], axis(0)[None])
    with pytest.raises(ValueError):
        kept.index.search(vector, 1, None)
    with pytest.raises(ValueError, match="limit"):
        kept.index.search(axis(0), -1, None)


@pytest.mark.parametrize("limit", [1, 10, 300])
@pytest.mark.parametrize("one_in", [1, 2, 5, 100])
def test_never_fewer_than_there_are(kept: Kept, limit: int, one_in: int) -> None:
    kept.keep(np.arange(2, 1202) // 2, clustered(1200, DIMENSION, seed=1))
    allowed = mask_of(range(1, 601, one_in))
    for query in clustered(5, DIMENSION, seed=2):
        check_exact(kept.index.search(query, limit, allowed), exact(kept.log, query, allowed), limit)


def test_units_of_many_vectors_leave_room_for_others(kept: Kept) -> None:
    places = clustered(40, DIMENSION, seed=1)
    units = np.repeat(np.arange(1, 41, dtype=np.int64), 30)
    kept.keep(units, places[units - 1])
    check_exact(kept.index.search(places[6], 15, None), exact(kept.log, places[6]), 15)


def test_work_comes_to_an_end_and_changes_no_answer(kept: Kept) -> None:
    kept.log.keep(range(1, 301), clustered(300, DIMENSION, seed=1))
    kept.index.follow()
    query = clustered(1, DIMENSION, seed=2)[0]
    before = kept.index.search(query, 20, None)
    kept.index.rebuild()
    drain(kept.index)
    assert dict(kept.index.search(query, 20, None)) == pytest.approx(dict(before), abs=1e-6)
    state = kept.index.state()
    assert (state.vectors, state.missing, state.work, state.unfit) == (300, 0, None, ())
    assert kept.index.state().vectors == 300
    assert sum(segment.vectors - segment.dead for segment in state.segments) + state.fresh == 300


def test_sealing_early_changes_no_answer(kept: Kept) -> None:
    kept.index.seal()
    drain(kept.index)
    kept.log.keep(range(1, 701), clustered(700, DIMENSION, seed=1))
    kept.index.follow()
    query = clustered(1, DIMENSION, seed=2)[0]
    before = kept.index.search(query, 20, None)
    kept.index.seal()
    drain(kept.index)
    assert dict(kept.index.search(query, 20, None)) == pytest.approx(dict(before), abs=1e-6)
    assert kept.index.state().vectors == 700


def test_a_verification_of_what_is_whole_finds_no_faults(kept: Kept) -> None:
    kept.keep(range(1, 301), clustered(300, DIMENSION, seed=1))
    *_, last = kept.index.verify()
    assert (last.done, last.total, last.faults) == (300, 300, ())


def test_it_says_what_memory_it_holds(kept: Kept) -> None:
    kept.keep(range(1, 1001), clustered(1000, DIMENSION, seed=1))
    least = 1000 if kept.works else 1000 * DIMENSION * 4
    assert least <= kept.index.memory_bytes() <= 1000 * DIMENSION * 4 * 3


def test_closing_loses_nothing(kept: Kept) -> None:
    kept.keep([1], axis(0)[None])
    kept.index.close()
    assert ExactIndex(kept.log, EMBEDDER, DIMENSION).search(axis(0), 5, None) == [(1, 1.0)]
