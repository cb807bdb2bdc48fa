"""What every ArchiveStore does: the same tests for the one in SQLite and for the fake."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import numpy as np
import pytest

from edge.engine.archive_ports import ArchiveStore
from edge.engine.ports import MemoryStore
from edge.memory.archive import Decay, Restored, Why
from edge.memory.units import Draft, Kind, OwnerId, UnitId
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, episode, fact, insert, scope

DECAY = Decay(standing=frozenset({"instruction"}))
LATE = after(days=400)


class Archiving(MemoryStore, Protocol):
    """A MemoryStore with the ArchiveStore of the same units."""

    @property
    def archive(self) -> ArchiveStore: ...


def reference(content: str, slot: str | None = None) -> Draft:
    return Draft(Kind.FACT_REFERENCE, content, slot=slot)


def told(store: Archiving, draft: Draft, owner: OwnerId = ANN, until: datetime | None = None) -> UnitId:
    return store.apply(owner, [insert(draft, valid_until=until)], NOON).added[0]


def replaced(store: Archiving, draft: Draft, by: Draft) -> UnitId:
    old = told(store, draft)
    store.apply(ANN, [insert(by, valid_from=after(hours=1), supersedes=(old,))], after(hours=1))
    return old


def leaving(store: Archiving, at: datetime, owner: OwnerId = ANN, limit: int = 99) -> set[UnitId]:
    return {each.unit.id for each in store.archive.leaving(owner, at, DECAY, limit)}


def seen(store: Archiving, *, archived: bool, at: datetime | None = None, session: object = MAIN) -> list[UnitId]:
    asked = scope(as_of=at, session=session, present=at is None)  # type: ignore[arg-type]
    asked = type(asked)(asked.owner, asked.session, asked.as_of, None, asked.present, archived)
    from_mask = np.flatnonzero(store.visible(asked)).tolist()
    assert sorted(store.units(asked, [UnitId(number) for number in range(1, 50)])) == from_mask
    return [UnitId(unit) for unit in from_mask]


class ArchiveContract:
    """Subclasses give a fixture `store`."""

    def test_archived_is_seen_on_the_other_side_only(self, store: Archiving) -> None:
        kept, put_away = told(store, fact("the garden is green")), told(store, fact("the shed is red"))
        assert store.archive.archive(ANN, [put_away, UnitId(99)], Why.BY_HAND, NOON) == (put_away,)
        unit = store.unit(ANN, put_away)
        assert (unit.archived_at, unit.archived_why) == (NOON, "by hand")
        assert (seen(store, archived=False), seen(store, archived=True)) == ([kept], [put_away])
        asked = scope(present=True)
        assert store.search_text(asked, "shed", 9) == []
        behind = type(asked)(ANN, MAIN, asked.as_of, None, True, True)
        assert [unit for unit, _ in store.search_text(behind, "shed", 9)] == [put_away]
        assert store.archive.archive(ANN, [put_away], Why.TOPIC, after(days=1)) == ()

    def test_restored_is_as_it_was(self, store: Archiving) -> None:
        unit = told(store, fact("the shed is red"))
        store.archive.archive(ANN, [unit], Why.DECAYED, NOON)
        assert store.archive.restore(ANN, unit, Restored(after(days=3), 1.25))
        back = store.unit(ANN, unit)
        assert (back.archived_at, back.archived_why) == (None, None)
        assert (back.valid_until, back.relevance) == (after(days=3), 1.25)
        assert (seen(store, archived=False), seen(store, archived=True)) == ([unit], [])
        assert not store.archive.restore(ANN, unit, Restored(None, 1.0))

    def test_history_sees_what_was_not_archived_yet(self, store: Archiving) -> None:
        unit = told(store, fact("the shed is red"))
        store.archive.archive(ANN, [unit], Why.BY_HAND, after(days=5))
        assert seen(store, archived=False, at=after(days=4)) == [unit]
        assert seen(store, archived=False, at=after(days=5)) == []
        assert seen(store, archived=True, at=after(days=4)) == []
        assert seen(store, archived=True, at=after(days=5)) == [unit]

    def test_what_expired_or_was_replaced_is_on_neither_side(self, store: Archiving) -> None:
        old = replaced(store, fact("tea", "drink", "tea"), fact("coffee", "drink", "coffee"))
        expired = told(store, fact("a coupon"), until=after(seconds=1))
        store.archive.archive(ANN, [old, expired], Why.EXPIRED, NOON)
        assert seen(store, archived=True) == []
        assert seen(store, archived=True, at=after(hours=5)) == []

    def test_a_mask_that_is_kept_learns_of_it(self, store: Archiving) -> None:
        unit = told(store, fact("the shed is red"))
        assert seen(store, archived=False) == [unit]
        store.archive.archive(ANN, [unit], Why.BY_HAND, NOON)
        assert seen(store, archived=False) == []
        store.archive.restore(ANN, unit, Restored(None, 1.0))
        assert seen(store, archived=False) == [unit]

    def test_another_owner_and_another_session_are_left_alone(self, store: Archiving) -> None:
        mine, theirs = told(store, fact("mine")), told(store, fact("theirs"), BOB)
        assert store.archive.archive(ANN, [mine, theirs], Why.BY_HAND, NOON) == (mine,)
        assert not store.archive.restore(BOB, mine, Restored(None, 1.0))
        store.archive.weigh(ANN, {theirs: 0.1})
        assert store.unit(BOB, theirs).relevance == 1.0
        assert [each.unit.id for each in store.archive.standing(ANN, [mine, theirs])] == [mine]
        assert store.archive.page(BOB, session=None, kinds=None, before=None, limit=9).units == ()
        assert set(store.archive.owners()) == {ANN, BOB}
        (bound,) = store.apply(ANN, [insert(fact("bound"), session=WORK)], NOON).added
        store.archive.archive(ANN, [bound], Why.BY_HAND, NOON)
        assert seen(store, archived=True) == [mine]
        assert seen(store, archived=True, session=WORK) == [mine, bound]

    def test_without_units_there_are_no_owners(self, store: Archiving) -> None:
        assert store.archive.owners() == []

    def test_what_ended_is_leaving_when_it_is_due(self, store: Archiving) -> None:
        old = replaced(store, fact("tea", "drink", "tea"), fact("coffee", "drink", "coffee"))
        expired = told(store, reference("a coupon"), until=after(days=1))
        assert leaving(store, after(days=7)) == set()
        assert leaving(store, after(days=8)) == {expired}
        assert leaving(store, after(days=31)) == {old, expired}
        assert len(leaving(store, after(days=31), limit=1)) == 1
        assert leaving(store, after(days=31), owner=BOB) == set()

    def test_what_misled_is_leaving_when_nothing_used_it(self, store: Archiving) -> None:
        profile, rule, used, poor, fair = (
            told(store, draft)
            for draft in (
                fact("name"), reference("rule", "instruction"), reference("used"), reference("poor"), reference("fair"),
            )
        )  # fmt: skip
        store.archive.weigh(ANN, dict.fromkeys((profile, rule, used, poor), 0.1) | {fair: 0.4})
        store.mark_used(ANN, [used], after(days=350))
        assert leaving(store, LATE) == {poor}

    def test_a_superseded_unit_stays_so_when_its_successor_is_forgotten(self, store: Archiving) -> None:
        old = replaced(store, fact("tea", "drink", "tea"), fact("coffee", "drink", "coffee"))
        store.forget(ANN, [UnitId(old + 1)])
        assert [(each.unit.id, each.superseded) for each in store.archive.standing(ANN, [old])] == [(old, True)]

    def test_a_clock_that_was_ahead_is_undone(self, store: Archiving) -> None:
        by_time, by_hand = told(store, reference("a")), told(store, reference("b"))
        store.archive.archive(ANN, [by_time], Why.EXPIRED, after(days=9999))
        store.archive.archive(ANN, [by_hand], Why.BY_HAND, after(days=9999))
        assert store.archive.undo_later(ANN, after(days=-9999), 9) == 0
        assert store.archive.undo_later(ANN, after(days=1), 9) == 1
        assert store.unit(ANN, by_time).archived_at is None
        assert store.unit(ANN, by_hand).archived_at is not None
        assert store.archive.undo_later(ANN, after(days=1), 9) == 0

    def test_the_archive_is_listed_page_by_page(self, store: Archiving) -> None:
        units = [told(store, episode(f"第{number}句")) for number in range(4)] + [told(store, fact("likes tea"))]
        store.archive.archive(ANN, units[1:], Why.DECAYED, NOON)
        first = store.archive.page(ANN, session=None, kinds=None, before=None, limit=3)
        assert ([unit.id for unit in first.units], first.next_before) == (units[:1:-1], units[2])
        second = store.archive.page(ANN, session=None, kinds=None, before=first.next_before, limit=3)
        assert ([unit.id for unit in second.units], second.next_before) == ([units[1]], None)
        words = store.archive.page(ANN, session=MAIN, kinds=frozenset({Kind.EPISODE}), before=None, limit=9)
        assert [unit.id for unit in words.units] == units[3:0:-1]

    @pytest.mark.parametrize("words", ["the shed is red", "棚子是红色的"])
    def test_forgotten_from_the_archive_is_forgotten(self, store: Archiving, words: str) -> None:
        unit = told(store, fact(words))
        store.archive.archive(ANN, [unit], Why.BY_HAND, NOON)
        assert store.forget(ANN, [unit]) == (unit,)
        assert seen(store, archived=True) == []
        assert store.archive.page(ANN, session=None, kinds=None, before=None, limit=9).units == ()
