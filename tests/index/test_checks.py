from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.index.checks import Checks
from edge.index.layout import Layout

LAYOUT = Layout(count=9, words=20, vector_at=7, dimension=11, label_at=18, links=6, top_level=1, entry=0)


KNOWN = [834396651, 4207172991, 4159870569, 2947999175]
KEYS = [3793791033, 1853398635, 113532185]


def records(count: int = 9, seed: int = 1) -> npt.NDArray[np.uint32]:
    return np.random.default_rng(seed).integers(0, 2**32, (count, LAYOUT.words), dtype=np.uint32)


def test_the_sums_of_a_known_record_are_what_they_ever_were() -> None:
    """Files that were written long ago are checked with these keys: they may not change."""
    words = np.arange(1, 21, dtype=np.uint32)[None]
    ones = np.ones((1, 20), dtype=np.uint32)
    assert Checks(LAYOUT).of(words).tolist() == [[KNOWN[0], KNOWN[1]]]
    assert Checks(LAYOUT).of(ones).tolist() == [[KNOWN[2], KNOWN[3]]]
    single = [Checks(LAYOUT).of(np.eye(20, dtype=np.uint32)[place : place + 1]).max() for place in range(3)]
    assert single == KEYS


@pytest.mark.parametrize("seed", range(3))
def test_every_single_changed_byte_changes_its_sum_and_no_other(seed: int) -> None:
    checks, words = Checks(LAYOUT), records(1, seed)
    before = checks.of(words)[0]
    for place in range(4 * LAYOUT.words):
        for change in (1, 128, 255):
            changed = words.copy()
            changed.view(np.uint8)[0, place] ^= change
            differ = (checks.of(changed)[0] != before).tolist()
            in_vector = LAYOUT.vector_at <= place // 4 < LAYOUT.vector_end
            assert differ == [not in_vector, in_vector]


@given(place=st.integers(0, LAYOUT.words - 1), one=st.integers(0, 2**32 - 1), other=st.integers(0, 2**32 - 1))
def test_every_changed_word_changes_the_sum(place: int, one: int, other: int) -> None:
    words = np.repeat(records(1), 2, axis=0)
    words[:, place] = one, other
    sums = Checks(LAYOUT).of(words)
    assert (sums[0] != sums[1]).any() == (one != other)


def test_each_record_has_a_sum_of_its_own() -> None:
    checks, words = Checks(LAYOUT), records()
    together = checks.of(words)
    assert [checks.of(words[row : row + 1])[0].tolist() for row in range(9)] == together.tolist()
    assert len(np.unique(together)) == 18


def test_words_that_change_places_change_the_sum() -> None:
    checks, words = Checks(LAYOUT), records(1)
    for one, other, which in ((1, 2, 0), (8, 9, 1)):
        swapped = words.copy()
        swapped[0, [one, other]] = swapped[0, [other, one]]
        assert checks.of(swapped)[0, which] != checks.of(words)[0, which]


@pytest.mark.parametrize("kind", ["<f4", np.float32])
def test_the_sum_of_a_vector_is_the_same_from_elsewhere(kind: Any) -> None:
    checks, words = Checks(LAYOUT), records()
    vectors = words[:, LAYOUT.vector_at : LAYOUT.vector_end].view(np.float32).astype(kind)
    words[:, LAYOUT.vector_at : LAYOUT.vector_end] = vectors.view(np.uint32)
    assert np.array_equal(checks.of_vectors(vectors), checks.of(words)[:, 1])
