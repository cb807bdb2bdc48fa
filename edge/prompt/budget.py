"""How many tokens each section of a prompt gets, and what gives way when there are too many. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge.errors import PromptTooLong


@dataclass(frozen=True, slots=True)
class Wanted:
    """Tokens that each section of a prompt would take.

    `fixed` never gives way: role text, template, the person's words. The others do, in the order of the fields:
    the summary, the execution context (last_tool_result first, then current_tool with tool_args), memories from the
    lowest rank, old turns. `memories` are ranked best first, `turns` oldest first.
    """

    fixed: int
    summary: int = 0
    tool_result: int = 0
    tool_call: int = 0
    memories: Sequence[int] = ()
    turns: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Granted:
    """What may stay: whole sections, the best `memories`, the newest `turns`; `total` counts all tokens."""

    summary: bool
    tool_result: bool
    tool_call: bool
    memories: int
    turns: int
    total: int


def allot(room: int, wanted: Wanted) -> Granted:
    """Fit the sections into `room` tokens. Raises PromptTooLong where even the fixed part does not fit."""
    if wanted.fixed > room:
        over = wanted.fixed - room
        raise PromptTooLong(
            f"The message is too long by {over} tokens: with the role text it takes {wanted.fixed} of {room}.",
            prompt_tokens=wanted.fixed,
            room_tokens=room,
            over_by=over,
        )
    left = room - wanted.fixed
    # Granting runs against the order of giving way: what gives way last is served first.
    turns, left = _grant(tuple(reversed(wanted.turns)), left)
    memories, left = _grant(wanted.memories, left)
    tool_call, left = _grant((wanted.tool_call,), left)
    tool_result, left = _grant((wanted.tool_result,), left)
    summary, left = _grant((wanted.summary,), left)
    return Granted(bool(summary), bool(tool_result), bool(tool_call), memories, turns, room - left)


def _grant(sizes: Sequence[int], left: int) -> tuple[int, int]:
    """How many of the sizes fit, in order, and what is left; the first that does not fit ends it."""
    for count, size in enumerate(sizes):
        if size > left:
            return count, left
        left -= size
    return len(sizes), left
