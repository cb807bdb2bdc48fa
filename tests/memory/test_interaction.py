"""Late interaction on one-bit codes, beside the plain form of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.memory.interaction import Floats, best_by_unit, best_matches, token_weights, weighted

WIDTH = 16


def random_tokens(seed: int, count: int) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((count, WIDTH), dtype=np.float32)
    normalised: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normalised


def coded(tokens: Floats) -> bytes:
    return np.packbits(tokens > 0, axis=1).tobytes()


def plain(tokens: Floats, code: bytes) -> list[float]:
    """For each token the best cosine with a vector of signs, one by one."""
    bits = np.unpackbits(np.frombuffer(code, dtype=np.uint8)).reshape(-1, WIDTH)
    signs = (bits.astype(np.float32) * 2 - 1) / np.sqrt(WIDTH)
    return [max(float(token @ row) for row in signs) if len(signs) else 0.0 for token in tokens]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 99), st.integers(0, 6), st.lists(st.integers(0, 9), max_size=8))
def test_matches_are_the_best_cosines(seed: int, asked: int, lengths: list[int]) -> None:
    tokens = random_tokens(seed, asked)
    codes = [coded(random_tokens(seed + place + 1, length)) for place, length in enumerate(lengths)]
    matches = best_matches(tokens, codes)
    assert matches.shape == (asked, len(codes))
    for place, code in enumerate(codes):
        assert matches[:, place] == pytest.approx(plain(tokens, code), abs=1e-5)


def test_many_and_long_texts_are_cut_into_blocks_without_a_seam() -> None:
    tokens = random_tokens(1, 3)
    codes = [coded(random_tokens(number, length)) for number, length in enumerate((3000, 2000, 0, 9000, 5, 4096))]
    matches = best_matches(tokens, codes)
    for place, code in enumerate(codes):
        assert matches[:, place] == pytest.approx(plain(tokens, code), abs=1e-5)


def test_a_token_that_few_texts_meet_weighs_more() -> None:
    common, rare, nowhere = [0.8, 0.8, 0.8, 0.8], [0.2, 0.9, 0.2, 0.2], [0.2, 0.2, 0.2, 0.2]
    weights = token_weights(np.array([common, rare, nowhere], dtype=np.float32))
    assert weights[1] > 10 * weights[0]
    assert weights[1] > 10 * weights[2]
    assert (weights > 0).all()


def test_a_single_text_weighs_all_tokens_alike() -> None:
    assert len(set(token_weights(np.array([[0.9], [0.1]], dtype=np.float32)).tolist())) == 1


def test_the_mean_is_weighted() -> None:
    matches = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    assert weighted(matches, np.array([3.0, 1.0], dtype=np.float32)).tolist() == [0.75, 0.25]
    assert weighted(matches, np.zeros(2, dtype=np.float32)).tolist() == [0.0, 0.0]


def test_a_unit_is_as_good_as_its_best_chunk() -> None:
    values, owners = np.array([0.1, 0.5, 0.3, 0.2], dtype=np.float32), np.array([0, 2, 2, 3])
    best, chunks = best_by_unit(values, owners, 5)
    assert best.tolist() == pytest.approx([0.1, np.nan, 0.5, 0.2, np.nan], nan_ok=True)
    assert chunks.tolist() == [0, -1, 0, 0, -1]
    assert best_by_unit(values[[0, 2, 1, 3]], owners, 5)[1].tolist() == [0, -1, 1, 0, -1]
