"""The step that looks within each cluster for what is told twice, and for what cannot hold side by side.

Beside what is compared as it is embedded (see `Doubles`), with the nearest by vectors, here all of a cluster are
compared: in Chinese the nearest by an English embedder are any. Words decide, no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from edge.clock import Clock
from edge.engine.cluster_ports import ClusterStore
from edge.engine.merging_ports import Double, MergingStore, Replaced
from edge.engine.offpeak import AsideModel, Worked
from edge.engine.ports import Vector, Worker
from edge.memory.nights import StepName
from edge.memory.opposites import Opposed, opposed, outline
from edge.memory.sameness import may_be_same, say_the_same
from edge.memory.units import OwnerId, Source, Unit, UnitId

_UNITS = 512
"""Compared in one unit of work, if they are of one cluster: all of it, as a rule."""
_AGREE = 1.0
"""Where one has no vector yet, the words decide alone."""


class Merging:
    """One step of a night (see `Step`). What was compared is in the store."""

    name = StepName.MERGE
    needs_model = False

    def __init__(self, memory: Worker, store: MergingStore, clusters: ClusterStore, clock: Clock) -> None:
        """`memory` is the memory thread, to which the stores belong."""
        self._memory = memory
        self._store = store
        self._clusters = clusters
        self._clock = clock

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:  # noqa: ARG002  asks none
        counts = await self._memory.run(lambda: self._compare(owner))
        return Worked(bool(counts), counts)

    def _compare(self, owner: OwnerId) -> Mapping[str, int]:
        """Compare the new units of one cluster with all of it; nothing where all were."""
        new = self._store.unmerged(owner, _UNITS)
        if not new:
            return {}
        cluster = new[0].cluster
        assert cluster is not None
        fellows = self._store.fellows(owner, cluster)
        pairs = list(_alike(new, fellows))
        vectors = self._clusters.vectors(owner, {unit.id for pair in pairs for unit in pair})
        merged = self._store.keep_merged(owner, new, _changes(pairs, vectors), self._clock.now())
        counts = {"compared": len(new), "joined": merged.doubles, "replaced": merged.replaced}
        return {name: count for name, count in counts.items() if count}


def _alike(new: Sequence[Unit], fellows: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Pairs of a new unit and another that may say the same or the opposite, each pair once, the older unit first."""
    by_outline: dict[frozenset[str], list[Unit]] = {}
    for unit in fellows:
        by_outline.setdefault(outline(unit.content), []).append(unit)
    added = {unit.id for unit in new}
    for units in by_outline.values():
        for one, other in combinations(units, 2):
            if (one.id in added or other.id in added) and may_be_same(one, other):
                yield one, other


def _changes(pairs: Sequence[tuple[Unit, Unit]], vectors: Mapping[UnitId, Vector]) -> list[Double | Replaced]:
    """What is told twice, and what cannot hold beside another; of a unit that ends nothing else is said."""
    ended: set[UnitId] = set()
    changes: list[Double | Replaced] = []
    for one, other in pairs:
        change = None if {one.id, other.id} & ended else _change(one, other, vectors)
        if change is not None:
            ended.add(change.double if isinstance(change, Double) else change.older)
            changes.append(change)
    return changes


def _change(one: Unit, other: Unit, vectors: Mapping[UnitId, Vector]) -> Double | Replaced | None:
    if say_the_same(one.content, other.content, _cosine(one.id, other.id, vectors)):
        return Double(one.id, other.id)
    older, newer = sorted((one, other), key=lambda unit: (unit.valid_from, unit.id))
    how = opposed(older.content, newer.content) if _may_replace(older, newer) else None
    return None if how is None else Replaced(older.id, newer.id, is_doubted=how is Opposed.DOUBT)


def _may_replace(older: Unit, newer: Unit) -> bool:
    """Whether both are the person's own statements that hold in every session: what somebody else said ends nothing."""
    return older.session is None and older.source is newer.source is Source.USER


def _cosine(one: UnitId, other: UnitId, vectors: Mapping[UnitId, Vector]) -> float:
    return float(vectors[one] @ vectors[other]) if one in vectors and other in vectors else _AGREE
