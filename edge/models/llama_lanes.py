"""The sessions' windows in llama.cpp's cache, and in files."""

from __future__ import annotations

from collections.abc import Sequence

from edge.engine.kv_ports import Lane
from edge.models.lanes import LaneTable
from edge.models.llama_context import LANES, LlamaContext


class LlamaLanes:
    """The `Lanes` of a context. To be used between two calls of the model."""

    def __init__(self, context: LlamaContext, room: int) -> None:
        """`room`: most tokens of all lanes together."""
        self._context = context
        self._table = LaneTable(context, LANES, room)

    @property
    def names(self) -> tuple[Lane, ...]:
        return self._table.names

    def held(self, lane: Lane) -> Sequence[int]:
        return self._table.held(lane)

    def leaving(self, lane: Lane, cells: int) -> list[Lane]:
        return self._table.leaving(lane, cells)

    def enter(self, lane: Lane, prompt: Sequence[int], cells: int) -> tuple[int, int]:
        """The sequence for a prompt that may come to so many tokens, and how many of it that holds already."""
        kept = self._table.enter(lane, prompt, cells)
        return self._table.sequence(lane), kept

    def drop(self, lane: Lane) -> None:
        self._table.drop(lane)

    def save(self, lane: Lane, tokens: int, path: str) -> None:
        sequence = self._table.sequence(lane)
        self._context.trim(sequence, tokens)
        self._context.save(sequence, path)

    def restore(self, lane: Lane, tokens: Sequence[int], path: str) -> bool:
        if self._context.restore(self._table.make_room(lane, len(tokens)), tokens, path):
            return True
        self._table.drop(lane)
        return False
