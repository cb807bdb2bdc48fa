"""Phases of a run that change clusters: new ones from units that lie together, halves of large ones, names, merges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from edge.engine.clustering_asking import Asking
from edge.engine.clustering_picture import Topic
from edge.engine.clustering_state import LEAST_BACKGROUND
from edge.engine.clustering_work import Outcome, Task
from edge.memory.cluster_maths import Vectors, best_grouping, centroid, lying_together, pairs_closer, parts
from edge.memory.cluster_naming import alike, clean_key, tags_of, word_key
from edge.memory.cluster_runs import mean_vector
from edge.memory.clusters import (
    Change,
    Coarse,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    StagedNumber,
    Vector,
    Why,
)
from edge.memory.language import Language
from edge.memory.text import telling_terms
from edge.memory.units import ClusterId, UnitId
from edge.prompt.probes import TECHNICAL

BOOTSTRAP_FEWEST = 12
"""Units from which on the first clusters are made."""
FEWEST = 3
"""Units that make a cluster, if they lie together."""
_TOGETHER = 0.45
"""Cosine to their centroid of units that lie together."""
_CLOSE = 0.75
"""Cosine of two centroids from which on the model is asked whether they are one topic."""
_ONE_TOPIC = 0.25
"""Nats by which a cluster's own key may be likelier after its members than the other's, and they are one topic."""
_SHOWN = 5
_WEIGHED = 6
_TELLING_FEW = 2.0
_DESCRIPTION = 80
_NAMES = 8
_LINE_LEAD = 0.3
"""Nats by which another name must be likelier to take the place of the model's own line."""
_GROUPS = (1.25, 1.5, 1.75)
"""Numbers of first groups that are tried, in square roots of the number of units."""


async def gather(task: Task) -> Outcome:
    """Make clusters of units that have no place and lie together; all at first are grouped by k-means."""
    free = [unit for unit in task.state.units if unit in task.picture.notes and _is_free(task, unit)]
    rows = task.picture.features(free) if free else np.zeros((0, 1), dtype=np.float32)
    known = [at for at in range(len(free)) if rows[at].any()]
    units, vectors = [free[at] for at in known], rows[known]
    if task.picture.topics:
        groups = lying_together(vectors, _TOGETHER, FEWEST + 1) if units else []
    else:
        groups = _first_groups(vectors, task.run.seed) if len(units) >= BOOTSTRAP_FEWEST else []
    changes, placements = _made(task, [[units[at] for at in group] for group in groups])
    placed = {placement.unit for placement in placements}
    left = [Placement(unit, None, Why.UNPLACED) for unit in free if unit not in placed]
    counts = {"gathered": len(placements), "created": len(changes)} if changes else {}
    return Outcome(task.state, True, changes, [*placements, *left], counts=counts)


async def name(task: Task) -> Outcome:
    """Let the model name one new cluster; where none of its names will do, the members' own words stay."""
    new = [topic for topic in task.picture.topics if _waits_for_name(task, topic)]
    if not new or task.asking is None:
        return Outcome(task.state, True)
    topic = new[0]
    taken = [other.profile.key for other in task.picture.topics if other.to != topic.to]
    main = task.picture.language(topic.members)
    other: Language = "en" if main == "zh" else "zh"
    keys = {language: await _name(task, topic, language, taken) for language in (main, other)}
    profile = _profile(
        task,
        topic.members,
        keys[main] or topic.profile.key,
        by_model=keys[main] is not None,
        other_name=keys[other],
    )
    assert isinstance(topic.to, StagedNumber)
    change = Create(topic.to, profile, _embedded(task, topic.members), "named by the model")
    state = task.state.with_done(f"named {topic.to.number}")
    return Outcome(state, len(new) == 1, [change], counts={"named": int(keys[main] is not None)})


async def merge(task: Task) -> Outcome:
    """Of two clusters that lie close, ask whether they are one topic: neither key fits its own notes much better."""
    topics = task.picture.topics
    close = pairs_closer(task.picture.centroids, _CLOSE) if len(topics) > 1 and task.asking else []
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
    """New clusters of groups of units, each with a key for the time being; a group that has none stays unplaced."""
    changes: list[Change] = []
    placements: list[Placement] = []
    taken = [topic.profile.key for topic in task.picture.topics]
    for units in groups:
        key = _first_key(task, units, taken)
        if key is None:
            continue
        taken.append(key)
        number = task.next_number(len(changes))
        profile = _profile(task, units, key, by_model=False)
        changes.append(Create(number, profile, _embedded(task, units), f"{len(units)} units lie together"))
        middle = centroid(task.picture.features(units))
        scores = task.picture.features(units) @ middle
        placements += [
            Placement(unit, number, why, round(float(score), 4)) for unit, score in zip(units, scores, strict=True)
        ]
    return changes, placements


def _first_groups(vectors: Vectors, seed: int) -> list[list[int]]:
    root = math.sqrt(len(vectors))
    grouping = best_grouping(vectors, [round(root * share) for share in _GROUPS], seed)
    groups = [
        [int(row) for row in np.flatnonzero(grouping.labels == label)] for label in range(len(grouping.centroids))
    ]
    return [group for group in groups if len(group) >= FEWEST]


def _is_free(task: Task, unit: UnitId) -> bool:
    return unit not in task.staged or task.staged[unit].to is None


def _embedded(task: Task, units: Sequence[UnitId]) -> Vector | None:
    """The centroid by the embedder."""
    vectors = [task.picture.notes[unit].vector for unit in units if unit in task.picture.notes]
    return mean_vector([vector for vector in vectors if vector is not None])


# --- profiles ----------------------------------------------------------------------------------------------------


def _profile(
    task: Task, units: Sequence[UnitId], key: str, *, by_model: bool, other_name: str | None = None
) -> Profile:
    """Key and tags, and as description the note nearest the middle. A name in the other language is the first tag."""
    picture = task.picture
    language = picture.language(units)
    texts, others = picture.texts([unit for unit in units if unit in picture.notes]), _others(task, units)
    tags = tags_of(texts, others, language)
    tags = tags if other_name is None else (other_name, *tags)
    described = picture.texts(picture.central(units, 1))
    description = " ".join(described[0].split())[:_DESCRIPTION] if described else ""
    named_by = NamedBy.MODEL if by_model else NamedBy.WORDS
    return Profile(key, description, tags, named_by, _coarse(task, units))


def _coarse(task: Task, units: Sequence[UnitId]) -> Coarse:
    """Technical where the model reads technical words in it, small talk where it says next to nothing."""
    texts = task.picture.texts([unit for unit in units if unit in task.picture.notes])
    if sum(len(telling_terms(text)) for text in texts) < _TELLING_FEW * len(texts):
        return Coarse.SMALL_TALK
    likeliest = _likeliest(task, units, "en", 2) + _likeliest(task, units, "zh", 2)
    technical = sum(word in TECHNICAL for word in likeliest)
    return Coarse.TECHNICAL if likeliest and technical >= len(likeliest) / 2 else Coarse.PERSON


def _likeliest(task: Task, units: Sequence[UnitId], language: Language, count: int) -> list[str]:
    """The words of a language that the model is likeliest to take for the topic of these notes, beside others."""
    if task.asking is None or not task.picture.frame.probes:
        return []
    own = [unit for unit in units if unit in task.picture.notes and task.picture.notes[unit].reading is not None]
    if not own:
        return []
    reading = task.picture.features(own).mean(axis=0)[: task.picture.frame.probes]
    return task.asking.likeliest_words(reading, language, count)


def _others(task: Task, units: Sequence[UnitId]) -> list[str]:
    own = set(units)
    return task.picture.texts([unit for unit in task.picture.notes if unit not in own])


# --- names -------------------------------------------------------------------------------------------------------


def _first_key(task: Task, units: Sequence[UnitId], taken: Sequence[str]) -> str | None:
    language = task.picture.language(units)
    return word_key(task.picture.texts(units), _others(task, units), language, taken)


def _waits_for_name(task: Task, topic: Topic) -> bool:
    return isinstance(topic.to, StagedNumber) and not task.state.is_done(f"named {topic.to.number}")


async def _name(task: Task, topic: Topic, language: Language, taken: Sequence[str]) -> str | None:
    """The likeliest of some names for a cluster in a language, if the model can be asked in it."""
    asking = task.reads(language)
    own = [unit for unit in topic.members if task.picture.notes[unit].language == language]
    if asking is None or len(own) < 2:
        return None
    shown = task.picture.texts(task.picture.central(own, _SHOWN, language))
    line = await asking.name(shown, language, seed=task.run.seed)
    written = clean_key(line, shown, language)
    names = _names(task, own, language, written)
    usable = [name for name in names if not any(alike(name, other) for other in taken)]
    is_line = written is not None and usable[:1] == [written]
    return await _likeliest_name(task, asking, usable, own, language, is_line=is_line)


def _names(task: Task, own: Sequence[UnitId], language: Language, line: str | None) -> list[str]:
    """Names to choose from: the model's line, words that it reads in the notes, and their own most telling words."""
    read = _likeliest(task, own, language, 3)
    texts = task.picture.texts(own)
    words = tags_of(texts, _others(task, own), language)
    told = [word for word in words if sum(word in text.casefold() for text in texts) > 1][:2]
    joined = [f"{first} {second}" for first in (*read, *told) for second in read if first != second]
    names = [clean_key(name, texts, language) for name in joined]
    return list(dict.fromkeys(name for name in (line, *names) if name is not None))[:_NAMES]


async def _likeliest_name(
    task: Task, asking: Asking, names: Sequence[str], own: Sequence[UnitId], language: Language, *, is_line: bool
) -> str | None:
    """The name that is likelier after the members than after other notes by most."""
    beside = [unit for unit in task.state.background.get(language, ()) if unit not in set(own)][:_WEIGHED]
    if not names:
        return None
    if len(beside) < LEAST_BACKGROUND // 2:
        return names[0]
    here = await _mean_scores(task, asking, task.picture.central(own, _WEIGHED, language), names)
    there = await _mean_scores(task, asking, beside, names)
    if here is None or there is None:
        return None
    lead = here - there
    lead[0] += _LINE_LEAD if is_line else 0.0
    return names[int(np.argmax(lead))]


async def _mean_scores(
    task: Task, asking: Asking, units: Sequence[UnitId], names: Sequence[str]
) -> npt.NDArray[np.float64] | None:
    rows = [
        await asking.keys(text, names) for text in task.picture.texts([u for u in units if u in task.picture.notes])
    ]
    usable = [row for row in rows if row is not None]
    return np.mean(usable, axis=0) if usable else None


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
    """Whether the members of neither are much likelier to have their own key than the other's."""
    for own, other in ((one, two), (two, one)):
        language = task.picture.language(own.members)
        asking = task.reads(language)
        keys = [own.key(language), other.key(language)]
        usual = [task.state.usually(language, key) for key in keys]
        if asking is None or usual[0] is None or usual[1] is None:
            return False
        central = task.picture.central(own.members, _WEIGHED, language)
        scores = await _mean_scores(task, asking, central, keys)
        if scores is None or (scores[0] - usual[0]) - (scores[1] - usual[1]) > _ONE_TOPIC:
            return False
    return True
