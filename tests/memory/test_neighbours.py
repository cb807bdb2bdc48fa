"""Talks, and what was said next to what."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from edge.memory.neighbours import TALK_GAP, neighbours
from edge.memory.places import NOWHERE, Place
from edge.memory.units import SessionId, UnitId
from tests.memory.making import AT, unit

S, T = SessionId("s"), SessionId("t")


def test_words_next_to_each_other_are_known_from_either_side() -> None:
    place = Place(S, before=UnitId(1), after=UnitId(3))
    places = [Place(S), place, place.beside(UnitId(2))[UnitId(3)]]
    before, after, talk = neighbours([unit(1, "a"), unit(2, "b"), unit(3, "c")], places)
    assert (before.tolist(), after.tolist()) == ([-1, 0, 1], [1, 2, -1])
    assert len(set(talk.tolist())) == 1


def test_a_long_silence_begins_another_talk_and_parts_neighbours() -> None:
    units = [unit(1, "a"), unit(2, "b", at=AT + timedelta(hours=9)), unit(3, "c"), unit(4, "d"), unit(5, "e")]
    places = [Place(S, after=UnitId(2)), Place(S, before=UnitId(1)), Place(T), NOWHERE, NOWHERE]
    before, after, talk = neighbours(units, places)
    assert len(set(talk.tolist())) == 5
    assert np.concatenate([before, after]).tolist() == [-1] * 10


def test_many_short_silences_are_one_talk() -> None:
    units = [unit(number, "a", at=AT + number * TALK_GAP) for number in (3, 1, 2, 4)]
    *_, talk = neighbours(units, [Place(S)] * 4)
    assert len(set(talk.tolist())) == 1


def test_of_what_is_not_there_nothing_is_known() -> None:
    before, after, talk = neighbours([unit(5, "e")], [Place(S, before=UnitId(4), after=UnitId(6))])
    assert (before.tolist(), after.tolist(), len(talk)) == ([-1], [-1], 1)
    assert [len(rows) for rows in neighbours([], [])] == [0, 0, 0]
