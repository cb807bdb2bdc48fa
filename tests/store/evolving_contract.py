"""What every EvolvingStore does, beside a MemoryStore with clusters: the same tests for SQLite and for the fake."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import pytest

from edge.engine.cold_ports import ColdStore
from edge.engine.evolving_ports import Changed, Evolved, EvolvingStore
from edge.errors import ClusterUndoNothing
from edge.memory.clusters import NamedBy, Placement, Profile, Reprofile, RunState, Why
from edge.memory.units import ClusterId, Draft, Kind, UnitId
from tests.store.clusters_contract import COFFEE, SERVERS, Stores, begin, embed, keys, made, place, run
from tests.store.cold_contract import BEFORE, THEN, noted
from tests.store.making import ANN, BOB, NOON, after, insert

TEA = Profile("tea and coffee", "the kettle is blue", ("tea", "咖啡"))


class Evolving(Stores, Protocol):
    """The units, their clusters, and what evolving needs."""

    @property
    def evolving(self) -> EvolvingStore: ...
    @property
    def cold(self) -> ColdStore: ...


def looked_at(store: Evolving, cluster: ClusterId, profile: Profile | None = None, *units: UnitId) -> Evolved:
    """A cluster as it is, with another profile if one is given."""
    (changed,) = [each for each in store.evolving.changed(ANN, 99) if each.cluster == cluster]
    before = store.clusters.cluster(ANN, cluster).profile
    return Evolved(changed, before, profile or before, units, "it grew")


def kept(store: Evolving, *evolved: Evolved) -> tuple[ClusterId, ...]:
    return store.evolving.keep_evolved(ANN, evolved, after(days=2))


class EvolvingContract:
    """Subclasses give a fixture `store`."""

    def test_a_cluster_is_looked_at_when_it_has_other_members(self, store: Evolving) -> None:
        first, second = noted(store, "the kettle is blue", "水壶是蓝色的"), noted(store, "the server is slow")
        assert store.evolving.changed(ANN, 9) == []
        one, two = made(store, *first), made(store, *second, profile=SERVERS)
        assert store.evolving.changed(ANN, 9) == [Changed(one, 2, first[1]), Changed(two, 1, second[0])]
        assert store.evolving.changed(ANN, 1) == [Changed(one, 2, first[1])]
        assert store.evolving.changed(BOB, 9) == []
        assert kept(store, looked_at(store, one), looked_at(store, two)) == ()
        assert store.evolving.changed(ANN, 9) == []
        run(store, (), place(noted(store, "the lamp is old"), one))
        assert [each.cluster for each in store.evolving.changed(ANN, 9)] == [one]
        kept(store, looked_at(store, one))
        store.clusters.edit(ANN, "move", [], [Placement(first[0], two, Why.PERSON)], NOON)
        assert [each.cluster for each in store.evolving.changed(ANN, 9)] == [one, two]
        assert [each.trigger for each in store.clusters.runs(ANN, limit=9)] == ["person", "units", "units", "units"]

    def test_one_member_in_place_of_another_is_noticed(self, store: Evolving) -> None:
        units = noted(store, "the kettle is blue", "the lamp is old")
        cluster = made(store, *units)
        kept(store, looked_at(store, cluster))
        (newer,) = store.apply(
            ANN, [insert(Draft(Kind.FACT_REFERENCE, "the lamp is new"), supersedes=units[1:])], NOON
        ).added
        run(store, (), place([newer], cluster))
        assert store.evolving.changed(ANN, 9) == [Changed(cluster, 2, newer)]

    def test_clusters_that_are_archived_or_empty_are_left_alone(self, store: Evolving) -> None:
        units = noted(store, "the kettle is blue")
        cluster = made(store, *units)
        made(store, profile=SERVERS)
        store.cold.put_away(ANN, cluster, BEFORE, THEN)
        assert store.evolving.changed(ANN, 9) == []

    def test_new_profiles_are_one_run_that_can_be_undone(self, store: Evolving) -> None:
        first, second = noted(store, "the kettle is blue"), noted(store, "茶在厨房")
        one, two = made(store, *first), made(store, *second, profile=SERVERS)
        before = store.clusters.clusters(ANN)
        named = Profile("厨房 茶", "茶在厨房", ("茶",))
        assert kept(store, looked_at(store, one, TEA, *first), looked_at(store, two, named, *second)) == (one, two)
        assert keys(store) == [TEA.key, named.key]
        (newest, *_) = store.clusters.runs(ANN, limit=9)
        assert (newest.trigger, newest.state, newest.undoable) == ("evolve", RunState.DONE, True)
        assert (newest.counts.reprofiled, newest.began_at, newest.ended_at) == (2, after(days=2), after(days=2))
        told = store.clusters.changes(ANN, newest.id)
        assert [(each.before, each.after, each.why) for each in told] == [
            (COFFEE, TEA, "it grew"), (SERVERS, named, "it grew"),
        ]  # fmt: skip
        assert store.clusters.undo(ANN, None, NOON).id == newest.id
        assert store.clusters.clusters(ANN) == before
        assert store.evolving.changed(ANN, 9) == []

    def test_centroids_follow_the_members(self, store: Evolving) -> None:
        units = noted(store, "the kettle is blue", "the lamp is old", "水壶是蓝色的")
        cluster = made(store, *units[:1])
        for unit, vector in zip(units, ((1.0, 0.0), (0.0, 1.0), (0.0, 1.0)), strict=True):
            embed(store, unit, *vector)
        kept(store, looked_at(store, cluster))
        run(store, (), place(units[1:2], cluster))
        for profile, expected in ((None, [0.5**0.5, 0.5**0.5]), (TEA, [0.2**0.5, 0.8**0.5])):
            kept(store, looked_at(store, cluster, profile, *units[:2]))
            centroid = store.clusters.cluster(ANN, cluster).centroid
            assert centroid is not None
            assert centroid.tolist() == pytest.approx(expected)
            run(store, (), place(units[2:], cluster))

    def test_what_changed_meanwhile_is_left_as_it_is_and_looked_at_again(self, store: Evolving) -> None:
        first, second = noted(store, "the kettle is blue", "the lamp is old"), noted(store, "the server is slow")
        one, two = made(store, *first), made(store, *second, profile=SERVERS)
        named = Profile("Ann's kettle", named_by=NamedBy.PERSON)
        stale = [looked_at(store, one, TEA, *first), looked_at(store, two, replace(TEA, key="slow server"), *second)]
        store.clusters.edit(ANN, "rename", [Reprofile(one, named, None, "")], [], NOON)
        store.forget(ANN, second)
        assert kept(store, *stale) == ()
        assert (keys(store)[0], [each.cluster for each in store.evolving.changed(ANN, 9)]) == (named.key, [one])
        lost = looked_at(store, one, replace(TEA, named_by=NamedBy.PERSON), *first)
        store.forget(ANN, first[:1])
        assert kept(store, lost) == ()
        assert store.evolving.changed(ANN, 9) == [Changed(one, 1, first[1])]

    def test_a_key_that_is_another_s_is_not_given_twice(self, store: Evolving) -> None:
        first, second = noted(store, "the kettle is blue"), noted(store, "the server is slow")
        one, two = made(store, *first), made(store, *second, profile=SERVERS)
        taken = replace(TEA, key=COFFEE.key)
        assert kept(store, looked_at(store, two, taken, *second), looked_at(store, one)) == ()
        assert keys(store) == [COFFEE.key, SERVERS.key]

    def test_a_run_that_is_open_goes_on_beside_it(self, store: Evolving) -> None:
        units = noted(store, "the kettle is blue", "the lamp is old")
        cluster = made(store, *units[:1])
        number = begin(store)
        store.clusters.stage(ANN, number, (), place(units[1:], cluster))
        assert kept(store, looked_at(store, cluster, TEA, *units[:1])) == (cluster,)
        store.clusters.apply_run(ANN, number, NOON)
        assert (keys(store), store.clusters.cluster(ANN, cluster).size) == ([TEA.key], 2)
        store.clusters.undo(ANN, None, NOON)
        store.clusters.undo(ANN, None, NOON)
        assert keys(store) == [COFFEE.key]

    def test_of_another_owner_nothing_is_changed(self, store: Evolving) -> None:
        units = noted(store, "the kettle is blue")
        cluster = made(store, *units)
        evolved = looked_at(store, cluster, TEA, *units)
        assert store.evolving.keep_evolved(BOB, [evolved], NOON) == ()
        assert (keys(store), store.clusters.runs(BOB, limit=9)) == ([COFFEE.key], [])
        assert store.evolving.changed(ANN, 9) != []
        with pytest.raises(ClusterUndoNothing):
            store.clusters.undo(BOB, None, NOON)

    def test_a_forgotten_member_s_words_leave_what_came_of_it(self, store: Evolving) -> None:
        units = noted(store, "the zabaglione is sweet", "the kettle is blue")
        cluster = made(store, *units)
        named = Profile("zabaglione and kettle", "the zabaglione is sweet", ("zabaglione", "kettle"))
        kept(store, looked_at(store, cluster, named, *units))
        store.forget(ANN, units[:1])
        told = [store.clusters.changes(ANN, each.id) for each in store.clusters.runs(ANN, limit=9)]
        assert "zabaglione" not in str((store.clusters.clusters(ANN), told))
        assert store.evolving.changed(ANN, 9) == [Changed(cluster, 1, units[1])]
