"""Replies that the model did not make, and reads all the same."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from edge.engine.model_ports import Finish, Generation, LanguageModel, Piece
from edge.engine.ports import Worker
from edge.engine.running import RunningTurn
from edge.prompt.composition import Tokens


async def read_along(
    worker: Worker, model: LanguageModel, turn: RunningTurn, prompt: Tokens, told: Piece
) -> AsyncGenerator[Piece | Generation]:
    """A reply that the model did not make, told at once. Then the model evaluates the turn, so that the session's
    next turn finds it done."""
    yield told
    reading = replace(turn.sampling, max_tokens=1)
    read = worker.stream(lambda: model.stream(prompt + told.tokens, reading, turn.armed, turn.lane))
    async with aclosing(read) as items:
        async for item in items:
            if isinstance(item, Generation):
                finish = Finish.CANCELLED if item.finish is Finish.CANCELLED else Finish.STOP
                evaluated = max(0, item.evaluated - len(told.tokens))
                seconds = item.prefill_seconds * evaluated / max(1, item.evaluated)
                yield replace(
                    item,
                    finish=finish,
                    tokens=told.tokens,
                    evaluated=evaluated,
                    prefill_seconds=seconds,
                    generate_seconds=0.0,
                )
