import numpy as np
import pytest

from edge.index.parts import allowed_rows, best_of, cosines_of, highest
from tests.index.made_up import clustered
from tests.index.making import mask_of


@pytest.mark.parametrize("count", [1, 5, 49, 50, 51])
def test_the_highest_come_in_order(count: int) -> None:
    values = np.random.default_rng(1).permutation(50).astype(np.float32)
    assert values[highest(values, count)].tolist() == list(range(49, 49 - min(count, 50), -1))


def test_equal_values_are_each_given_once() -> None:
    values = np.array([1, 3, 3, 1, 3], dtype=np.float32)
    assert sorted(highest(values, 3).tolist()) == [1, 2, 4]
    assert sorted(highest(values, 9).tolist()) == [0, 1, 2, 3, 4]


def test_the_best_rows_and_whether_there_are_more() -> None:
    units, cosines = np.array([4, 9, 4]), np.array([0.1, 0.5, 0.3], dtype=np.float32)
    part = best_of(units, cosines, 2)
    assert (part.units.tolist(), part.more) == ([9, 4], True)
    assert best_of(units, cosines, 3).more is False


@pytest.mark.parametrize("count", [0, 1, 1024, 2500])
def test_cosines_are_dot_products(count: int) -> None:
    vectors, query = clustered(count, 16, seed=1), clustered(1, 16, seed=2)[0]
    assert np.allclose(cosines_of(vectors, query), vectors @ query, atol=1e-6)


def test_which_rows_are_allowed() -> None:
    units = np.array([3, 1, 3, 2])
    assert allowed_rows(units, None) is None
    rows = allowed_rows(units, mask_of([3], 5))
    assert rows is not None
    assert rows.tolist() == [True, False, True, False]
