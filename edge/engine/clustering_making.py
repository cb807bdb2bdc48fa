"""Phases of a run that change clusters: new ones from units that lie together, halves of large ones, names, merges."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from edge.engine.clustering_naming import first_profile, name_in, named, profile_again, scores_of
from edge.engine.clustering_picture import Topic
from edge.engine.clustering_work import Outcome, Task
from edge.memory.cluster_maths import Vectors, centroid, linked, lying_together, pairs_closer, parts
from edge.memory.cluster_runs import mean_vector
from edge.memory.clusters import (
    Change,
    Coarse,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    StagedNumber,
    Vector,
    Why,
)
from edge.memory.language import Language
from edge.memory.units import ClusterId, UnitId

BOOTSTRAP_FEWEST = 12
"""Units from which on the first clusters are made."""
FEWEST = 3
"""Units that make a cluster, if they lie together."""
_DRAWN = 0.75
"""Of the units, those that a second attempt makes its first groups of."""
_NOTES_A_TOPIC = 120
"""Of so many notes more, one more makes a first cluster: three or four of six hundred lie together by chance, and have
no subject that words could name."""
_TOGETHER = 0.45
"""Cosine to their centroid of units that lie together."""
_CLOSE = 0.75
"""Cosine of two centroids from which on the model is asked whether they are one topic."""
_ONE_TOPIC = 0.25
"""Nats by which a cluster's own key may be likelier after its members than the other's, and they are one topic."""
_WEIGHED = 6


async def gather(task: Task) -> Outcome:
    """Make clusters of units that have no place and lie together; the first ones of groups by average linkage."""
    return await asyncio.to_thread(_gathered, task)


async def name(task: Task) -> Outcome:
    """Name one new cluster, by the model where words do not; where none of its names will do, the first key stays."""
    new = [topic for topic in task.picture.topics if _waits_for_name(task, topic)]
    if not new or task.asking is None:
        return Outcome(task.state, True)
    topic = new[0]
    taken = task.picture.keys(but=topic.to)
    main = task.picture.language(topic.members)
    other: Language = "en" if main == "zh" else "zh"
    names = {language: await name_in(task, topic, language, taken) for language in (main, other)}
    own, by_other = names[main], names[other]
    profile = named(topic.profile, own, None if by_other is None else by_other.key)
    assert isinstance(topic.to, StagedNumber)
    change = Create(topic.to, profile, _embedded(task, topic.members), _by(profile))
    state = task.state.with_done(f"named {topic.to.number}")
    return Outcome(state, len(new) == 1, [change], counts={"named": int(own is not None)})


async def rename(task: Task) -> Outcome:
    """Call a cluster by the members that it has got since it was named. New ones first, that the others' keys stay."""
    due = [topic for topic in task.picture.topics if _has_changed(task, topic)]
    if not due:
        return Outcome(task.state, True)
    topic = min(due, key=lambda topic: not isinstance(topic.to, StagedNumber))
    profile = await asyncio.to_thread(profile_again, task, topic, task.picture.keys(but=topic.to))
    state = task.state.with_done(f"renamed {topic.to}")
    if profile is None:
        return Outcome(state, len(due) == 1)
    centroid, why = _embedded(task, topic.members), _by(profile)
    change: Change
    if isinstance(topic.to, StagedNumber):
        change = Create(topic.to, profile, centroid, why)
    else:
        change = Reprofile(topic.to, profile, centroid, why)
    return Outcome(state, len(due) == 1, [change], counts={"renamed": 1})


async def merge(task: Task) -> Outcome:
    """Of two clusters that lie close, ask whether they are one topic: neither key fits its own notes much better. Small
    talk is one, however far apart, and no model is asked."""
    topics = task.picture.topics
    close = pairs_closer(task.picture.centroids, _CLOSE) if len(topics) > 1 and task.asking else []
    chatting = [at for at, topic in enumerate(topics) if topic.profile.coarse is Coarse.SMALL_TALK]
    close = [*combinations(chatting, 2), *close]
    due = [(topics[a], topics[b]) for a, b in close if _may_merge(task, topics[a], topics[b])]
    if not due:
        return Outcome(task.state, True)
    one, two = due[0]
    state = task.state.with_done(_pair(one, two))
    if not await _is_one_topic(task, one, two):
        return Outcome(state, len(due) == 1)
    gone, stays = _smaller_first(one, two)
    if gone is None:
        return Outcome(state, len(due) == 1)
    change = Dissolve(gone, f"one topic with {stays.profile.key}", into=stays.to)
    return Outcome(state, len(due) == 1, [change], counts={"merged": 1})


# --- making clusters ---------------------------------------------------------------------------------------------


def _gathered(task: Task) -> Outcome:
    free = [unit for unit in task.state.units if unit in task.picture.notes and _is_free(task, unit)]
    rows = task.picture.features(free) if free else np.zeros((0, 1), dtype=np.float32)
    known = [at for at in range(len(free)) if rows[at].any()]
    units, vectors = [free[at] for at in known], rows[known]
    if task.picture.topics:
        groups = lying_together(vectors, _TOGETHER, FEWEST + 1) if units else []
    else:
        groups = _first_groups(task, vectors) if len(units) >= BOOTSTRAP_FEWEST else []
    changes, placements = _made(task, [[units[at] for at in group] for group in groups])
    placed = {placement.unit for placement in placements}
    left = [Placement(unit, None, Why.UNPLACED) for unit in free if unit not in placed]
    counts = {"gathered": len(placements), "created": len(changes)} if placements else {}
    return Outcome(task.state, True, changes, [*placements, *left], counts=counts)


def split_into(task: Task, topic: Topic, members: Sequence[UnitId]) -> Outcome:
    """Halve a cluster of too many members until its parts are small enough; the largest part keeps the cluster."""
    rows = task.picture.features(members)
    groups = sorted(([int(row) for row in part] for part in parts(rows, task.run.seed)), key=len, reverse=True)
    changes, placements = _made(task, [[members[at] for at in group] for group in groups[1:]], Why.SPLIT)
    state = task.state.with_done(f"split {topic.to}")
    return Outcome(state, False, changes, placements, counts={"split": len(changes)})


def _made(
    task: Task, groups: Sequence[Sequence[UnitId]], why: Why = Why.BOOTSTRAP
) -> tuple[list[Change], list[Placement]]:
    """New clusters of groups of units, each with a key for the time being; a group that has none stays unplaced. All
    small talk goes to one cluster."""
    changes: list[Change] = []
    placements: list[Placement] = []
    taken, chatting = task.picture.keys(), task.picture.small_talk
    for units in groups:
        profile = first_profile(task, units, taken)
        if profile is None:
            continue
        to = chatting if profile.coarse is Coarse.SMALL_TALK else None
        if to is None:
            to = task.next_number(len(changes))
            taken.append(profile.key)
            changes.append(Create(to, profile, _embedded(task, units), f"{len(units)} units lie together"))
        chatting = to if profile.coarse is Coarse.SMALL_TALK else chatting
        middle = centroid(task.picture.features(units))
        scores = task.picture.features(units) @ middle
        placements += [
            Placement(unit, to, why, round(float(score), 4)) for unit, score in zip(units, scores, strict=True)
        ]
    return changes, placements


def _first_groups(task: Task, vectors: Vectors) -> list[list[int]]:
    """Groups by average linkage. Where the model's were denied before, of a part that the run's seed draws: linkage of
    all would make the same again. What is not drawn is weighed among them later."""
    drawn = np.arange(len(vectors))
    if task.fuller and task.asking is not None:
        random = np.random.default_rng(task.run.seed)
        drawn = np.sort(random.choice(drawn, round(_DRAWN * len(drawn)), replace=False))
    labels = linked(vectors[drawn], round(math.sqrt(len(drawn))))
    groups = [[int(row) for row in drawn[labels == label]] for label in range(int(labels.max()) + 1)]
    return [group for group in groups if len(group) >= fewest_of(len(drawn))]


def fewest_of(notes: int) -> int:
    """How many of some notes make a first cluster, if they lie together."""
    return max(FEWEST, round(notes / _NOTES_A_TOPIC))


def _is_free(task: Task, unit: UnitId) -> bool:
    return unit not in task.staged or task.staged[unit].to is None


def _embedded(task: Task, units: Sequence[UnitId]) -> Vector | None:
    """The centroid by the embedder."""
    vectors = [task.picture.notes[unit].vector for unit in units if unit in task.picture.notes]
    return mean_vector([vector for vector in vectors if vector is not None])


def _by(profile: Profile) -> str:
    return "named by the model" if profile.named_by is NamedBy.MODEL else "named by its members' words"


def _waits_for_name(task: Task, topic: Topic) -> bool:
    if not isinstance(topic.to, StagedNumber) or topic.profile.coarse is Coarse.SMALL_TALK:
        return False
    return not task.state.is_done(f"named {topic.to.number}")


def _has_changed(task: Task, topic: Topic) -> bool:
    """Whether a run gave a cluster members, and somebody else than the person named it."""
    arrived = any(placement.to == topic.to for placement in task.staged.values())
    is_free = topic.profile.named_by is not NamedBy.PERSON
    return arrived and is_free and not task.state.is_done(f"renamed {topic.to}")


# --- merging -----------------------------------------------------------------------------------------------------


def _pair(one: Topic, two: Topic) -> str:
    return f"pair {one.to} {two.to}"


def _may_merge(task: Task, one: Topic, two: Topic) -> bool:
    gone, _ = _smaller_first(one, two)
    return gone is not None and not task.state.is_done(_pair(one, two))


def _smaller_first(one: Topic, two: Topic) -> tuple[ClusterId | None, Topic]:
    """Which of two clusters goes and which stays: the smaller goes, never one that the person named or that is new."""
    small, large = sorted((one, two), key=lambda topic: len(topic.members))
    for gone, stays in ((small, large), (large, small)):
        if not isinstance(gone.to, StagedNumber) and gone.profile.named_by is not NamedBy.PERSON:
            return gone.to, stays
    return None, large


async def _is_one_topic(task: Task, one: Topic, two: Topic) -> bool:
    """Whether both are small talk, or the members of neither are much likelier to have their own key than the
    other's."""
    chatting = [topic.profile.coarse is Coarse.SMALL_TALK for topic in (one, two)]
    if any(chatting):
        return all(chatting)
    for own, other in ((one, two), (two, one)):
        language = task.picture.language(own.members)
        asking = task.reads(language)
        keys = [own.key(language), other.key(language)]
        usual = [task.state.usually(language, key) for key in keys]
        if asking is None or usual[0] is None or usual[1] is None:
            return False
        central = task.picture.central(own.members, _WEIGHED, language)
        scores = await scores_of(task, asking, central, keys)
        if scores is None:
            return False
        own_key, other_key = scores.mean(axis=0) - np.array(usual, dtype=np.float64)
        if own_key - other_key > _ONE_TOPIC:
            return False
    return True
