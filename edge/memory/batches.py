"""A batch: work on many items, numbered from 1 and handled in order, that goes on after a failure and after a crash.

What an agent reports moves it; decisions only, `edge.engine.batches` carries them out. An item that was handled
already is told again by an agent that died before it heard the answer: then nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

from edge.errors import BatchDiffers, BatchEnded, BatchItemUnexpected, RequestInvalid
from edge.memory.units import OwnerId, SessionId, UnitId

BatchId = NewType("BatchId", int)
"""Positive, never used again."""


class BatchState(StrEnum):
    """`done` when every item was tried, `cancelled` until it is resumed."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that could not be done, and why."""

    item: int
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    """`task` is the agent's own name for it, `title` what a person calls it: the content of its `unit`.

    `handled` of `total` items were tried, `failed` of them without success. `failures` are some of these, newest last.
    """

    id: BatchId
    owner: OwnerId
    session: SessionId
    task: str
    title: str
    unit: UnitId
    total: int
    handled: int
    failed: int
    last_success: int | None
    state: BatchState
    started_at: datetime
    updated_at: datetime
    failures: tuple[Failure, ...] = ()

    @property
    def done(self) -> int:
        """Items that were done."""
        return self.handled - self.failed

    @property
    def next(self) -> int | None:
        """The item to do now; None when all were tried."""
        return self.handled + 1 if self.handled < self.total else None


def same_batch(batch: Batch, total: int) -> Batch:
    """The batch that a task names again. Raises BatchDiffers where it is of another size."""
    if batch.total != total:
        raise BatchDiffers(
            f"The batch {batch.task!r} of this session has {batch.total} items, not {total}.",
            batch=batch.id, total=batch.total,
        )  # fmt: skip
    return batch


def handle(batch: Batch, item: int, reason: str | None, at: datetime) -> Batch:
    """The batch after an item was tried: done, or failed for a reason. The same object where that is known already.

    Raises RequestInvalid for an item it does not have, BatchEnded where it was cancelled, BatchItemUnexpected for one
    that is not the next.
    """
    if not 1 <= item <= batch.total:
        raise RequestInvalid(f"item must be from 1 to {batch.total}.", field="item")
    if item <= batch.handled:
        return batch
    if batch.state is not BatchState.RUNNING:
        raise BatchEnded(f"The batch {batch.id} was cancelled after item {batch.handled}.", batch=batch.id)
    if item != batch.next:
        raise BatchItemUnexpected(
            f"Item {item} is not the next: {batch.next} is.", batch=batch.id, item=item, next=batch.next
        )
    failed = reason is not None
    return replace(
        batch,
        handled=item,
        failed=batch.failed + failed,
        last_success=batch.last_success if failed else item,
        state=BatchState.DONE if item == batch.total else BatchState.RUNNING,
        updated_at=at,
        failures=batch.failures if reason is None else (*batch.failures, Failure(item, reason)),
    )


def cancel(batch: Batch, at: datetime) -> Batch:
    """The batch, cancelled where it runs."""
    return _turned(batch, BatchState.RUNNING, BatchState.CANCELLED, at)


def resume(batch: Batch, at: datetime) -> Batch:
    """The batch, running again where it was cancelled."""
    return _turned(batch, BatchState.CANCELLED, BatchState.RUNNING, at)


def _turned(batch: Batch, before: BatchState, after: BatchState, at: datetime) -> Batch:
    return replace(batch, state=after, updated_at=at) if batch.state is before else batch


def reports_on(reply: str, title: str) -> bool:
    """Whether a reply tells how far the batch of that title is, in the runtime's words (see `edge.prompt.replies`)."""
    return any(line.startswith((f"{title}: ", f"{title}：")) for line in reply.splitlines())
