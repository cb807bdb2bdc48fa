"""When a night is due, which hours are the night's, and what a wrong clock does to both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.freshness import freshness
from edge.memory.nights import Hours, Seen, Thresholds, Trigger, grown, is_another_night, is_stale

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
APART = timedelta(hours=20)
COUNTS = st.integers(0, 10_000)


@pytest.mark.parametrize(
    ("now", "before", "why"),
    [
        (Seen(20), Seen(0), Trigger.UNITS),
        (Seen(120), Seen(100), Trigger.UNITS),
        (Seen(119), Seen(100), None),
        (Seen(100, 100), Seen(100, 0), Trigger.TURNS),
        (Seen(100, 99), Seen(100, 0), None),
        (Seen(30), Seen(25), Trigger.GROWTH),
        (Seen(30), Seen(26), None),
        (Seen(4), Seen(0), None),
        (Seen(101, 1, 1), Seen(100, 0, 0), Trigger.TASK),
        (Seen(100, 1, 1), Seen(100, 0, 0), None),
        (Seen(10), Seen(100), None),
    ],
)
def test_what_grew_makes_a_night_due(now: Seen, before: Seen, why: Trigger | None) -> None:
    assert grown(now, before, Thresholds()) is why


@given(st.builds(Seen, COUNTS, COUNTS, COUNTS), st.builds(Seen, COUNTS, COUNTS, COUNTS))
def test_nothing_new_makes_none_due(now: Seen, before: Seen) -> None:
    if grown(now, before, Thresholds()) is not None:
        assert now.units > before.units or now.turns > before.turns


@pytest.mark.parametrize(("valid", "active", "stale"), [(85, 100, False), (84, 100, True), (0, 0, False), (0, 1, True)])
def test_freshness(valid: int, active: int, stale: bool) -> None:
    assert is_stale(Seen(active, 0, 0, valid, active), Thresholds()) is stale
    assert freshness(valid, active) == (valid / active if active else 1.0)


@pytest.mark.parametrize(("valid", "active"), [(2, 1), (-1, 1)])
def test_counts_that_cannot_be(valid: int, active: int) -> None:
    with pytest.raises(ValueError, match="cannot be valid"):
        freshness(valid, active)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("01:00-05:00", ["01:00", "04:59"], ["00:59", "05:00", "13:00"]),
        ("23:30-05:00", ["23:30", "00:00", "04:59"], ["23:29", "05:00"]),
        (" 00:00-23:59 ", ["00:00", "12:00"], ["23:59"]),
    ],
)
def test_hours(text: str, inside: list[str], outside: list[str]) -> None:
    hours = Hours.read(text)
    assert hours is not None
    for words, holds in [(each, True) for each in inside] + [(each, False) for each in outside]:
        hour, minute = map(int, words.split(":"))
        assert hours.hold(datetime(2026, 5, 3, hour, minute, tzinfo=UTC), UTC) is holds


@pytest.mark.parametrize("text", ["1-5", "01:00", "24:00-05:00", "01:60-05:00", "night", "01:00-05:00 "[:-2] + "x"])
def test_hours_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not like"):
        Hours.read(text)


def test_an_empty_text_names_no_hours() -> None:
    assert Hours.read("  ") is None


def test_hours_are_those_of_the_persons_zone() -> None:
    hours = Hours.read("01:00-05:00")
    assert hours is not None
    at = datetime(2026, 5, 3, 18, 30, tzinfo=UTC)
    assert hours.hold(at, ZoneInfo("Asia/Shanghai"))
    assert not hours.hold(at, ZoneInfo("Europe/Berlin"))


def test_a_clock_that_was_never_set_tells_no_hours() -> None:
    hours = Hours.read("01:00-05:00")
    assert hours is not None
    assert not hours.hold(datetime(1970, 1, 1, 2, tzinfo=UTC), UTC)


@pytest.mark.parametrize(
    ("passed", "another"),
    [
        (timedelta(0), False),
        (timedelta(hours=19), False),
        (timedelta(hours=20), True),
        (timedelta(days=4000), True),
        (timedelta(days=-4000), True),
    ],
)
def test_a_wrong_clock_keeps_no_night_from_beginning(passed: timedelta, another: bool) -> None:
    assert is_another_night(NOON, NOON + passed, APART) is another
