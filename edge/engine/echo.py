"""The echo guard: a reply that only says the person's words back is none. It is neither shown nor kept.

A tiny model repeats a statement, and after that questions too, whatever its notes hold. What stands in its window is
what teaches it to, so an echo is replaced there as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial

from edge.engine.listing import each_once
from edge.engine.model_ports import Finish, Generation, Piece, Sampling
from edge.engine.opening import Speaker
from edge.engine.ports import Worker, Written
from edge.engine.progress import Progress
from edge.engine.reading import read_along
from edge.engine.running import RunningTurn
from edge.memory.echoes import Echo
from edge.memory.language import language_of
from edge.memory.questions import asks
from edge.memory.repetition import requests
from edge.prompt.replies import acknowledged, nothing_known

Items = AsyncGenerator[Piece | Generation]


@dataclass(slots=True)
class _Held:
    """The beginning of a reply, as long as it may become an echo."""

    echo: Echo
    pieces: list[Piece] = field(default_factory=list)
    said: str = ""

    def add(self, piece: Piece) -> bool:
        """Whether it is to be held back still, with this piece."""
        self.pieces.append(piece)
        self.said += piece.text
        return self.echo.may_become(self.said)


@dataclass(frozen=True, slots=True)
class _Missed:
    """A generation that was no reply."""

    pieces: tuple[Piece, ...]
    generation: Generation


class EchoGuard:
    """Lets the model reply to one turn. Lives on the event loop."""

    def __init__(
        self, worker: Worker, speaker: Speaker, turn: RunningTurn, progress: Progress, writing: asyncio.Future[Written]
    ) -> None:
        """`worker` is the model's thread; `writing` ends when the person's words are stored."""
        self._worker = worker
        self._speaker = speaker
        self._turn = turn
        self._progress = progress
        self._writing = writing
        self._prompt = progress.prompt.window.tokens
        self._missed: list[_Missed] = []

    async def reply(self) -> Items:
        """The model's reply as it comes, but for what may still become an echo. In an echo's place a statement is
        acknowledged; a question is asked once more, and after a second echo answered with the best memory.

        The Generation counts the prompt's tokens once. A reply that the runtime gives is noted in the progress.
        """
        sampling = self._turn.sampling
        async with aclosing(self._made(sampling)) as items:
            async for item in items:
                yield item
        if not self._missed:
            return
        async with aclosing(self._instead(sampling)) as items:
            async for item in items:
                yield self._counted(item)

    async def _instead(self, sampling: Sampling) -> Items:
        """What comes in the place of an echo."""
        echo, first = self._progress.echo, self._missed[0].generation
        if echo is not None and echo.wants_reply:
            async with aclosing(self._made(replace(sampling, not_first=first.tokens[:1]))) as items:
                async for item in items:
                    yield item
            if len(self._missed) == 1:
                return
        async with aclosing(self._told()) as items:
            async for item in items:
                yield item

    async def _made(self, sampling: Sampling) -> Items:
        """What the model makes; where that is no reply, it is missed, and nothing of it comes."""
        echo = self._progress.echo
        held = None if echo is None else _Held(echo)
        async with aclosing(self._worker.stream(partial(self._streamed, sampling))) as items:
            async for item in items:
                if held is not None and isinstance(item, Piece):
                    if held.add(item):
                        continue
                    for piece in held.pieces:
                        yield piece
                    held = None
                elif held is not None and isinstance(item, Generation):
                    for last in self._ended(held, item):
                        yield last
                else:
                    yield item

    def _rearm(self) -> None:
        """A list that went round was stopped by the turn's signal; only a turn that was stopped itself stays so."""
        self._turn.arm(self._speaker.model.new_stop())

    def _streamed(self, sampling: Sampling) -> Iterator[Piece | Generation]:
        """On the model's thread."""
        signal = self._turn.armed
        items = self._speaker.model.stream(self._prompt, sampling, signal, self._turn.lane)
        return each_once(items, signal) if self._progress.lists else items

    def _ended(self, held: _Held, generation: Generation) -> list[Piece | Generation]:
        """What is shown of a reply that ended while it was held back. Nothing of one that was stopped: who asked is
        gone, or wants no more of it."""
        if generation.finish is Finish.CANCELLED:
            return [replace(generation, tokens=())]
        is_empty = bool(self._missed) and not held.said.strip()
        if is_empty or held.echo.is_echoed(held.said, cut=generation.finish is Finish.LENGTH):
            self._missed.append(_Missed(tuple(held.pieces), generation))
            self._rearm()
            return []
        return [*held.pieces, generation]

    async def _told(self) -> Items:
        """The runtime's words, which the model reads along; the echo after all where none of them has room."""
        told = await self._fitting()
        if told is None:
            for piece in self._missed[-1].pieces:
                yield piece
            yield self._missed[-1].generation
            return
        self._progress.told, self._progress.told_by_runtime = told.text, True
        reading = read_along(self._worker, self._speaker.model, self._turn, self._prompt, told)
        async with aclosing(reading) as items:
            async for item in items:
                yield item

    async def _fitting(self) -> Piece | None:
        """The best words that have room."""
        for words in await self._words():
            tokens = self._speaker.windows.reply_tokens(words)
            if len(tokens) < self._turn.sampling.max_tokens:
                return Piece(words, tokens)
        return None

    async def _words(self) -> list[str]:
        """What the runtime may say, the best first."""
        language, echo = language_of(self._turn.message), self._progress.echo
        if echo is None or not echo.wants_reply:
            await asyncio.shield(self._writing)
            return [acknowledged(language, remembered=self._progress.states_facts)]
        return [*self._quotes(language), nothing_known(language)]

    def _quotes(self, language: str) -> list[str]:
        """Memories that the model had before it, but for what was only asked before."""
        progress = self._progress
        told = [found.unit for found in progress.found.recalled if found.unit.id in progress.prompt.window.units]
        units = [unit for unit in told if not asks(unit.content) and not requests(unit.content)]
        return [self._speaker.windows.quote(unit, progress.opened_at, language) for unit in units]

    def _counted(self, item: Piece | Generation) -> Piece | Generation:
        """The prompt is counted as it was evaluated for the first time."""
        if isinstance(item, Piece):
            return item
        first = self._missed[0].generation
        return replace(item, evaluated=first.evaluated, reused=first.reused, prefill_seconds=first.prefill_seconds)
