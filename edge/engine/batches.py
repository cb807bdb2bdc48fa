"""Batches: what an agent reports of them is kept, and how far they are is told without the model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from edge.engine.batch_ports import SHOWN_FAILURES, BatchPage, BatchStore, FailurePage
from edge.engine.ports import Scope
from edge.memory.batches import Batch, BatchId, BatchState, cancel, handle, resume, same_batch
from edge.memory.courtesies import without_courtesies
from edge.memory.language import language_of
from edge.memory.lifecycle import key_of
from edge.memory.progress_questions import ProgressQuestions
from edge.memory.units import Draft, Insert, Kind, OwnerId, SessionId, Source
from edge.prompt.batch_reports import report

_MOST_REPORTED = 5


class Batches:
    """The batches of all sessions. Lives on the memory thread; what it answers is on the disk."""

    def __init__(self, store: BatchStore, questions: ProgressQuestions, *, kept: timedelta) -> None:
        """`questions` are what is answered; `kept` is how long the unit of a batch that has ended lives on."""
        self._store = store
        self._questions = questions
        self._kept = kept

    def begin(
        self, owner: OwnerId, session: SessionId, task: str, title: str, total: int, at: datetime
    ) -> tuple[Batch, bool]:
        """The batch of that task, as it stands, and whether it was begun now. Raises BatchDiffers."""
        known = self._store.find_batch(owner, session, task)
        if known is not None:
            return same_batch(known, total), False
        draft = Draft(Kind.BATCH_OPERATION, title, source=Source.USER, session_only=True)
        unit = Insert(draft, session, key_of(draft), at)
        return self._store.add_batch(owner, task, total, unit, at), True

    def advance(self, owner: OwnerId, batch: BatchId, item: int, at: datetime) -> Batch:
        """Note that an item was done. Raises what `edge.memory.batches.handle` does, and BatchNotFound."""
        return self._keep(before := self._store.batch(owner, batch), handle(before, item, None, at))

    def fail(self, owner: OwnerId, batch: BatchId, item: int, reason: str, at: datetime) -> Batch:
        """Note that an item could not be done; the rest goes on. Raises as `advance` does."""
        return self._keep(before := self._store.batch(owner, batch), handle(before, item, reason, at))

    def cancel(self, owner: OwnerId, batch: BatchId, at: datetime) -> Batch:
        """Take no further item; one that has ended stays as it is. Raises BatchNotFound."""
        return self._keep(before := self._store.batch(owner, batch), cancel(before, at))

    def resume(self, owner: OwnerId, batch: BatchId, at: datetime) -> Batch:
        """Go on after the last item that was handled, also where it was cancelled. Raises BatchNotFound."""
        return self._keep(before := self._store.batch(owner, batch), resume(before, at))

    def show(self, owner: OwnerId, batch: BatchId) -> Batch:
        """One batch. Raises BatchNotFound."""
        return self._store.batch(owner, batch)

    def failures(self, owner: OwnerId, batch: BatchId, before: int | None, limit: int) -> FailurePage:
        """What failed in a batch and why, newest first. Raises BatchNotFound."""
        return self._store.failures(owner, batch, before=before, limit=limit)

    def page(
        self, owner: OwnerId, session: SessionId | None, state: BatchState | None, before: BatchId | None, limit: int
    ) -> BatchPage:
        """Batches, newest first."""
        return self._store.batches(owner, session=session, state=state, before=before, limit=limit)

    def told(self, scope: Scope, message: str) -> str | None:
        """The reply to a message that asks how far the session's batches are: those that run, else the one that ended
        last. None for another message, and where there is no batch."""
        if scope.session is None:
            return None
        live = self._store.live_batches(scope.owner, scope.session, scope.as_of, _MOST_REPORTED)
        message = without_courtesies(message)
        if not live or not self._questions.asked_in(message):
            return None
        running = [batch for batch in live if batch.state is BatchState.RUNNING]
        return report(running or live[:1], language_of(message))

    def _keep(self, before: Batch, after: Batch) -> Batch:
        if after is not before:
            ended = after.state is not BatchState.RUNNING
            self._store.save_batch(after, after.updated_at + self._kept if ended else None)
        return replace(after, failures=after.failures[-SHOWN_FAILURES:])
