"""What hnswlib 0.8 writes, as arrays over a memory map: nothing is read before it is looked at.

A file is a header of 96 bytes, one record of a fixed size for each element, and then for each element the length of its
links in the upper levels and those links. A record holds the links of the lowest level, the vector and a label; the
element's number is its place. All fields are made of 32-bit words, so the records are one table of words.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edge.engine.ports import Ids, Vector

HEADER_BYTES = 96
_WORD = 4
_LABEL_WORDS = 2
_FIRST_FIELDS = 6

Words = npt.NDArray[np.uint32]
Rows = npt.NDArray[np.int64]
"""Numbers of elements."""


class LayoutUnfit(Exception):
    """A file that is no graph of hnswlib, or of another shape than is asked for."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand in a file: words from the start of a record, and the graph's parameters."""

    count: int
    words: int
    """Words of a record."""
    vector_at: int
    dimension: int
    label_at: int
    links: int
    """Most links of an element in the lowest level (M0); half of them in each upper one (M)."""
    top_level: int
    entry: int

    @property
    def vector_end(self) -> int:
        return self.vector_at + self.dimension

    @property
    def tail_at(self) -> int:
        """Byte at which the upper levels begin."""
        return HEADER_BYTES + self.count * self.words * _WORD

    @property
    def upper_words(self) -> int:
        """Words of one element's links in one upper level: how many there are, and room for them."""
        return 1 + self.links // 2


def read_layout(header: bytes) -> Layout:
    """The layout that a header describes. Raises LayoutUnfit where it cannot be one."""
    if len(header) < HEADER_BYTES:
        raise LayoutUnfit(f"it has {len(header)} bytes")
    offset, _, count, size, label_at, vector_at = np.frombuffer(header, "<u8", _FIRST_FIELDS).tolist()
    (top_level,) = np.frombuffer(header, "<i4", 1, 48).tolist()
    (entry,) = np.frombuffer(header, "<u4", 1, 52).tolist()
    upper, links = np.frombuffer(header, "<u8", 2, 56).tolist()
    ordered = 0 < vector_at < label_at < size and size == label_at + _WORD * _LABEL_WORDS
    whole = not (size % _WORD or vector_at % _WORD or label_at % _WORD)
    if offset or not ordered or not whole or links != 2 * upper or vector_at != _WORD * (1 + links):
        raise LayoutUnfit("its header is not hnswlib's")
    if not (0 <= entry < count < 2**31) or not 0 <= top_level < 64:
        raise LayoutUnfit("its header names no entry point")
    dimension = (label_at - vector_at) // _WORD
    return Layout(count, size // _WORD, vector_at // _WORD, dimension, label_at // _WORD, links, top_level, entry)


class Records:
    """The records of a mapped file, and its tail of upper levels."""

    def __init__(self, mapped: mmap.mmap, layout: Layout) -> None:
        if len(mapped) < layout.tail_at + _WORD * layout.count or len(mapped) % _WORD:
            raise LayoutUnfit(f"it has {len(mapped)} bytes, too few for {layout.count} elements")
        self.layout = layout
        self.mapped = mapped
        words = np.frombuffer(mapped, "<u4", layout.count * layout.words, HEADER_BYTES)
        self.words: Words = words.reshape(layout.count, layout.words)
        self.tail: Words = np.frombuffer(mapped, "<u4", -1, layout.tail_at)

    def vectors(self, first: int, last: int) -> Vector:
        """The vectors of elements [first, last), in place."""
        return self.vectors_in(self.words[first:last])

    def vectors_in(self, words: Words) -> Vector:
        """The vectors in some records, in place."""
        vectors: Vector = words[:, self.layout.vector_at : self.layout.vector_end].view(np.float32)
        return vectors

    def labels(self) -> Ids:
        """What each element was called when it was added."""
        at = self.layout.label_at
        pairs = np.ascontiguousarray(self.words[:, at : at + _LABEL_WORDS])
        return pairs.view("<u8").reshape(-1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class UpperLevels:
    """Which elements stand in upper levels: their numbers, ascending, and in how many."""

    elements: Words
    heights: npt.NDArray[np.uint8]


def find_upper_levels(records: Records) -> UpperLevels:
    """Read the tail from its start to its end. Raises LayoutUnfit where it does not come out even.

    The lengths of all elements follow each other, nearly all of them zero, so only the others are visited.
    """
    tail, layout = records.tail, records.layout
    elements, heights = [], []
    present = np.flatnonzero(tail)
    at, element = 0, 0
    while True:
        following = np.searchsorted(present, at)
        if following == len(present):
            break
        element += int(present[following]) - at
        at = int(present[following])
        height, rest = divmod(int(tail[at]), _WORD * layout.upper_words)
        if rest or not height or height > layout.top_level:
            raise LayoutUnfit("its upper levels are damaged")
        elements.append(element)
        heights.append(height)
        at, element = at + 1 + height * layout.upper_words, element + 1
    if len(tail) != layout.count + sum(heights) * layout.upper_words or element > layout.count:
        raise LayoutUnfit("its upper levels do not come out even")
    return UpperLevels(np.array(elements, dtype=np.uint32), np.array(heights, dtype=np.uint8))
