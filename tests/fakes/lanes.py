"""`Lanes` without keys and values: the tokens alone, by the account and the table of the real ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edge.engine.kv_ports import Lane
from edge.errors import StoreFailed
from edge.models.cells import Cells
from edge.models.lanes import LaneTable

SEQUENCES = range(5)


class TokenCache:
    """A cache that is its own account."""

    def __init__(self) -> None:
        self.cells = Cells(SEQUENCES)

    def trim(self, sequence: int, length: int) -> None:
        self.cells.trim(sequence, length)

    def copy(self, source: int, target: int, length: int) -> None:
        self.cells.copy(source, target, length)


@dataclass(frozen=True)
class HeldTokens:
    """What a sequence holds, while a stream adds to it."""

    cells: Cells
    sequence: int

    def append(self, tokens: Sequence[int]) -> None:
        self.cells.append(self.sequence, tokens)

    def __len__(self) -> int:
        return len(self.cells.tokens(self.sequence))


class ScriptedLanes(LaneTable):
    """The lanes of a scripted model; four sessions have room, in `room` tokens. `saved` and `restored` say for which
    lanes a file was written and read."""

    def __init__(self, room: int) -> None:
        self.cache = TokenCache()
        super().__init__(self.cache, SEQUENCES, room)
        self.saved: list[Lane] = []
        self.restored: list[Lane] = []

    def tokens(self, lane: Lane) -> HeldTokens:
        """What a lane that is there holds."""
        return HeldTokens(self.cache.cells, self.sequence(lane))

    def clear(self) -> None:
        self.cache.cells.clear()

    def save(self, lane: Lane, tokens: int, path: str) -> None:
        self.cache.trim(self.sequence(lane), tokens)
        try:
            Path(path).write_text(json.dumps(list(self.held(lane))))
        except OSError as error:
            raise StoreFailed(f"{path}: {error.strerror}") from error
        self.saved.append(lane)

    def restore(self, lane: Lane, tokens: Sequence[int], path: str) -> bool:
        kept = json.JSONDecoder().raw_decode(Path(path).read_text(errors="replace"))[0]
        sequence = self.make_room(lane, len(tokens))
        if kept != list(tokens):
            self.drop(lane)
            return False
        self.cache.cells.append(sequence, tokens)
        self.restored.append(lane)
        return True
