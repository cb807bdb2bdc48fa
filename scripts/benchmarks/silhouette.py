"""How well groups of vectors stand apart (Rousseeuw 1987)."""

from __future__ import annotations

import numpy as np

from edge.memory.cluster_maths import Labels, Vectors

_SAMPLED = 400
_NOTHING = 1e-9


def silhouette(vectors: Vectors, labels: Labels, seed: int = 0) -> float:
    """Mean silhouette by cosine distance, -1 to 1, of at most 400 of the vectors; 0 where there are no two groups."""
    if len(vectors) > _SAMPLED:
        chosen = np.sort(np.random.default_rng(seed).choice(len(vectors), _SAMPLED, replace=False))
        vectors, labels = vectors[chosen], labels[chosen]
    groups = np.unique(labels)
    if len(groups) < 2:
        return 0.0
    distances = 1.0 - vectors @ vectors.T
    member = (labels[:, None] == groups[None, :]).astype(np.float32)
    sizes = member.sum(axis=0)
    own = member.astype(bool)
    totals = distances @ member
    alone = sizes[np.argmax(member, axis=1)] < 2
    within = totals[own] / np.maximum(sizes[np.argmax(member, axis=1)] - 1, 1)
    between = np.where(own, np.inf, totals / sizes).min(axis=1)
    wider = np.maximum(np.maximum(within, between), _NOTHING)
    return float(np.where(alone, 0.0, (between - within) / wider).mean())
