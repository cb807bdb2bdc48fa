"""The sessions' windows in llama.cpp's cache, and in files."""

from __future__ import annotations

from collections.abc import Sequence

from edge.engine.kv_ports import Lane
from edge.models.lanes import LaneTable
from edge.models.llama_context import LANES, LlamaContext


class LlamaLanes(LaneTable):
    """The `Lanes` of a context. To be used between two calls of the model."""

    def __init__(self, context: LlamaContext, room: int) -> None:
        """`room`: most tokens of all lanes together."""
        super().__init__(context, LANES, room)
        self._context = context

    def save(self, lane: Lane, tokens: int, path: str) -> None:
        sequence = self.sequence(lane)
        self._context.trim(sequence, tokens)
        self._context.save(sequence, path)

    def restore(self, lane: Lane, tokens: Sequence[int], path: str) -> bool:
        if self._context.restore(self.make_room(lane, len(tokens)), tokens, path):
            return True
        self.drop(lane)
        return False
