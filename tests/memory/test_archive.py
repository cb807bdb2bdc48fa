"""What leaves the active set, when, and how it comes back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from edge.memory.archive import Decay, Why, due, restored
from edge.memory.lifecycle import Lifespans
from edge.memory.units import Kind, Unit
from tests.memory.making import AT, unit

DECAY = Decay(standing=frozenset({"instruction"}))


def after(**time: float) -> datetime:
    return AT + timedelta(**time)


def made(kind: Kind = Kind.FACT_REFERENCE, **more: object) -> Unit:
    return replace(unit(1, "a", kind=kind), **more)  # type: ignore[arg-type]


def reason(known: Unit, at: datetime, *, superseded: bool = False) -> Why | None:
    return due(known, at, DECAY, superseded=superseded)


@pytest.mark.parametrize("kind", Kind)
def test_what_expired_leaves_a_week_later(kind: Kind) -> None:
    expired = made(kind, valid_until=after(days=1))
    assert reason(expired, after(days=7.9)) is None
    assert reason(expired, after(days=8)) is Why.EXPIRED


def test_what_was_superseded_leaves_a_month_later() -> None:
    old = made(Kind.USER_PROFILE, valid_until=after(days=1))
    assert reason(old, after(days=30), superseded=True) is None
    assert reason(old, after(days=31), superseded=True) is Why.SUPERSEDED


def test_what_misled_and_was_not_used_since_leaves_after_ninety_days() -> None:
    poor = made(relevance=0.1)
    assert reason(poor, after(days=89)) is None
    assert reason(poor, after(days=90)) is Why.DECAYED
    assert reason(replace(poor, last_accessed=after(days=50)), after(days=100)) is None
    assert reason(replace(poor, relevance=0.2), after(days=999)) is None


def test_what_holds_of_the_person_and_standing_rules_never_decay() -> None:
    assert reason(made(Kind.USER_PROFILE, relevance=0.1), after(days=9999)) is None
    assert reason(made(slot="instruction", relevance=0.1), after(days=9999)) is None
    assert reason(made(Kind.BATCH_OPERATION, relevance=0.1), after(days=9999)) is None
    assert reason(made(), after(days=9999)) is None


def test_what_left_does_not_leave_again() -> None:
    assert reason(made(valid_until=AT, archived_at=AT), after(days=99)) is None


def test_what_comes_back_lives_as_a_new_one() -> None:
    gone = made(Kind.SESSION_STATE, valid_until=after(days=1), archived_at=after(days=8), relevance=0.1)
    back = restored(gone, after(days=9), Lifespans(), superseded=False)
    assert (back.valid_until, back.relevance) == (after(days=10), 1.0)
    lasting = restored(replace(gone, kind=Kind.FACT_REFERENCE), after(days=9), Lifespans(), superseded=False)
    assert lasting.valid_until is None


def test_an_end_that_is_still_to_come_stays() -> None:
    put_aside = made(valid_until=after(days=30), archived_at=AT, relevance=1.7)
    back = restored(put_aside, after(days=9), Lifespans(), superseded=False)
    assert (back.valid_until, back.relevance) == (after(days=30), 1.7)


def test_what_was_replaced_comes_back_as_history_only() -> None:
    old = made(valid_until=after(days=1), archived_at=after(days=31), relevance=0.4)
    back = restored(old, after(days=40), Lifespans(), superseded=True)
    assert (back.valid_until, back.relevance) == (after(days=1), 0.4)
