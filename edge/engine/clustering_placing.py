"""Phases of a run that weigh notes: reading them, what is usual, placing, and checking some of the places."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from edge.engine.clustering_asking import Asking
from edge.engine.clustering_picture import Topic
from edge.engine.clustering_state import BACKGROUND, LEAST_BACKGROUND, State
from edge.engine.clustering_work import Outcome, Task
from edge.engine.ports import Vector
from edge.memory.cluster_maths import nearest
from edge.memory.cluster_signals import Note, beside_usual, decide, mixed
from edge.memory.clusters import Coarse, Placement, Why
from edge.memory.language import Language
from edge.memory.small_talk import is_courtesy
from edge.memory.units import UnitId

NEAREST = 5
CHECKED_SHARE = 0.1
CHECKED_LEAST = 10
WRONG_SHARE = 0.3
"""Of the places that are checked: a run of which more are wrong is not put in force."""
_BESIDE = 2
_NOTES = 6
"""Notes of one unit of work: a second or two of a small model."""


async def read(task: Task) -> Outcome:
    """Let the model read notes that it has not read: those of the run, and members that stand for their clusters."""
    missing = [
        unit
        for unit, note in sorted(task.picture.notes.items())
        if note.reading is None and task.reads(note.language) is not None and not task.state.is_done(unit)
    ]
    readings: dict[UnitId, Vector] = {}
    for unit in missing[:_NOTES]:
        assert task.asking is not None
        reading = await task.asking.read(task.picture.notes[unit].text)
        if reading is not None:
            readings[unit] = reading
    failed = len(missing[:_NOTES]) - len(readings)
    state = task.state.with_done(*missing[:_NOTES])
    return Outcome(state, len(missing) <= _NOTES, readings=readings, counts=_counts(read=len(readings), failed=failed))


async def weigh(task: Task) -> Outcome:
    """Find out how likely keys are after a note that may be about anything: one note of the background at a time."""
    state = task.state if task.state.background else _with_background(task)
    for language, units in state.background.items():
        keys = list(dict.fromkeys(topic.key(language) for topic in task.picture.topics))
        for at, unit in enumerate(units):
            due = [key for key in keys if state.at(language, key) == at]
            asking = task.reads(language)
            if not due or asking is None:
                continue
            scores = await _keys(task, asking, unit, due)
            return Outcome(state.weighed(language, dict(zip(due, scores, strict=True))), False)
    return Outcome(state, True)


async def place(task: Task) -> Outcome:
    """Weigh the nearest clusters for units that have no place yet; one that fits none stays without."""
    waiting = [unit for unit in task.state.units if unit in task.picture.notes and unit not in task.staged]
    if not task.picture.topics:
        return Outcome(task.state, True)
    placed = [await _placed(task, unit) for unit in waiting[:_NOTES]]
    done = sum(placement.to is not None for placement in placed)
    counts = _counts(placed=done, unsure=len(placed) - done)
    return Outcome(task.state, len(waiting) <= _NOTES, placements=placed, counts=counts)


async def refine(task: Task) -> Outcome:
    """Weigh those that have no place again, among the clusters there are now. They were counted as unsure."""
    waiting = [unit for unit, placement in sorted(task.staged.items()) if _is_open(task, placement)]
    placed = [await _placed(task, unit) for unit in waiting[:_NOTES]]
    sure = [placement for placement in placed if placement.to is not None]
    state = task.state.with_done(*(f"refined {unit}" for unit in waiting[:_NOTES]))
    return Outcome(state, len(waiting) <= _NOTES, placements=sure, counts=_counts(placed_later=len(sure)))


async def check(task: Task) -> Outcome:
    """Read a tenth of the placed notes again, in a simpler form: are they nearer their cluster than two others?

    By what the model reads, with what was read around them, not by the keys. Of 36 notes of LoCoMo 26 and as many in
    Chinese, in groups of which the judged pairs are right in 0.82, the right cluster is nearer than two others in 0.94
    and 1.00, a wrong one in a third; the right key is likelier in 0.57 and 0.70. Small talk is about nothing that could
    be read.
    """
    if task.asking is None or len(task.picture.topics) < 2:
        return Outcome(task.state, True)
    state = task.state if task.state.tries else _with_tries(task)
    waiting = [unit for unit in state.tries if unit in task.staged and not state.is_done(f"checked {unit}")]
    usual = {language: await task.asking.usual_again(language) for language in _languages(task, waiting[:_NOTES])}
    placements = [checked for unit in waiting[:_NOTES] if (checked := await _checked(task, unit, usual)) is not None]
    state = state.with_done(*(f"checked {unit}" for unit in waiting[:_NOTES]))
    return Outcome(state, len(waiting) <= _NOTES, placements=placements, counts=_counts(checked=len(placements)))


def too_many_wrong(placements: Sequence[Placement]) -> bool:
    """Whether the second reading denied too many of the places."""
    asked = [placement.checked for placement in placements if placement.checked is not None]
    return bool(asked) and asked.count(False) > WRONG_SHARE * len(asked)


# --- placing -----------------------------------------------------------------------------------------------------


async def _placed(task: Task, unit: UnitId) -> Placement:
    note = task.picture.notes[unit]
    features = task.picture.features([unit])[0]
    nowhere = Placement(unit, None, Why.UNPLACED)
    if not features.any():
        return nowhere
    near = _nearest(task, note, features)
    cosines = [float(topic.centroid @ features) for topic in near]
    asking = task.reads(note.language)
    if asking is None:
        at = decide(cosines, by_centroid=True)
        return nowhere if at is None else task.goes(unit, near[at], Why.CENTROID, cosines[at])
    keys = await _likelier(task, asking, note, near)
    if keys is None:
        return nowhere
    scores = mixed(cosines, keys)
    at = decide(scores)
    return nowhere if at is None else task.goes(unit, near[at], Why.LIKELIHOOD, scores[at])


def _nearest(task: Task, note: Note, features: Vector) -> list[Topic]:
    """The topics that may be a note's, nearest first. Small talk is no topic of what tells something, however likely a
    model finds its key."""
    topics = task.picture.topics
    if not is_courtesy(note.text):
        topics = [topic for topic in topics if topic.profile.coarse is not Coarse.SMALL_TALK]
    if not topics:
        return []
    centroids = np.stack([topic.centroid for topic in topics])
    return [topics[at] for at in nearest(features, centroids, NEAREST)]


async def _likelier(task: Task, asking: Asking, note: Note, topics: Sequence[Topic]) -> list[float | None] | None:
    """How much likelier each cluster's key is after the note than usually; None where the answer is no use."""
    keys = [topic.key(note.language) for topic in topics]
    scores = await asking.keys(note.text, keys, fuller=task.fuller)
    if scores is None:
        return None
    usual = [task.state.usually(note.language, key) for key in keys]
    if any(one is None for one in usual):
        return [None] * len(keys)
    return [score - one for score, one in zip(scores, usual, strict=True) if one is not None]


async def _keys(task: Task, asking: Asking, unit: UnitId, keys: Sequence[str]) -> list[float | None]:
    """The likelihoods of keys after a note of the background; none where it was forgotten or the answer is no use."""
    if unit not in task.picture.notes:
        return [None] * len(keys)
    scores = await asking.keys(task.picture.notes[unit].text, keys, fuller=task.fuller)
    return [None] * len(keys) if scores is None else list(scores)


def _with_background(task: Task) -> State:
    """The state with notes of each language that say what is usual, drawn by the run's seed."""
    random = np.random.default_rng(task.run.seed)
    background: dict[Language, tuple[UnitId, ...]] = {}
    for language in sorted(task.languages):
        own = sorted(unit for unit, note in task.picture.notes.items() if note.language == language)
        if len(own) >= LEAST_BACKGROUND:
            drawn = random.choice(len(own), min(BACKGROUND, len(own)), replace=False)
            background[language] = tuple(own[int(at)] for at in drawn)
    return replace(task.state, background=background)


def _is_open(task: Task, placement: Placement) -> bool:
    unit = placement.unit
    waits = placement.to is None and not task.state.is_done(f"refined {unit}")
    return waits and unit in task.picture.notes and bool(task.picture.topics)


# --- checking ----------------------------------------------------------------------------------------------------


def _with_tries(task: Task) -> State:
    nothing = {None, *(topic.to for topic in task.picture.topics if topic.profile.coarse is Coarse.SMALL_TALK)}
    placed = sorted(
        unit for unit, placement in task.staged.items() if placement.to not in nothing and _is_known(task, unit)
    )
    count = min(len(placed), max(CHECKED_LEAST, math.ceil(CHECKED_SHARE * len(placed))))
    drawn = np.random.default_rng(task.run.seed + 1).permutation(len(placed))[:count]
    return replace(task.state, tries=tuple(placed[int(at)] for at in drawn))


def _is_known(task: Task, unit: UnitId) -> bool:
    note = task.picture.notes.get(unit)
    return note is not None and task.reads(note.language) is not None


def _languages(task: Task, units: Sequence[UnitId]) -> list[Language]:
    return sorted({task.picture.notes[unit].language for unit in units if _is_known(task, unit)})


async def _checked(task: Task, unit: UnitId, usual: Mapping[Language, Vector | None]) -> Placement | None:
    """The placement with what the second reading says of it; an answer that is no use denies it."""
    placement = task.staged[unit]
    here = [topic for topic in task.picture.topics if topic.to == placement.to]
    others = [topic for topic in task.picture.topics if topic.to != placement.to]
    if not here or not others or not _is_known(task, unit):
        return None
    drawn = np.random.default_rng(task.run.seed + unit).permutation(len(others))[:_BESIDE]
    near = task.picture.read_as([here[0], *(others[int(at)] for at in drawn)], but=unit)
    if not near[0].any():
        return None
    note = task.picture.notes[unit]
    assert task.asking is not None
    again, before = await task.asking.read_again(note.text, note.language), usual.get(note.language)
    if again is None or before is None:
        return replace(placement, checked=False)
    own, *rest = near @ task.picture.in_talk(unit, beside_usual(again, before))
    return replace(placement, checked=bool(own > max(rest)))


def _counts(**counts: int) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}
