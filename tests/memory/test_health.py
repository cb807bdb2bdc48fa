"""The tally of recalls and of forgetful turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.health import ALERT_TURNS, LEAST_RECALLS, WINDOW, Tally, TurnSign

OUTCOMES = st.lists(st.builds(TurnSign, st.sampled_from([True, False, None]), st.booleans()), max_size=3 * WINDOW)


def after(*outcomes: TurnSign) -> Tally:
    tally = Tally()
    for outcome in outcomes:
        tally = tally.after(outcome)
    return tally


def recalls(served: int, missed: int) -> Tally:
    return after(*[TurnSign(True, False)] * served, *[TurnSign(False, False)] * missed)


@given(OUTCOMES)
def test_the_hit_rate_is_that_of_the_newest_recalls(outcomes: list[TurnSign]) -> None:
    tally = after(*outcomes)
    newest = [outcome.served for outcome in outcomes if outcome.served is not None][-WINDOW:]
    assert len(tally.recalls) == len(newest)
    assert tally.served == sum(newest)
    assert tally.hit_rate == (sum(newest) / len(newest) if newest else None)


@given(OUTCOMES)
def test_only_turns_in_a_row_count_for_the_alert(outcomes: list[TurnSign]) -> None:
    in_a_row = 0
    for outcome in reversed(outcomes):
        if not outcome.is_forgetful:
            break
        in_a_row += 1
    tally = after(*outcomes)
    assert tally.forgetful_turns == in_a_row
    assert tally.has_amnesia == (in_a_row >= ALERT_TURNS)


@given(OUTCOMES)
def test_it_is_read_as_it_was_kept(outcomes: list[TurnSign]) -> None:
    tally = after(*outcomes)
    assert Tally.read(tally.text) == tally


@pytest.mark.parametrize("text", ["", "x", "3", "3 012", "-1 01", "3 " + "1" * (WINDOW + 1), "٣ 1", "12345678 1"])
def test_what_is_no_tally_is_refused(text: str) -> None:
    if text == "3":
        assert Tally.read(text) == Tally("", 3)
        return
    with pytest.raises(ValueError, match="no tally"):
        Tally.read(text)


@pytest.mark.parametrize(
    ("served", "missed", "is_missing"),
    [
        (0, LEAST_RECALLS - 1, False),
        (0, LEAST_RECALLS, True),
        (7, 3, False),
        (6, 4, True),
        (69, 31, True),
        (70, 30, False),
    ],
)
def test_under_seven_in_ten_is_not_healthy_once_there_are_enough(served: int, missed: int, is_missing: bool) -> None:
    assert recalls(served, missed).is_missing is is_missing
