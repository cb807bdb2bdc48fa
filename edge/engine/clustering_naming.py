"""What a run calls clusters: names that the model writes, reads in notes or finds among their words, and profiles."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from edge.engine.clustering_asking import Asking
from edge.engine.clustering_picture import Topic
from edge.engine.clustering_state import LEAST_BACKGROUND
from edge.engine.clustering_work import Task
from edge.memory.cluster_naming import (
    CLEARLY,
    best_lead,
    clean_key,
    is_told,
    key_lead,
    line_of,
    set_apart,
    tags_of,
    untaken,
    word_keys,
)
from edge.memory.cluster_words import TellingWords, as_said, said_by
from edge.memory.clusters import Coarse, NamedBy, Profile, StagedNumber
from edge.memory.language import Language, language_of
from edge.memory.small_talk import is_small_talk, is_small_talk_name, small_talk_names
from edge.memory.units import UnitId
from edge.prompt.probes import TECHNICAL

_SHOWN = 5
_NAMES = 12
_TOLD = 3
"""Words of the members that names are made of, in twos."""
_OTHERS = 300
_WORD = re.compile(r"\w+")
_LINE_LEAD = 0.3
"""Nats by which another name must be likelier to take the place of the model's own line."""
_SET_APART = 4.0
"""Nats that a name gains where all members have its words and no other note has. Without it a tiny model joins a word
of the notes with one that is likely after anything: "dance piano" where four notes in ten speak of a dance studio."""


def first_profile(task: Task, units: Sequence[UnitId], taken: Sequence[str]) -> Profile | None:
    """What a group of units is called at first: small talk where it is about nothing, else by its own words; None where
    those make no key."""
    language = task.picture.language(units)
    texts, said = task.picture.texts(units), said_in(task, units, language)
    if is_small_talk(texts, best_lead(said)):
        return _small_talk(task, units, said, language, taken)
    key = next(untaken(word_keys(said, texts), taken), None)
    return None if key is None else _profile(task, units, said, key)


def profile_again(task: Task, topic: Topic, taken: Sequence[str]) -> Profile | None:
    """What a cluster is called now that its members are others than when it was named, where that says clearly more of
    them; no model is asked. A cluster that is new is called anew in any case, for nobody knows it yet."""
    language, units = task.picture.language(topic.members), topic.members
    texts, said = task.picture.texts(units), said_in(task, units, language)
    before, is_new = topic.profile, isinstance(topic.to, StagedNumber)
    if is_small_talk(texts, best_lead(said)):
        stays = before.coarse is Coarse.SMALL_TALK and is_small_talk_name(before.key)
        return None if stays else _small_talk(task, units, said, language, taken)
    keys = word_keys(said, texts) if is_told(best_lead(said), len(texts)) else []
    key = next(untaken(keys, taken), None)
    if key is None or key == before.key or language_of(before.key) != language:
        return None
    if not is_new and key_lead(said, key) - key_lead(said, before.key) < CLEARLY:
        return None
    other = next((tag for tag in before.tags[:1] if language_of(tag) != language), None)
    return named(_profile(task, units, said, key), None, other)


def said_in(task: Task, units: Sequence[UnitId], language: Language) -> TellingWords:
    """What units say beside others, with the words that the model reads in them."""
    others = _others_than(task, units)
    words = [_read_in(task, unit, language) for unit in (*units, *others)]
    return said_by(task.picture.texts(units), task.picture.texts(others), language, words)


def _read_in(task: Task, unit: UnitId, language: Language) -> frozenset[str]:
    note = task.picture.notes[unit]
    usual = task.picture.frame.readings.get(note.language)
    if task.asking is None or note.reading is None or usual is None:
        return frozenset()
    return task.asking.words_read(note.reading - usual, language)


def _small_talk(
    task: Task, units: Sequence[UnitId], said: TellingWords, language: Language, taken: Sequence[str]
) -> Profile | None:
    names = small_talk_names(task.picture.texts(units), language, best_lead(said))
    key = next(untaken(names, taken), None)
    if key is None:
        return None
    described = task.picture.texts(task.picture.central(units, 1))
    return Profile(key, line_of(described[0]) if described else "", coarse=Coarse.SMALL_TALK)


def _profile(task: Task, units: Sequence[UnitId], said: TellingWords, key: str) -> Profile:
    """Key and tags, and as description the note nearest the middle."""
    described = task.picture.texts(task.picture.central(units, 1))
    description = line_of(described[0]) if described else ""
    tags = tags_of(said, task.picture.language(units))
    return Profile(key, description, tags, _named_by(by_model=said.is_heard(key)), _coarse(task, units))


def named(profile: Profile, own: Name | None, other: str | None) -> Profile:
    """A profile with a name, if there is one, and with one in the other language as its first tag."""
    if own is not None:
        profile = replace(profile, key=own.key, named_by=_named_by(by_model=own.by_model))
    return profile if other is None else replace(profile, tags=(other, *profile.tags))


def _named_by(*, by_model: bool) -> NamedBy:
    return NamedBy.MODEL if by_model else NamedBy.WORDS


def _coarse(task: Task, units: Sequence[UnitId]) -> Coarse:
    """Technical where the model reads technical words in it."""
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


def _others_than(task: Task, units: Sequence[UnitId]) -> list[UnitId]:
    """Other notes in the picture, from all over it: as many as show which words are common."""
    own = set(units)
    others = [unit for unit in task.picture.notes if unit not in own]
    return others[:: max(1, math.ceil(len(others) / _OTHERS))]


def _texts_of_others(task: Task, units: Sequence[UnitId]) -> list[str]:
    """What those say."""
    return task.picture.texts(_others_than(task, units))


# --- names -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """What a cluster is called in a language, and whether the model has a part in it."""

    key: str
    by_model: bool


async def name_in(task: Task, topic: Topic, language: Language, taken: Sequence[str]) -> Name | None:
    """The name of a cluster in a language, if the model can be asked in it. The members' own words where those set
    enough of them apart, which a tiny model does not better; elsewhere the likeliest of some names."""
    asking = task.reads(language)
    own = [unit for unit in topic.members if task.picture.notes[unit].language == language]
    if asking is None or len(own) < 2:
        return None
    told = await asyncio.to_thread(_told, task, own, language, taken)
    if told.key is not None:
        return Name(told.key, by_model=told.said.is_heard(told.key))
    central = task.picture.central(own, 2 * _SHOWN, language)
    shown, weighed = task.picture.texts(central[::2]), central[1::2]
    line = await asking.name(shown, language, seed=task.run.seed)
    written = clean_key(line, shown, language)
    names = await asyncio.to_thread(_names, task, own, language, written, told.said)
    usable = {name: names[name] for name in untaken(names, taken)}
    is_line = written is not None and next(iter(usable), None) == written
    key = await _likeliest_name(task, asking, usable, weighed, language, is_line=is_line)
    return None if key is None else Name(key, by_model=True)


@dataclass(frozen=True, slots=True)
class _Told:
    """What members say, and a key of their words where those set enough of them apart."""

    said: TellingWords
    key: str | None


def _told(task: Task, own: Sequence[UnitId], language: Language, taken: Sequence[str]) -> _Told:
    texts, said = task.picture.texts(own), said_in(task, own, language)
    keys = word_keys(said, texts) if is_told(best_lead(said), len(texts)) else []
    return _Told(said, next(untaken(keys, taken), None))


def _names(
    task: Task, own: Sequence[UnitId], language: Language, line: str | None, said: TellingWords
) -> dict[str, float]:
    """Names to choose from, and how far their words set the members apart: the model's line, if it calls nobody by
    name, and words that the model reads in the notes, with their own most telling words."""
    texts, others = task.picture.texts(own), _texts_of_others(task, own)
    read = _likeliest(task, own, language, 3)
    told = [word for word in said.words if said.count((word,)) > 1][:_TOLD]
    joined = [as_said(first, second, texts) for first, second in combinations(told, 2)]
    joined += [f"{first} {second}" for first in (*read, *told) for second in read if first != second]
    calls = line is None or any(word.casefold() in said.called for word in _WORD.findall(line))
    names = [clean_key(name, texts, language) for name in joined]
    usable = [name for name in (None if calls else line, *names) if name is not None]
    few = list(dict.fromkeys(usable))[:_NAMES]
    return dict(zip(few, set_apart(few, texts, others), strict=True))


async def _likeliest_name(
    task: Task,
    asking: Asking,
    names: Mapping[str, float],
    weighed: Sequence[UnitId],
    language: Language,
    *,
    is_line: bool,
) -> str | None:
    """The name that is likelier by most after the middle one of some members than after other notes, and whose words
    set most of the members apart. Those it is weighed after are members that the name was not made from: a line that
    repeats one note fits that note alone."""
    beside = [unit for unit in task.state.background.get(language, ()) if unit not in set(weighed)]
    if not names:
        return None
    if len(beside) < LEAST_BACKGROUND // 2:
        return next(iter(names))
    here, there = await scores_of(task, asking, weighed, [*names]), await scores_of(task, asking, beside, [*names])
    if here is None or there is None:
        return None
    lead = np.median(here, axis=0) - there.mean(axis=0)
    lead[0] += _LINE_LEAD if is_line else 0.0
    lead += _SET_APART * np.array([*names.values()])
    return [*names][int(np.argmax(lead))]


async def scores_of(
    task: Task, asking: Asking, units: Sequence[UnitId], names: Sequence[str]
) -> npt.NDArray[np.float64] | None:
    """(notes, names); None where no answer is any use."""
    texts = task.picture.texts([unit for unit in units if unit in task.picture.notes])
    rows = [await asking.keys(text, names) for text in texts]
    usable = [row for row in rows if row is not None]
    return np.array(usable) if usable else None
