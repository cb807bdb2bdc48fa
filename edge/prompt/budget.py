"""How many tokens each section of a prompt gets, and what gives way when there are too many. Pure arithmetic.

There are two limits: the tokens that a prompt may have, and those that the model can evaluate within the wanted time to
the first token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from edge.errors import PromptTooLong

_BEST_SHARE = 0.2
"""Of the tokens in time, what the best memory may take in any case where a question was asked: an answer without it is
worth little, and where words alone use up the time, it comes this much later at most."""


class Section(StrEnum):
    """A part of a prompt that may give way."""

    SUMMARY = "summary"
    TOOL_RESULT = "last_tool_result"
    TOOL_CALL = "current_tool"
    MEMORIES = "memories"
    TURNS = "turns"


class Cause(StrEnum):
    """What there was not enough of."""

    TOKENS = "tokens"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class GaveWay:
    """What of a section had no room: how many pieces, and their tokens."""

    section: Section
    count: int
    tokens: int
    cause: Cause


@dataclass(frozen=True, slots=True)
class Wanted:
    """Tokens that each section of a prompt would take.

    `fixed` never gives way: role text, template, the person's words; `held` of these tokens the model has evaluated
    before. The others give way in the order of the fields: the summary, the execution context (last_tool_result first,
    then current_tool with tool_args), memories from the lowest rank, old turns. `memories` are ranked best first,
    `turns` oldest first. The best memory stays, however long it takes, where it is `certain`; where a question was
    `asked`, as long as it is short beside what there is time for.
    """

    fixed: int
    summary: int = 0
    tool_result: int = 0
    tool_call: int = 0
    memories: Sequence[int] = ()
    turns: Sequence[int] = ()
    held: int = 0
    certain: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Granted:
    """What may stay: whole sections, the best `memories`, the newest `turns`; `total` counts all tokens."""

    summary: bool
    tool_result: bool
    tool_call: bool
    memories: int
    turns: int
    total: int
    gave_way: tuple[GaveWay, ...] = ()


def allot(room: int, wanted: Wanted, in_time: int | None = None) -> Granted:
    """Fit the sections into `room` tokens, of which the model is to evaluate no more than `in_time`, where that is
    given. What never gives way may take longer. Raises PromptTooLong where even the fixed part does not fit the room.
    """
    if wanted.fixed > room:
        over = wanted.fixed - room
        raise PromptTooLong(
            f"The message is too long by {over} tokens: with the role text it takes {wanted.fixed} of {room}.",
            prompt_tokens=wanted.fixed,
            room_tokens=room,
            over_by=over,
        )
    fitting = _granted(room, wanted, 0)
    if in_time is None:
        return replace(fitting, gave_way=_lost(wanted, fitting, fitting))
    kept = min(fitting.memories, 1 if _stays(wanted, in_time) else 0)
    least = wanted.fixed + sum(wanted.memories[:kept])
    granted = _granted(max(least, min(room, wanted.held + in_time)), wanted, kept)
    return replace(granted, gave_way=_lost(wanted, granted, fitting))


def low_mark(low: int, base: int, fixed: int, adds: int, in_time: int | None) -> int:
    """How large a window may be, in tokens, that is built anew before a turn: no larger than the `low` mark, and so
    that it is evaluated `in_time`; never below `base`, its role text and core facts.

    `fixed` tokens must be evaluated whatever stays: those of the base that the model does not hold, and the person's
    words. Of what there is time for beside them, old turns have half, or what the turn `adds` of its own leaves them.
    """
    if in_time is None:
        return low
    left = max(0, in_time - fixed)
    return min(low, base + max(left // 2, left - adds))


def _stays(wanted: Wanted, in_time: int) -> bool:
    """Whether the best memory is told in any case."""
    if not wanted.memories:
        return False
    return wanted.certain or (wanted.asked and wanted.memories[0] <= _BEST_SHARE * in_time)


def _granted(room: int, wanted: Wanted, kept: int) -> Granted:
    """What fits, with the best `kept` memories before all else."""
    left = room - wanted.fixed - sum(wanted.memories[:kept])
    # Granting runs against the order of giving way: what gives way last is served first.
    turns, left = _grant(tuple(reversed(wanted.turns)), left)
    memories, left = _grant(wanted.memories[kept:], left)
    tool_call, left = _grant((wanted.tool_call,), left)
    tool_result, left = _grant((wanted.tool_result,), left)
    summary, left = _grant((wanted.summary,), left)
    return Granted(bool(summary), bool(tool_result), bool(tool_call), kept + memories, turns, room - left)


def _grant(sizes: Sequence[int], left: int) -> tuple[int, int]:
    """How many of the sizes fit, in order, and what is left; the first that does not fit ends it."""
    for count, size in enumerate(sizes):
        if size > left:
            return count, left
        left -= size
    return len(sizes), left


def _lost(wanted: Wanted, granted: Granted, fitting: Granted) -> tuple[GaveWay, ...]:
    """What of the sections was not granted; what would be `fitting` the tokens alone gave way to the seconds."""
    turns = tuple(reversed(wanted.turns))
    parts: list[tuple[Section, Sequence[int], int, int]] = [
        (Section.SUMMARY, (wanted.summary,), granted.summary, fitting.summary),
        (Section.TOOL_RESULT, (wanted.tool_result,), granted.tool_result, fitting.tool_result),
        (Section.TOOL_CALL, (wanted.tool_call,), granted.tool_call, fitting.tool_call),
        (Section.MEMORIES, wanted.memories, granted.memories, fitting.memories),
        (Section.TURNS, turns, granted.turns, fitting.turns),
    ]
    lost = [
        GaveWay(section, sum(map(bool, gone)), sum(gone), cause)
        for section, sizes, stays, fits in parts
        for cause, gone in ((Cause.SECONDS, sizes[stays:fits]), (Cause.TOKENS, sizes[max(stays, fits) :]))
    ]
    return tuple(each for each in lost if each.tokens)
