"""A turn, one direction: recall, compose, write the person's words, evaluate and stream, write the reply.

What is written of it is the matter of `turn_writing`; here is its order in time, on the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial

from edge.clock import Clock
from edge.engine.answers import Answers
from edge.engine.contexts import Context
from edge.engine.echo import EchoGuard
from edge.engine.events import ModelLoading, RecallDone, Timings, TokenMade, TurnDone, TurnFailed
from edge.engine.intent_asking import IntentAsking
from edge.engine.model_ports import Finish, Generation, Piece, Sampling
from edge.engine.offpeak import Interrupts
from edge.engine.opening import MemoryDesk, Speaker
from edge.engine.ports import Worker, Written
from edge.engine.progress import Progress
from edge.engine.reading import read_along
from edge.engine.running import NO_TERMS, RunningTurn, SessionLocks, Terms
from edge.engine.speed import Speed
from edge.engine.stopping import ended_before
from edge.engine.turn_writing import TurnWriting
from edge.engine.windows import Windows
from edge.errors import Busy, Cancelled, EdgeError, Stopping
from edge.memory.intents import Intent
from edge.memory.units import OwnerId, SessionId, TurnState

_STATES = {Finish.STOP: TurnState.DONE, Finish.LENGTH: TurnState.CUT, Finish.CANCELLED: TurnState.CANCELLED}


class Turns:
    """Runs turns: one at a time for a session, a bounded number in all. Lives on the event loop."""

    def __init__(
        self,
        desk: MemoryDesk,
        answers: Answers,
        model_worker: Worker,
        speaker: Callable[[], Awaitable[Speaker]],
        clock: Clock,
        *,
        waiting: int,
        written: Callable[[], None],
        speed: Speed,
        interrupts: Interrupts,
        is_freed: Callable[[], bool] = lambda: False,
        asking: IntentAsking | None = None,
        ended: Callable[[TurnDone | TurnFailed], None] = lambda _: None,
    ) -> None:
        """`speaker` gives the loaded model or raises why there is none; where it `is_freed`, a turn tells that it
        waits for it. `waiting` turns may queue behind the one that runs; `written` is called after each turn that
        stored something, `ended` with the last event of each. `interrupts` stop what runs beside the turns as soon as
        one arrives. Without `asking`, rules alone tell what a turn is for."""
        self._desk = desk
        self._writing = TurnWriting(desk, clock)
        self._answers = answers
        self._model_worker = model_worker
        self._speaker = speaker
        self._clock = clock
        self._waiting = waiting
        self._written = written
        self._speed = speed
        self._interrupts = interrupts
        self._is_freed = is_freed
        self._asking = asking
        self._tell_end = ended
        self._running: dict[asyncio.Task[None], RunningTurn] = {}
        self._sessions = SessionLocks()
        self._closing = False

    @property
    def depth(self) -> int:
        """Turns that run or wait."""
        return len(self._running)

    def start(
        self,
        owner: OwnerId,
        session: SessionId,
        message: str,
        sampling: Sampling,
        context: Context | None = None,
        terms: Terms = NO_TERMS,
    ) -> RunningTurn:
        """Begin a turn in the background; `context` takes the place of the session's execution context, where given.

        Raises Busy when the queue is full, Stopping when the daemon stops.
        """
        if self._closing:
            raise Stopping("The daemon is shutting down.")
        if len(self._running) > self._waiting:
            raise Busy(f"{len(self._running)} turns are running or waiting already.", waiting=len(self._running))
        turn = RunningTurn(owner, session, message, sampling, self._clock.monotonic(), context, terms)
        self._interrupts.hold()
        task = asyncio.get_running_loop().create_task(self._run(turn))
        self._running[task] = turn
        task.add_done_callback(self._ended)
        return turn

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._interrupts.release()

    async def close(self) -> None:
        """Stop all turns and wait until their ends are stored."""
        self._closing = True
        for turn in self._running.values():
            turn.cancel()
        while self._running:
            await asyncio.wait(tuple(self._running))

    async def _run(self, turn: RunningTurn) -> None:
        try:
            async with self._sessions.alone(turn.owner, turn.session):
                await self._take(turn)
        except EdgeError as error:
            self._end(turn, TurnFailed(error))
        finally:
            turn.events.put_nowait(None)

    def _end(self, turn: RunningTurn, event: TurnDone | TurnFailed) -> None:
        turn.events.put_nowait(event)
        self._tell_end(event)

    async def _take(self, turn: RunningTurn) -> None:
        if self._is_freed():
            turn.events.put_nowait(ModelLoading())
        speaker = await self._speaker()
        if turn.stopped:
            raise Cancelled("The turn was stopped before it began.")
        since = self._clock.monotonic()  # what the wait for other turns and for the model took is not the turn's own
        intent = None if self._asking is None else await self._asking.intent(turn, speaker.model, since)
        progress = await self._desk.worker.run(partial(self._open, turn, speaker.windows, since, intent))
        turn.arm(speaker.model.new_stop())
        writing = asyncio.ensure_future(
            self._desk.worker.run(partial(self._writing.words, turn, speaker.windows, progress))
        )
        try:
            written = await self._answer(turn, speaker, progress, writing)
        except EdgeError:
            await self._abandon(turn, speaker.windows, progress, writing)
            raise
        await self._finish(turn, speaker, progress, written)

    def _open(self, turn: RunningTurn, windows: Windows, since: float, intent: Intent | None) -> Progress:
        """On the memory thread."""
        progress = self._desk.open(turn, windows, self._clock.now(), since, intent)
        progress.composed = self._clock.monotonic() - turn.started
        return progress

    # --- the reply -------------------------------------------------------------------------------------------------

    async def _answer(
        self, turn: RunningTurn, speaker: Speaker, progress: Progress, writing: asyncio.Future[Written]
    ) -> Written:
        """Evaluate while the person's words are written; nothing of a reply is shown before they are."""
        prompt = progress.prompt.window.tokens
        told = progress.told or self._answers.reply(turn.message, progress.found, progress.in_doubt)
        tokens = speaker.windows.reply_tokens(told) if told is not None else ()
        progress.told_by_runtime = told is not None and len(tokens) < turn.sampling.max_tokens
        if told is not None and progress.told_by_runtime:
            pieces = read_along(self._model_worker, speaker.model, turn, prompt, Piece(told, tokens))
        else:
            pieces = EchoGuard(self._model_worker, speaker, turn, progress, writing).reply()
        if turn.terms.stop_at:
            pieces = ended_before(turn, progress, pieces)
        try:
            written = await self._relay(turn, progress, pieces, writing)
        finally:
            await pieces.aclose()
        self._ask(turn, speaker, progress)
        return written

    def _ask(self, turn: RunningTurn, speaker: Speaker, progress: Progress) -> None:
        """Put a question for what contradicts itself behind a whole reply, where there is room for it."""
        words = progress.words_to_ask
        tokens = () if words is None else speaker.windows.reply_tokens(words)
        if words is not None and len(progress.tokens) + len(tokens) <= turn.sampling.max_tokens:
            self._take_piece(turn, progress, Piece(words, tokens))
            progress.asked_tokens = len(tokens)

    async def _relay(
        self,
        turn: RunningTurn,
        progress: Progress,
        pieces: AsyncIterator[Piece | Generation],
        writing: asyncio.Future[Written],
    ) -> Written:
        first = asyncio.ensure_future(_next(pieces))
        try:
            written = await writing
        except EdgeError:
            turn.cancel()
            with suppress(EdgeError):
                await first
            raise
        assert written.turn is not None
        turn.events.put_nowait(RecallDone(written.turn, progress.found, progress.prompt.sent))
        item = await first
        while item is not None:
            self._take_piece(turn, progress, item)
            item = await _next(pieces)
        return written

    def _take_piece(self, turn: RunningTurn, progress: Progress, item: Piece | Generation) -> None:
        if isinstance(item, Generation):
            progress.generation = item
            progress.tokens = item.tokens
            return
        progress.tokens += item.tokens
        if progress.first_token is None:
            progress.first_token = self._clock.monotonic() - turn.started
        if item.text:
            progress.reply += item.text
            turn.events.put_nowait(TokenMade(item.text))

    # --- the end ---------------------------------------------------------------------------------------------------

    async def _finish(self, turn: RunningTurn, speaker: Speaker, progress: Progress, written: Written) -> None:
        assert written.turn is not None
        generation = progress.generation
        assert generation is not None
        self._speed.note(generation, progress.overhead)
        state = _STATES[generation.finish]
        stored = await self._desk.worker.run(
            partial(self._writing.reply, turn, speaker.windows, progress, written, state)
        )
        self._written()
        if state is TurnState.CANCELLED:
            raise Cancelled("The turn was stopped; what was said so far is kept.")
        self._end(
            turn,
            TurnDone(
                turn=written.turn,
                session=turn.session,
                reply=progress.reply,
                finish=generation.finish,
                told_by_runtime=progress.told_by_runtime,
                found=progress.found,
                sent=progress.prompt.sent,
                remembered=written.added + stored.added,
                asked=progress.asked,
                redacted=turn.redacted,
                usage=progress.usage,
                intent=progress.intent,
                topic=progress.thread.shift,
                timings=self._timings(turn, progress),
            ),
        )

    async def _abandon(
        self, turn: RunningTurn, windows: Windows, progress: Progress, writing: asyncio.Future[Written]
    ) -> None:
        """Store that a turn failed, where its words were stored."""
        with suppress(EdgeError):
            written = await writing
            await self._desk.worker.run(partial(self._writing.failure, turn, windows, progress, written))
            self._written()

    def _timings(self, turn: RunningTurn, progress: Progress) -> Timings:
        found = progress.found
        total = self._clock.monotonic() - turn.started
        return Timings(found.rules_seconds, found.total_seconds, progress.first_token, total)


async def _next(pieces: AsyncIterator[Piece | Generation]) -> Piece | Generation | None:
    return await anext(pieces, None)
