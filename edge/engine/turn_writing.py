"""What a turn leaves behind: its words and how it ended in the store, its tokens in the session's window.

All of it happens on the memory thread. What only comes beside a stored turn (its topic, what it says of other memories,
a question to ask back) may fail without harm to the turn.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from edge.clock import Clock
from edge.engine.opening import MemoryDesk
from edge.engine.ports import Scope, Written
from edge.engine.progress import Progress
from edge.engine.running import RunningTurn
from edge.engine.windows import Windows
from edge.errors import EdgeError
from edge.memory.secrets import redacted
from edge.memory.units import TurnState

_log = logging.getLogger(__name__)


class TurnWriting:
    """Writes the two ends of a turn: the person's words, then the reply or that there was none."""

    def __init__(self, desk: MemoryDesk, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock

    def words(self, turn: RunningTurn, windows: Windows, progress: Progress) -> Written:
        """The person's words and the execution context that the turn brings, in one step; then what follows from
        them for the topic, for the last reply, and for what is asked back."""
        owner, session = turn.owner, turn.session
        written = self._begin(turn, progress)
        assert written.turn is not None
        if windows.is_outdated(owner, progress.prompt):
            progress.forget_thread()
        with _spared("the topic is followed anew from the next turn on"):
            self._desk.topics.written(owner, session, progress.thread, turn.message, written.turn)
            self._desk.intentions.written(progress.thread, progress.lead, written.turn)
        with _spared("what the message says of the last reply is lost"):
            self._desk.serving.heard(owner, session, turn.message, written)
        with _spared("what contradicts itself is asked about in a later turn"):
            progress.question = self._desk.remember.question(owner, session, turn.message, written)
        return written

    def reply(
        self, turn: RunningTurn, windows: Windows, progress: Progress, written: Written, state: TurnState
    ) -> Written:
        """The reply into the store, the turn into the window, the use into the units."""
        assert written.turn is not None
        reply = _lasting_reply(turn, windows, progress, written)
        now = self._clock.now()
        scope = Scope(turn.owner, turn.session, now, present=True)
        stored = self._desk.remember.finish_turn(
            turn.owner,
            turn.session,
            written.turn,
            reply,
            state,
            _heard(scope, turn, windows, progress, reply),
            now,
            progress.asked if reply else None,
            session_only=progress.session_only,
        )
        if state is not TurnState.CANCELLED or progress.tokens:
            tokens, unevaluated = progress.kept(reply, windows.reply_tokens)
            windows.commit(turn.owner, turn.session, progress.prompt, written.turn, tokens, unevaluated=unevaluated)
        if state is not TurnState.CANCELLED:
            with _spared("what the reply used is not counted"):
                served = self._desk.serving.replied(scope, turn.message, reply, progress.given)
                self._desk.health.replied(
                    turn.owner, turn.message, reply, progress.found, served, is_told=progress.told is not None
                )
        with _spared("the topic does not know of the reply"):
            self._desk.topics.ended(turn.owner, progress.thread, written.turn)
            if not windows.is_outdated(turn.owner, progress.prompt):  # else this turn itself may be what was forgotten
                self._desk.topics.moved(turn.owner, progress.thread, turn.message)
                self._desk.intentions.written(progress.thread, progress.lead, written.turn)
        return stored

    def failure(self, turn: RunningTurn, windows: Windows, progress: Progress, written: Written) -> None:
        """That a turn failed whose words are stored, with what was said so far."""
        assert written.turn is not None
        self._desk.remember.finish_turn(
            turn.owner,
            turn.session,
            written.turn,
            _lasting_reply(turn, windows, progress, written),
            TurnState.FAILED,
            [turn.message],
            self._clock.now(),
            session_only=progress.session_only,
        )

    def _begin(self, turn: RunningTurn, progress: Progress) -> Written:
        owner, session, at = turn.owner, turn.session, progress.opened_at
        remember, contexts = self._desk.remember, self._desk.contexts
        context = None if turn.context is None else contexts.new(owner, session, turn.context, at)
        reading = remember.read(owner, session, turn.message)
        progress.session_only = reading.session_only
        progress.states_facts = bool(reading.facts)
        return remember.begin_turn(owner, session, turn.message, at, reading, context)


def _heard(scope: Scope, turn: RunningTurn, windows: Windows, progress: Progress, reply: str) -> list[str]:
    """All that a reply may only restate: the message, what it was given, and what the runtime itself told."""
    recalled = progress.found.recalled
    heard = [turn.message, *(found.unit.content for found in recalled), *windows.given(scope, progress.prompt)]
    if progress.told_by_runtime:
        heard.append(reply.removesuffix(progress.asked.words) if progress.asked else reply)
    return heard


def _lasting_reply(turn: RunningTurn, windows: Windows, progress: Progress, written: Written) -> str:
    """The reply as it may be kept: without secrets, and nothing of one that may repeat what was forgotten while it was
    made."""
    forgotten = windows.may_repeat_forgotten(turn.owner, turn.session, progress.prompt, written.added)
    return "" if forgotten else redacted(progress.reply)[0]


@contextmanager
def _spared(lost: str) -> Iterator[None]:
    """For what comes beside a turn that is stored: its failure is logged, and the turn goes on."""
    try:
        yield
    except EdgeError as error:
        _log.warning("%s: %s", lost, error.message)
