"""An owner's topics as a run sees them: what is in force with what it has staged, in one space of features."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from edge.engine.cluster_ports import ClusterStore, leads
from edge.engine.ports import MemoryStore, Worker
from edge.engine.reading_ports import ReadingStore
from edge.errors import MemoryNotFound
from edge.memory.cluster_context import Occasion, beside, in_context, weighted_mean
from edge.memory.cluster_maths import Vectors, centroid, most_central, normalised
from edge.memory.cluster_naming import main_language
from edge.memory.cluster_signals import Frame, Note, frame
from edge.memory.clusters import (
    Change,
    Cluster,
    Coarse,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    RunId,
    StagedNumber,
)
from edge.memory.language import Language, language_of
from edge.memory.places import NOWHERE, Place
from edge.memory.units import ClusterId, OwnerId, Unit, UnitId

SAMPLE = 40
"""Members of a cluster that stand for it."""
_LOOKED_AT = 3 * SAMPLE
"""Of the newest members, among which the assistant's words are too."""
_IN_ONE_JOB = 40
Target = ClusterId | StagedNumber


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster, in force or staged, with the units that stand for it."""

    to: Target
    profile: Profile
    members: tuple[UnitId, ...]
    centroid: Vectors

    def key(self, language: Language) -> str:
        """The key as it is said in a language: of a cluster with notes in both, the first tag is its other name."""
        if language_of(self.profile.key) != language:
            for tag in self.profile.tags[:1]:
                if language_of(tag) == language:
                    return tag
        return self.profile.key


@dataclass(slots=True)
class Picture:
    """Notes and their features, and the topics they make."""

    notes: Mapping[UnitId, Note]
    topics: Sequence[Topic]
    frame: Frame
    others: Mapping[Target, Profile] = field(default_factory=dict)
    """Clusters that are no topics here: in the archive, or nothing is known of their members."""
    _beside: Mapping[UnitId, Mapping[UnitId, float]] = field(init=False)
    _own: dict[UnitId, Vectors] = field(default_factory=dict)
    _features: dict[UnitId, Vectors] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._beside = beside({unit: each.occasion for unit, each in self.notes.items() if each.occasion is not None})

    def keys(self, *, but: Target | None = None) -> list[str]:
        """The keys that clusters have, one left out: no other may be called so."""
        known = {topic.to: topic.profile for topic in self.topics} | dict(self.others)
        return [profile.key for to, profile in known.items() if to != but]

    @property
    def small_talk(self) -> Target | None:
        """The cluster of small talk; one in the archive where none is active."""
        known = [(topic.to, topic.profile) for topic in self.topics] + [*self.others.items()]
        return next((to for to, profile in known if profile.coarse is Coarse.SMALL_TALK), None)

    def features(self, units: Sequence[UnitId]) -> Vectors:
        """Of the notes with what was said around them, as far as it is among the notes. (n, dimension)"""
        missing = [unit for unit in units if unit not in self._features]
        self._know([*missing, *(other for unit in missing for other in self._beside.get(unit, {}))])
        self._features.update((unit, self.in_talk(unit, self._own[unit])) for unit in missing)
        return np.stack([self._features[unit] for unit in units])

    def in_talk(self, unit: UnitId, own: Vectors) -> Vectors:
        """A note's own features, or another reading of it, with what of the same is in what was said around it. `own`
        are the first numbers of a row of features, or all. (as many)"""
        others = self._beside.get(unit, {})
        if not others:
            return own
        self._know(others)
        rows = np.stack([self._own[other][: len(own)] for other in others])
        return in_context(own, weighted_mean(rows, others.values()))

    def read_as(self, topics: Sequence[Topic], *, but: UnitId) -> Vectors:
        """What the model reads in the members of each topic, without one note; nothing where no other is a member.
        (n, probes)"""
        rows = np.zeros((len(topics), self.frame.probes), dtype=np.float32)
        for row, topic in zip(rows, topics, strict=True):
            others = [unit for unit in topic.members if unit != but]
            if others:
                row[:] = self.features(others)[:, : self.frame.probes].mean(axis=0)
        return normalised(rows)

    def _know(self, units: Iterable[UnitId]) -> None:
        """Reckon the features of notes alone."""
        missing = [*dict.fromkeys(unit for unit in units if unit not in self._own)]
        rows = self.frame.features([self.notes[unit] for unit in missing])
        self._own.update(zip(missing, rows, strict=True))

    def with_notes(self, notes: Mapping[UnitId, Note]) -> Picture:
        """The same with more notes."""
        return Picture({**self.notes, **notes}, self.topics, self.frame, self.others)

    @property
    def centroids(self) -> Vectors:
        return np.stack([topic.centroid for topic in self.topics])

    def central(self, members: Sequence[UnitId], count: int, language: Language | None = None) -> list[UnitId]:
        """The members nearest the middle of them, of those in a language where one is named."""
        own = [unit for unit in members if unit in self.notes and language in (None, self.notes[unit].language)]
        return [own[at] for at in most_central(self.features(own), count)] if own else []

    def texts(self, units: Sequence[UnitId]) -> list[str]:
        return [self.notes[unit].text for unit in units]

    def language(self, units: Sequence[UnitId]) -> Language:
        return main_language(self.texts(units))


class Pictures:
    """Makes pictures out of the store, in short jobs on the memory thread."""

    def __init__(self, memory: Worker, store: MemoryStore, clusters: ClusterStore, readings: ReadingStore) -> None:
        self._memory = memory
        self._store = store
        self._clusters = clusters
        self._readings = readings

    async def make(self, owner: OwnerId, run: RunId, units: Sequence[UnitId], reader: str | None) -> Picture:
        """`units` are those that the run places; `reader` None leaves readings out."""
        staged = await self._memory.run(partial(self._clusters.staged, owner, run))
        placed = {placement.unit: placement for placement in staged.placements}
        clusters = await self._memory.run(partial(self._clusters.clusters, owner, include_archived=True))
        known = profiles(clusters, staged.changes)
        away = {cluster.id for cluster in clusters if cluster.archived_at is not None}
        away -= {placement.to for placement in staged.placements}
        members = await self._members(owner, {to: known[to] for to in known if to not in away}, placed)
        every = list(dict.fromkeys([*units, *(unit for _, _, own in members for unit in own)]))
        notes = await self.notes(owner, every, reader)
        # Reckoning may take longer than the loop may stand.
        return await asyncio.to_thread(_picture, notes, members, known)

    async def _members(
        self, owner: OwnerId, clusters: Mapping[Target, Profile], placed: Mapping[UnitId, Placement]
    ) -> list[tuple[Target, Profile, list[UnitId]]]:
        found: list[tuple[Target, Profile, list[UnitId]]] = []
        for to, profile in clusters.items():
            arrived = [unit for unit, placement in placed.items() if placement.to == to]
            known: list[UnitId] = []
            if not isinstance(to, StagedNumber):
                page = await self._memory.run(partial(self._clusters.members, owner, to, limit=_LOOKED_AT))
                known = [unit.id for unit in page.units if leads(unit) and unit.id not in placed][:SAMPLE]
            found.append((to, profile, [*known, *arrived]))
        return found

    async def notes(self, owner: OwnerId, units: Sequence[UnitId], reader: str | None) -> dict[UnitId, Note]:
        """What is known of those units that still are."""
        notes: dict[UnitId, Note] = {}
        for start in range(0, len(units), _IN_ONE_JOB):
            part = units[start : start + _IN_ONE_JOB]
            notes |= await self._memory.run(partial(self._read_notes, owner, part, reader))
        return notes

    # --- on the memory thread ---

    def _read_notes(self, owner: OwnerId, ids: Sequence[UnitId], reader: str | None) -> dict[UnitId, Note]:
        units = self._units(owner, ids)
        vectors = self._clusters.vectors(owner, [*units])
        readings = {} if reader is None else self._readings.readings(owner, reader, [*units])
        places = self._store.places(owner, [*units])
        return {
            id_: Note(
                unit.content,
                language_of(unit.content),
                readings.get(id_),
                vectors.get(id_),
                _occasion(unit, places.get(id_, NOWHERE)),
            )
            for id_, unit in units.items()
        }

    def _units(self, owner: OwnerId, ids: Sequence[UnitId]) -> dict[UnitId, Unit]:
        found: dict[UnitId, Unit] = {}
        for id_ in ids:
            try:
                found[id_] = self._store.unit(owner, id_)
            except MemoryNotFound:
                continue
        return found


def _occasion(unit: Unit, place: Place) -> Occasion | None:
    return None if place.session is None else Occasion(place.session, unit.created_at, unit.id)


def profiles(clusters: Sequence[Cluster], changes: Sequence[Change]) -> dict[Target, Profile]:
    """The clusters there will be, with their profiles."""
    known: dict[Target, Profile] = {cluster.id: cluster.profile for cluster in clusters}
    for change in changes:
        match change:
            case Create(number=number, profile=profile):
                known[number] = profile
            case Reprofile(cluster=cluster, profile=profile) if cluster in known:
                known[cluster] = profile
            case Dissolve(cluster=cluster):
                known.pop(cluster, None)
    return known


def _picture(
    notes: Mapping[UnitId, Note],
    members: Sequence[tuple[Target, Profile, list[UnitId]]],
    clusters: Mapping[Target, Profile],
) -> Picture:
    picture = Picture(notes, (), frame([*notes.values()]))
    picture.topics = _topics(picture, members)
    shown = {topic.to for topic in picture.topics}
    picture.others = {to: profile for to, profile in clusters.items() if to not in shown}
    if notes:
        picture.features([*notes])
    return picture


def _topics(picture: Picture, members: Sequence[tuple[Target, Profile, list[UnitId]]]) -> list[Topic]:
    """Those with members of which something is known."""
    found: list[Topic] = []
    for to, profile, units in members:
        own = tuple(unit for unit in units if unit in picture.notes)
        rows = picture.features(own) if own else np.zeros((0, 0), dtype=np.float32)
        if own and bool(rows.any()):
            found.append(Topic(to, profile, own, centroid(rows)))
    return found
