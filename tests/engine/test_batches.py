"""Batches over fakes: whose they are, what is told of them, and how long they are remembered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from edge.engine.batches import Batches
from edge.engine.ports import Scope
from edge.errors import BatchDiffers, BatchNotFound
from edge.memory.batches import Batch, BatchState
from edge.memory.progress_questions import ProgressQuestions
from edge.memory.units import Kind, OwnerId, SessionId
from tests.engine.making import ANN, BOB, MAIN, OTHER
from tests.fakes.clock import NOON
from tests.fakes.memory_store import FakeMemoryStore


class Office:
    """Batches over a fake store, at noon unless it is said otherwise."""

    def __init__(self) -> None:
        self.store = FakeMemoryStore()
        self.batches = Batches(self.store.batches, ProgressQuestions(), kept=timedelta(days=7))

    def begin(self, task: str = "t", title: str = "Adding 3 contacts", session: SessionId = MAIN) -> Batch:
        return self.batches.begin(ANN, session, task, title, 3, NOON)[0]

    def told(self, message: str, owner: OwnerId = ANN, session: SessionId | None = MAIN, days: float = 0) -> str | None:
        return self.batches.told(Scope(owner, session, NOON + timedelta(days=days), present=True), message)


def test_it_is_begun_once_and_resumed_after() -> None:
    office = Office()
    first, is_new = office.batches.begin(ANN, MAIN, "t", "Adding 3 contacts", 3, NOON)
    assert is_new
    office.batches.advance(ANN, first.id, 1, NOON)
    again, is_new = office.batches.begin(ANN, MAIN, "t", "Another title", 3, NOON)
    assert (is_new, again.id, again.next, again.title) == (False, first.id, 2, "Adding 3 contacts")
    with pytest.raises(BatchDiffers):
        office.batches.begin(ANN, MAIN, "t", "Adding 3 contacts", 4, NOON)
    unit = office.store.unit(ANN, first.unit)
    assert (unit.kind, unit.session, unit.content) == (Kind.BATCH_OPERATION, MAIN, "Adding 3 contacts")


def test_two_of_the_same_title_have_a_memory_each() -> None:
    office = Office()
    assert office.begin("a").unit != office.begin("b").unit


def test_its_memory_ends_a_week_after_it_did() -> None:
    office = Office()
    batch = office.begin()
    for item in (1, 2, 3):
        office.batches.advance(ANN, batch.id, item, NOON + timedelta(hours=item))
    ends = NOON + timedelta(days=7, hours=3)
    assert office.store.unit(ANN, batch.unit).valid_until == ends
    office.batches.advance(ANN, batch.id, 3, NOON + timedelta(days=3))
    office.batches.cancel(ANN, batch.id, NOON + timedelta(days=3))
    assert office.store.unit(ANN, batch.unit).valid_until == ends


def test_one_that_is_resumed_is_remembered_without_an_end() -> None:
    office = Office()
    batch = office.begin()
    assert office.batches.cancel(ANN, batch.id, NOON).state is BatchState.CANCELLED
    assert office.store.unit(ANN, batch.unit).valid_until == NOON + timedelta(days=7)
    office.batches.resume(ANN, batch.id, NOON)
    assert office.store.unit(ANN, batch.unit).valid_until is None


def test_another_owner_sees_and_moves_none() -> None:
    office = Office()
    batch = office.begin()
    moves: list[Callable[[], Batch]] = [
        lambda: office.batches.advance(BOB, batch.id, 1, NOON),
        lambda: office.batches.fail(BOB, batch.id, 1, "x", NOON),
        lambda: office.batches.cancel(BOB, batch.id, NOON),
        lambda: office.batches.resume(BOB, batch.id, NOON),
        lambda: office.batches.show(BOB, batch.id),
    ]
    for move in moves:
        with pytest.raises(BatchNotFound):
            move()
    assert office.batches.page(BOB, None, None, None, 9).batches == ()
    assert office.told("How far are you?", BOB) is None
    assert office.batches.begin(BOB, MAIN, "t", "Mine", 5, NOON)[1]


def test_how_far_it_is_is_told_in_its_session_while_it_is_remembered() -> None:
    office = Office()
    assert office.told("How far are you?") is None
    batch = office.begin()
    assert office.told("How far are you?") == "Adding 3 contacts: 0 of 3 done."
    assert office.told("进度如何？") == "Adding 3 contacts：已完成0/3。"
    assert office.told("How far is it to Berlin?") is None
    assert office.told("How far are you?", session=OTHER) is office.told("How far are you?", session=None) is None
    office.batches.cancel(ANN, batch.id, NOON)
    assert office.told("How far are you?", days=6) == "Adding 3 contacts: cancelled, 0 of 3 done."
    assert office.told("How far are you?", days=8) is None
