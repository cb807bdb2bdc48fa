"""When it is off-peak, and in which words it is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from edge.daemon.hindrances import Cause, Conditions, OffPeak
from edge.daemon.quiet import Quiet
from edge.engine.offpeak import Interrupts
from edge.memory.nights import Hours
from tests.daemon.boards import FakeBoard
from tests.fakes.clock import NOON, SetClock


class Evening:
    """A daemon that nobody has used for five minutes, on a board that is well."""

    def __init__(self, root: Path) -> None:
        self.clock, self.interrupts, self.fake = SetClock(), Interrupts(), FakeBoard(root)
        self.quiet = Quiet(self.clock)
        self.clock.pass_by(minutes=5)
        self.fake.cool()
        self.fake.busy(0.5)
        self.fake.memory(2000)
        offpeak = OffPeak(300.0, Hours.read("01:00-05:00"), 75.0, UTC)
        self.conditions = Conditions(offpeak, self.quiet, self.interrupts, self.fake.board, self.clock)

    def use(self) -> None:
        with self.quiet.use():
            pass

    def told(self) -> str | None:
        hindrance = self.conditions.to_begin()
        return None if hindrance is None else hindrance.words


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


def test_five_minutes_without_use_are_off_peak(evening: Evening) -> None:
    assert evening.told() is None
    evening.use()
    assert evening.told() == "it was just used, 5 min to go"
    evening.clock.pass_by(seconds=270)
    assert evening.told() == "it was just used, 30 s to go"
    evening.clock.pass_by(seconds=30)
    assert evening.told() is None


def test_the_set_hours_are_off_peak_also_between_turns(evening: Evening) -> None:
    evening.use()
    evening.clock.set(NOON.replace(hour=3))
    assert evening.told() is None
    evening.interrupts.hold()
    assert evening.told() == "a turn goes first"
    evening.interrupts.release()
    with evening.quiet.use():
        evening.clock.set(NOON.replace(hour=6))
        assert evening.told() == "it is in use"


@pytest.mark.parametrize("year", [1970, 2099])
def test_a_jump_of_the_clock_is_no_idle_time(evening: Evening, year: int) -> None:
    evening.use()
    evening.clock.set(NOON.replace(year=year))
    assert evening.told() is not None
    evening.clock.pass_by(minutes=5)
    assert evening.told() is None


@pytest.mark.parametrize(
    ("harm", "cause", "words"),
    [
        (lambda fake: fake.cool(82.4), Cause.HOT, "the board is hot, 82 °C"),
        (lambda fake: fake.throttle(0x1), Cause.VOLTAGE, "the power supply is too weak"),
        (lambda fake: fake.throttle(0x4), Cause.THROTTLED, "the board throttles itself"),
        (lambda fake: fake.memory(200), Cause.MEMORY, "only 200 MiB of memory are free"),
        (lambda fake: fake.press(31.0), Cause.MEMORY, "programs wait for memory, 31% of the time"),
    ],
)
def test_a_board_in_danger_is_left_alone_also_when_asked(
    evening: Evening, harm: Callable[[FakeBoard], None], cause: Cause, words: str
) -> None:
    harm(evening.fake)
    for look in (evening.conditions.to_begin, evening.conditions.to_go_on, evening.conditions.of_the_machine):
        hindrance = look()
        assert hindrance is not None
        assert (hindrance.cause, hindrance.words) == (cause, words)


def test_what_the_board_tells_is_looked_at_again(evening: Evening) -> None:
    evening.fake.cool(82.4)
    assert evening.told() == "the board is hot, 82 °C"
    evening.fake.cool(60.0)
    evening.clock.pass_by(seconds=3)
    assert evening.told() is None


def test_load_keeps_a_night_from_beginning_and_none_from_going_on(evening: Evening) -> None:
    evening.fake.busy(3.6)
    assert evening.told() == "the machine is busy, load 0.9 a core"
    assert evening.conditions.to_go_on() is None


def test_a_board_that_tells_nothing_hinders_nothing(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "told")
    nothing = Conditions(
        OffPeak(300.0, None, 75.0), evening.quiet, evening.interrupts, FakeBoard(tmp_path / "not").board, evening.clock
    )
    assert nothing.to_begin() is None
