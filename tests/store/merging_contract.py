"""What every MergingStore does, beside a MemoryStore with clusters: the same tests for SQLite and for the fake."""

from __future__ import annotations

from typing import Protocol

from edge.engine.cold_ports import ColdStore
from edge.engine.merging_ports import Double, Merged, MergingStore, Replaced
from edge.engine.truth_ports import TruthStore
from edge.memory.clusters import Placement, Why
from edge.memory.units import Draft, Ending, Kind, UnitId
from tests.store.clusters_contract import SERVERS, Stores, made
from tests.store.cold_contract import BEFORE, THEN, noted
from tests.store.making import ANN, BOB, MAIN, NOON, after, episode, fact, insert


class Merging(Stores, Protocol):
    """The units, their clusters, and what merging needs."""

    @property
    def merging(self) -> MergingStore: ...
    @property
    def truth(self) -> TruthStore: ...
    @property
    def cold(self) -> ColdStore: ...


def waiting(store: Merging) -> list[UnitId]:
    return [unit.id for unit in store.merging.unmerged(ANN, 99)]


def compared(store: Merging, *units: UnitId, changes: tuple[Double | Replaced, ...] = ()) -> Merged:
    return store.merging.keep_merged(ANN, [store.unit(ANN, unit) for unit in units], changes, after(days=2))


class MergingContract:
    """Subclasses give a fixture `store`."""

    def test_each_is_compared_once_in_a_cluster(self, store: Merging) -> None:
        first, second = noted(store, "the kettle is blue", "水壶是蓝色的"), noted(store, "the server is slow")
        assert waiting(store) == []
        one, two = made(store, *first), made(store, *second, profile=SERVERS)
        assert waiting(store) == list(first)
        assert [unit.id for unit in store.merging.unmerged(ANN, 1)] == list(first[:1])
        assert compared(store, *first) == Merged(0, 0)
        assert waiting(store) == list(second)
        compared(store, *second)
        store.clusters.edit(ANN, "move", [], [Placement(first[0], two, Why.PERSON)], NOON)
        assert waiting(store) == [first[0]]
        assert [unit.id for unit in store.merging.fellows(ANN, two)] == [first[0], *second]
        assert [unit.id for unit in store.merging.fellows(ANN, one)] == [first[1]]
        assert store.merging.unmerged(BOB, 9) == store.merging.fellows(BOB, two) == []

    def test_words_slots_and_what_ended_are_not_compared(self, store: Merging) -> None:
        drafts = [episode("I sail"), fact("I am Ann", "name"), Draft(Kind.TOOL_RESULT, "42"), fact("I sail a boat")]
        units = store.apply(ANN, [insert(draft) for draft in drafts], NOON).added
        old = noted(store, "the kettle is red")
        made(store, *units, *old)
        store.apply(ANN, [insert(Draft(Kind.FACT_REFERENCE, "the kettle is blue"), supersedes=old)], NOON)
        assert waiting(store) == [units[3]]

    def test_what_is_archived_is_left_alone(self, store: Merging) -> None:
        cluster = made(store, *noted(store, "the kettle is blue"))
        store.cold.put_away(ANN, cluster, BEFORE, THEN)
        assert waiting(store) == []

    def test_a_double_is_joined_to_the_one_that_stays(self, store: Merging) -> None:
        kept, double = noted(store, "the kettle is blue", "the kettle is really blue")
        made(store, kept, double)
        assert compared(store, kept, double, changes=(Double(kept, double),)) == Merged(1, 0)
        ended = store.unit(ANN, double)
        assert (ended.superseded_by, ended.ended_why) == (kept, Ending.SAME)
        assert (waiting(store), store.unit(ANN, kept).access_count) == ([], 1)
        assert compared(store, changes=(Double(kept, double),)) == Merged(0, 0)

    def test_a_doubted_statement_ends_and_is_asked_about(self, store: Merging) -> None:
        older = store.apply(ANN, [insert(fact("用户吃肉"))], NOON).added[0]
        newer = store.apply(ANN, [insert(fact("用户不吃肉"), valid_from=after(days=1))], after(days=1)).added[0]
        made(store, older, newer)
        assert compared(store, older, newer, changes=(Replaced(older, newer, is_doubted=True),)) == Merged(0, 1)
        ended = store.unit(ANN, older)
        assert (ended.superseded_by, ended.ended_why, ended.valid_until) == (newer, Ending.NEWER, after(days=1))
        (asked,) = store.truth.open_contradictions(ANN, MAIN)
        assert (asked.older.id, asked.newer.id) == (older, newer)
        assert [unit.id for unit in store.truth.history(ANN, newer)] == [older, newer]

    def test_a_change_is_not_asked_about(self, store: Merging) -> None:
        older, newer = noted(store, "the user smokes", "the user no longer smokes")
        assert compared(store, changes=(Replaced(older, newer, is_doubted=False),)) == Merged(0, 1)
        assert store.truth.open_contradictions(ANN, MAIN) == []
        assert store.unit(ANN, older).superseded_by == newer

    def test_what_ended_meanwhile_or_is_anothers_changes_nothing(self, store: Merging) -> None:
        older, newer = noted(store, "the user smokes", "the user does not smoke")
        changes = (Replaced(older, newer, is_doubted=True), Double(older, newer))
        assert store.merging.keep_merged(BOB, [], changes, NOON) == Merged(0, 0)
        store.forget(ANN, [newer])
        assert compared(store, changes=changes) == Merged(0, 0)
        assert store.unit(ANN, older).superseded_by is None
        assert compared(store, changes=(Replaced(older, older, is_doubted=True),)) == Merged(0, 0)

    def test_what_is_forgotten_leaves_no_note(self, store: Merging) -> None:
        units = noted(store, "the kettle is blue", "the lamp is old")
        made(store, *units)
        compared(store, *units)
        store.forget(ANN, units[:1])
        assert waiting(store) == []
