"""How well a question agrees with an owner's clusters: by the words of their keys and tags, and by their centroids.

It only ever adds to what else speaks for a unit; a unit in no cluster loses nothing that it had.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edge.memory.clusters import Cluster
from edge.memory.text import query_terms
from edge.memory.units import ClusterId

Floats = npt.NDArray[np.float32]

_SHARE_OF_WORDS: Mapping[str, float] = {"en": 0.5, "zh": 1.0}
"""What words count; the rest is for centroids. The default embedder tells Chinese questions next to nothing apart."""
_FALL = 0.05
"""By how much less cosine than the nearest a centroid counts a third of it."""


@dataclass(frozen=True, slots=True)
class Signposts:
    """The active clusters of an owner: their ids, the terms of their keys and tags, and their centroids (n, dimension),
    rows of zeros where there are none by the embedder that is asked about."""

    ids: tuple[ClusterId, ...]
    terms: tuple[frozenset[str], ...]
    centroids: Floats


def signposts(clusters: Sequence[Cluster], embedder: str | None) -> Signposts:
    """Clusters as questions are compared with them; centroids by another embedder are none."""
    known = [None if each.embedder != embedder else each.centroid for each in clusters]
    dimension = next((len(centroid) for centroid in known if centroid is not None), 0)
    rows = np.zeros((len(clusters), dimension), dtype=np.float32)
    for row, centroid in zip(rows, known, strict=True):
        if centroid is not None:
            row[:] = centroid
    terms = tuple(
        frozenset(term for text in (each.profile.key, *each.profile.tags) for term in query_terms(text))
        for each in clusters
    )
    return Signposts(tuple(each.id for each in clusters), terms, rows)


def agreement(posts: Signposts, terms: Collection[str], vector: Floats | None, language: str) -> dict[ClusterId, float]:
    """For each cluster how well a question agrees with it, from 0 to 1, by the question's terms and its unit vector.
    Clusters that it shares nothing with are left out."""
    words = _SHARE_OF_WORDS[language]
    values = words * _said(posts.terms, terms) + (1 - words) * _near(posts.centroids, vector)
    return {cluster: float(value) for cluster, value in zip(posts.ids, values, strict=True) if value > 0}


def _said(keys: Sequence[frozenset[str]], terms: Collection[str]) -> Floats:
    """The terms that each shares with the question, weighed by how few have them, as a share of the best."""
    counts = Counter(term for key in keys for term in key)
    asked = [term for term in terms if term in counts]
    rarity = {term: math.log(1 + len(keys) / counts[term]) for term in asked}
    sums = np.array([sum(rarity[term] for term in asked if term in key) for key in keys], dtype=np.float32)
    best = float(sums.max(initial=0.0))
    return sums / best if best > 0 else sums


def _near(centroids: Floats, vector: Floats | None) -> Floats:
    """1 for the nearest, falling off with the cosine; 0 for all where nothing can be compared."""
    near = np.zeros(len(centroids), dtype=np.float32)
    if vector is None or centroids.shape[1:] != vector.shape:
        return near
    known = centroids.any(axis=1)
    if known.any():
        cosines = centroids[known] @ vector
        near[known] = np.exp((cosines - cosines.max()) / _FALL)
    return near
