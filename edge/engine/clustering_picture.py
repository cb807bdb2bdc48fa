"""An owner's topics as a run sees them: what is in force with what it has staged, in one space of features."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from edge.engine.cluster_ports import ClusterStore, leads
from edge.engine.ports import MemoryStore, Worker
from edge.engine.reading_ports import ReadingStore
from edge.errors import MemoryNotFound
from edge.memory.cluster_maths import Vectors, centroid, most_central
from edge.memory.cluster_naming import main_language
from edge.memory.cluster_signals import Frame, Note, frame
from edge.memory.clusters import (
    Change,
    Cluster,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    RunId,
    Staged,
    StagedNumber,
)
from edge.memory.language import Language, language_of
from edge.memory.units import ClusterId, OwnerId, UnitId

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
    _features: dict[UnitId, Vectors] = field(default_factory=dict)

    def features(self, units: Sequence[UnitId]) -> Vectors:
        """(n, dimension)"""
        missing = [unit for unit in units if unit not in self._features]
        rows = self.frame.features([self.notes[unit] for unit in missing])
        self._features.update(zip(missing, rows, strict=True))
        return np.stack([self._features[unit] for unit in units])

    def with_notes(self, notes: Mapping[UnitId, Note]) -> Picture:
        """The same with more notes."""
        return Picture({**self.notes, **notes}, self.topics, self.frame)

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
        members = await self._members(owner, staged, placed)
        every = list(dict.fromkeys([*units, *(unit for _, _, own in members for unit in own)]))
        notes = await self.notes(owner, every, reader)
        return await asyncio.to_thread(_picture, notes, members)  # reckoning may take longer than the loop may stand

    async def texts(self, owner: OwnerId, units: Sequence[UnitId]) -> dict[UnitId, str]:
        """The words of those units that still are."""
        found: dict[UnitId, str] = {}
        for start in range(0, len(units), _IN_ONE_JOB):
            part = units[start : start + _IN_ONE_JOB]
            found |= await self._memory.run(partial(self._texts, owner, part))
        return found

    async def _members(
        self, owner: OwnerId, staged: Staged, placed: Mapping[UnitId, Placement]
    ) -> list[tuple[Target, Profile, list[UnitId]]]:
        clusters = await self._memory.run(partial(self._clusters.clusters, owner))
        found: list[tuple[Target, Profile, list[UnitId]]] = []
        for to, profile in profiles(clusters, staged.changes).items():
            arrived = [unit for unit, placement in placed.items() if placement.to == to]
            known: list[UnitId] = []
            if not isinstance(to, StagedNumber):
                page = await self._memory.run(partial(self._clusters.members, owner, to, limit=_LOOKED_AT))
                known = [unit.id for unit in page.units if leads(unit) and unit.id not in placed][:SAMPLE]
            found.append((to, profile, [*known, *arrived]))
        return found

    async def notes(self, owner: OwnerId, units: Sequence[UnitId], reader: str | None) -> dict[UnitId, Note]:
        """What is known of those units that still are."""
        texts = await self.texts(owner, units)
        notes: dict[UnitId, Note] = {}
        for start in range(0, len(units), _IN_ONE_JOB):
            part = [unit for unit in units[start : start + _IN_ONE_JOB] if unit in texts]
            notes |= await self._memory.run(partial(self._read_notes, owner, part, texts, reader))
        return notes

    # --- on the memory thread ---

    def _texts(self, owner: OwnerId, units: Collection[UnitId]) -> dict[UnitId, str]:
        found: dict[UnitId, str] = {}
        for unit in units:
            try:
                found[unit] = self._store.unit(owner, unit).content
            except MemoryNotFound:
                continue
        return found

    def _read_notes(
        self, owner: OwnerId, units: Sequence[UnitId], texts: Mapping[UnitId, str], reader: str | None
    ) -> dict[UnitId, Note]:
        vectors = self._clusters.vectors(owner, units)
        readings = {} if reader is None else self._readings.readings(owner, reader, units)
        return {
            unit: Note(texts[unit], language_of(texts[unit]), readings.get(unit), vectors.get(unit)) for unit in units
        }


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


def _picture(notes: Mapping[UnitId, Note], members: Sequence[tuple[Target, Profile, list[UnitId]]]) -> Picture:
    picture = Picture(notes, (), frame([*notes.values()]))
    picture.topics = _topics(picture, members)
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
