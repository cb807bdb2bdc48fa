"""Units leave the active set when they are due, are found again where nothing else is, and come back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from edge.engine.ports import Scope
from edge.errors import MemoryNotFound
from edge.memory.archive import Why
from edge.memory.units import Draft, Kind, Unit, UnitId
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk
from tests.fakes.clock import NOON


@pytest.fixture
def desk() -> Desk:
    return Desk()


def now(desk: Desk) -> Scope:
    return Scope(ANN, MAIN, desk.clock.now(), present=True)


def keep(desk: Desk, content: str, kind: Kind = Kind.FACT_REFERENCE, **life: float) -> Unit:
    at = desk.clock.now()
    until = at + timedelta(**life) if life else None
    desk.remember.drafts(ANN, MAIN, [Draft(kind, content, valid_until=until)], at)
    desk.embed()
    return desk.units()[-1]


def tend(desk: Desk) -> int:
    steps = 0
    while desk.archive.step():
        steps += 1
        assert steps < 1000
    return steps


def standing(desk: Desk) -> dict[str, str | None]:
    return {unit.content: unit.archived_why for unit in desk.units()}


def test_what_is_due_leaves_at_the_start_and_then_once_a_day(desk: Desk) -> None:
    keep(desk, "a coupon", days=1)
    keep(desk, "the router is in the hall")
    desk.clock.pass_by(days=30)
    tend(desk)
    assert standing(desk) == {"a coupon": "expired", "the router is in the hall": None}
    keep(desk, "a ticket", days=1)
    desk.clock.set(desk.clock.now() + timedelta(days=30))
    assert not desk.archive.step()
    desk.clock.pass_by(hours=24)
    tend(desk)
    assert standing(desk)["a ticket"] == "expired"


def test_more_than_one_step_takes_is_due(desk: Desk) -> None:
    drafts = [Draft(Kind.FACT_REFERENCE, f"coupon {number}", valid_until=NOON) for number in range(150)]
    desk.remember.drafts(ANN, MAIN, drafts, NOON)
    desk.remember.drafts(BOB, MAIN, drafts, NOON)
    desk.clock.pass_by(days=30)
    assert tend(desk) >= 6
    assert {unit.archived_why for unit in desk.units() + desk.units(BOB)} == {"expired"}


def test_a_clock_that_runs_ahead_for_a_while_costs_nothing(desk: Desk) -> None:
    keep(desk, "the step reached is payment", Kind.SESSION_STATE)
    right = desk.clock.now()
    desk.clock.set(right + timedelta(days=40_000))
    tend(desk)
    assert standing(desk) == {"the step reached is payment": "expired"}
    desk.clock.set(right)
    desk.clock.pass_by(hours=1)
    desk.archive._began = None
    tend(desk)
    assert standing(desk) == {"the step reached is payment": None}
    assert [unit.content for unit in desk.units(past=False)] == ["the step reached is payment"]


def test_a_clock_in_1970_moves_nothing(desk: Desk) -> None:
    unit = keep(desk, "a coupon", days=1)
    desk.archive.put_away(ANN, [unit.id], Why.EXPIRED, NOON)
    desk.clock.set(NOON.replace(year=1970))
    tend(desk)
    assert standing(desk) == {"a coupon": "expired"}


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("The zeppelin leaves from hangar seven.", "Where does the zeppelin leave from?"),
        ("飞艇从七号机库起飞。", "飞艇从哪里起飞？"),
    ],
)
def test_the_archive_answers_where_nothing_else_does(desk: Desk, told: str, question: str) -> None:
    unit = keep(desk, told)
    desk.archive.put_away(ANN, [unit.id], Why.DECAYED, desk.clock.now())
    found = desk.recall.find(now(desk), question)
    assert [(each.unit.id, each.unit.archived_why) for each in found.recalled] == [(unit.id, "decayed")]
    assert desk.recall.find(Scope(BOB, MAIN, desk.clock.now(), present=True), question).recalled == ()
    current = keep(desk, told + " ")
    assert [each.unit.id for each in desk.recall.find(now(desk), question).recalled] == [current.id]


def test_what_does_not_hold_any_more_is_not_told_from_the_archive(desk: Desk) -> None:
    coupon = keep(desk, "The zeppelin coupon is ZEP-7100.", days=1)
    desk.clock.pass_by(days=30)
    tend(desk)
    assert standing(desk) == {coupon.content: "expired"}
    assert desk.recall.find(now(desk), "What is the zeppelin coupon?").recalled == ()
    then = Scope(ANN, MAIN, NOON + timedelta(hours=2))
    assert [each.unit.id for each in desk.recall.find(then, "What is the zeppelin coupon?").recalled] == [coupon.id]


def test_an_archived_slot_is_told_by_the_model_and_not_as_certain(desk: Desk) -> None:
    desk.say("My phone number is 13800138000.")
    units = [unit.id for unit in desk.units()]
    desk.archive.put_away(ANN, units, Why.BY_HAND, desk.clock.now())
    found = desk.recall.find(now(desk), "What is my phone number?")
    assert "13800138000" in found.recalled[0].unit.content
    assert found.asked is not None
    assert not found.asked.certain
    assert found.empty_slot is None


def test_small_talk_does_not_look_there(desk: Desk) -> None:
    unit = keep(desk, "The zeppelin leaves from hangar seven.")
    desk.archive.put_away(ANN, [unit.id], Why.BY_HAND, desk.clock.now())
    assert desk.recall.find(now(desk), "A zeppelin is a big thing, the hangar too.").recalled == ()


def test_by_hand_all_or_nothing(desk: Desk) -> None:
    one, two = keep(desk, "one thing"), keep(desk, "another thing")
    with pytest.raises(MemoryNotFound, match="99"):
        desk.archive.put_away(ANN, [one.id, UnitId(99)], Why.BY_HAND, NOON)
    with pytest.raises(MemoryNotFound):
        desk.archive.put_away(BOB, [one.id], Why.BY_HAND, NOON)
    assert standing(desk) == {"one thing": None, "another thing": None}
    assert desk.archive.put_away(ANN, [one.id, two.id], Why.BY_HAND, NOON) == (one.id, two.id)
    with pytest.raises(MemoryNotFound):
        desk.archive.bring_back(BOB, [one.id], NOON)
    assert desk.archive.bring_back(ANN, [two.id], NOON) == (two.id,)
    assert standing(desk) == {"one thing": "by hand", "another thing": None}


def test_what_comes_back_is_active_again(desk: Desk) -> None:
    step = keep(desk, "the step reached is payment", Kind.SESSION_STATE)
    desk.clock.pass_by(days=30)
    tend(desk)
    assert desk.archive.bring_back(ANN, [step.id], desk.clock.now()) == (step.id,)
    assert step.id in desk.store.units(now(desk), [step.id])
    assert step.id not in desk.store.units(Scope(ANN, OTHER, desk.clock.now(), present=True), [step.id])
