"""Search in a mapped graph: what hnswlib's own search does, step by step, over arrays.

The method is HNSW (Malkov and Yashunin 2018, algorithms 2 and 5). One step of the walk takes the nearest element whose
links were not followed yet and looks at all its neighbours at once, so that a query costs one round of a dozen array
operations for each of about `ef` steps, and no Python for a single neighbour. Neighbours that hnswlib would have
refused in the middle of such a round wait among the open ones and are never followed, so the answers are the same.

A place in the walk is one 64-bit number: the distance's bits above, the element's number below, so that sorting the
numbers sorts by distance. (Distances 1 - cosine are positive floats, whose bits sort as they do; rounding can make the
distance of a vector to itself slightly negative, which sorts first, as it should.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edge.engine.ports import Mask, Vector
from edge.index.layout import Records, Rows, UpperLevels, Words

_LOW = np.int64(0xFFFFFFFF)
_FOLLOWED = 1
"""Lowest bit of a place in a walk without a filter: set once the element's links were followed."""

_Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Nearest:
    """Elements, nearest first, with their cosines; and all elements whose vectors were looked at."""

    rows: Rows
    cosines: Vector
    seen: Mask


class Graph:
    """A graph in a mapped file. Searching changes nothing in it; any number of threads may."""

    def __init__(self, records: Records, upper: UpperLevels) -> None:
        self._records = records
        self._layout = records.layout
        self._levels = _levels(upper, records.layout.upper_words, records.layout.top_level)

    def search(self, query: Vector, ef: int, allowed: Mask | None) -> Nearest:
        """The nearest elements by a walk that keeps `ef` of them; `allowed` (count,) are those that it may keep.

        Walks through others all the same. Gives fewer than `ef` where it cannot reach more.
        """
        walk = _Walk(self._records, query, ef)
        entry, distance, looked_at = self._descend(query)
        if allowed is None:
            places = walk.among_all(entry, distance)
            rows = (places & _LOW) >> 1
        else:
            places = walk.among(allowed, entry, distance)
            rows = places & _LOW
        bits = (places >> 32).astype(np.int32)
        seen = walk.seen()
        seen.put(looked_at, True, mode="clip")
        return Nearest(rows, 1.0 - bits.view(np.float32), seen)

    def _descend(self, query: Vector) -> tuple[int, float, Rows]:
        """From the entry point down to the lowest level, always on to the nearest neighbour; and all that were looked
        at."""
        current = self._layout.entry
        nearest = self._distance(current, query)
        looked_at = [np.array([current], dtype=np.int64)]
        for level in reversed(self._levels):
            while True:
                neighbours = level.neighbours(current, self._records.tail)
                if not len(neighbours):
                    break
                looked_at.append(neighbours)
                words = self._records.words.take(neighbours, axis=0, mode="clip")
                cosines = np.vecdot(self._records.vectors_in(words), query)
                best = int(cosines.argmax())
                distance = float(np.float32(1.0) - cosines[best])
                if not distance < nearest:  # also where a damaged vector is no number
                    break
                current, nearest = min(int(neighbours[best]), self._layout.count - 1), distance
        return current, nearest, np.concatenate(looked_at)

    def _distance(self, element: int, query: Vector) -> float:
        vector = self._records.vectors(element, element + 1)
        return float(np.float32(1.0) - np.vecdot(vector, query)[0])


@dataclass(frozen=True, slots=True)
class _Level:
    """One upper level: its elements, ascending, and where in the tail their links begin."""

    elements: Words
    starts: Rows

    def neighbours(self, element: int, tail: Words) -> Rows:
        place = int(np.searchsorted(self.elements, element))
        if place == len(self.elements) or self.elements[place] != element:
            return np.zeros(0, dtype=np.int64)
        start = int(self.starts[place])
        return tail[start + 1 : start + 1 + (int(tail[start]) & 0xFFFF)].astype(np.int64)


def _levels(upper: UpperLevels, upper_words: int, top_level: int) -> list[_Level]:
    """From the lowest of the upper levels up."""
    words = upper.heights.astype(np.int64) * upper_words
    starts = upper.elements + np.cumsum(words) - words + 1
    levels = []
    for number in range(top_level):
        high = upper.heights > number
        levels.append(_Level(upper.elements[high], starts[high] + number * upper_words))
    return levels


class _Walk:
    """The memory of one search in the lowest level."""

    def __init__(self, records: Records, query: Vector, ef: int) -> None:
        layout = records.layout
        self._records = records
        self._query = query
        self._ef = ef
        self._last = np.uint32(layout.count - 1)
        self._fresh = np.ones(layout.count, dtype=np.bool_)
        self._words = np.empty((layout.links, layout.words), dtype=np.uint32)
        self._vectors = records.vectors_in(self._words)
        self._distances = np.empty(layout.links, dtype=np.float32)
        self._distance_bits = self._distances.view(np.int32)
        self._met = np.empty(layout.links, dtype=np.int64)
        self._met_halves = self._met.view(np.int32)

    def seen(self) -> Mask:
        """Elements whose vectors were looked at."""
        return ~self._fresh

    def among_all(self, entry: int, distance: float) -> _Places:
        """The nearest places: a sorted list of them that fills up, each followed once, from the nearest on."""
        places = np.empty(self._ef + self._records.layout.links, dtype=np.int64)
        places[0] = _place(distance, entry << 1)
        self._fresh[entry] = False
        count = 1
        while True:
            followed = places[:count] & _FOLLOWED
            nearest = int(followed.argmin())
            if followed[nearest]:
                return places[:count]
            place = int(places[nearest])
            places[nearest] = place | _FOLLOWED
            met = self._meet((place & 0xFFFFFFFF) >> 1, 1)
            if met:
                places[count : count + met] = self._met[:met]
                places[: count + met].sort()
                count = min(count + met, self._ef)

    def among(self, allowed: Mask, entry: int, distance: float) -> _Places:
        """The nearest allowed places: open ones of any kind on one side, those that are kept on the other."""
        opened = np.array([_place(distance, entry)], dtype=np.int64)
        kept = opened[allowed[[entry]]]
        self._fresh[entry] = False
        while len(opened) and not (len(kept) == self._ef and opened[0] > kept[-1]):
            element = int(opened[0]) & 0xFFFFFFFF
            met = self._met[: self._meet(element, 0)]
            if len(kept) == self._ef:
                met = met[met < kept[-1]]
            opened = np.concatenate([opened[1:], met])
            opened.sort()
            inside = met[allowed[met & _LOW]]
            if len(inside):
                kept = np.concatenate([kept, inside])
                kept.sort()
                kept = kept[: self._ef]
        return kept

    def _meet(self, element: int, shift: int) -> int:
        """Look at the neighbours that were not seen before; how many places of `_met` they fill.

        Numbers that a damaged file made up are cut to the last element: what was seen is checked afterwards.
        """
        links = self._records.words[element]
        neighbours = links[1 : 1 + min(int(links[0]) & 0xFFFF, len(self._met))]
        new = neighbours[self._fresh.take(neighbours, mode="clip")]
        np.minimum(new, self._last, out=new)
        count = len(new)
        if count:
            self._fresh.put(new, False)
            self._records.words.take(new, axis=0, out=self._words[:count], mode="clip")
            distances = self._distances[:count]
            np.vecdot(self._vectors[:count], self._query, out=distances)
            np.subtract(1.0, distances, out=distances)
            self._met_halves[1 : 2 * count : 2] = self._distance_bits[:count]
            self._met_halves[0 : 2 * count : 2] = new << shift
        return count


def _place(distance: float, low: int) -> int:
    return int(np.float32(distance).view(np.int32)) << 32 | low
