"""Within a cluster what is told twice is joined, and what cannot hold side by side is handed to who asks."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from edge.engine.merging import Merging
from edge.engine.truth import Doubts
from edge.memory.clusters import Create, Placement, Profile, StagedNumber, Why
from edge.memory.units import SELF, Draft, Kind, Source, UnitId
from tests.engine.making import ANN, MAIN, Desk, remembered
from tests.engine.test_distilling import Inline
from tests.memory.test_rules import RULES


@pytest.fixture
def desk() -> Desk:
    return Desk()


def told(desk: Desk, *sentences: str, source: Source = Source.USER, subject: str = SELF) -> list[UnitId]:
    """Facts, a minute apart."""
    units = []
    for sentence in sentences:
        desk.clock.pass_by(minutes=1)
        draft = Draft(Kind.FACT_REFERENCE, sentence, source=source, subject=subject)
        units.append(remembered(desk.store, draft, at=desk.clock.now()).id)
    return units


def gathered(desk: Desk, units: list[UnitId], number: int = 1) -> None:
    new = StagedNumber(number)
    placed = [Placement(unit, new, Why.PERSON) for unit in units]
    made = [Create(new, Profile(f"topic number {number}"), None, "")]
    desk.store.clusters.edit(ANN, "new", made, placed, desk.clock.now())


def night(desk: Desk) -> Counter[str]:
    """All that a night's units of work did."""
    counts: Counter[str] = Counter()
    more = True
    while more:
        worked = asyncio.run(Merging(Inline(), desk.store.merging, desk.store.clusters, desk.clock).work(ANN, None))
        counts.update(worked.counts)
        more = worked.more
    return counts


def current(desk: Desk) -> list[str]:
    return [unit.content for unit in desk.units(past=False)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user feeds the cat at eight.", "The user really feeds the cat at 8."),
        ("用户八点喂猫。", "用户8点喂猫。"),
    ],
)
def test_what_is_told_twice_is_joined_to_the_older(desk: Desk, one: str, other: str) -> None:
    units = told(desk, one, "The user sails.", other)
    gathered(desk, units)
    assert night(desk) == {"compared": 3, "joined": 1}
    assert current(desk) == [one, "The user sails."]
    assert night(desk) == {}


def test_over_the_edges_of_clusters_nothing_is_joined(desk: Desk) -> None:
    units = told(desk, "用户八点喂猫。", "用户8点喂猫。")
    gathered(desk, units[:1])
    gathered(desk, units[1:], 2)
    assert night(desk) == {"compared": 2}
    assert len(current(desk)) == 2


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("The user eats meat.", "The user does not eat meat.", "You told me"),
        ("用户吃肉。", "用户不吃肉。", "你之前说"),
    ],
)
def test_what_cannot_both_hold_is_asked_about_once(desk: Desk, one: str, other: str, question: str) -> None:
    older, newer = told(desk, one, other)
    gathered(desk, [older, newer])
    assert night(desk) == {"compared": 2, "replaced": 1}
    assert current(desk) == [other]
    (asked,) = desk.store.truth.open_contradictions(ANN, MAIN)
    assert (asked.older.id, asked.newer.id) == (older, newer)
    written = desk.store.apply(ANN, [], desk.clock.now())
    back = Doubts(desk.store.truth, RULES).question(ANN, MAIN, other, written)
    assert back is not None
    assert back.words.startswith(question)
    assert night(desk) == {}


def test_a_change_that_is_said_is_not_asked_about(desk: Desk) -> None:
    gathered(desk, told(desk, "The user smokes.", "The user no longer smokes."))
    assert night(desk)["replaced"] == 1
    assert current(desk) == ["The user no longer smokes."]
    assert desk.store.truth.open_contradictions(ANN, MAIN) == []


@pytest.mark.parametrize("source", [Source.ASSISTANT, Source.TOOL, Source.IMPORT])
def test_nobody_else_ends_what_the_person_said(desk: Desk, source: Source) -> None:
    units = [*told(desk, "The user eats meat."), *told(desk, "The user does not eat meat.", source=source)]
    gathered(desk, units)
    assert night(desk) == {"compared": 2}
    assert len(current(desk)) == 2


def test_of_another_person_the_opposite_may_hold(desk: Desk) -> None:
    units = [*told(desk, "Eats meat."), *told(desk, "Does not eat meat.", subject="Bob")]
    gathered(desk, units)
    assert night(desk) == {"compared": 2}


def test_of_several_that_say_the_same_the_oldest_stays(desk: Desk) -> None:
    gathered(desk, told(desk, "用户八点喂猫。", "用户8点喂猫。", "用户8点喂猫了。"))
    assert night(desk) == {"compared": 3, "joined": 2}
    assert current(desk) == ["用户八点喂猫。"]


def test_one_unit_of_work_is_one_cluster(desk: Desk) -> None:
    gathered(desk, told(desk, *(f"The user knows the town of {chr(65 + i % 26)}{i}ville." for i in range(40))))
    gathered(desk, told(desk, "用户八点喂猫。"), 2)
    step = Merging(Inline(), desk.store.merging, desk.store.clusters, desk.clock)
    assert [asyncio.run(step.work(ANN, None)).counts for _ in range(3)] == [{"compared": 40}, {"compared": 1}, {}]
