"""How well groups of vectors stand apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_maths import Labels, Vectors
from scripts.benchmarks.silhouette import silhouette
from tests.memory.test_cluster_maths import around, random_vectors


def test_groups_that_lie_apart_have_a_high_silhouette_and_mixed_ones_a_low_one() -> None:
    vectors = around([0, 3], 10)
    apart = np.array([0] * 10 + [1] * 10)
    assert silhouette(vectors, apart) > 0.8
    assert silhouette(vectors, np.array([0, 1] * 10)) < 0.1
    assert silhouette(vectors, np.zeros(20, dtype=np.int64)) == 0


@given(seed=st.integers(0, 300), count=st.integers(2, 30), groups=st.integers(2, 5))
def test_a_silhouette_is_what_its_definition_says(seed: int, count: int, groups: int) -> None:
    vectors = random_vectors(seed, count)
    labels = np.random.default_rng(seed).integers(0, groups, count)
    assert silhouette(vectors, labels) == pytest.approx(_by_definition(vectors, labels), abs=1e-3)


def _by_definition(vectors: Vectors, labels: Labels) -> float:
    if len(set(labels.tolist())) < 2:
        return 0.0
    values = []
    for at, own in enumerate(labels):
        distances = 1 - vectors @ vectors[at]
        mates = [distances[i] for i in range(len(labels)) if labels[i] == own and i != at]
        others = [distances[labels == label].mean() for label in set(labels.tolist()) - {own}]
        if not mates:
            values.append(0.0)
            continue
        within, between = float(np.mean(mates)), float(min(others))
        values.append((between - within) / max(within, between, 1e-9))
    return float(np.mean(values))
