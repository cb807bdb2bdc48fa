"""What a run calls clusters: names that the model writes, reads in notes or finds among their words, and profiles."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from edge.engine.clustering_asking import Asking
from edge.engine.clustering_picture import Topic
from edge.engine.clustering_state import LEAST_BACKGROUND
from edge.engine.clustering_work import Task
from edge.memory.cluster_naming import alike, as_said, clean_key, coverage, line_of, tags_of
from edge.memory.clusters import Coarse, NamedBy, Profile
from edge.memory.language import Language
from edge.memory.text import telling_terms
from edge.memory.units import UnitId
from edge.prompt.probes import TECHNICAL

_SHOWN = 5
_TELLING_FEW = 2.0
_NAMES = 12
_TOLD = 3
"""Words of the members that names are made of, in twos."""
_OTHERS = 300
_LINE_LEAD = 0.3
"""Nats by which another name must be likelier to take the place of the model's own line."""
_COVERED = 2.0
"""Nats that a name gains where all members have its words. Without it a tiny model joins a word of the notes with one
that is likely after anything: "dance piano" where four notes in ten speak of a dance studio."""


def profile_of(
    task: Task, units: Sequence[UnitId], key: str, *, by_model: bool, other_name: str | None = None
) -> Profile:
    """Key and tags, and as description the note nearest the middle. A name in the other language is the first tag."""
    picture = task.picture
    language = picture.language(units)
    texts, others = picture.texts([unit for unit in units if unit in picture.notes]), others_than(task, units)
    tags = tags_of(texts, others, language)
    tags = tags if other_name is None else (other_name, *tags)
    described = picture.texts(picture.central(units, 1))
    description = line_of(described[0]) if described else ""
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


def others_than(task: Task, units: Sequence[UnitId]) -> list[str]:
    """The texts of other notes in the picture: as many as show which words are common."""
    own = set(units)
    return task.picture.texts([unit for unit in task.picture.notes if unit not in own][:_OTHERS])


# --- names -------------------------------------------------------------------------------------------------------


async def name_in(task: Task, topic: Topic, language: Language, taken: Sequence[str]) -> str | None:
    """The likeliest of some names for a cluster in a language, if the model can be asked in it."""
    asking = task.reads(language)
    own = [unit for unit in topic.members if task.picture.notes[unit].language == language]
    if asking is None or len(own) < 2:
        return None
    central = task.picture.central(own, 2 * _SHOWN, language)
    shown, weighed = task.picture.texts(central[::2]), central[1::2]
    line = await asking.name(shown, language, seed=task.run.seed)
    written = clean_key(line, shown, language)
    names = await asyncio.to_thread(_names, task, own, language, written)
    usable = [name for name in names if not any(alike(name, other) for other in taken)]
    is_line = written is not None and usable[:1] == [written]
    texts = task.picture.texts(own)
    return await _likeliest_name(task, asking, usable, weighed, language, texts, is_line=is_line)


def _names(task: Task, own: Sequence[UnitId], language: Language, line: str | None) -> list[str]:
    """Names to choose from: the model's line, words that it reads in the notes, and their own most telling words."""
    read = _likeliest(task, own, language, 3)
    texts = task.picture.texts(own)
    words = tags_of(texts, others_than(task, own), language)
    told = [word for word in words if sum(word in text.casefold() for text in texts) > 1][:_TOLD]
    joined = [as_said(first, second, texts) for first, second in combinations(told, 2)]
    joined += [f"{first} {second}" for first in (*read, *told) for second in read if first != second]
    names = [clean_key(name, texts, language) for name in joined]
    return list(dict.fromkeys(name for name in (line, *names) if name is not None))[:_NAMES]


async def _likeliest_name(
    task: Task,
    asking: Asking,
    names: Sequence[str],
    weighed: Sequence[UnitId],
    language: Language,
    texts: Sequence[str],
    *,
    is_line: bool,
) -> str | None:
    """The name that is likelier by most after the middle one of some members than after other notes, and whose words
    stand in most of the members' `texts`. Those it is weighed after are members that the name was not made from: a
    line that repeats one note fits that note alone."""
    beside = [unit for unit in task.state.background.get(language, ()) if unit not in set(weighed)]
    if not names:
        return None
    if len(beside) < LEAST_BACKGROUND // 2:
        return names[0]
    here, there = await scores_of(task, asking, weighed, names), await scores_of(task, asking, beside, names)
    if here is None or there is None:
        return None
    lead = np.median(here, axis=0) - there.mean(axis=0)
    lead[0] += _LINE_LEAD if is_line else 0.0
    lead += _COVERED * np.array(await asyncio.to_thread(coverage, names, texts))
    return names[int(np.argmax(lead))]


async def scores_of(
    task: Task, asking: Asking, units: Sequence[UnitId], names: Sequence[str]
) -> npt.NDArray[np.float64] | None:
    """(notes, names); None where no answer is any use."""
    texts = task.picture.texts([unit for unit in units if unit in task.picture.notes])
    rows = [await asking.keys(text, names) for text in texts]
    usable = [row for row in rows if row is not None]
    return np.array(usable) if usable else None
