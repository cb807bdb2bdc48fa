"""What batches need from the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.memory.batches import Batch, BatchId, BatchState, Failure
from edge.memory.units import Insert, OwnerId, SessionId

SHOWN_FAILURES = 50
"""Failures that a batch carries: the newest. All of them come in pages."""


@dataclass(frozen=True, slots=True)
class BatchPage:
    """A page of batches, newest first, and the cursor that asks for the next, if there is one."""

    batches: tuple[Batch, ...]
    next_before: BatchId | None


@dataclass(frozen=True, slots=True)
class FailurePage:
    """A page of a batch's failures, newest first, and the item that asks for the next, if there is one."""

    failures: tuple[Failure, ...]
    next_before: int | None


class BatchStore(Protocol):
    """Batches with their units. Writes are durable when they return. A batch goes when its unit is forgotten."""

    def add_batch(self, owner: OwnerId, task: str, total: int, unit: Insert, at: datetime) -> Batch:
        """A new batch and its unit, in one transaction. The unit is bound to the batch's session."""

    def save_batch(self, batch: Batch, unit_until: datetime | None) -> None:
        """Keep what has become of a batch: its state, how far it is, the failure of the item handled last, and until
        when its unit lives, in one transaction."""

    def find_batch(self, owner: OwnerId, session: SessionId, task: str) -> Batch | None:
        """The batch of that task."""

    def batch(self, owner: OwnerId, batch: BatchId) -> Batch:
        """One batch. Raises BatchNotFound."""

    def failures(self, owner: OwnerId, batch: BatchId, *, before: int | None, limit: int) -> FailurePage:
        """Failures of a batch, of items under `before` where one is named. Raises BatchNotFound."""

    def batches(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        state: BatchState | None,
        before: BatchId | None,
        limit: int,
    ) -> BatchPage:
        """Batches of an owner, newest first; None stands for every session, every state."""

    def live_batches(self, owner: OwnerId, session: SessionId, at: datetime, limit: int) -> list[Batch]:
        """Batches of a session whose units are alive: first those that run, then what was reported on last."""
