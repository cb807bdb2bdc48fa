"""Cold clusters leave in the night, one at a time, and what recall finds in one brings it back whole."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from edge.engine.cold import Cold
from edge.engine.offpeak import Worked
from edge.engine.ports import Scope
from edge.engine.serving import Given
from edge.memory.clusters import Create, Placement, Profile, StagedNumber, Why
from edge.memory.units import UnitId
from tests.engine.making import ANN, MAIN, OTHER, Desk
from tests.engine.test_distilling import Inline

NEW = StagedNumber(1)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def cold(desk: Desk) -> Cold:
    return Cold(Inline(), desk.store.cold, timedelta(days=30), desk.clock)


def night(desk: Desk) -> list[Worked]:
    """All units of work of a night."""
    done = [asyncio.run(cold(desk).work(ANN, None))]
    while done[-1].more:
        done.append(asyncio.run(cold(desk).work(ANN, None)))
    return done


def gathered(desk: Desk, key: str, *sentences: str) -> list[UnitId]:
    """Episodes of one cluster."""
    before = set(desk.store._units)
    for sentence in sentences:
        desk.say(sentence)
    units = sorted(set(desk.store._units) - before)
    placed = [Placement(unit, NEW, Why.PERSON) for unit in units]
    desk.store.clusters.edit(ANN, "new", [Create(NEW, Profile(key), None, "")], placed, desk.clock.now())
    return units


def archived(desk: Desk) -> list[UnitId]:
    return sorted(unit.id for unit in desk.store._units.values() if unit.archived_at is not None)


def test_a_night_puts_cold_clusters_away_one_at_a_time(desk: Desk) -> None:
    first = gathered(desk, "kettle in the attic", "The blue kettle stands in the attic.")
    second = gathered(desk, "猫和鱼", "我的猫每天吃鱼。")
    desk.clock.pass_by(days=20)
    warm = gathered(desk, "red shed", "The shed is red.")
    desk.clock.pass_by(days=11)
    assert [work.counts for work in night(desk)] == [{"clusters": 1, "archived": 1}] * 2 + [{}]
    assert archived(desk) == sorted([*first, *second])
    desk.clock.pass_by(days=31)
    night(desk)
    assert archived(desk) == sorted([*first, *second, *warm])


@pytest.mark.parametrize(
    ("told", "beside", "question"),
    [
        ("The blue kettle stands in the attic.", "The kettle leaks a little.", "Where does the blue kettle stand?"),
        ("蓝色的水壶在阁楼里。", "水壶有点漏水。", "蓝色的水壶在哪里？"),
    ],
)
def test_a_hit_brings_the_cluster_back_whole(desk: Desk, told: str, beside: str, question: str) -> None:
    units = gathered(desk, "kettle in the attic", told, beside)
    desk.clock.pass_by(days=31)
    night(desk)
    assert archived(desk) == units
    scope = Scope(ANN, OTHER, desk.clock.now(), present=True)
    found = desk.recall.find(scope, question)
    assert found.recalled[0].unit.id == units[0]
    desk.serving.replied(scope, question, "I see.", Given((), [each.unit for each in found.recalled]))
    assert archived(desk) == []
    assert [cluster.archived_at for cluster in desk.store.clusters.clusters(ANN)] == [None]
    assert night(desk)[0].counts == {}


def test_what_is_found_in_the_active_set_opens_no_archive(desk: Desk) -> None:
    units = gathered(desk, "kettle in the attic", "The blue kettle stands in the attic.")
    desk.clock.pass_by(days=31)
    night(desk)
    desk.say("The blue kettle stands in the cellar.")
    scope = Scope(ANN, MAIN, desk.clock.now(), present=True)
    found = desk.recall.find(scope, "Where does the blue kettle stand?")
    desk.serving.replied(scope, "Where?", "In the cellar.", Given((), [each.unit for each in found.recalled]))
    assert archived(desk) == units


def test_restoring_one_unit_by_hand_brings_its_cluster(desk: Desk) -> None:
    units = gathered(desk, "kettle in the attic", "The blue kettle stands in the attic.", "The kettle leaks a little.")
    desk.clock.pass_by(days=31)
    night(desk)
    assert desk.archive.bring_back(ANN, units[:1], desk.clock.now()) == tuple(units[:1])
    assert archived(desk) == []


def test_a_clock_that_was_ahead_empties_no_memory(desk: Desk) -> None:
    gathered(desk, "kettle in the attic", "The blue kettle stands in the attic.")
    desk.clock.pass_by(days=4000)
    night(desk)
    desk.clock.pass_by(days=-4000)
    assert [work.counts for work in night(desk)] == [{"brought back": 2}, {}]
    assert archived(desk) == []
