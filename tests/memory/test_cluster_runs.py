"""What of a run still fits when it is applied. Whole runs are tested with the stores."""

from __future__ import annotations

import numpy as np
import pytest

from edge.memory.cluster_runs import StagedChange, StagedPlacement, Standing, edited, fitting, mean_vector
from edge.memory.clusters import (
    Change,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    RunCounts,
    StagedNumber,
    Why,
)
from edge.memory.units import ClusterId, UnitId

COFFEE, SERVERS, PETS = ClusterId(1), ClusterId(2), ClusterId(3)
PROFILES = {
    COFFEE: Profile("coffee at home"),
    SERVERS: Profile("web server upkeep"),
    PETS: Profile("pets of Ann"),
}
ONE, TWO = StagedNumber(1), StagedNumber(2)
A, B, C = UnitId(1), UnitId(2), UnitId(3)


def staged(*changes: Change) -> list[StagedChange]:
    return [
        StagedChange(change, None if isinstance(change, Create) else PROFILES[change.cluster]) for change in changes
    ]


def placed(unit: UnitId, to: ClusterId | StagedNumber | None, was: ClusterId | None = None) -> StagedPlacement:
    return StagedPlacement(Placement(unit, to, Why.LIKELIHOOD), was)


def new(number: StagedNumber, key: str) -> Create:
    return Create(number, Profile(key), None, "")


def renamed(cluster: ClusterId, key: str) -> Reprofile:
    return Reprofile(cluster, Profile(key), None, "")


def into(fit_placements: tuple[Placement, ...]) -> dict[UnitId, ClusterId | StagedNumber | None]:
    return {each.unit: each.to for each in fit_placements}


def test_keys_may_be_swapped() -> None:
    changes = staged(renamed(COFFEE, "web server upkeep"), renamed(SERVERS, "coffee at home"))
    assert len(fitting(changes, [], Standing(PROFILES, {})).changes) == 2


def test_a_key_may_be_taken_over_from_one_that_is_dissolved() -> None:
    changes = staged(renamed(COFFEE, "web server upkeep"), Dissolve(SERVERS, "", into=COFFEE))
    assert len(fitting(changes, [], Standing(PROFILES, {})).changes) == 2


def test_a_key_that_another_cluster_has_is_left_out_and_all_that_builds_on_it() -> None:
    changes = staged(new(ONE, "home coffee"), Dissolve(PETS, "", into=ONE), new(TWO, "trips to Norway"))
    fit = fitting(changes, [placed(A, ONE), placed(B, TWO)], Standing(PROFILES, {A: None, B: None, C: PETS}))
    assert fit.changes == (new(TWO, "trips to Norway"),)
    assert into(fit.placements) == {B: TWO}
    assert (fit.skipped, fit.counts().skipped) == (3, 3)


def test_of_two_that_take_one_key_the_first_has_it() -> None:
    fit = fitting(staged(new(ONE, "trips to Norway"), new(TWO, "Norway trips")), [], Standing(PROFILES, {}))
    assert fit.changes == (new(ONE, "trips to Norway"),)


def test_clusters_that_dissolve_into_each_other_stay() -> None:
    fit = fitting(staged(Dissolve(COFFEE, "", SERVERS), Dissolve(SERVERS, "", COFFEE)), [], Standing(PROFILES, {}))
    assert len(fit.changes) == 1
    assert fit.skipped == 1
    assert fitting(staged(Dissolve(COFFEE, "", COFFEE)), [], Standing(PROFILES, {})).changes == ()


def test_what_is_placed_into_a_dissolved_cluster_goes_where_its_members_go() -> None:
    homes = {A: None, B: COFFEE, C: COFFEE}
    fit = fitting(
        staged(Dissolve(COFFEE, "", SERVERS)), [placed(A, COFFEE), placed(B, PETS, COFFEE)], Standing(PROFILES, homes)
    )
    assert into(fit.placements) == {A: SERVERS, B: PETS, C: SERVERS}
    assert [each.why for each in fit.placements] == [Why.LIKELIHOOD, Why.LIKELIHOOD, Why.MERGE]


@pytest.mark.parametrize("now", [{}, {A: SERVERS}])
def test_a_unit_that_is_gone_or_was_moved_stays_as_it_is(now: dict[UnitId, ClusterId | None]) -> None:
    fit = fitting([], [placed(A, COFFEE)], Standing(PROFILES, now))
    assert (fit.placements, fit.skipped) == ((), 1)


def test_a_follower_that_was_placed_itself_stays_there() -> None:
    standing = Standing(PROFILES, {A: None, B: None, C: None}, followers={B: A, C: A})
    fit = fitting([], [placed(A, COFFEE), placed(B, PETS)], standing)
    assert into(fit.placements) == {A: COFFEE, B: PETS, C: COFFEE}
    assert fit.counts() == RunCounts(placed=2)


def test_a_follower_of_a_dissolved_cluster_goes_with_its_leader() -> None:
    standing = Standing(PROFILES, {A: COFFEE, B: COFFEE}, followers={B: A})
    fit = fitting(staged(Dissolve(COFFEE, "", SERVERS)), [placed(A, PETS, COFFEE)], standing)
    assert into(fit.placements) == {A: PETS, B: PETS}


def test_a_follower_whose_leader_stays_is_left_alone() -> None:
    standing = Standing(PROFILES, {A: COFFEE, B: PETS}, followers={B: A})
    assert fitting([], [], standing).placements == ()


def test_what_the_person_placed_is_held_but_not_in_a_cluster_that_is_no_more() -> None:
    standing = Standing(PROFILES, {A: COFFEE, B: PETS, C: PETS}, held={A, B, C}, followers={B: A})
    assert fitting([], [placed(A, PETS, COFFEE)], standing).placements == ()
    fit = fitting(staged(Dissolve(PETS, "", COFFEE)), [], standing)
    assert into(fit.placements) == {B: COFFEE, C: COFFEE}


def test_a_centroid_alone_is_not_counted_as_another_profile() -> None:
    vector = np.array([1.0, 0.0], dtype=np.float32)
    same = Reprofile(COFFEE, PROFILES[COFFEE], vector, "")
    assert fitting(staged(same, renamed(PETS, "all my pets")), [], Standing(PROFILES, {})).counts().reprofiled == 1


def test_an_edit_recentres_what_gains_and_loses() -> None:
    changes = edited([renamed(PETS, "all my pets")], [placed(A, SERVERS).placement], {A: COFFEE}, PROFILES)
    assert [(type(change), change.cluster) for change in changes if not isinstance(change, Create)] == [
        (Reprofile, PETS), (Reprofile, COFFEE), (Reprofile, SERVERS),
    ]  # fmt: skip
    merged = edited([Dissolve(COFFEE, "", SERVERS)], [], {}, PROFILES)
    assert merged[1:] == [Reprofile(SERVERS, PROFILES[SERVERS], None, "")]


def test_the_mean_of_vectors_has_length_one() -> None:
    one, other = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)
    mean = mean_vector([one, other, other])
    assert mean is not None
    assert mean.dtype == np.float32
    assert mean.tolist() == pytest.approx([1 / 5**0.5, 2 / 5**0.5])
    assert mean_vector([]) is None
    assert mean_vector([one, -one]) is None
