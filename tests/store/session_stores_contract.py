"""What every BatchStore and ContextStore does, beside a MemoryStore: the same tests for SQLite and for the fakes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Protocol

import pytest

from edge.engine.batch_ports import SHOWN_FAILURES, BatchStore, FailurePage
from edge.engine.context_ports import ContextStore, StoredContext
from edge.engine.ports import MemoryStore, NewContext
from edge.errors import BatchNotFound
from edge.memory.batches import Batch, BatchId, BatchState, handle
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, TurnState, UnitId
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, episode, fact, insert, scope


class Stores(MemoryStore, Protocol):
    """The units, and what hangs on them."""

    @property
    def batches(self) -> BatchStore: ...
    @property
    def contexts(self) -> ContextStore: ...


def begin(
    store: Stores, task: str = "import-7", *, owner: OwnerId = ANN, session: SessionId = MAIN, total: int = 3,
    title: str = "Adding 3 contacts",
) -> Batch:  # fmt: skip
    unit = insert(Draft(Kind.BATCH_OPERATION, title, session_only=True), session=session)
    return store.batches.add_batch(owner, task, total, unit, NOON)


class SessionStoresContract:
    """Subclasses give the `store`."""

    def test_a_batch_begins_with_a_unit_of_its_session(self, store: Stores) -> None:
        batch = begin(store)
        assert (batch.title, batch.total, batch.handled, batch.state) == (
            "Adding 3 contacts", 3, 0, BatchState.RUNNING,
        )  # fmt: skip
        unit = store.unit(ANN, batch.unit)
        assert (unit.kind, unit.session, unit.valid_until) == (Kind.BATCH_OPERATION, MAIN, None)
        assert batch.unit in store.units(scope(), [batch.unit])
        assert batch.unit not in store.units(scope(session=WORK), [batch.unit])
        assert store.batches.batch(ANN, batch.id) == store.batches.find_batch(ANN, MAIN, "import-7") == batch

    def test_a_task_is_one_of_an_owner_and_a_session(self, store: Stores) -> None:
        mine, work, theirs = begin(store), begin(store, session=WORK), begin(store, owner=BOB)
        assert len({mine.id, work.id, theirs.id}) == 3
        assert store.batches.find_batch(ANN, WORK, "import-7") == work
        assert store.batches.find_batch(ANN, MAIN, "import-8") is None
        for number in (theirs.id, BatchId(99)):
            with pytest.raises(BatchNotFound):
                store.batches.batch(ANN, number)
        with pytest.raises(BatchNotFound):
            store.batches.save_batch(replace(theirs, owner=ANN), None)

    def test_what_became_of_items_is_kept(self, store: Stores) -> None:
        batch = begin(store)
        for item, reason in ((1, None), (2, "没有邮箱"), (3, None)):
            batch = handle(batch, item, reason, after(minutes=item))
            store.batches.save_batch(batch, None)
            assert store.batches.batch(ANN, batch.id) == batch
        assert batch.state is BatchState.DONE
        assert [failure.reason for failure in batch.failures] == ["没有邮箱"]

    def test_the_unit_of_one_that_ended_lives_as_long_as_is_said(self, store: Stores) -> None:
        batch = begin(store)
        store.batches.save_batch(replace(batch, state=BatchState.CANCELLED), after(days=7))
        assert store.unit(ANN, batch.unit).valid_until == after(days=7)
        assert store.batches.live_batches(ANN, MAIN, after(days=6), 5)
        assert store.batches.live_batches(ANN, MAIN, after(days=8), 5) == []
        assert store.batches.live_batches(ANN, WORK, NOON, 5) == store.batches.live_batches(BOB, MAIN, NOON, 5) == []
        store.batches.save_batch(batch, None)
        assert store.batches.live_batches(ANN, MAIN, after(days=8), 5) == [batch]

    def test_what_runs_comes_before_what_has_ended_and_that_by_its_last_report(self, store: Stores) -> None:
        running, ended, newer = (begin(store, f"t{number}") for number in range(3))
        for batch, minutes in ((ended, 9), (newer, 5)):
            store.batches.save_batch(
                replace(batch, state=BatchState.CANCELLED, updated_at=after(minutes=minutes)), after(days=7)
            )
        live = store.batches.live_batches(ANN, MAIN, after(hours=1), 2)
        assert [batch.id for batch in live] == [running.id, ended.id]

    def test_of_many_failures_all_are_kept_and_the_newest_shown(self, store: Stores) -> None:
        batch = begin(store, total=100)
        for item in range(1, 71):
            batch = handle(store.batches.batch(ANN, batch.id), item, f"reason {item}", NOON)
            store.batches.save_batch(batch, None)
        shown = store.batches.batch(ANN, batch.id)
        assert shown.failed == 70
        assert [failure.item for failure in shown.failures] == list(range(71 - SHOWN_FAILURES, 71))

    def test_all_failures_come_newest_first_page_by_page(self, store: Stores) -> None:
        other, batch = begin(store, "other", total=100), begin(store, total=100)
        for item in range(1, 8):
            reason = None if item == 6 else f"原因 {item}"
            batch = handle(store.batches.batch(ANN, batch.id), item, reason, NOON)
            store.batches.save_batch(batch, None)
        first = store.batches.failures(ANN, batch.id, before=None, limit=4)
        assert [failure.item for failure in first.failures] == [7, 5, 4, 3]
        assert first.failures[0].reason == "原因 7"
        last = store.batches.failures(ANN, batch.id, before=first.next_before, limit=2)
        assert ([failure.item for failure in last.failures], last.next_before) == ([2, 1], None)
        assert store.batches.failures(ANN, other.id, before=None, limit=9) == FailurePage((), None)
        for owner, number in ((BOB, batch.id), (ANN, BatchId(99))):
            with pytest.raises(BatchNotFound):
                store.batches.failures(owner, number, before=None, limit=9)

    def test_they_are_listed_newest_first_page_by_page(self, store: Stores) -> None:
        first, second, third = (begin(store, f"t{number}") for number in range(3))
        begin(store, owner=BOB)
        other = begin(store, session=WORK)
        store.batches.save_batch(replace(second, state=BatchState.CANCELLED), None)
        page = store.batches.batches(ANN, session=None, state=None, before=None, limit=2)
        assert [batch.id for batch in page.batches] == [other.id, third.id]
        rest = store.batches.batches(ANN, session=None, state=None, before=page.next_before, limit=2)
        assert [batch.id for batch in rest.batches] == [second.id, first.id]
        assert rest.next_before is None
        running = store.batches.batches(ANN, session=MAIN, state=BatchState.RUNNING, before=None, limit=9)
        assert [batch.id for batch in running.batches] == [third.id, first.id]

    def test_forgetting_the_unit_removes_the_batch_and_what_was_told_of_it(self, store: Stores) -> None:
        batch = begin(store)
        store.batches.save_batch(handle(batch, 1, "Ann Lee has no address", NOON), None)
        told = store.begin_turn(ANN, MAIN, "How far are you?", [], NOON).turn
        assert told is not None
        store.finish_turn(ANN, told, "Adding 3 contacts: 0 of 3 done, 1 failed.", TurnState.DONE, [], NOON)
        assert store.forget(ANN, [batch.unit]) == (batch.unit,)
        with pytest.raises(BatchNotFound):
            store.batches.batch(ANN, batch.id)
        with pytest.raises(BatchNotFound):
            store.batches.save_batch(batch, None)
        assert [turn.reply for turn in store.turns(ANN, MAIN, last=9)] == [""]
        assert begin(store).handled == 0

    def test_a_forgotten_value_leaves_tasks_and_reasons(self, store: Stores) -> None:
        batch = begin(store, "import-13800138000")
        store.batches.save_batch(handle(batch, 1, "138-0013-8000 is taken", NOON), None)
        theirs = begin(store, "import-13800138000", owner=BOB)
        (phone,) = store.apply(ANN, [insert(fact("phone: 13800138000", "phone", "13800138000"))], NOON).added
        store.forget(ANN, [phone])
        left = store.batches.batch(ANN, batch.id)
        assert (left.failed, left.failures[0].reason) == (1, "")
        assert "13800138000" not in left.task
        assert store.batches.batch(BOB, theirs.id) == theirs

    def test_a_context_is_replaced_whole(self, store: Stores) -> None:
        store.contexts.save_context(ANN, MAIN, NewContext('{"current_tool":"订单"}'), NOON)
        store.contexts.save_context(ANN, MAIN, NewContext('{"tool_args":{}}'), after(hours=1))
        found = store.contexts.context(ANN, MAIN)
        assert found is not None
        assert (found.context, found.updated_at) == ('{"tool_args":{}}', NOON + timedelta(hours=1))
        assert store.contexts.context(ANN, WORK) is store.contexts.context(BOB, MAIN) is None
        store.contexts.save_context(ANN, MAIN, NewContext(None), NOON)
        assert store.contexts.context(ANN, MAIN) is None

    def test_one_that_a_turn_brings_is_stored_with_its_words(self, store: Stores) -> None:
        draft = Draft(Kind.TOOL_RESULT, "retry after: 300", source=Source.TOOL)
        new = NewContext('{"last_tool_result":300}', (insert(draft, session=MAIN),))
        begun = store.begin_turn(ANN, MAIN, "试试", [insert(episode("试试"))], NOON, new)
        stored = store.contexts.context(ANN, MAIN)
        assert stored == StoredContext('{"last_tool_result":300}', NOON)
        result, words = begun.added[0] - 1, begun.added[0]
        assert (store.unit(ANN, UnitId(result)).content, store.unit(ANN, words).content) == (draft.content, "试试")
        assert store.unit(ANN, UnitId(result)).source_turn is None
        store.begin_turn(ANN, MAIN, "again", (), after(hours=1))
        assert store.contexts.context(ANN, MAIN) == stored
        store.begin_turn(ANN, MAIN, "enough", (), after(hours=1), NewContext(None))
        assert store.contexts.context(ANN, MAIN) is None

    def test_a_context_comes_with_its_memory(self, store: Stores) -> None:
        draft = Draft(Kind.TOOL_RESULT, "retry after: 300", source=Source.TOOL, session_only=True)
        written = store.contexts.save_context(
            ANN, MAIN, NewContext('{"last_tool_result":1}', (insert(draft, session=MAIN),)), NOON
        )
        assert store.unit(ANN, written.added[0]).content == "retry after: 300"

    def test_a_forgotten_value_takes_the_contexts_that_hold_it(self, store: Stores) -> None:
        (phone,) = store.apply(ANN, [insert(fact("phone: 13800138000", "phone", "13800138000"))], NOON).added
        for owner, session, context in (
            (ANN, MAIN, '{"tool_args":{"to":"138 0013 8000"}}'),
            (ANN, WORK, '{"tool_args":{"to":"139"}}'),
            (BOB, MAIN, '{"tool_args":{"to":"13800138000"}}'),
        ):
            store.contexts.save_context(owner, session, NewContext(context), NOON)
        store.forget(ANN, [phone])
        assert store.contexts.context(ANN, MAIN) is None
        assert store.contexts.context(ANN, WORK) is not None
        assert store.contexts.context(BOB, MAIN) is not None
