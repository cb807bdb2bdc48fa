"""Stop sequences: texts before the first of which a reply ends. None of them is shown or kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import replace

from edge.engine.model_ports import Finish, Generation, Piece
from edge.engine.progress import Progress
from edge.engine.running import RunningTurn

_Items = AsyncGenerator[Piece | Generation]


async def ended_before(turn: RunningTurn, progress: Progress, items: _Items) -> _Items:
    """A reply up to the first of the turn's stop sequences; what may be the beginning of one is held back.

    The model is stopped there, and the reply counts as ended by itself; one that the runtime gives is read along all
    the same.
    """
    held = ""
    async with aclosing(items):
        async for item in items:
            if isinstance(item, Generation):
                if held:
                    yield Piece(held, ())
                yield replace(item, finish=Finish.STOP) if progress.is_cut else item
            elif not progress.is_cut:
                shown, held, progress.is_cut = divided(held + item.text, turn.terms.stop_at)
                yield Piece(shown, item.tokens)
                if progress.is_cut and not progress.told_by_runtime:
                    turn.armed.set()


def divided(text: str, stops: Iterable[str]) -> tuple[str, str, bool]:
    """What of a text can be shown, what of its end may yet become a stop sequence, and whether one stands in it. The
    one that is whole first counts, however the text comes in pieces; it is dropped with what follows."""
    stops = tuple(stops)
    found = [(at + len(stop), at) for stop in stops if (at := text.find(stop)) >= 0]
    if found:
        _, begin = min(found)
        return text[:begin], "", True
    begun = max(_begun(text, stop) for stop in stops)
    return text[: len(text) - begun], text[len(text) - begun :], False


def _begun(text: str, stop: str) -> int:
    """How many characters at the end of a text are the beginning of a stop sequence."""
    longest = min(len(text), len(stop) - 1)
    return next((count for count in range(longest, 0, -1) if text.endswith(stop[:count])), 0)
