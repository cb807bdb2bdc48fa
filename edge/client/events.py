"""What runs in the daemon while it is read: a turn, a verification, and their events."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple, Self

from edge.client.answers import error_from_wire, server_sent, shaped, text_of
from edge.errors import DaemonNotRunning
from edge.wire import (
    BackupDone,
    BackupProgress,
    ConsolidatedEvent,
    DoneEvent,
    ForgotAllEvent,
    NightWire,
    RecallEvent,
    StepWire,
    VerifyDone,
    VerifyProgress,
    WaitsEvent,
)


class Loading(NamedTuple):
    """`event: loading`: the turn waits for the model."""


class Found(NamedTuple):
    """`event: recall`."""

    data: RecallEvent


class Token(NamedTuple):
    """`event: token`: the next piece of the reply."""

    text: str


class Done(NamedTuple):
    """`event: done`: the turn is stored."""

    data: DoneEvent


TurnEvent = Loading | Found | Token | Done


class Waits(NamedTuple):
    """`event: waits` of off-peak work."""

    data: WaitsEvent


class Worked(NamedTuple):
    """`event: progress` of off-peak work: how a step stands."""

    data: StepWire


class Running:
    """What runs in the daemon while its events are read; leaving the `with` block stops it."""

    def __init__(self, answer: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> None:
        self._answer = answer
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answer.close()
        self._connection.close()

    def _events(self, ended: DaemonNotRunning) -> Iterator[tuple[str, Any]]:
        """The events with their data, to the end, so that the daemon can finish its answer. Raises the error of an
        `error` event, and `ended` at an end before `done`."""
        done = False
        for name, data in server_sent(self._answer):
            if name == "error":
                raise error_from_wire(data)
            done = done or name == "done"
            yield name, data
        if not done:
            raise ended


class Turn(Running):
    """A running turn: iterate over its events."""

    def __iter__(self) -> Iterator[TurnEvent]:
        """Raises the error of an `error` event, and DaemonNotRunning at an end before `done`."""
        hint = DaemonNotRunning.default_hint + " What you said may be kept: `edge memories` shows it."
        for name, data in self._events(DaemonNotRunning("The daemon ended in the middle of the reply.", hint=hint)):
            match name:
                case "loading":
                    yield Loading()
                case "recall":
                    yield Found(shaped(data, RecallEvent, lists=("recalled",)))
                case "token":
                    yield Token(text_of(data))
                case "done":
                    yield Done(shaped(data, DoneEvent, lists=("recalled",)))


class Consolidating(Running):
    """Off-peak work that was asked for: iterate over what is done and what it waits for; after that `night` is how it
    stands, or None where it begins later."""

    night: NightWire | None

    def __iter__(self) -> Iterator[Worked | Waits]:
        """Raises the error of an `error` event, and DaemonNotRunning at an end before `done`."""
        ended = DaemonNotRunning("The daemon ended in the middle of its work; it goes on when it runs again.")
        for name, data in self._events(ended):
            match name:
                case "progress":
                    yield Worked(shaped(data, StepWire))
                case "waits":
                    yield Waits(shaped(data, WaitsEvent))
                case "done":
                    night = shaped(data, ConsolidatedEvent)["night"]
                    self.night = None if night is None else shaped(night, NightWire, lists=("steps",))


class Verification(Running):
    """A running verification of the index: iterate over how far it is; after that `result` is what came of it."""

    result: VerifyDone

    def __iter__(self) -> Iterator[VerifyProgress]:
        """Raises the error of an `error` event, and DaemonNotRunning at an end before `done`."""
        for name, data in self._events(DaemonNotRunning("The daemon ended in the middle of the verification.")):
            match name:
                case "progress":
                    yield shaped(data, VerifyProgress)
                case "done":
                    self.result = shaped(data, VerifyDone, lists=("faults",))


class BackingUp(Running):
    """A backup that is being made: iterate over how far it is; after that `result` is what came of it."""

    result: BackupDone

    def __iter__(self) -> Iterator[BackupProgress]:
        """Raises the error of an `error` event, and DaemonNotRunning at an end before `done`."""
        ended = DaemonNotRunning("The daemon ended before the backup was made; nothing of it is left.")
        for name, data in self._events(ended):
            match name:
                case "progress":
                    yield shaped(data, BackupProgress)
                case "done":
                    self.result = shaped(data, BackupDone)


class ForgettingAll(Running):
    """Everything of an owner is being forgotten: iterate over what is gone so far; after that `result` is all of it.
    Leaving it before stops it, and what is gone is gone."""

    result: ForgotAllEvent

    def __iter__(self) -> Iterator[ForgotAllEvent]:
        """Raises the error of an `error` event, and DaemonNotRunning at an end before `done`."""
        for name, data in self._events(DaemonNotRunning("The daemon ended before all was forgotten; forget it again.")):
            match name:
                case "progress":
                    yield shaped(data, ForgotAllEvent)
                case "done":
                    self.result = shaped(data, ForgotAllEvent)
