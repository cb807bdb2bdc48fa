"""What every ColdStore does, beside a MemoryStore with clusters: the same tests for SQLite and for the fake."""

from __future__ import annotations

from typing import Protocol

import pytest

from edge.engine.cold_ports import ColdStore
from edge.memory.archive import Why
from edge.memory.clusters import Placement
from edge.memory.clusters import Why as Placed
from edge.memory.units import ClusterId, Draft, Kind, UnitId
from tests.store.archive_contract import seen
from tests.store.clusters_contract import SERVERS, Stores, made
from tests.store.making import ANN, BOB, NOON, after, fact, insert

BEFORE, THEN = after(days=1), after(days=31)


class Cooling(Stores, Protocol):
    """The units, their clusters, and the archive of cold ones."""

    @property
    def cold(self) -> ColdStore: ...


def noted(store: Cooling, *contents: str, until_day: int | None = None) -> tuple[UnitId, ...]:
    until = None if until_day is None else after(days=until_day)
    drafts = [Draft(Kind.FACT_REFERENCE, content) for content in contents]
    return store.apply(ANN, [insert(draft, valid_until=until) for draft in drafts], NOON).added


def cooled(store: Cooling, *contents: str) -> tuple[ClusterId, tuple[UnitId, ...]]:
    """A cluster of notes that was put away."""
    units = noted(store, *contents)
    cluster = made(store, *units)
    assert store.cold.put_away(ANN, cluster, BEFORE, THEN) == units
    return cluster, units


def archived(store: Cooling) -> list[ClusterId]:
    return [each.id for each in store.clusters.clusters(ANN, include_archived=True) if each.archived_at is not None]


class ColdContract:
    """Subclasses give a fixture `store`."""

    def test_a_cluster_leaves_as_a_whole_and_comes_back_so(self, store: Cooling) -> None:
        other = noted(store, "the shed is red")
        cluster, units = cooled(store, "the kettle is blue", "水壶在阁楼")
        assert (seen(store, archived=False), seen(store, archived=True)) == (list(other), list(units))
        assert {store.unit(ANN, unit).archived_why for unit in units} == {Why.COLD.value}
        assert (store.clusters.clusters(ANN), archived(store)) == ([], [cluster])
        assert [unit.id for unit in store.clusters.members(ANN, cluster, limit=9).units] == sorted(units, reverse=True)
        assert store.cold.bring_back(ANN, units[1:], THEN) == units
        assert (seen(store, archived=False), seen(store, archived=True)) == (sorted([*other, *units]), [])
        assert [store.unit(ANN, unit).last_accessed for unit in units] == [None, THEN]
        assert [each.touched_at for each in store.clusters.clusters(ANN)] == [THEN]

    def test_only_what_was_long_untouched_is_cold(self, store: Cooling) -> None:
        first, second = noted(store, "the kettle is blue"), noted(store, "the server is slow")
        one, two = made(store, *first), made(store, *second, profile=SERVERS)
        store.mark_used(ANN, second, after(days=10))
        assert store.cold.cold(ANN, BEFORE, THEN, 9) == [one]
        assert store.cold.cold(ANN, after(days=11), THEN, 9) == [one, two]
        assert store.cold.cold(ANN, after(days=11), THEN, 1) == [one]
        assert store.cold.cold(ANN, NOON, THEN, 9) == store.cold.cold(BOB, BEFORE, THEN, 9) == []
        assert store.cold.put_away(ANN, two, BEFORE, THEN) == store.cold.put_away(BOB, one, BEFORE, THEN) == ()
        assert archived(store) == []

    def test_what_holds_of_the_person_stays(self, store: Cooling) -> None:
        facts = store.apply(ANN, [insert(fact("I am Ann")), insert(fact("我住在北京", "city", "北京"))], NOON).added
        slot = store.apply(ANN, [insert(Draft(Kind.FACT_REFERENCE, "order A-1", slot="order_id"))], NOON).added
        ended, moving = noted(store, "a coupon", until_day=2), noted(store, "the kettle is blue")
        cluster = made(store, *facts, *slot, *ended, *moving)
        assert store.cold.put_away(ANN, cluster, BEFORE, THEN) == moving
        assert {unit for unit in (*facts, *slot, *ended) if store.unit(ANN, unit).archived_at} == set()

    def test_a_cluster_of_nothing_that_leaves_is_never_cold(self, store: Cooling) -> None:
        made(store, *store.apply(ANN, [insert(fact("I am Ann"))], NOON).added)
        assert store.cold.cold(ANN, BEFORE, THEN, 9) == []

    def test_of_what_is_not_there_nothing_comes_back(self, store: Cooling) -> None:
        _, units = cooled(store, "the kettle is blue")
        other = noted(store, "the shed is red")
        assert store.cold.bring_back(BOB, units, THEN) == store.cold.bring_back(ANN, [*other, UnitId(99)], THEN) == ()
        store.archive.archive(ANN, other, Why.BY_HAND, THEN)
        assert store.cold.bring_back(ANN, other, THEN) == ()

    def test_where_a_run_is_undone_its_units_come_back(self, store: Cooling) -> None:
        _, units = cooled(store, "the kettle is blue", "the lamp is old")
        assert store.cold.mend(ANN, THEN, 9) == 0
        store.clusters.undo(ANN, None, THEN)
        assert [store.cold.mend(ANN, THEN, 1) for _ in range(3)] == [1, 1, 0]
        assert seen(store, archived=False) == list(units)

    def test_a_unit_that_the_person_moved_comes_back_alone(self, store: Cooling) -> None:
        cluster, units = cooled(store, "the kettle is blue", "the lamp is old")
        store.clusters.edit(ANN, "move", [], [Placement(units[0], None, Placed.PERSON)], THEN)
        assert store.cold.bring_back(ANN, units[:1], THEN) == units[:1]
        assert archived(store) == [cluster]

    def test_a_cluster_that_grew_comes_back(self, store: Cooling) -> None:
        cluster, units = cooled(store, "the kettle is blue")
        late = store.apply(ANN, [insert(Draft(Kind.FACT_REFERENCE, "the kettle leaks"))], after(days=40)).added
        store.clusters.edit(ANN, "move", [], [Placement(late[0], cluster, Placed.PERSON)], after(days=40))
        assert store.cold.mend(ANN, after(days=41), 9) == 2
        assert seen(store, archived=False, at=after(days=41)) == sorted([*units, *late])

    @pytest.mark.parametrize("content", ["the kettle leaks", "水壶漏了"])
    def test_a_cluster_that_got_an_older_unit_comes_back(self, store: Cooling, content: str) -> None:
        cluster, units = cooled(store, "the kettle is blue")
        old = noted(store, content)
        assert store.cold.mend(ANN, after(days=39), 9) == 0
        store.clusters.edit(ANN, "move", [], [Placement(old[0], cluster, Placed.PERSON)], after(days=40))
        assert store.cold.mend(ANN, after(days=41), 9) == 2
        assert seen(store, archived=False, at=after(days=41)) == sorted([*units, *old])
        assert store.cold.put_away(ANN, cluster, after(days=1), after(days=42)) == (*units, *old)
        assert store.cold.mend(ANN, after(days=43), 9) == 0

    def test_a_clock_that_was_ahead_is_made_good(self, store: Cooling) -> None:
        _, units = cooled(store, "the kettle is blue")
        assert store.cold.mend(BOB, after(days=2), 9) == 0
        assert store.cold.mend(ANN, after(days=2), 9) == 2
        assert seen(store, archived=False) == list(units)

    def test_an_emptied_cluster_is_active_again(self, store: Cooling) -> None:
        cluster, units = cooled(store, "the kettle is blue")
        store.forget(ANN, units)
        assert store.cold.mend(ANN, THEN, 9) == 1
        assert [each.id for each in store.clusters.clusters(ANN)] == [cluster]

    @pytest.mark.parametrize("content", ["the kettle is blue", "水壶是蓝色的"])
    def test_the_archive_forgets_too(self, store: Cooling, content: str) -> None:
        cluster, units = cooled(store, content, "the lamp is old")
        assert store.forget(ANN, units[:1]) == units[:1]
        assert store.cold.bring_back(ANN, units[1:], THEN) == units[1:]
        assert [unit.id for unit in store.clusters.members(ANN, cluster, limit=9).units] == list(units[1:])
