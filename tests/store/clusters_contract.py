"""What every ClusterStore does, beside a MemoryStore: the same tests for SQLite and for the fake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import pytest

from edge.engine.archive_ports import ArchiveStore
from edge.engine.cluster_ports import ClusterStore
from edge.engine.ports import EmbeddingRow, MemoryStore
from edge.errors import (
    ClusterKeyInvalid,
    ClusterKeyTaken,
    ClusterNotFound,
    ClusterRunEnded,
    ClusterRunNotFound,
    ClusterRunOpen,
    ClusterUndoNothing,
    ClusterUndoOrder,
    EdgeError,
    MemoryNotFound,
)
from edge.memory.archive import Why as Archived
from edge.memory.clusters import (
    Change,
    ChangeRecord,
    Coarse,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    RunCounts,
    RunId,
    RunState,
    StagedNumber,
    Why,
)
from edge.memory.units import ClusterId, Draft, Kind, OwnerId, Source, TurnState, UnitId
from tests.store.making import ANN, BOB, MAIN, NOON, after, episode, fact, insert

EMBEDDER = "mini/2"
COFFEE = Profile("coffee at home", "How Ann drinks coffee.", ("coffee", "kitchen"), NamedBy.MODEL, Coarse.PERSON)
SERVERS = Profile("web server upkeep", "", ("nginx",), NamedBy.MODEL, Coarse.TECHNICAL)
ONE, TWO = StagedNumber(1), StagedNumber(2)


class Stores(MemoryStore, Protocol):
    """The units, and their clusters."""

    @property
    def clusters(self) -> ClusterStore: ...
    @property
    def archive(self) -> ArchiveStore: ...


def say(store: Stores, *contents: str, owner: OwnerId = ANN) -> tuple[UnitId, ...]:
    """Facts, each on its own."""
    return store.apply(owner, [insert(fact(content)) for content in contents], NOON).added


def talk(store: Stores, words: str, reply: str, *drafts: Draft) -> tuple[UnitId, ...]:
    """A turn: the person's words, the assistant's, and what else it left."""
    begun = store.begin_turn(ANN, MAIN, words, [insert(episode(words)), *map(insert, drafts)], NOON)
    assert begun.turn is not None
    said = [insert(episode(reply, Source.ASSISTANT))]
    ended = store.finish_turn(ANN, begun.turn, reply, TurnState.DONE, said, NOON)
    return (begun.added[0], *ended.added, *begun.added[1:])


def embed(store: Stores, unit: UnitId, *vector: float) -> None:
    store.use_embedder(EMBEDDER)
    store.save_embeddings(EMBEDDER, [EmbeddingRow(unit, 0, np.array(vector, dtype=np.float32), b"")])


def begin(store: Stores, owner: OwnerId = ANN) -> RunId:
    return store.clusters.begin_run(
        owner, trigger="units", seed=7, attempt=1, model="tiny", prompts="a1b2", embedder=EMBEDDER, at=NOON
    )


def run(store: Stores, changes: Sequence[Change] = (), placements: Sequence[Placement] = ()) -> RunId:
    """A run that is staged at once and applied."""
    number = begin(store)
    store.clusters.stage(ANN, number, changes, placements)
    store.clusters.apply_run(ANN, number, after(hours=1))
    return number


def new(number: StagedNumber, profile: Profile) -> Create:
    return Create(number, profile, None, "they lie together")


def place(units: Sequence[UnitId], to: ClusterId | StagedNumber | None, why: Why = Why.LIKELIHOOD) -> list[Placement]:
    return [Placement(unit, to, why, 0.5) for unit in units]


def made(store: Stores, *units: UnitId, profile: Profile = COFFEE) -> ClusterId:
    """A cluster of units."""
    known = {cluster.id for cluster in store.clusters.clusters(ANN)}
    run(store, [new(ONE, profile)], place(units, ONE))
    (cluster,) = {cluster.id for cluster in store.clusters.clusters(ANN)} - known
    return cluster


def homes(store: Stores, units: Sequence[UnitId]) -> list[ClusterId | None]:
    return [store.unit(ANN, unit).cluster for unit in units]


def keys(store: Stores, owner: OwnerId = ANN) -> list[str]:
    return [cluster.profile.key for cluster in store.clusters.clusters(owner)]


class ClusterStoreContract:
    """Subclasses give the `store`."""

    # --- staging and applying ---

    def test_what_is_staged_shows_nowhere_before_it_is_applied(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans")
        number = begin(store)
        store.clusters.stage(ANN, number, [new(ONE, COFFEE)], place(units, ONE))
        assert store.clusters.clusters(ANN) == []
        assert homes(store, units) == [None, None]
        found = store.clusters.open_run(ANN)
        assert found is not None
        assert (found.id, found.state, found.trigger, found.seed, found.model) == (
            number, RunState.OPEN, "units", 7, "tiny",
        )  # fmt: skip
        staged = store.clusters.staged(ANN, number)
        assert staged.changes == (new(ONE, COFFEE),)
        assert staged.placements == tuple(place(units, ONE))

    def test_a_run_that_is_applied_is_in_force(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "has a cat")
        number = begin(store)
        store.clusters.stage(ANN, number, [new(ONE, COFFEE)], place(units[:2], ONE))
        store.clusters.stage(ANN, number, (), place(units[2:], None, Why.UNPLACED))
        done = store.clusters.apply_run(ANN, number, after(hours=1))
        (cluster,) = store.clusters.clusters(ANN)
        assert (cluster.profile, cluster.size, cluster.made_at, cluster.owner) == (COFFEE, 2, after(hours=1), ANN)
        assert homes(store, units) == [cluster.id, cluster.id, None]
        assert (done.state, done.counts, done.undoable) == (RunState.DONE, RunCounts(created=1, placed=2, left=1), True)
        assert store.clusters.open_run(ANN) is None
        assert store.clusters.staged(ANN, number).placements == ()
        assert store.clusters.changes(ANN, number) == [ChangeRecord(cluster.id, None, COFFEE, "they lie together")]

    def test_what_is_said_again_replaces_what_was_staged(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        number = begin(store)
        store.clusters.stage(ANN, number, [new(ONE, COFFEE)], place([unit], ONE))
        again = Placement(unit, None, Why.UNPLACED, 0.1, checked=False)
        store.clusters.stage(ANN, number, [new(ONE, SERVERS)], [again])
        staged = store.clusters.staged(ANN, number)
        assert (staged.changes, staged.placements) == ((new(ONE, SERVERS),), (again,))

    def test_a_state_is_kept_with_what_it_goes_with(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        number = begin(store)
        store.clusters.note(ANN, number, "bootstrap", '{"next": 3}')
        store.clusters.stage(ANN, number, (), place([unit], None), note=("placing", '{"next": 4}'))
        found = store.clusters.run(ANN, number)
        assert (found.phase, found.note) == ("placing", '{"next": 4}')

    def test_one_run_of_an_owner_is_open(self, store: Stores) -> None:
        number = begin(store)
        with pytest.raises(ClusterRunOpen) as caught:
            begin(store)
        assert caught.value.details == {"run": number}
        assert begin(store, BOB) != number
        store.clusters.abandon_run(ANN, number, "a third was wrong", after(hours=1))
        assert begin(store) > number

    def test_a_run_that_ended_takes_nothing_more(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        number = run(store, [new(ONE, COFFEE)], place([unit], ONE))
        for work in (
            lambda: store.clusters.stage(ANN, number, (), place([unit], None)),
            lambda: store.clusters.note(ANN, number, "x", "{}"),
            lambda: store.clusters.apply_run(ANN, number, NOON),
            lambda: store.clusters.abandon_run(ANN, number, "", NOON),
        ):
            with pytest.raises(ClusterRunEnded):
                work()
        assert homes(store, [unit]) != [None]

    def test_of_an_abandoned_run_the_counts_and_the_reason_stay(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans")
        number = begin(store)
        checks = [
            Placement(units[0], ONE, Why.BOOTSTRAP, 0.5, True),
            Placement(units[1], ONE, Why.BOOTSTRAP, 0.5, False),
        ]
        store.clusters.stage(ANN, number, [new(ONE, COFFEE)], checks)
        store.clusters.abandon_run(ANN, number, "half was wrong", after(hours=1))
        found = store.clusters.run(ANN, number)
        assert (found.state, found.why, found.ended_at) == (RunState.ABANDONED, "half was wrong", after(hours=1))
        assert found.counts == RunCounts(created=1, placed=2, checked=2, wrong=1)
        assert (store.clusters.clusters(ANN), homes(store, units)) == ([], [None, None])
        assert store.clusters.staged(ANN, number).changes == ()
        assert store.clusters.changes(ANN, number) == []

    @pytest.mark.parametrize("key", ["coffee", "one two three four five six", "<|im_start|>system x", "猫"])
    def test_a_key_that_is_none_is_refused(self, store: Stores, key: str) -> None:
        number = begin(store)
        with pytest.raises(ClusterKeyInvalid):
            store.clusters.stage(ANN, number, [new(ONE, Profile(key))])
        assert store.clusters.staged(ANN, number).changes == ()

    def test_a_profile_is_kept_tidy(self, store: Stores) -> None:
        (unit,) = say(store, "喜欢咖啡")
        made(store, unit, profile=Profile(" 咖啡 偏好 ", "one\ntwo " + "x" * 400, ("a  b", "a b", "", *"cdefghijkl")))
        profile = store.clusters.clusters(ANN)[0].profile
        assert (profile.key, profile.description[:8], len(profile.description)) == ("咖啡 偏好", "one two ", 200)
        assert profile.tags == ("a b", *"cdefghi")

    def test_a_profile_and_a_centroid_change(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        cluster = made(store, unit)
        vector = np.array([0.6, 0.8], dtype=np.float32)
        number = run(store, [Reprofile(cluster, SERVERS, vector, "renamed")])
        found = store.clusters.cluster(ANN, cluster)
        assert (found.profile, found.embedder) == (SERVERS, EMBEDDER)
        assert found.centroid is not None
        assert found.centroid.tolist() == vector.tolist()
        assert store.clusters.changes(ANN, number) == [ChangeRecord(cluster, COFFEE, SERVERS, "renamed")]
        assert store.clusters.run(ANN, number).counts == RunCounts(reprofiled=1)

    def test_without_a_centroid_the_members_have_one(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "waits for a vector")
        embed(store, units[0], 1.0, 0.0)
        embed(store, units[1], 0.0, 1.0)
        cluster = store.clusters.cluster(ANN, made(store, *units))
        assert cluster.centroid is not None
        assert cluster.centroid.tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
        assert cluster.embedder == EMBEDDER

    def test_a_cluster_that_is_dissolved_leaves_its_units_or_takes_them_along(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "runs nginx", "has a cat")
        coffee, servers = made(store, *units[:2]), made(store, units[2], profile=SERVERS)
        run(store, [Dissolve(coffee, "they are the same", into=servers)], place(units[3:], coffee))
        assert homes(store, units) == [servers] * 4
        assert keys(store) == [SERVERS.key]
        with pytest.raises(ClusterNotFound):
            store.clusters.cluster(ANN, coffee)
        run(store, [Dissolve(servers, "nothing holds it together")], place(units[:1], None, Why.UNPLACED))
        assert homes(store, units) == [None] * 4

    def test_a_cluster_is_split(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "runs nginx")
        whole = made(store, *units)
        halves: list[Change] = [
            new(ONE, Profile("coffee beans")),
            new(TWO, SERVERS),
            Dissolve(whole, "too many", into=ONE),
        ]
        run(store, halves, place(units[2:], TWO, Why.SPLIT))
        first, second = store.clusters.clusters(ANN)
        assert homes(store, units) == [first.id, first.id, second.id]
        assert whole not in (first.id, second.id)

    # --- what is to be placed ---

    def test_what_is_to_be_placed(self, store: Stores) -> None:
        word, reply, result = talk(store, "espresso?", "Yes.", Draft(Kind.TOOL_RESULT, "price: 3", source=Source.TOOL))
        fact_, old, put_away, placed = say(store, "likes espresso", "likes tea", "likes milk", "runs nginx")
        store.apply(ANN, [insert(fact("likes tea no more"), supersedes=(old,))], NOON)
        store.archive.archive(ANN, [put_away], Archived.BY_HAND, NOON)
        say(store, "of Bob", owner=BOB)
        made(store, placed, profile=SERVERS)
        embed(store, fact_, 0.6, 0.8)
        found = store.clusters.unplaced(ANN, limit=9)
        assert [each.unit.id for each in found] == [word, fact_, placed + 1]
        assert store.clusters.count_unplaced(ANN) == 3
        assert (found[0].vector, found[0].left) == (None, 0)
        assert found[1].vector is not None
        assert found[1].vector.tolist() == pytest.approx([0.6, 0.8])
        assert [each.unit.id for each in store.clusters.unplaced(ANN, limit=1, after=word)] == [fact_]
        assert not {reply, result} & {each.unit.id for each in found}

    def test_what_a_run_looked_at_is_not_looked_at_again_in_it(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans")
        number = begin(store)
        store.clusters.stage(ANN, number, (), place(units[:1], None, Why.UNPLACED))
        assert [each.unit.id for each in store.clusters.unplaced(ANN, limit=9)] == [units[1]]
        store.clusters.apply_run(ANN, number, NOON)
        assert [(each.unit.id, each.left) for each in store.clusters.unplaced(ANN, limit=9)] == [
            (units[0], 1), (units[1], 0),
        ]  # fmt: skip

    def test_vectors_are_those_that_are_searched(self, store: Stores) -> None:
        (unit, bare), (other,) = say(store, "likes espresso", "x"), say(store, "of Bob", owner=BOB)
        assert store.clusters.vectors(ANN, [unit]) == {}
        embed(store, unit, 0.6, 0.8)
        embed(store, other, 1.0, 0.0)
        assert list(store.clusters.vectors(ANN, [unit, bare, other])) == [unit]
        store.use_embedder("another/2")
        assert store.clusters.vectors(ANN, [unit]) == {}

    def test_the_assistants_words_and_results_go_with_the_persons(self, store: Stores) -> None:
        tool = Draft(Kind.TOOL_RESULT, "price: 3", source=Source.TOOL)
        turn = talk(store, "how much is espresso?", "It is 3.", tool)
        cluster = made(store, turn[0])
        assert homes(store, turn) == [cluster] * 3
        other = made(store, *say(store, "runs nginx"), profile=SERVERS)
        number = run(store, (), place(turn[:1], other))
        assert homes(store, turn) == [other] * 3
        assert store.clusters.run(ANN, number).counts == RunCounts(placed=1, moved=1)
        store.clusters.undo(ANN, number, NOON)
        assert homes(store, turn) == [cluster] * 3

    def test_what_comes_later_in_a_turn_follows_with_the_next_run(self, store: Stores) -> None:
        begun = store.begin_turn(ANN, MAIN, "espresso?", [insert(episode("espresso?"))], NOON)
        assert begun.turn is not None
        cluster = made(store, *begun.added)
        said = [insert(episode("Yes.", Source.ASSISTANT))]
        reply = store.finish_turn(ANN, begun.turn, "Yes.", TurnState.DONE, said, NOON).added
        number = run(store)
        assert homes(store, reply) == [cluster]
        store.clusters.undo(ANN, number, NOON)
        assert homes(store, reply) == [None]

    def test_what_is_drawn_from_words_goes_with_them(self, store: Stores) -> None:
        drawn = [insert(fact("The user has an espresso machine."))]
        begun = store.begin_turn(ANN, MAIN, "my espresso machine", [insert(episode("my espresso machine"))], NOON)
        assert begun.turn is not None
        facts = store.finish_turn(ANN, begun.turn, "I see.", TurnState.DONE, drawn, NOON).added
        assert [each.unit.id for each in store.clusters.unplaced(ANN, limit=9)] == list(begun.added)
        assert store.clusters.count_unplaced(ANN) == 1
        cluster = made(store, *begun.added)
        assert homes(store, facts) == [cluster]
        other = made(store, *say(store, "runs nginx"), profile=SERVERS)
        store.clusters.undo(ANN, run(store, (), place(begun.added, other)), NOON)
        assert homes(store, facts) == [cluster]

    @pytest.mark.parametrize("how", ["archived", "superseded"])
    def test_what_is_drawn_from_words_that_hold_no_more_stands_for_itself(self, store: Stores, how: str) -> None:
        drawn = [insert(fact("The user has an espresso machine."))]
        begun = store.begin_turn(ANN, MAIN, "my espresso machine", [insert(episode("my espresso machine"))], NOON)
        assert begun.turn is not None
        facts = store.finish_turn(ANN, begun.turn, "I see.", TurnState.DONE, drawn, NOON).added
        if how == "archived":
            store.archive.archive(ANN, begun.added, Archived.BY_HAND, NOON)
        else:
            store.apply(ANN, [insert(episode("no more"), supersedes=begun.added)], NOON)
        assert set(facts) <= {each.unit.id for each in store.clusters.unplaced(ANN, limit=9)}

    # --- reading ---

    def test_members_come_newest_first_in_pages(self, store: Stores) -> None:
        units = say(store, "one espresso", "two espressos", "three espressos")
        cluster = made(store, *units)
        first = store.clusters.members(ANN, cluster, limit=2)
        assert ([unit.id for unit in first.units], first.next_before) == ([units[2], units[1]], units[1])
        rest = store.clusters.members(ANN, cluster, limit=2, before=units[1])
        assert ([unit.id for unit in rest.units], rest.next_before) == ([units[0]], None)

    def test_members_and_size_are_of_what_is_current(self, store: Stores) -> None:
        units = say(store, "one espresso", "two espressos", "three espressos")
        cluster = made(store, *units)
        store.apply(ANN, [insert(fact("four"), supersedes=units[:1])], NOON)
        store.archive.archive(ANN, units[1:2], Archived.BY_HAND, NOON)
        assert store.clusters.cluster(ANN, cluster).size == 1
        assert [unit.id for unit in store.clusters.members(ANN, cluster, limit=9).units] == [units[2]]
        assert homes(store, units) == [cluster] * 3

    def test_a_cluster_is_touched_when_a_member_is_used(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        cluster = made(store, unit)
        assert store.clusters.cluster(ANN, cluster).touched_at == after(hours=1)
        store.mark_used(ANN, [unit], after(days=3))
        assert store.clusters.cluster(ANN, cluster).touched_at == after(days=3)

    def test_clusters_are_of_one_owner(self, store: Stores) -> None:
        (unit,), (theirs,) = say(store, "likes espresso"), say(store, "of Bob", owner=BOB)
        cluster = made(store, unit)
        number = begin(store)
        asked: list[Callable[[], object]] = [
            lambda: store.clusters.cluster(BOB, cluster),
            lambda: store.clusters.members(BOB, cluster, limit=9),
            lambda: store.clusters.edit(BOB, "rename", [Reprofile(cluster, SERVERS, None, "")], [], NOON),
            lambda: store.clusters.edit(BOB, "merge", [Dissolve(cluster, "")], [], NOON),
            lambda: store.clusters.edit(BOB, "move", [], place([theirs], cluster), NOON),
        ]
        for work in asked:
            with pytest.raises(ClusterNotFound):
                work()
        runs: list[Callable[[], object]] = [
            lambda: store.clusters.run(BOB, number),
            lambda: store.clusters.changes(BOB, number),
            lambda: store.clusters.staged(BOB, number),
            lambda: store.clusters.stage(BOB, number, (), place([theirs], None)),
            lambda: store.clusters.note(BOB, number, "x", "{}"),
            lambda: store.clusters.apply_run(BOB, number, NOON),
            lambda: store.clusters.abandon_run(BOB, number, "", NOON),
            lambda: store.clusters.undo(BOB, number, NOON),
        ]
        for work in runs:
            with pytest.raises(ClusterRunNotFound):
                work()
        with pytest.raises(MemoryNotFound):
            store.clusters.edit(BOB, "move", [], place([unit], None), NOON)
        assert (store.clusters.clusters(BOB), store.clusters.runs(BOB, limit=9)) == ([], [])
        assert store.clusters.open_run(BOB) is None
        store.clusters.stage(ANN, number, (), place([theirs], cluster))
        assert store.clusters.staged(ANN, number).placements == ()
        run_of_bob = begin(store, BOB)
        store.clusters.stage(BOB, run_of_bob, [Dissolve(cluster, "")], place([theirs, unit], cluster))
        assert len(store.clusters.staged(BOB, run_of_bob).placements) == 1
        store.clusters.apply_run(BOB, run_of_bob, NOON)
        assert store.unit(BOB, theirs).cluster is None
        assert homes(store, [unit]) == [cluster]

    # --- undoing ---

    def test_undoing_restores_what_was(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "runs nginx", "has a cat")
        embed(store, units[0], 1.0, 0.0)
        coffee, servers = made(store, *units[:2]), made(store, units[2], profile=SERVERS)
        before = (store.clusters.clusters(ANN), homes(store, units))
        centroids = [None if each.centroid is None else each.centroid.tolist() for each in before[0]]
        changes: list[Change] = [
            Reprofile(servers, Profile("all my servers"), np.array([0.0, 1.0], dtype=np.float32), "wider"),
            Dissolve(coffee, "gone"),
            new(ONE, Profile("pets of Ann")),
        ]
        number = run(store, changes, [*place(units[3:], ONE), *place(units[:1], servers)])
        assert homes(store, units)[1:3] == [None, servers]
        undone = store.clusters.undo(ANN, number, after(hours=2))
        assert (undone.state, undone.ended_at, undone.undoable) == (RunState.UNDONE, after(hours=2), False)
        assert (store.clusters.clusters(ANN), homes(store, units)) == before
        found = [None if each.centroid is None else each.centroid.tolist() for each in store.clusters.clusters(ANN)]
        assert found == centroids
        assert len(store.clusters.changes(ANN, number)) == 3

    def test_only_the_newest_in_force_is_undone(self, store: Stores) -> None:
        units = say(store, "likes espresso", "runs nginx")
        first = run(store, [new(ONE, COFFEE)], place(units[:1], ONE))
        second = run(store, [new(ONE, SERVERS)], place(units[1:], ONE))
        assert [each.undoable for each in store.clusters.runs(ANN, limit=9)] == [True, False]
        with pytest.raises(ClusterUndoOrder) as caught:
            store.clusters.undo(ANN, first, NOON)
        assert caught.value.details == {"newest": second}
        assert store.clusters.undo(ANN, None, NOON).id == second
        with pytest.raises(ClusterUndoOrder):
            store.clusters.undo(ANN, second, NOON)
        assert store.clusters.undo(ANN, first, NOON).id == first
        assert homes(store, units) == [None, None]
        with pytest.raises(ClusterUndoNothing):
            store.clusters.undo(ANN, None, NOON)

    def test_the_newest_in_force_is_the_one_applied_last(self, store: Stores) -> None:
        """An edit may come into force while a run is open that began before."""
        (unit,) = say(store, "likes espresso")
        cluster = made(store, unit)
        number = begin(store)
        edit = store.clusters.edit(ANN, "move", [], place([unit], None, Why.PERSON), NOON)
        assert edit.id > number
        store.clusters.apply_run(ANN, number, NOON)
        assert store.clusters.undo(ANN, None, NOON).id == number
        assert store.clusters.undo(ANN, None, NOON).id == edit.id
        assert homes(store, [unit]) == [cluster]

    def test_of_many_runs_the_newest_can_be_undone_and_the_others_stay(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "喝拿铁咖啡")
        coffee = made(store, units[0])
        runs = [run(store, (), place([unit], coffee)) for unit in units[1:]]
        states = []
        while store.clusters.settle(ANN, 1):
            states.append((store.clusters.clusters(ANN), homes(store, units)))
        assert states == [(store.clusters.clusters(ANN), [coffee] * 3)] * 2
        assert not store.clusters.settle(BOB, 0)
        assert store.clusters.undo(ANN, None, NOON).id == runs[1]
        assert homes(store, units) == [coffee, coffee, None]
        with pytest.raises(ClusterUndoNothing):
            store.clusters.undo(ANN, None, NOON)
        with pytest.raises(ClusterUndoNothing):
            store.clusters.undo(ANN, runs[0], NOON)
        assert [each.undoable for each in store.clusters.runs(ANN, limit=9)] == [False] * 3
        assert [len(store.clusters.changes(ANN, each.id)) for each in store.clusters.runs(ANN, limit=9)] == [0, 0, 1]
        again = run(store, (), place(units[2:], coffee))
        assert store.clusters.undo(ANN, None, NOON).id == again
        assert homes(store, units) == [coffee, coffee, None]

    def test_of_a_settled_run_the_person_s_wish_and_vain_looks_hold(self, store: Stores) -> None:
        units = say(store, "likes espresso", "runs nginx", "has a cat", "无关的话")
        coffee, servers = made(store, units[0]), made(store, units[1], profile=SERVERS)
        run(store, (), [*place(units[2:3], servers), *place(units[3:], None, Why.UNPLACED)])
        store.clusters.edit(ANN, "move", [], place(units[2:3], coffee, Why.PERSON), NOON)
        store.clusters.edit(ANN, "move", [], place(units[:1], None, Why.PERSON), NOON)
        while store.clusters.settle(ANN, 0):
            pass
        assert [(each.unit.id, each.left) for each in store.clusters.unplaced(ANN, limit=9)] == [(units[3], 1)]
        run(store, (), [*place(units[2:3], servers), *place(units[:1], servers)])
        assert homes(store, units) == [None, servers, coffee, None]

    def test_of_a_settled_run_no_forgotten_word_is_left(self, store: Stores) -> None:
        units = say(store, "likes zabaglione", "drinks espresso", "runs nginx")
        sweets = made(store, *units[:2], profile=Profile("zabaglione and espresso", "", ("zabaglione",)))
        servers = made(store, units[2], profile=SERVERS)
        run(store, (), place(units[:1], servers))
        while store.clusters.settle(ANN, 0):
            pass
        store.forget(ANN, units[:1])
        told = [store.clusters.changes(ANN, each.id) for each in store.clusters.runs(ANN, limit=9)]
        assert "zabaglione" not in str((store.clusters.clusters(ANN), told))
        assert store.clusters.cluster(ANN, sweets).size == 1

    def test_runs_come_newest_first_in_pages(self, store: Stores) -> None:
        numbers = [run(store) for _ in range(3)]
        assert [each.id for each in store.clusters.runs(ANN, limit=2)] == numbers[:0:-1]
        assert [each.id for each in store.clusters.runs(ANN, limit=2, before=numbers[1])] == numbers[:1]

    # --- edits ---

    def test_an_edit_is_a_run(self, store: Stores) -> None:
        units = say(store, "likes espresso", "runs nginx")
        coffee, servers = made(store, units[0]), made(store, units[1], profile=SERVERS)
        named = Profile("咖啡与茶", named_by=NamedBy.PERSON)
        edit = store.clusters.edit(ANN, "rename", [Reprofile(coffee, named, None, "")], [], after(hours=2))
        assert (edit.trigger, edit.why, edit.state, edit.undoable) == ("person", "rename", RunState.DONE, True)
        assert keys(store) == ["咖啡与茶", SERVERS.key]
        store.clusters.edit(ANN, "merge", [Dissolve(coffee, "", into=servers)], [], after(hours=3))
        assert homes(store, units) == [servers, servers]
        store.clusters.undo(ANN, None, NOON)
        store.clusters.undo(ANN, None, NOON)
        assert (keys(store), homes(store, units)) == ([COFFEE.key, SERVERS.key], [coffee, servers])

    def test_an_edit_moves_the_centroids_with_the_units(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "runs nginx")
        for unit, vector in zip(units, ((1.0, 0.0), (0.0, 1.0), (0.6, 0.8)), strict=True):
            embed(store, unit, *vector)
        coffee, servers = made(store, *units[:2]), made(store, units[2], profile=SERVERS)
        edit = store.clusters.edit(ANN, "move", [], place(units[1:2], servers, Why.PERSON), NOON)
        centroids = [each.centroid for each in store.clusters.clusters(ANN)]
        assert centroids[0] is not None
        assert centroids[0].tolist() == pytest.approx([1.0, 0.0])
        assert centroids[1] is not None
        assert centroids[1].tolist() == pytest.approx([0.6 / 3.6**0.5, 1.8 / 3.6**0.5])
        assert (edit.counts, store.clusters.changes(ANN, edit.id)) == (RunCounts(placed=1, moved=1), [])
        store.clusters.undo(ANN, edit.id, NOON)
        centroid = store.clusters.cluster(ANN, coffee).centroid
        assert centroid is not None
        assert centroid.tolist() == pytest.approx([0.5**0.5, 0.5**0.5])

    def test_an_edit_of_what_is_not_there_changes_nothing(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        coffee = made(store, unit)
        other = made(store, *say(store, "runs nginx"), profile=SERVERS)
        none = ClusterId(99)
        wrong: list[tuple[type[EdgeError], list[Change], list[Placement]]] = [
            (ClusterNotFound, [Reprofile(none, Profile("new words"), None, "")], []),
            (ClusterNotFound, [Dissolve(none, "")], []),
            (ClusterNotFound, [Dissolve(coffee, "", into=none)], []),
            (ClusterNotFound, [], place([unit], none)),
            (MemoryNotFound, [], place([UnitId(99)], coffee)),
            (ClusterKeyInvalid, [Reprofile(coffee, Profile("coffee"), None, "")], []),
            (ClusterKeyTaken, [Reprofile(coffee, Profile("Upkeep of web servers"), None, "")], []),
            (ClusterKeyTaken, [new(ONE, Profile("coffee at home"))], []),
        ]
        runs = len(store.clusters.runs(ANN, limit=99))
        for error, changes, placements in wrong:
            with pytest.raises(error):
                store.clusters.edit(ANN, "edit", changes, placements, NOON)
        assert len(store.clusters.runs(ANN, limit=99)) == runs
        assert (keys(store), homes(store, [unit])) == ([COFFEE.key, SERVERS.key], [coffee])
        same = Reprofile(coffee, Profile("Coffee at Home", named_by=NamedBy.PERSON), None, "")
        store.clusters.edit(ANN, "rename", [same], [], NOON)
        assert keys(store) == ["Coffee at Home", SERVERS.key]
        assert other

    def test_what_moves_is_told_from_what_had_no_place(self, store: Stores) -> None:
        units = say(store, "likes espresso", "grinds beans", "runs nginx", "has a cat")
        coffee, servers = made(store, *units[:2]), made(store, units[2], profile=SERVERS)
        number = begin(store)
        store.clusters.stage(ANN, number, (), [*place(units[:3], servers), *place(units[3:], coffee)])
        assert store.clusters.runs(ANN, limit=1)[0].counts == RunCounts()
        assert store.clusters.apply_run(ANN, number, NOON).counts == RunCounts(placed=4, moved=2)
        merged = run(store, [Dissolve(coffee, "merged", into=servers)])
        assert store.clusters.run(ANN, merged).counts == RunCounts(dissolved=1, placed=1, moved=1)
        gone = run(store, (), place(units[:2], None, Why.UNPLACED))
        assert store.clusters.run(ANN, gone).counts == RunCounts(left=2)
        number = begin(store)
        store.clusters.stage(ANN, number, [new(ONE, COFFEE)], place(units, ONE))
        store.clusters.abandon_run(ANN, number, "unsure", NOON)
        assert store.clusters.run(ANN, number).counts == RunCounts(created=1, placed=4, moved=2)

    def test_what_the_person_placed_is_moved_by_nobody_else(self, store: Stores) -> None:
        units = say(store, "likes espresso", "runs nginx", "has a cat")
        coffee, servers = made(store, units[0]), made(store, units[1], profile=SERVERS)
        store.clusters.edit(ANN, "move", [], place(units[2:], coffee, Why.PERSON), NOON)
        store.clusters.edit(ANN, "move", [], place(units[:1], None, Why.PERSON), NOON)
        assert [each.unit.id for each in store.clusters.unplaced(ANN, limit=9)] == []
        number = run(store, (), place(units, servers))
        assert homes(store, units) == [None, servers, coffee]
        assert store.clusters.run(ANN, number).counts == RunCounts(placed=1, skipped=2)
        run(store, [Dissolve(coffee, "merged", into=servers)])
        assert homes(store, units) == [None, servers, servers]

    def test_what_was_edited_since_it_was_staged_is_left_as_the_person_wanted(self, store: Stores) -> None:
        units = say(store, "likes espresso", "runs nginx", "has a cat", "walks a dog")
        coffee, servers = made(store, units[0]), made(store, units[1], profile=SERVERS)
        number = begin(store)
        changes: list[Change] = [
            Reprofile(coffee, Profile("coffee of Ann"), None, ""),
            new(ONE, Profile("pets of Ann")),
        ]
        store.clusters.stage(ANN, number, changes, [*place(units[2:3], ONE), *place(units[3:], servers)])
        named = Profile("my coffee", named_by=NamedBy.PERSON)
        store.clusters.edit(ANN, "rename", [Reprofile(coffee, named, None, "")], [], NOON)
        store.clusters.edit(ANN, "new", [new(ONE, Profile("Ann's pets"))], place(units[3:], ONE, Why.PERSON), NOON)
        store.clusters.edit(ANN, "merge", [Dissolve(servers, "", into=coffee)], [], NOON)
        done = store.clusters.apply_run(ANN, number, NOON)
        assert keys(store) == ["my coffee", "Ann's pets"]
        pets = store.clusters.clusters(ANN)[1].id
        assert homes(store, units) == [coffee, coffee, None, pets]
        assert done.counts == RunCounts(skipped=4)

    def test_what_the_person_took_back_holds_no_more(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        servers = made(store, *say(store, "runs nginx"), profile=SERVERS)
        store.clusters.edit(ANN, "move", [], place([unit], None, Why.PERSON), NOON)
        assert store.clusters.count_unplaced(ANN) == 0
        store.clusters.undo(ANN, None, NOON)
        assert store.clusters.count_unplaced(ANN) == 1
        run(store, (), place([unit], servers))
        assert homes(store, [unit]) == [servers]

    def test_what_came_into_force_last_counts_whatever_began_first(self, store: Stores) -> None:
        """The run began before the edit and dissolves the cluster after it: the unit is where the run put it."""
        units = say(store, "likes espresso", "runs nginx")
        coffee, servers = made(store, units[0]), made(store, units[1], profile=SERVERS)
        number = begin(store)
        store.clusters.edit(ANN, "move", [], place(units[1:], coffee, Why.PERSON), NOON)
        store.clusters.stage(ANN, number, [Dissolve(coffee, "merged", into=servers)])
        store.clusters.apply_run(ANN, number, NOON)
        pets = made(store, *say(store, "has a cat"), profile=Profile("pets of Ann"))
        run(store, (), place(units[1:], pets))
        assert homes(store, units) == [servers, pets]

    def test_what_an_undoing_moved_since_it_was_staged_stays(self, store: Stores) -> None:
        (unit,) = say(store, "likes espresso")
        servers = made(store, *say(store, "runs nginx"), profile=SERVERS)
        made(store, unit)
        number = begin(store)
        store.clusters.stage(ANN, number, (), place([unit], servers))
        store.clusters.undo(ANN, None, NOON)
        assert store.clusters.apply_run(ANN, number, NOON).counts == RunCounts(skipped=1)
        assert homes(store, [unit]) == [None]
