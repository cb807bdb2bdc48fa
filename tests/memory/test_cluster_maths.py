"""Grouping vectors."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_maths import (
    Labels,
    Vectors,
    centroid,
    group,
    linked,
    lying_together,
    most_central,
    nearest,
    normalised,
    pairs_closer,
    parts,
)


def random_vectors(seed: int, count: int, dimension: int = 8) -> Vectors:
    return normalised(np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32))


def around(axes: list[int], each: int, seed: int = 0, noise: float = 0.1) -> Vectors:
    """Vectors near some axes, `each` of every one in turn."""
    random = np.random.default_rng(seed)
    rows = [np.eye(8)[axis] + noise * random.standard_normal(8) for axis in axes for _ in range(each)]
    return normalised(np.array(rows, dtype=np.float32))


@given(seed=st.integers(0, 1000), count=st.integers(1, 60), groups=st.integers(1, 12))
def test_every_vector_is_in_a_group_and_no_group_is_empty(seed: int, count: int, groups: int) -> None:
    grouping = group(random_vectors(seed, count), groups, seed)
    assert len(grouping.labels) == count
    assert sorted(set(grouping.labels.tolist())) == list(range(len(grouping.centroids)))
    assert len(grouping.centroids) <= min(groups, count)
    assert np.linalg.norm(grouping.centroids, axis=1) == pytest.approx(1, abs=1e-4)


@given(seed=st.integers(0, 1000), count=st.integers(1, 40), groups=st.integers(1, 8))
def test_the_same_seed_gives_the_same_groups(seed: int, count: int, groups: int) -> None:
    vectors = random_vectors(seed, count)
    one, two = group(vectors, groups, seed), group(vectors, groups, seed)
    assert one.labels.tolist() == two.labels.tolist()
    assert one.centroids.tolist() == two.centroids.tolist()


@given(seed=st.integers(0, 200), count=st.integers(2, 40), groups=st.integers(2, 6))
def test_every_vector_is_in_the_group_of_its_nearest_centroid(seed: int, count: int, groups: int) -> None:
    vectors = random_vectors(seed, count)
    grouping = group(vectors, groups, seed)
    cosines = vectors @ grouping.centroids.T
    own = cosines[np.arange(count), grouping.labels]
    assert (own >= cosines.max(axis=1) - 1e-5).all()


@pytest.mark.parametrize("seed", range(10))
def test_what_lies_apart_is_told_apart(seed: int) -> None:
    grouping = group(around([0, 3, 6], 10), 3, seed)
    assert [len(set(grouping.labels[at : at + 10].tolist())) for at in (0, 10, 20)] == [1, 1, 1]
    assert len(set(grouping.labels.tolist())) == 3


def test_equal_vectors_make_one_group() -> None:
    assert set(group(normalised(np.ones((5, 4), dtype=np.float32)), 3, 0).labels.tolist()) == {0}


def test_nothing_cannot_be_grouped() -> None:
    with pytest.raises(ValueError, match="0 vectors"):
        group(np.zeros((0, 3), dtype=np.float32), 2, 0)


def test_what_nothing_is_known_of_stays_nothing() -> None:
    rows = normalised(np.array([[0, 0], [3, 4]], dtype=np.float32))
    assert rows.tolist() == [[0, 0], [pytest.approx(0.6), pytest.approx(0.8)]]


@given(seed=st.integers(0, 500), count=st.integers(1, 12), wanted=st.integers(1, 15))
def test_nearest_are_in_the_order_of_their_cosines(seed: int, count: int, wanted: int) -> None:
    centroids, vector = random_vectors(seed, count), random_vectors(seed + 1, 1)[0]
    rows = nearest(vector, centroids, wanted)
    cosines = centroids @ vector
    assert len(rows) == min(count, wanted)
    assert [cosines[row] for row in rows] == sorted(cosines.tolist(), reverse=True)[: len(rows)]


def test_the_most_central_is_nearest_the_middle() -> None:
    vectors = normalised(np.array([[1, 1], [1, 0], [0, 1]], dtype=np.float32))
    assert most_central(vectors, 1) == [0]


def test_vectors_of_one_direction_are_linked() -> None:
    labels = linked(around([0, 2, 4, 6], 8), 4)
    assert labels.tolist() == [label for label in range(4) for _ in range(8)]


@given(seed=st.integers(0, 300), count=st.integers(1, 14), data=st.data())
def test_the_nearest_groups_on_average_become_one(seed: int, count: int, data: st.DataObject) -> None:
    vectors = random_vectors(seed, count)
    left = data.draw(st.integers(1, count))
    assert _partition(linked(vectors, left)) == _linked_slowly(vectors, left)


def _partition(labels: Labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def _linked_slowly(vectors: Vectors, left: int) -> set[frozenset[int]]:
    groups = [frozenset([row]) for row in range(len(vectors))]
    while len(groups) > left:
        one, two = max(
            combinations(groups, 2),
            key=lambda pair: float(np.mean([vectors[a] @ vectors[b] for a in pair[0] for b in pair[1]])),
        )
        groups = [each for each in groups if each not in (one, two)] + [one | two]
    return set(groups)


def test_more_groups_than_vectors_are_not_made() -> None:
    assert linked(random_vectors(1, 3), 5).tolist() == [0, 1, 2]


@given(seed=st.integers(0, 100), count=st.integers(1, 120), most=st.integers(2, 30))
def test_parts_hold_every_row_once_and_none_is_too_large(seed: int, count: int, most: int) -> None:
    found = parts(random_vectors(seed, count), seed, most)
    assert sorted(row for part in found for row in part.tolist()) == list(range(count))
    assert max(map(len, found)) <= most


def test_what_cannot_be_told_apart_is_cut_all_the_same() -> None:
    assert [len(part) for part in parts(np.ones((9, 1), dtype=np.float32), 0, 4)] == [4, 2, 3]


def test_close_pairs_come_closest_first() -> None:
    centroids = normalised(np.array([[1, 0], [1, 0.1], [1, 0.3], [0, 1]], dtype=np.float32))
    assert pairs_closer(centroids, 0.9) == [(0, 1), (1, 2), (0, 2)]
    assert pairs_closer(centroids, 1.1) == []


@given(seed=st.integers(0, 200), count=st.integers(0, 40), fewest=st.integers(1, 5), cosine=st.floats(-0.5, 0.95))
def test_what_lies_together_is_near_and_in_one_gathering(seed: int, count: int, fewest: int, cosine: float) -> None:
    vectors = random_vectors(seed, count) if count else np.zeros((0, 8), dtype=np.float32)
    found = lying_together(vectors, cosine, fewest)
    rows = [row for gathering in found for row in gathering]
    assert len(rows) == len(set(rows))
    assert all(len(gathering) >= fewest for gathering in found)


def test_only_several_that_lie_together_are_gathered() -> None:
    vectors = np.concatenate([around([0], 4), around([3], 2), around([5], 5)])
    assert sorted(map(sorted, lying_together(vectors, 0.8, 3))) == [[0, 1, 2, 3], [6, 7, 8, 9, 10]]
    assert centroid(vectors[:4])[0] > 0.9
