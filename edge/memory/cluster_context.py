"""What was said around a note: much of a talk names its topic once, and what follows is about it all the same.

"He says the rent goes up by 60" or "Got any tips for getting started?" tell their topic by the turns beside them alone.
Measured on 100 of the pairs of turns in tests/data/conversation_pairs on which nothing was chosen: BENCHMARKS.md,
"Clusters".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np

from edge.memory.cluster_maths import Vectors, normalised
from edge.memory.neighbours import TALK_GAP
from edge.memory.units import SessionId

WEIGHT = 0.7
"""Of what is said around a note, beside the note itself."""
_STEPS = {1: 1.0, 2: 0.5}
"""How much the notes so many steps away count, before and after."""
Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, slots=True, order=True)
class Occasion:
    """Where and when a note was said; `number` orders what was said at one time."""

    session: SessionId
    at: datetime
    number: int


def beside(said: Mapping[Id, Occasion]) -> dict[Id, dict[Id, float]]:
    """For each note those of the same talk at most two steps before and after it, and how much each counts."""
    order = sorted(said, key=lambda note: said[note])
    return {note: dict(_around(order, at, said)) for at, note in enumerate(order)}


def _around(order: list[Id], at: int, said: Mapping[Id, Occasion]) -> Iterable[tuple[Id, float]]:
    for way in (-1, 1):
        near = order[at]
        for step, weight in _STEPS.items():
            other = at + way * step
            if not 0 <= other < len(order) or not _in_one_talk(said[near], said[order[other]]):
                break
            near = order[other]
            yield near, weight


def _in_one_talk(one: Occasion, other: Occasion) -> bool:
    return one.session == other.session and abs(one.at - other.at) <= TALK_GAP


def in_context(own: Vectors, around: Vectors) -> Vectors:
    """Features of notes with those of what was said around them, (n, dimension) each, at length 1."""
    return normalised(own + WEIGHT * around)


def weighted_mean(rows: Vectors, weights: Iterable[float]) -> Vectors:
    """(dimension,)"""
    return np.average(rows, axis=0, weights=np.fromiter(weights, dtype=np.float32)).astype(np.float32)
