"""Grouping unit vectors by their direction.

First groups are made by average linkage (Sokal and Michener, "A statistical method for evaluating systematic
relationships", 1958). Large ones are halved by spherical k-means (Dhillon and Modha, "Concept decompositions for large
sparse text data using clustering", Machine Learning 42, 2001, section 3) from k-means++ seeds (Arthur and
Vassilvitskii, SODA 2007, section 2.2), several times over, of which the most coherent is kept. The same seed gives the
same groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""(n, dimension), each row of length 1, or of length 0 for what nothing is known of."""
Labels = npt.NDArray[np.int64]

SPLIT_OVER = 300
"""Members over which a cluster is split."""
_ROUNDS = 30
_STARTS = 4
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of vectors: the group of each (n,), the groups' centroids (k, dimension), and the mean cosine of the
    vectors to their centroids."""

    labels: Labels
    centroids: Vectors
    coherence: float


def normalised(rows: Vectors) -> Vectors:
    """The rows at length 1; one that is nothing stays nothing."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > _NOTHING, lengths, 1.0), dtype=np.float32)


def centroid(rows: Vectors) -> Vectors:
    """The direction of several vectors, (dimension,)."""
    return normalised(rows.mean(axis=0))


def group(vectors: Vectors, count: int, seed: int) -> Grouping:
    """At most `count` groups, none of them empty: fewer where there are not as many different vectors."""
    if len(vectors) == 0 or count < 1:
        raise ValueError(f"{len(vectors)} vectors cannot be put into {count} groups")
    random = np.random.default_rng(seed)
    starts = (_settled(vectors, _seeds(vectors, count, random)) for _ in range(_STARTS))
    return _compact(max(starts, key=lambda grouping: grouping.coherence))


def linked(vectors: Vectors, count: int) -> Labels:
    """At most `count` groups by average linkage: the two whose vectors have the highest mean cosine become one, again
    and again; of equal pairs the first. The group of each vector, (n,)."""
    labels = np.arange(len(vectors))
    sizes = np.ones(len(vectors), dtype=np.float32)
    means = vectors @ vectors.T
    np.fill_diagonal(means, -np.inf)
    for _ in range(len(vectors) - count):
        one, two = sorted(divmod(int(np.argmax(means)), len(vectors)))
        joined = (sizes[one] * means[one] + sizes[two] * means[two]) / (sizes[one] + sizes[two])
        means[one], means[:, one] = joined, joined
        means[two], means[:, two], means[one, one] = -np.inf, -np.inf, -np.inf
        sizes[one] += sizes[two]
        labels[labels == two] = one
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def nearest(vector: Vectors, centroids: Vectors, count: int) -> list[int]:
    """Rows of the centroids nearest a vector, best first; of equals, the first."""
    return [int(row) for row in np.argsort(-(centroids @ vector), kind="stable")[:count]]


def most_central(vectors: Vectors, count: int) -> list[int]:
    """The rows nearest the centroid of all of them, best first."""
    return nearest(centroid(vectors), vectors, count)


def parts(vectors: Vectors, seed: int, most: int = SPLIT_OVER) -> list[Labels]:
    """The rows of a group in parts of at most `most`, halved until they are; one part where nothing is to be done.
    Vectors that cannot be told apart are cut by their order."""
    return list(_halved(vectors, np.arange(len(vectors)), seed, most))


def pairs_closer(centroids: Vectors, cosine: float) -> list[tuple[int, int]]:
    """Pairs of rows whose cosine is over a limit, closest first."""
    cosines = np.triu(centroids @ centroids.T, k=1)
    pairs = [(int(a), int(b)) for a, b in np.argwhere(cosines > cosine)]
    return sorted(pairs, key=lambda pair: (-float(cosines[pair]), pair))


def lying_together(vectors: Vectors, cosine: float, fewest: int) -> list[list[int]]:
    """Groups of rows, each at least as near as `cosine` to the centroid of its group, of `fewest` rows or more. The
    largest gathering first; a row is in one group at most."""
    free = np.ones(len(vectors), dtype=bool)
    found: list[list[int]] = []
    near = vectors @ vectors.T >= cosine
    while free.any():
        around = (near & free[None, :]).sum(axis=1) * free
        middle = int(np.argmax(around))
        rows = _around(vectors, near[middle] & free, free, cosine)
        if len(rows) >= fewest:
            found.append(rows)
            free[rows] = False
        free[middle] = False
    return found


def _around(vectors: Vectors, first: npt.NDArray[np.bool_], free: npt.NDArray[np.bool_], cosine: float) -> list[int]:
    """The free rows near the centroid of a first gathering."""
    if not first.any():
        return []
    middle = centroid(vectors[first])
    return [int(row) for row in np.flatnonzero((vectors @ middle >= cosine) & free)]


def _halved(vectors: Vectors, rows: Labels, seed: int, most: int) -> Iterator[Labels]:
    if len(rows) <= most:
        yield rows
        return
    labels = group(vectors[rows], 2, seed).labels
    if labels.min() == labels.max():
        labels = (np.arange(len(rows)) >= len(rows) // 2).astype(np.int64)
    for half in (0, 1):
        yield from _halved(vectors, rows[labels == half], seed, most)


def _seeds(vectors: Vectors, count: int, random: np.random.Generator) -> Vectors:
    """k-means++: each next seed is drawn in proportion to its distance from those before it."""
    chosen = [int(random.integers(len(vectors)))]
    distances = np.maximum(1.0 - vectors @ vectors[chosen[0]], 0.0)
    while len(chosen) < count and distances.max() > 1e-6:
        at = np.searchsorted(np.cumsum(distances, dtype=np.float64), random.random() * float(distances.sum()))
        chosen.append(min(int(at), len(vectors) - 1))
        distances = np.minimum(distances, np.maximum(1.0 - vectors @ vectors[chosen[-1]], 0.0))
    return vectors[chosen]


def _settled(vectors: Vectors, centroids: Vectors) -> Grouping:
    labels = np.argmax(vectors @ centroids.T, axis=1)
    for _ in range(_ROUNDS):
        centroids = _moved(vectors, labels, centroids)
        before, labels = labels, np.argmax(vectors @ centroids.T, axis=1)
        if np.array_equal(before, labels):
            break
    return Grouping(labels, centroids, float((vectors * centroids[labels]).sum(axis=1).mean()))


def _moved(vectors: Vectors, labels: Labels, centroids: Vectors) -> Vectors:
    """The centroids of the groups; one that nothing belongs to any more stays where it was."""
    sums = np.zeros_like(centroids)
    np.add.at(sums, labels, vectors)
    empty = np.linalg.norm(sums, axis=1) <= _NOTHING
    sums[empty] = centroids[empty]
    return normalised(sums)


def _compact(grouping: Grouping) -> Grouping:
    """The same without empty groups."""
    kept, labels = np.unique(grouping.labels, return_inverse=True)
    return Grouping(labels.astype(np.int64), grouping.centroids[kept], grouping.coherence)
