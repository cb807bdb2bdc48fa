"""Which night it is: begun by what grew, resumed after a crash, one budget for twenty hours whatever the clock does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge.engine.night_ports import Night, NightState, PartState
from edge.engine.nights import Nights
from edge.memory.nights import Seen, StepName, Thresholds, Trigger
from tests.engine.making import ANN, BOB
from tests.fakes.clock import SetClock
from tests.fakes.nights import FakeBackups, FakeNights

STEPS = (StepName.BACKLOG, StepName.DISTIL, StepName.BACKUP)


class Years:
    """Nights over a store that outlives processes."""

    def __init__(self) -> None:
        self.store, self.backups, self.clock = FakeNights(), FakeBackups(), SetClock()
        self.start()

    def start(self) -> None:
        self.nights = Nights(self.store, self.backups, STEPS, Thresholds(), self.clock)

    def end(self, night: Night | None, state: NightState = NightState.DONE) -> None:
        assert night is not None
        self.store.keep_parts(night.id, [replace(part, state=PartState.DONE) for part in night.parts])
        self.store.end(night.id, state, self.clock.now())

    def grow(self, units: int = 20) -> None:
        self.store.has[ANN] = replace(self.store.has.get(ANN, Seen()), units=self.store.has[ANN].units + units)


@pytest.fixture
def years() -> Years:
    years = Years()
    years.store.has = {ANN: Seen(20, 4, 0, 20, 20), BOB: Seen(1, 1, 0, 1, 1)}
    return years


def test_nothing_is_due_where_there_is_nothing() -> None:
    assert Years().nights.due() is None


def test_a_night_has_each_step_for_each_owner_and_house_keeping_once(years: Years) -> None:
    night = years.nights.due()
    assert night is not None
    assert night.trigger is Trigger.UNITS
    assert [(part.step, part.owner) for part in night.parts] == [
        (StepName.BACKLOG, None), (StepName.DISTIL, ANN), (StepName.DISTIL, BOB), (StepName.BACKUP, None),
    ]  # fmt: skip


def test_an_open_night_goes_on_also_after_a_crash_and_by_any_clock(years: Years) -> None:
    night = years.nights.due()
    assert years.nights.due() == night
    years.start()
    years.clock.set(years.clock.now().replace(year=1970))
    assert years.nights.due() == night


def test_after_a_night_nothing_is_due_until_something_grew(years: Years) -> None:
    years.end(years.nights.due())
    years.clock.pass_by(days=3)
    assert years.nights.due() is None


def test_what_grew_the_same_day_goes_into_the_same_night(years: Years) -> None:
    first = years.nights.due()
    assert first is not None
    failed = replace(first.parts[1], state=PartState.FAILED, failure="no model")
    years.end(first)
    years.store.keep_parts(first.id, [failed])
    years.clock.pass_by(hours=3)
    years.grow()
    again = years.nights.due()
    assert again is not None
    assert again.id == first.id
    assert [part.state for part in again.parts] == [
        PartState.WAITING, PartState.FAILED, PartState.WAITING, PartState.WAITING,
    ]  # fmt: skip


def test_a_budget_that_is_spent_is_spent_for_twenty_hours(years: Years) -> None:
    first = years.nights.due()
    years.end(first, NightState.SPENT)
    years.grow()
    years.clock.pass_by(hours=19)
    assert years.nights.due() is None
    years.clock.pass_by(hours=1)
    second = years.nights.due()
    assert second is not None
    assert second.id != years.store.nights[0].id


def test_work_that_is_left_makes_the_next_night_due(years: Years) -> None:
    years.end(years.nights.due(), NightState.SPENT)
    years.clock.pass_by(hours=20)
    night = years.nights.due()
    assert night is not None
    assert night.trigger is Trigger.UNFINISHED


def test_what_is_stale_or_forgotten_makes_the_next_night_due(years: Years) -> None:
    years.end(years.nights.due())
    years.backups.stale = True
    assert years.nights.due() is None
    years.clock.pass_by(hours=20)
    night = years.nights.due()
    assert night is not None
    assert night.trigger is Trigger.FORGOTTEN
    years.end(night)
    years.store.has[BOB] = Seen(100, 1, 0, 84, 100)
    years.store._seen[BOB] = Seen(100, 1)
    years.clock.pass_by(hours=20)
    night = years.nights.due()
    assert night is not None
    assert night.trigger is Trigger.FRESHNESS


@pytest.mark.parametrize("year", [1970, 2099])
def test_a_jump_of_the_clock_begins_no_other_night(years: Years, year: int) -> None:
    years.end(years.nights.due(), NightState.SPENT)
    years.grow()
    years.clock.set(years.clock.now().replace(year=year))
    assert years.nights.due() is None


@pytest.mark.parametrize("year", [1970, 2099])
def test_a_jump_of_the_clock_across_a_restart_blocks_no_night(years: Years, year: int) -> None:
    years.end(years.nights.due(), NightState.SPENT)
    years.start()
    years.clock.set(years.clock.now().replace(year=year))
    assert years.nights.due() is not None


def test_across_a_restart_the_same_night_is_the_same(years: Years) -> None:
    years.end(years.nights.due(), NightState.SPENT)
    years.start()
    years.clock.pass_by(hours=2)
    assert years.nights.due() is None


def test_what_failed_makes_the_next_night_due(years: Years) -> None:
    night = years.nights.due()
    assert night is not None
    years.end(night)
    years.store.keep_parts(night.id, [replace(night.parts[1], state=PartState.FAILED, failure="no model")])
    assert years.nights.due() is None
    years.clock.pass_by(hours=20)
    again = years.nights.due()
    assert again is not None
    assert (again.trigger, again.parts[1].state) == (Trigger.UNFINISHED, PartState.WAITING)


def test_one_that_is_open_goes_on_after_one_that_was_asked_for(years: Years) -> None:
    scheduled = years.nights.due()
    asked = years.nights.ask(BOB, StepName.BACKUP)
    assert years.nights.due() == asked
    years.end(asked)
    assert years.nights.due() == scheduled


def test_a_night_that_was_asked_for_is_one_owners_and_holds_up_none(years: Years) -> None:
    asked = years.nights.ask(ANN, StepName.BACKUP)
    assert [(part.step, part.owner) for part in asked.parts] == [(StepName.BACKUP, None)]
    assert (asked.trigger, asked.owner) == (Trigger.ASKED, ANN)
    years.end(asked)
    night = years.nights.due()
    assert night is not None
    assert (night.trigger, night.owner) == (Trigger.UNITS, None)
    years.end(night)
    whole = years.nights.ask(BOB, None)
    assert {part.owner for part in whole.parts} == {BOB, None}
