"""What moves a batch, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import BatchDiffers, BatchEnded, BatchItemUnexpected, EdgeError, RequestInvalid
from edge.memory.batches import (
    Batch,
    BatchId,
    BatchState,
    Failure,
    cancel,
    handle,
    reports_on,
    resume,
    same_batch,
)
from edge.memory.units import OwnerId, SessionId, UnitId

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=1)


def begun(total: int = 10, title: str = "Adding 10 contacts") -> Batch:
    return Batch(
        BatchId(1), OwnerId("uid:1000"), SessionId("main"), "import-7", title, UnitId(5), total, 0, 0, None,
        BatchState.RUNNING, NOON, NOON,
    )  # fmt: skip


def test_items_are_handled_in_order_and_a_bad_one_holds_nothing_up() -> None:
    batch = begun(3)
    assert batch.next == 1
    batch = handle(batch, 1, None, LATER)
    batch = handle(batch, 2, "no e-mail address", LATER)
    assert (batch.done, batch.failed, batch.next, batch.last_success) == (1, 1, 3, 1)
    batch = handle(batch, 3, None, LATER)
    assert (batch.state, batch.next, batch.done, batch.last_success) == (BatchState.DONE, None, 2, 3)
    assert batch.failures == (Failure(2, "no e-mail address"),)
    assert batch.updated_at == LATER


def test_an_item_that_was_handled_changes_nothing_whatever_is_said_of_it_now() -> None:
    batch = handle(handle(begun(2), 1, "no e-mail address", NOON), 2, None, NOON)
    assert handle(batch, 1, None, LATER) is batch
    assert handle(batch, 2, "too late", LATER) is batch


def test_an_item_out_of_order_is_refused_and_the_next_one_named() -> None:
    with pytest.raises(BatchItemUnexpected) as refused:
        handle(handle(begun(), 1, None, NOON), 4, None, LATER)
    assert refused.value.details["next"] == 2


@pytest.mark.parametrize("item", [0, -1, 11])
def test_an_item_that_it_does_not_have_is_refused(item: int) -> None:
    with pytest.raises(RequestInvalid, match="from 1 to 10"):
        handle(begun(), item, None, LATER)


def test_a_cancelled_batch_takes_nothing_until_it_is_resumed() -> None:
    batch = cancel(handle(begun(), 1, None, NOON), LATER)
    assert batch.state is BatchState.CANCELLED
    assert handle(batch, 1, None, LATER) is batch
    assert cancel(batch, LATER) is batch
    with pytest.raises(BatchEnded):
        handle(batch, 2, None, LATER)
    assert handle(resume(batch, LATER), 2, None, LATER).handled == 2


def test_one_that_is_done_is_neither_cancelled_nor_resumed() -> None:
    batch = handle(begun(1), 1, None, NOON)
    assert cancel(batch, LATER) is resume(batch, LATER) is batch


def test_the_same_task_of_another_size_is_another_batch() -> None:
    assert same_batch(begun(), 10) == begun()
    with pytest.raises(BatchDiffers) as refused:
        same_batch(begun(), 11)
    assert refused.value.details["total"] == 10


STEPS = st.lists(
    st.tuples(st.sampled_from(["done", "bad", "cancel", "resume"]), st.integers(min_value=-1, max_value=7)), max_size=40
)


@given(STEPS)
def test_whatever_is_reported_the_counts_agree(steps: list[tuple[str, int]]) -> None:
    batch = begun(5)
    for what, item in steps:
        before = batch
        try:
            if what in ("done", "bad"):
                batch = handle(batch, item, None if what == "done" else "reason", LATER)
            else:
                batch = (cancel if what == "cancel" else resume)(batch, LATER)
        except EdgeError:
            assert batch is before
        assert batch.handled - before.handled in {0, 1}
        assert batch.failed == len(batch.failures) == batch.handled - batch.done
        assert (batch.state is BatchState.DONE) == (batch.handled == batch.total) == (batch.next is None)
        assert batch.last_success is None or batch.last_success <= batch.handled


def test_a_report_is_known_by_its_beginning() -> None:
    assert reports_on("Adding 10 contacts: 6 of 10 done.", "Adding 10 contacts")
    assert reports_on("x: y\n添加10个联系人：已完成6/10。", "添加10个联系人")
    assert not reports_on("We talked of Adding 10 contacts: nice.", "Adding 10 contacts")
