"""A BatchStore in a dictionary, beside a store of units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from edge.engine.batch_ports import SHOWN_FAILURES, BatchPage, FailurePage
from edge.engine.ports import Written
from edge.errors import BatchNotFound
from edge.memory.batches import Batch, BatchId, BatchState, Failure
from edge.memory.leftovers import Gone, mentions
from edge.memory.units import Change, Insert, OwnerId, SessionId, Unit, UnitId


class Units(Protocol):
    """What it needs of the store of units."""

    def apply(self, owner: OwnerId, changes: Sequence[Change], at: datetime) -> Written: ...
    def find(self, unit: UnitId) -> Unit | None: ...
    def end_unit(self, unit: UnitId, until: datetime | None) -> None: ...


class FakeBatches:
    """Batches for the length of a test; each with all its failures."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._batches: dict[BatchId, Batch] = {}
        self._last = 0

    def add_batch(self, owner: OwnerId, task: str, total: int, unit: Insert, at: datetime) -> Batch:
        (added,) = self._units.apply(owner, [unit], at).added
        assert unit.session is not None
        self._last += 1
        batch = Batch(
            BatchId(self._last), owner, unit.session, task, unit.draft.content, added, total, 0, 0, None,
            BatchState.RUNNING, at, at,
        )  # fmt: skip
        self._batches[batch.id] = batch
        return batch

    def save_batch(self, batch: Batch, unit_until: datetime | None) -> None:
        known = self._whole(batch.owner, batch.id)
        failures = {failure.item: failure for failure in (*known.failures, *batch.failures)}
        self._batches[batch.id] = replace(batch, failures=tuple(failures[item] for item in sorted(failures)))
        self._units.end_unit(batch.unit, unit_until)

    def find_batch(self, owner: OwnerId, session: SessionId, task: str) -> Batch | None:
        wanted = (owner, session, task)
        found = (batch for batch in self._all(owner) if (batch.owner, batch.session, batch.task) == wanted)
        return next(map(_shown, found), None)

    def batch(self, owner: OwnerId, batch: BatchId) -> Batch:
        return _shown(self._whole(owner, batch))

    def failures(self, owner: OwnerId, batch: BatchId, *, before: int | None, limit: int) -> FailurePage:
        known = reversed(self._whole(owner, batch).failures)
        found = [failure for failure in known if before is None or failure.item < before]
        return FailurePage(tuple(found[:limit]), found[limit - 1].item if len(found) > limit else None)

    def _whole(self, owner: OwnerId, batch: BatchId) -> Batch:
        found = next((each for each in self._all(owner) if each.id == batch), None)
        if found is None:
            raise BatchNotFound(f"There is no batch {batch}.", id=batch)
        return found

    def batches(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        state: BatchState | None,
        before: BatchId | None,
        limit: int,
    ) -> BatchPage:
        found = [
            _shown(batch)
            for batch in self._all(owner)
            if session in {None, batch.session}
            and state in {None, batch.state}
            and (before is None or batch.id < before)
        ]
        page = tuple(found[:limit])
        return BatchPage(page, page[-1].id if page and len(found) > limit else None)

    def live_batches(self, owner: OwnerId, session: SessionId, at: datetime, limit: int) -> list[Batch]:
        found = [_shown(batch) for batch in self._all(owner) if batch.session == session and self._lives(batch, at)]
        order = sorted(found, key=lambda batch: (batch.state is not BatchState.RUNNING, -batch.updated_at.timestamp()))
        return order[:limit]

    def _lives(self, batch: Batch, at: datetime) -> bool:
        unit = self._units.find(batch.unit)
        assert unit is not None
        return (unit.valid_until is None or unit.valid_until > at) and unit.archived_at is None

    def _all(self, owner: OwnerId) -> Iterator[Batch]:
        """Newest first; one whose unit was forgotten is gone."""
        for batch in reversed(self._batches.values()):
            if batch.owner == owner and self._units.find(batch.unit) is not None:
                yield batch

    def clear_leftovers(self, owner: OwnerId, gone: Sequence[Gone]) -> None:
        for batch in list(self._all(owner)):
            task = f"forgotten-{batch.id}" if mentions(batch.task, gone) else batch.task
            kept = tuple(replace(each, reason="") if mentions(each.reason, gone) else each for each in batch.failures)
            self._batches[batch.id] = replace(batch, task=task, failures=kept)


def _shown(batch: Batch) -> Batch:
    failures: tuple[Failure, ...] = batch.failures[-SHOWN_FAILURES:]
    return replace(batch, failures=failures)
