"""Turns under way: how they are told, stopped, and kept apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from edge.engine.contexts import Context
from edge.engine.events import Event
from edge.engine.kept_windows import lane_of
from edge.engine.kv_ports import Lane
from edge.engine.model_ports import Sampling, StopSignal
from edge.memory.secret_json import redacted_json
from edge.memory.secrets import Labels, redacted, redacted_said
from edge.memory.units import OwnerId, SessionId


class SessionLocks:
    """Turns of one session follow one another: each needs the window that the last one left."""

    def __init__(self) -> None:
        self._locks: dict[tuple[OwnerId, SessionId], tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def alone(self, owner: OwnerId, session: SessionId) -> AsyncIterator[None]:
        """Wait until no other turn of the session runs."""
        key = (owner, session)
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(key)
            if users > 1:
                self._locks[key] = (lock, users - 1)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a client wants of a reply beside its length: `instructions` for the model, which hold for this turn, and
    texts before the first of which the reply ends."""

    instructions: str = ""
    stop_at: tuple[str, ...] = ()


NO_TERMS = Terms()


@dataclass(slots=True)
class RunningTurn:
    """A turn under way: its events, and the way to stop it. The last event is TurnDone or TurnFailed, then None."""

    owner: OwnerId
    session: SessionId
    message: str
    sampling: Sampling
    started: float
    context: Context | None = None
    terms: Terms = NO_TERMS
    events: asyncio.Queue[Event | None] = field(default_factory=asyncio.Queue)
    stopped: bool = False
    signal: StopSignal | None = None
    redacted: Labels = ()

    def hide_secrets(self) -> None:
        """Take secrets out of the words, the context and the instructions, before anything is recalled, stored or
        shown to the model. `redacted` then names what they were."""
        self.message, said = redacted_said(self.message)
        _, told = redacted_json({} if self.context is None else dict(self.context))
        instructions, wanted = redacted(self.terms.instructions)
        self.terms = replace(self.terms, instructions=instructions)
        self.redacted = tuple(dict.fromkeys((*said, *told, *wanted)))

    @property
    def lane(self) -> Lane:
        """Where the model keeps the session's window."""
        return lane_of(self.owner, self.session)

    @property
    def armed(self) -> StopSignal:
        """The model's stop signal, of a turn that is bound to one."""
        assert self.signal is not None
        return self.signal

    def cancel(self) -> None:
        """Stop it as soon as can be, also in prefill or while it waits. Its state is stored as cancelled."""
        self.stopped = True
        if self.signal is not None:
            self.signal.set()

    def arm(self, signal: StopSignal) -> None:
        """Bind the model's stop signal; a turn that was stopped before stops now."""
        self.signal = signal
        if self.stopped:
            signal.set()
