"""The window: the token ids of a session that the model has evaluated. It only grows until it is compacted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edge.memory.units import TurnId, UnitId
from edge.prompt.structured import IDLE, Execution


@dataclass(frozen=True, slots=True)
class Window:
    """What stands in a session's context, in order, and which units and turns it holds word for word.

    `pending` tokens at its end have not been evaluated yet: at least the mark that closed the last reply. The first
    `head` of them are the role text and core facts. `execution` is the execution context that was told last,
    `instructions` are a client's that hold. `summary` tells in the window what the turns `summarised` said, which stand
    there no more: what they hold can be recalled and sent again.
    """

    tokens: tuple[int, ...]
    units: frozenset[UnitId] = frozenset()
    turns: frozenset[TurnId] = frozenset()
    language: str = "en"
    pending: int = 0
    head: int = 0
    execution: Execution = IDLE
    instructions: str = ""
    summary: str = ""
    summarised: frozenset[TurnId] = frozenset()

    def append(self, tokens: tuple[int, ...], units: frozenset[UnitId] = frozenset()) -> Window:
        """The window with more tokens at its end; nothing before them changes."""
        return replace(self, tokens=self.tokens + tokens, units=self.units | units, pending=self.pending + len(tokens))

    def close_turn(self, reply: tuple[int, ...], closing: tuple[int, ...], turn: TurnId, unevaluated: int) -> Window:
        """The window after a reply: its tokens, the closing mark, and the turn counted as standing in it.

        `unevaluated` is how many tokens before the closing mark the model has not seen.
        """
        return replace(
            self,
            tokens=self.tokens + reply + closing,
            turns=self.turns | {turn},
            pending=unevaluated + len(closing),
        )


@dataclass(frozen=True, slots=True)
class Marks:
    """Sizes in tokens: of the context, of the room kept for a reply, and the marks of compaction."""

    context: int
    reply: int
    high: int
    low: int

    @property
    def room(self) -> int:
        """Most tokens that a prompt may have, so that the reply still fits."""
        return self.context - self.reply


def must_compact(window: Window, appended: int, marks: Marks) -> bool:
    """Whether appending would pass the high mark, or leave no room for the reply."""
    return len(window.tokens) + appended > min(marks.high, marks.room)
