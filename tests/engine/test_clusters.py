"""The person's edits of clusters, over the fake store."""

from __future__ import annotations

import pytest

from edge.engine.clusters import Clusters
from edge.errors import ClusterKeyInvalid, ClusterKeyTaken, ClusterMergeSelf, ClusterNotFound, MemoryNotFound
from edge.memory.clusters import NamedBy, RunId, Why
from edge.memory.units import ClusterId, UnitId
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.clusters_contract import COFFEE, SERVERS, embed, homes, made, say
from tests.store.making import ANN, BOB, NOON, after


class Room:
    """Two clusters of Ann's, a fact in each, and one in neither."""

    def __init__(self) -> None:
        self.store = FakeMemoryStore()
        self.units = say(self.store, "likes espresso", "runs nginx", "has a cat")
        self.coffee = made(self.store, self.units[0])
        self.servers = made(self.store, self.units[1], profile=SERVERS)
        self.clusters = Clusters(self.store.clusters)

    def homes(self) -> list[ClusterId | None]:
        return homes(self.store, self.units)


@pytest.fixture
def room() -> Room:
    return Room()


def test_all_are_listed_with_what_is_in_none(room: Room) -> None:
    found, unplaced = room.clusters.all(ANN, include_archived=False)
    assert [cluster.id for cluster in found] == [room.coffee, room.servers]
    assert unplaced == 1
    assert room.clusters.all(BOB, include_archived=True) == ([], 0)


def test_one_is_shown_with_its_members(room: Room) -> None:
    cluster, page = room.clusters.show(ANN, room.coffee, None, 9)
    assert (cluster.profile, [unit.id for unit in page.units]) == (COFFEE, [room.units[0]])


def test_a_renamed_cluster_is_the_persons_and_keeps_the_rest(room: Room) -> None:
    embed(room.store, room.units[0], 1.0, 0.0)
    room.store.clusters.recentre(room.coffee)
    run, cluster = room.clusters.rename(ANN, room.coffee, " 咖啡 与茶 ", NOON)
    profile = cluster.profile
    assert (profile.key, profile.named_by) == ("咖啡 与茶", NamedBy.PERSON)
    assert (profile.description, profile.tags, profile.coarse) == (COFFEE.description, COFFEE.tags, COFFEE.coarse)
    assert cluster.centroid is not None
    assert cluster.centroid.tolist() == [1.0, 0.0]
    assert (run.trigger, run.why, run.counts.reprofiled) == ("person", "rename", 1)
    room.clusters.undo(ANN, run.id, NOON)
    assert room.clusters.show(ANN, room.coffee, None, 9)[0].profile == COFFEE


def test_clusters_are_merged(room: Room) -> None:
    run, cluster = room.clusters.merge(ANN, room.coffee, room.servers, NOON)
    assert (cluster.id, cluster.size, run.counts.dissolved) == (room.servers, 2, 1)
    assert room.homes() == [room.servers, room.servers, None]


def test_a_memory_is_moved_in_and_out_and_into_a_new_one(room: Room) -> None:
    room.clusters.move(ANN, room.units[2], room.coffee, NOON)
    assert room.homes()[2] == room.coffee
    room.clusters.move(ANN, room.units[2], None, NOON)
    assert room.homes()[2] is None
    room.clusters.move_to_new(ANN, room.units[2], "pets of Ann", NOON)
    assert room.homes()[2] not in (None, room.coffee, room.servers)
    assert room.store.clusters._last_why(room.units[2]) is Why.PERSON
    for _ in range(3):
        room.clusters.undo(ANN, None, NOON)
    assert room.homes() == [room.coffee, room.servers, None]


def test_what_is_wrong_says_so_and_changes_nothing(room: Room) -> None:
    with pytest.raises(ClusterMergeSelf):
        room.clusters.merge(ANN, room.coffee, room.coffee, NOON)
    with pytest.raises(ClusterKeyInvalid):
        room.clusters.rename(ANN, room.coffee, "coffee", NOON)
    with pytest.raises(ClusterKeyTaken):
        room.clusters.rename(ANN, room.coffee, "upkeep of web servers", NOON)
    with pytest.raises(ClusterKeyTaken):
        room.clusters.move_to_new(ANN, room.units[2], "coffee at home", NOON)
    with pytest.raises(ClusterNotFound):
        room.clusters.rename(BOB, room.coffee, "my coffee", NOON)
    with pytest.raises(MemoryNotFound):
        room.clusters.move(ANN, UnitId(99), room.coffee, NOON)
    assert room.homes() == [room.coffee, room.servers, None]
    assert len(room.clusters.history(ANN, None, 9)[0]) == 2


def test_history_comes_in_pages(room: Room) -> None:
    for hours in range(3):
        room.clusters.move(ANN, room.units[2], None, after(hours=hours))
    first, following = room.clusters.history(ANN, None, 3)
    assert ([run.id for run in first], following) == ([5, 4, 3], RunId(3))
    rest, end = room.clusters.history(ANN, following, 3)
    assert ([run.id for run in rest], end) == ([2, 1], None)
    assert room.clusters.history(ANN, None, 5)[1] is None


def test_a_run_is_told_with_what_it_did(room: Room) -> None:
    done = room.clusters.run(ANN, RunId(1))
    assert [(change.cluster, change.before, change.after) for change in done.changes] == [(room.coffee, None, COFFEE)]
