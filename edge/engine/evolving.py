"""The step that looks at clusters with new members again, and settles old runs.

What it refreshes is what recall compares a question with: the words of a cluster's key and tags, and its centroid; and
the line by which a person knows it. Words decide, no model (see `edge.memory.cluster_evolving`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from edge.clock import Clock
from edge.engine.cluster_ports import ClusterStore, leads
from edge.engine.evolving_ports import Changed, Evolved, EvolvingStore
from edge.engine.offpeak import AsideModel, Worked
from edge.engine.ports import Worker
from edge.errors import ClusterNotFound
from edge.memory.cluster_evolving import evolved
from edge.memory.cluster_maths import most_central
from edge.memory.cluster_signals import Note, frame
from edge.memory.clusters import Cluster, Profile
from edge.memory.language import language_of
from edge.memory.nights import StepName
from edge.memory.units import ClusterId, OwnerId, UnitId

UNDOABLE = 20
"""Runs in force of an owner that can be undone, one after the other."""
_CLUSTERS = 16
_MEMBERS = 600
"""Of the clusters of one unit of work together, if not of one alone."""
_READ = 300
"""The newest members of a cluster, which are looked at."""
_PAGE = 100
_BESIDE = 300
"""Notes of other clusters that say which words are common, of one unit of work."""
_LEAST_BESIDE = 4
_CHARACTERS = 1000
"""Of a note: what it begins with says what it is about."""


@dataclass(frozen=True, slots=True)
class _Beside:
    """The profiles of all clusters, and notes of those that are active."""

    profiles: Mapping[ClusterId, Profile]
    notes: Mapping[ClusterId, Sequence[Note]]

    def others(self, cluster: ClusterId) -> list[Note]:
        return [note for other, notes in self.notes.items() if other != cluster for note in notes]

    def taken(self, cluster: ClusterId, renamed: Sequence[Evolved]) -> list[str]:
        after = {each.changed.cluster: each.after for each in renamed}
        return [profile.key for other, profile in {**self.profiles, **after}.items() if other != cluster]


class Evolving:
    """One step of a night (see `Step`). What was looked at is in the store; a unit of work is a few clusters, which
    are renamed in one run."""

    name = StepName.EVOLVE
    needs_model = False

    def __init__(self, memory: Worker, store: EvolvingStore, clusters: ClusterStore, clock: Clock) -> None:
        """`memory` is the memory thread, to which the stores belong."""
        self._memory = memory
        self._store = store
        self._clusters = clusters
        self._clock = clock

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:  # noqa: ARG002  asks none
        due = await self._memory.run(partial(self._due, owner))
        if not due:
            settled = await self._memory.run(partial(self._clusters.settle, owner, UNDOABLE))
            return Worked(settled, {"settled": 1} if settled else {})
        beside = await self._beside(owner)
        looked_at: list[Evolved] = []
        for changed in due:
            units = await self._members(owner, changed.cluster)
            if units is not None and changed.cluster in beside.profiles:
                looked_at.append(await asyncio.to_thread(_evolved, changed, units, beside, looked_at))
        kept = await self._memory.run(lambda: self._store.keep_evolved(owner, looked_at, self._clock.now()))
        return Worked(True, _counts(looked_at, kept))

    async def _beside(self, owner: OwnerId) -> _Beside:
        clusters = await self._memory.run(partial(self._clusters.clusters, owner, include_archived=True))
        active = [cluster for cluster in clusters if cluster.archived_at is None]
        notes: dict[ClusterId, Sequence[Note]] = {}
        for start in range(0, len(active), _CLUSTERS):
            few = active[start : start + _CLUSTERS]
            notes |= await self._memory.run(
                partial(self._some_notes, owner, few, max(_LEAST_BESIDE, _BESIDE // len(active)))
            )
        return _Beside({cluster.id: cluster.profile for cluster in clusters}, notes)

    async def _members(self, owner: OwnerId, cluster: ClusterId) -> dict[UnitId, Note] | None:
        """Newest first; None of a cluster that is gone meanwhile."""
        found: dict[UnitId, Note] = {}
        before: UnitId | None = None
        for _ in range(0, _READ, _PAGE):
            try:
                notes, before = await self._memory.run(partial(self._page, owner, cluster, before, _PAGE))
            except ClusterNotFound:
                return None
            found |= notes
            if before is None:
                break
        return found

    # --- on the memory thread ---

    def _due(self, owner: OwnerId) -> list[Changed]:
        changed = self._store.changed(owner, _CLUSTERS)
        sums = accumulate(each.members for each in changed)
        return [
            each for at, (each, total) in enumerate(zip(changed, sums, strict=True)) if at == 0 or total <= _MEMBERS
        ]

    def _some_notes(self, owner: OwnerId, clusters: Sequence[Cluster], each: int) -> dict[ClusterId, Sequence[Note]]:
        return {cluster.id: [*self._page(owner, cluster.id, None, each)[0].values()] for cluster in clusters}

    def _page(
        self, owner: OwnerId, cluster: ClusterId, before: UnitId | None, limit: int
    ) -> tuple[dict[UnitId, Note], UnitId | None]:
        page = self._clusters.members(owner, cluster, limit=limit, before=before)
        units = [unit for unit in page.units if leads(unit)]
        vectors = self._clusters.vectors(owner, [unit.id for unit in units])
        texts = {unit.id: unit.content[:_CHARACTERS] for unit in units}
        notes = {unit: Note(text, language_of(text), None, vectors.get(unit)) for unit, text in texts.items()}
        return notes, page.next_before


def _evolved(changed: Changed, units: Mapping[UnitId, Note], beside: _Beside, renamed: Sequence[Evolved]) -> Evolved:
    before, others = beside.profiles[changed.cluster], beside.others(changed.cluster)
    texts = [note.text for note in _from_the_middle([*units.values()], others)]
    after = evolved(before, texts, [note.text for note in others], beside.taken(changed.cluster, renamed))
    return Evolved(changed, before, after.profile, tuple(units), after.why)


def _from_the_middle(notes: Sequence[Note], others: Sequence[Note]) -> list[Note]:
    """The notes, nearest their centroid first."""
    if not notes:
        return []
    features = frame([*notes, *others]).features(notes)
    return [notes[at] for at in most_central(features, len(notes))]


def _counts(looked_at: Sequence[Evolved], kept: Sequence[ClusterId]) -> dict[str, int]:
    evolved = [each for each in looked_at if each.changed.cluster in kept]
    renamed = sum(each.after.key != each.before.key for each in evolved)
    counts = {"looked at": len(looked_at), "renamed": renamed, "refreshed": len(evolved) - renamed}
    return {name: count for name, count in counts.items() if count}
