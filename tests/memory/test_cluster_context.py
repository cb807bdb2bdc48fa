"""What was said around a note."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_context import Occasion, beside, in_context, weighted_mean
from edge.memory.neighbours import TALK_GAP
from edge.memory.units import SessionId
from tests.store.making import MAIN, NOON, WORK

MINUTE = timedelta(minutes=1)
_PLACES = st.lists(st.tuples(st.sampled_from([MAIN, WORK]), st.integers(0, 600)), max_size=12)


def said(*minutes: float, session: SessionId = MAIN, first: int = 0) -> dict[int, Occasion]:
    return {first + at: Occasion(session, NOON + minute * MINUTE, first + at) for at, minute in enumerate(minutes)}


def test_what_was_said_just_before_and_after_counts_most() -> None:
    around = beside(said(0, 1, 2, 3, 4, 5))
    assert around[2] == {1: 1.0, 0: 0.5, 3: 1.0, 4: 0.5}
    assert around[0] == {1: 1.0, 2: 0.5}


def test_another_session_is_not_around_however_the_turns_alternate() -> None:
    mine, others = said(0, 2, 4), said(1, 3, session=WORK, first=10)
    assert beside({**mine, **others})[1] == {0: 1.0, 2: 1.0}
    assert beside({**mine, **others})[10] == {11: 1.0}


def test_after_a_long_silence_another_talk_begins() -> None:
    hours = TALK_GAP / MINUTE
    around = beside(said(0, 1, 2 + hours, 3 + hours))
    assert around[1] == {0: 1.0}
    assert around[2] == {3: 1.0}


def test_what_was_said_at_one_time_is_in_the_order_of_its_numbers() -> None:
    assert beside({3: Occasion(MAIN, NOON, 3), 1: Occasion(MAIN, NOON, 1), 2: Occasion(MAIN, NOON, 2)})[1] == {
        2: 1.0,
        3: 0.5,
    }


@given(places=_PLACES)
def test_two_notes_are_around_each_other_alike(places: list[tuple[SessionId, int]]) -> None:
    notes = {at: Occasion(session, NOON + minute * MINUTE, at) for at, (session, minute) in enumerate(places)}
    around = beside(notes)
    assert set(around) == set(notes)
    for one, others in around.items():
        assert one not in others
        for other, weight in others.items():
            assert around[other][one] == weight
            assert notes[one].session == notes[other].session


def test_a_note_that_says_nothing_has_the_features_of_what_is_around_it() -> None:
    around = weighted_mean(np.eye(3, dtype=np.float32)[:2], [1.0, 0.5])
    assert in_context(np.zeros(3, dtype=np.float32), around) == pytest.approx([0.894, 0.447, 0], abs=0.001)


def test_what_a_note_says_itself_counts_more_than_what_is_around_it() -> None:
    own, around = np.eye(3, dtype=np.float32)[:2]
    features = in_context(own, around)
    assert features[0] > features[1] > 0.5
    assert np.linalg.norm(features) == pytest.approx(1.0)
