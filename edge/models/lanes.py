"""Windows of several sessions in one KV cache: each is a sequence; who came last stays longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from edge.engine.kv_ports import Lane, shared
from edge.models.cells import Cells


class Cache(Protocol):
    """A KV cache and its account."""

    @property
    def cells(self) -> Cells: ...

    def trim(self, sequence: int, length: int) -> None:
        """Keep the first `length` tokens of a sequence."""

    def copy(self, source: int, target: int, length: int) -> None:
        """Let a sequence begin as another does, in the same cells, in place of what it holds."""


class LaneTable:
    """Which session's window is in which sequence, the least recently used first.

    All of them together take at most `room` cells, with what the one that enters may come to. One sequence is spare, so
    that who enters can begin as a copy of who leaves.
    """

    def __init__(self, cache: Cache, sequences: Sequence[int], room: int) -> None:
        self._cache = cache
        self._room = room
        self._most = len(sequences) - 1
        self._free = list(reversed(sequences))
        self._used: OrderedDict[Lane, int] = OrderedDict()

    @property
    def names(self) -> tuple[Lane, ...]:
        """Lanes that are there, the least recently used first."""
        return tuple(self._used)

    def held(self, lane: Lane) -> Sequence[int]:
        """The tokens of a lane that are in the cache; none of one that is not there."""
        return self._cache.cells.tokens(self._used[lane]) if lane in self._used else ()

    def sequence(self, lane: Lane) -> int:
        """The sequence of a lane that is there."""
        return self._used[lane]

    def leaving(self, lane: Lane, cells: int) -> list[Lane]:
        """Who has to leave so that the lane can come to that many cells: the least recently used."""
        others = [each for each in self._used if each != lane]
        gone: list[Lane] = []
        while others and (len(others) >= self._most or self._taken(others) + cells > self._room):
            gone.append(others.pop(0))
        return gone

    def enter(self, lane: Lane, prompt: Sequence[int], cells: int) -> int:
        """Let a lane hold as much of the prompt's beginning as any lane does, and nothing else; returns how many tokens
        these are. Then it may come to that many cells.

        The prompt's last token is never kept: its logits are needed, and the cache holds none.
        """
        source, kept = self._longest(lane, prompt[:-1])
        own = self._take(lane)
        if source not in (None, lane):
            self._cache.copy(self._used[source], own, kept)
        self._cache.trim(own, kept)
        for each in self.leaving(lane, cells):
            self.drop(each)
        return kept

    def make_room(self, lane: Lane, cells: int) -> int:
        """Empty a lane and let it come to that many cells; returns its sequence."""
        for each in (lane, *self.leaving(lane, cells)):
            self.drop(each)
        return self._take(lane)

    def drop(self, lane: Lane) -> None:
        """Let go of a lane, if it is there."""
        if lane in self._used:
            sequence = self._used.pop(lane)
            self._cache.trim(sequence, 0)
            self._free.append(sequence)

    def _taken(self, lanes: Sequence[Lane]) -> int:
        return self._cache.cells.used([self._used[lane] for lane in lanes])

    def _longest(self, lane: Lane, beginning: Sequence[int]) -> tuple[Lane | None, int]:
        """Who holds most of it; the lane itself where none holds more."""
        best, kept = None, 0
        for each in (lane, *self._used):
            held = shared(self.held(each), beginning)
            if held > kept:
                best, kept = each, held
        return best, kept

    def _take(self, lane: Lane) -> int:
        if lane not in self._used:
            self._used[lane] = self._free.pop()
        self._used.move_to_end(lane)
        return self._used[lane]
