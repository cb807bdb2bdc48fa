"""What is kept of clusters for recall is always what the database holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from edge.errors import ClusterKeyTaken
from edge.memory.agreement import Signposts, signposts
from edge.memory.clusters import Create, Dissolve, Placement, Profile, Reprofile, StagedNumber, Why
from edge.memory.units import ClusterId, UnitId
from edge.store.signposts import KEPT
from edge.store.sqlite import SqliteStore
from tests.store.clusters_contract import COFFEE, EMBEDDER, SERVERS, embed, made, new, run, say
from tests.store.cold_contract import BEFORE, THEN, noted
from tests.store.making import ANN, BOB, NOON

ONE = StagedNumber(1)


def now(store: SqliteStore, embedder: str | None = EMBEDDER) -> Signposts:
    """What is kept, which must be what is there."""
    kept, there = store.signposts(ANN, embedder), signposts(store.clusters.clusters(ANN), embedder)
    assert (kept.ids, kept.terms) == (there.ids, there.terms)
    assert np.array_equal(kept.centroids, there.centroids)
    return kept


@pytest.fixture
def told(sqlite_store: SqliteStore) -> tuple[ClusterId, tuple[UnitId, ...]]:
    units = noted(sqlite_store, "espresso at home", "家里的咖啡机")
    for unit in units:
        embed(sqlite_store, unit, 1.0, 0.0)
    return made(sqlite_store, *units), units


WRITES: dict[str, Callable[[SqliteStore, ClusterId, tuple[UnitId, ...]], object]] = {
    "another cluster": lambda store, *_: made(store, *say(store, "the server is slow"), profile=SERVERS),
    "renamed": lambda store, cluster, _: run(store, [Reprofile(cluster, Profile("茶和咖啡"), None, "")]),
    "dissolved": lambda store, cluster, _: run(store, [Dissolve(cluster, "")]),
    "edited": lambda store, *_: store.clusters.edit(ANN, "new", [new(ONE, SERVERS)], [], NOON),
    "undone": lambda store, *_: store.clusters.undo(ANN, None, NOON),
    "put away": lambda store, cluster, _: store.cold.put_away(ANN, cluster, BEFORE, THEN),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_to_clusters_is_seen_at_once(
    sqlite_store: SqliteStore, told: tuple[ClusterId, tuple[UnitId, ...]], name: str
) -> None:
    before = now(sqlite_store)
    assert sqlite_store.signposts(ANN, EMBEDDER) is before
    WRITES[name](sqlite_store, *told)
    after = now(sqlite_store)
    assert (after.ids, after.terms) != (before.ids, before.terms)


def test_what_is_forgotten_is_kept_nowhere(
    sqlite_store: SqliteStore, told: tuple[ClusterId, tuple[UnitId, ...]]
) -> None:
    cluster, (english, chinese) = told
    profile = Profile("espresso machine", tags=("咖啡机",))
    sqlite_store.clusters.edit(ANN, "rename", [Reprofile(cluster, profile, None, "")], [], NOON)
    assert now(sqlite_store).terms[0] >= {"espresso", "咖啡"}
    sqlite_store.forget(ANN, [english])
    assert "espresso" not in {term for terms in now(sqlite_store).terms for term in terms}
    sqlite_store.forget(ANN, [chinese])
    assert "咖啡" not in {term for terms in now(sqlite_store).terms for term in terms}


def test_a_write_that_fails_changes_nothing(
    sqlite_store: SqliteStore, told: tuple[ClusterId, tuple[UnitId, ...]]
) -> None:
    before = now(sqlite_store)
    with pytest.raises(ClusterKeyTaken):
        sqlite_store.clusters.edit(
            ANN, "new", [Create(ONE, COFFEE, None, "")], [Placement(told[1][0], ONE, Why.PERSON)], NOON
        )
    assert now(sqlite_store).ids == before.ids


def test_few_owners_are_kept_and_each_sees_their_own(
    sqlite_store: SqliteStore, told: tuple[ClusterId, tuple[UnitId, ...]]
) -> None:
    before = now(sqlite_store)
    assert sqlite_store.signposts(BOB, EMBEDDER).ids == ()
    assert not now(sqlite_store, "other/2").centroids.any()
    for number in range(KEPT):
        sqlite_store.signposts(BOB, f"embedder {number}")
    assert sqlite_store.signposts(ANN, EMBEDDER) is not before
    sqlite_store.let_go()
    assert now(sqlite_store).ids == (told[0],)
