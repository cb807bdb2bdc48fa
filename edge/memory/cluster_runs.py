"""What of a run still fits when it is applied: the person may have edited, and forgotten, since it was prepared.

Nothing is put right by guessing: a change or a placement that no longer fits is left out, and the next run sees what
there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from edge.memory.clusters import (
    Change,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    RunCounts,
    StagedNumber,
    Vector,
    Why,
    key_terms,
)
from edge.memory.units import ClusterId, UnitId

_NOTHING = 1e-9
Target = ClusterId | StagedNumber
"""A cluster that is, or one that the run makes."""


@dataclass(frozen=True, slots=True)
class StagedChange:
    """A change, and the profile that its cluster had when it was staged (None for a new one)."""

    change: Change
    base: Profile | None


@dataclass(frozen=True, slots=True)
class StagedPlacement:
    """A placement, and the cluster in which its unit was when it was staged."""

    placement: Placement
    was: ClusterId | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How things are when a run is applied: the profiles of the clusters that are, where units are (of those that the
    run places, of all in the clusters that it dissolves, and of followers and leaders), and which of them the person
    put there. A follower goes where its leader goes: the assistant's words and results of tools, with the person's
    words of their turn."""

    profiles: Mapping[ClusterId, Profile]
    homes: Mapping[UnitId, ClusterId | None]
    held: Collection[UnitId] = ()
    followers: Mapping[UnitId, UnitId] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fitting:
    """What is put in force."""

    changes: tuple[Change, ...]
    placements: tuple[Placement, ...]
    skipped: int
    reprofiled: int
    """Clusters that get another profile, not only another centroid."""
    was: Mapping[UnitId, ClusterId | None]
    """In which clusters the units were that are placed."""

    def counts(self) -> RunCounts:
        """What it does."""
        kinds = Counter(type(change) for change in self.changes)
        asked = [placement.checked for placement in self.placements if placement.checked is not None]
        own = [placement for placement in self.placements if placement.why is not Why.TURN]
        return RunCounts(
            created=kinds[Create],
            reprofiled=self.reprofiled,
            dissolved=kinds[Dissolve],
            placed=sum(each.to is not None for each in own),
            left=sum(each.to is None for each in own),
            checked=len(asked),
            wrong=asked.count(False),
            skipped=self.skipped,
            moved=sum(self._is_moved(placement) for placement in own),
        )

    def _is_moved(self, placement: Placement) -> bool:
        was = self.was[placement.unit]
        return was is not None and placement.to not in (None, was)


def fitting(changes: Sequence[StagedChange], placements: Sequence[StagedPlacement], now: Standing) -> Fitting:
    """Choose what fits. Left out: changes to a cluster that is gone or whose profile was changed since; a key that is
    another cluster's by now; dissolving into a cluster that will not be; units that are gone, were moved since or were
    put where they are by the person; placing into a cluster that will not be.

    What is placed into a cluster that is dissolved into another goes there. The other units of a dissolved cluster
    follow it, or are unplaced.
    """
    kept = _kept_changes(changes, now.profiles)
    refuges = {change.cluster: change.into for change in kept if isinstance(change, Dissolve)}
    live = _final_keys(kept, now.profiles).keys()
    chosen: dict[UnitId, Placement] = {}
    for staged in placements:
        to, unit = _refuge(staged.placement.to, refuges), staged.placement.unit
        is_free = unit in now.homes and now.homes[unit] == staged.was and unit not in now.held
        if is_free and (to in live or staged.placement.to is None):
            chosen[unit] = staged.placement if to == staged.placement.to else replace(staged.placement, to=to)
    skipped = len(changes) - len(kept) + len(placements) - len(chosen)
    said = frozenset(chosen)
    for unit, home in now.homes.items():
        if home in refuges and unit not in said:
            into = refuges[home]
            chosen[unit] = Placement(unit, into, Why.UNPLACED if into is None else Why.MERGE)
    chosen |= _following(chosen, said, now)
    renamed = [change for change in kept if isinstance(change, Reprofile)]
    reprofiled = sum(now.profiles[change.cluster] != change.profile for change in renamed)
    return Fitting(tuple(kept), tuple(chosen[unit] for unit in sorted(chosen)), skipped, reprofiled, now.homes)


def _following(chosen: Mapping[UnitId, Placement], said: Collection[UnitId], now: Standing) -> dict[UnitId, Placement]:
    """Where units go for their leaders' sake: with one that moves, or to one where they were nowhere yet."""
    found = {}
    for unit, leader in now.followers.items():
        if unit in said or (unit in now.held and unit not in chosen):
            continue
        to = chosen[leader].to if leader in chosen else now.homes[leader]
        is_there = to == now.homes[unit] and unit not in chosen
        if not is_there and (leader in chosen or now.homes[unit] is None):
            found[unit] = Placement(unit, to, Why.TURN)
    return found


def counts_of(changes: Sequence[StagedChange], placements: Sequence[StagedPlacement]) -> RunCounts:
    """What a run would do, as far as it is prepared."""
    asked = [staged.change for staged in changes]
    renamed = [each for each in changes if isinstance(each.change, Reprofile) and each.change.profile != each.base]
    was = {staged.placement.unit: staged.was for staged in placements}
    return Fitting(tuple(asked), tuple(staged.placement for staged in placements), 0, len(renamed), was).counts()


def edited(
    changes: Sequence[Change],
    placements: Sequence[Placement],
    homes: Mapping[UnitId, ClusterId | None],
    profiles: Mapping[ClusterId, Profile],
) -> list[Change]:
    """The changes of an edit, and new centroids for the other clusters that gain or lose members by it. `homes` tells
    where the units are that it places."""
    touched = {*homes.values(), *(placement.to for placement in placements)}
    touched |= {change.into for change in changes if isinstance(change, Dissolve)}
    own = {change.cluster for change in changes if not isinstance(change, Create)}
    others = sorted(cluster for cluster in profiles if cluster in touched and cluster not in own)
    return [*changes, *(Reprofile(cluster, profiles[cluster], None, "") for cluster in others)]


def same_key(one: str, other: str) -> bool:
    """Whether two keys are too alike to stand beside each other: they have the same telling words."""
    return key_terms(one) == key_terms(other)


def mean_vector(vectors: Sequence[Vector]) -> Vector | None:
    """The centroid of members: the normalised mean of their vectors; None of none, or where they cancel out."""
    if not vectors:
        return None
    mean: npt.NDArray[np.float64] = np.stack(vectors).mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    if length < _NOTHING:
        return None
    centroid: Vector = (mean / length).astype(np.float32)
    return centroid


def _kept_changes(changes: Sequence[StagedChange], profiles: Mapping[ClusterId, Profile]) -> list[Change]:
    kept = [staged.change for staged in changes if _is_fresh(staged, profiles)]
    while (unfit := _first_unfit(kept, profiles)) is not None:
        kept.remove(unfit)
    return kept


def _is_fresh(staged: StagedChange, profiles: Mapping[ClusterId, Profile]) -> bool:
    change = staged.change
    return isinstance(change, Create) or (change.cluster in profiles and profiles[change.cluster] == staged.base)


def _first_unfit(changes: Sequence[Change], profiles: Mapping[ClusterId, Profile]) -> Change | None:
    """The last staged that goes nowhere or takes a key that another cluster will have."""
    keys = _final_keys(changes, profiles)
    held = Counter(keys.values())
    for change in reversed(changes):
        if isinstance(change, Dissolve):
            if change.into is not None and change.into not in keys:
                return change
        elif held[key_terms(change.profile.key)] > 1 and not _keeps_key(change, profiles):
            return change
    return None


def _final_keys(changes: Iterable[Change], profiles: Mapping[ClusterId, Profile]) -> dict[Target, frozenset[str]]:
    """The clusters that will be, with what their keys are compared by."""
    keys: dict[Target, frozenset[str]] = {cluster: key_terms(profile.key) for cluster, profile in profiles.items()}
    for change in changes:
        if isinstance(change, Dissolve):
            keys.pop(change.cluster, None)
        else:
            keys[change.number if isinstance(change, Create) else change.cluster] = key_terms(change.profile.key)
    return keys


def _keeps_key(change: Create | Reprofile, profiles: Mapping[ClusterId, Profile]) -> bool:
    return isinstance(change, Reprofile) and same_key(profiles[change.cluster].key, change.profile.key)


def _refuge(to: Target | None, refuges: Mapping[ClusterId, Target | None]) -> Target | None:
    return to if to is None or isinstance(to, StagedNumber) or to not in refuges else refuges[to]
