"""What a FakeClusters does when units are forgotten: `edge.memory.cluster_erasure`, applied to all that it keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from edge.memory.cluster_erasure import (
    Lost,
    cleaned,
    emptied,
    fallback_key,
    holds_lost,
    lost_words,
    new_key,
    note_without,
    still_lost,
    texts_in,
)
from edge.memory.cluster_runs import StagedChange
from edge.memory.clusters import Dissolve, Profile, RunState, StagedNumber
from edge.memory.leftovers import Gone, mentions
from edge.memory.units import ClusterId, OwnerId, Unit

if TYPE_CHECKING:
    from tests.fakes.clusters import Did, Kept, KeptRun


def clean(
    clusters: dict[ClusterId, Kept],
    runs: Sequence[KeptRun],
    owner: OwnerId,
    units: Sequence[Unit],
    all_units: Iterable[Unit],
) -> None:
    """Before the units are removed."""
    gone = [Gone(unit.kind, unit.content, unit.value) for unit in units]
    ids = {unit.id for unit in units}
    left = [unit for unit in all_units if unit.id not in ids]
    Cleaning(clusters, runs, owner, units, left, gone).run()


class Cleaning:
    """One forgetting."""

    def __init__(
        self,
        clusters: dict[ClusterId, Kept],
        runs: Sequence[KeptRun],
        owner: OwnerId,
        units: Sequence[Unit],
        left: Sequence[Unit],
        gone: Sequence[Gone],
    ) -> None:
        self.clusters = {number: kept for number, kept in clusters.items() if kept.owner == owner}
        self.runs, self.left, self.gone = runs, left, gone
        self.lost = lost_words(gone)
        ids = {unit.id for unit in units}
        placed = [placed for kept in runs for unit, placed in kept.moved.items() if unit in ids]
        staged = [each for kept in runs for unit, each in kept.placements.items() if unit in ids]
        self.touched: set[object] = {unit.cluster for unit in units} | {
            home for before, to, _ in placed for home in (before, to)
        }
        self.touched |= {home for each in staged for home in (each.was, each.placement.to)}

    def run(self) -> None:
        for number in sorted(self.clusters):
            self._cluster(number)
        for kept in self.runs:
            for target, staged in list(kept.changes.items()):
                self._staged(kept, target, staged)
            for did in kept.did:
                self._did(did)
            note = note_without(kept.run.note, self.lost) if kept.run.state is RunState.OPEN else kept.run.note
            kept.run = replace(kept.run, note=note, why="" if mentions(kept.run.why, self.gone) else kept.run.why)

    def _members(self, cluster: object) -> list[str]:
        members = [unit for unit in reversed(self.left) if unit.cluster == cluster and cluster is not None]
        return [unit.content for unit in sorted(members, key=lambda unit: unit.superseded_by is not None)]

    def _cluster(self, number: ClusterId) -> None:
        kept = self.clusters[number]
        before = kept.profile
        lost, members = Lost(frozenset(), self.lost.values), list[str]()
        if number in self.touched:
            members = [] if kept.gone else self._members(number)
            lost = still_lost(self.lost, texts_in(before), members)
        elif not any(lost.is_in(text) for text in texts_in(before)):
            return
        taken = [other.profile.key for key, other in self.clusters.items() if key != number and not other.gone]
        key = new_key(number, members, lost, [] if kept.gone else taken)
        is_empty = number in self.touched and not members
        kept.profile = emptied(before, number) if is_empty else cleaned(before, lost, key)
        for run in self.runs:
            if number in run.changes:
                run.changes[number] = replace(run.changes[number], base=kept.profile)

    def _staged(self, kept: KeptRun, target: ClusterId | StagedNumber, staged: StagedChange) -> None:
        change = staged.change
        if not isinstance(change, Dissolve):
            left = {unit.id: unit.content for unit in self.left}
            placed = [unit for unit, each in kept.placements.items() if each.placement.to == target]
            members = [left[unit] for unit in placed if unit in left] + self._members(target)
            lost = still_lost(self.lost, texts_in(change.profile), members)
            if holds_lost(change.profile, lost) or (target in self.touched and not members):
                del kept.changes[target]
                return
            if target in self.touched or lost.is_in(change.profile.description):
                profile = cleaned(change.profile, lost, change.profile.key)
                change = replace(change, profile=profile, centroid=None)
        why = "" if self.lost.is_in(change.why) else change.why
        kept.changes[target] = replace(kept.changes[target], change=replace(change, why=why))

    def _did(self, did: Did) -> None:
        texts = [*texts_in(did.before), *texts_in(did.after)]
        lost = Lost(frozenset(), self.lost.values)
        if did.cluster in self.touched:
            lost = still_lost(self.lost, texts, self._members(did.cluster))
        elif not any(lost.is_in(text) for text in texts):
            return
        key = fallback_key(did.cluster)
        did.before, did.after = (_cleaned(profile, lost, key) for profile in (did.before, did.after))
        did.centroid = None
        did.why = "" if self.lost.is_in(did.why) else did.why


def _cleaned(profile: Profile | None, lost: Lost, key: str) -> Profile | None:
    return None if profile is None else cleaned(profile, lost, key)
