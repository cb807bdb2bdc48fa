"""Which candidates stand in one talk, and which of them follow on one another there; by their rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import numpy as np

from edge.memory.places import Place
from edge.memory.scoring import Ints
from edge.memory.units import SessionId, Unit

TALK_GAP = timedelta(hours=3)
"""Silence after which the same session is another talk."""


def neighbours(units: Sequence[Unit], places: Sequence[Place]) -> tuple[Ints, Ints, Ints]:
    """For each row the rows of the words before and after it, -1 where they are not among them or were said in another
    talk, and a number for its talk."""
    talk = _talks(units, places)
    before, after = _as_said(units, places)
    for side in (before, after):  # what was said hours later is no neighbour
        side[(side >= 0) & (talk[side] != talk)] = -1
    return before, after, talk


def _as_said(units: Sequence[Unit], places: Sequence[Place]) -> tuple[Ints, Ints]:
    rows = {unit.id: row for row, unit in enumerate(units)}
    before, after = (np.full(len(units), -1, dtype=np.int64) for _ in range(2))
    for row, place in enumerate(places):
        for other, this, that in ((place.before, before, after), (place.after, after, before)):
            if other is not None and other in rows:
                this[row] = rows[other]
                if that[rows[other]] < 0:
                    that[rows[other]] = row
    return before, after


def _talks(units: Sequence[Unit], places: Sequence[Place]) -> Ints:
    """A number for each talk: units of one session without a long silence between them. What was said in no session
    is a talk of its own."""
    talks = -1 - np.arange(len(units), dtype=np.int64)
    by_session: dict[SessionId, list[int]] = {}
    for row, place in enumerate(places):
        if place.session is not None:
            by_session.setdefault(place.session, []).append(row)
    number = 0
    for rows in by_session.values():
        said = sorted(rows, key=lambda row: units[row].valid_from)
        talks[said[0]] = number
        for earlier, later in pairwise(said):
            number += units[later].valid_from - units[earlier].valid_from > TALK_GAP
            talks[later] = number
        number += 1
    return talks
