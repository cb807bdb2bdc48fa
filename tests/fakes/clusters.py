"""A ClusterStore over the dictionaries of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from edge.engine.cluster_ports import DRAWN_KINDS, LEADING_KINDS, Unplaced
from edge.engine.ports import Page, Vector
from edge.errors import (
    ClusterKeyTaken,
    ClusterNotFound,
    ClusterRunEnded,
    ClusterRunNotFound,
    ClusterRunOpen,
    ClusterUndoNothing,
    ClusterUndoOrder,
    MemoryNotFound,
)
from edge.memory.cluster_runs import (
    StagedChange,
    StagedPlacement,
    Standing,
    Target,
    counts_of,
    edited,
    fitting,
    mean_vector,
    same_key,
)
from edge.memory.clusters import (
    PERSON_TRIGGER,
    Change,
    ChangeRecord,
    Cluster,
    Create,
    Dissolve,
    Placement,
    Profile,
    Reprofile,
    Run,
    RunId,
    RunState,
    Staged,
    StagedNumber,
    Why,
    check_key,
    checked,
)
from edge.memory.units import ClusterId, Kind, OwnerId, Source, Unit, UnitId
from tests.fakes.cluster_erasure import clean

if TYPE_CHECKING:
    from tests.fakes.memory_store import FakeMemoryStore


@dataclass(slots=True)
class Kept:
    """A cluster; one that is `gone` may be brought back."""

    owner: OwnerId
    profile: Profile
    made_at: datetime
    centroid: Vector | None = None
    embedder: str | None = None
    gone: bool = False
    archived_at: datetime | None = None


@dataclass(slots=True)
class Did:
    """What a run that was applied did to a cluster."""

    cluster: ClusterId
    before: Profile | None
    after: Profile | None
    why: str
    centroid: Vector | None = None
    embedder: str | None = None


@dataclass(slots=True)
class KeptRun:
    """A run, what it stages, and what it did."""

    run: Run
    changes: dict[Target, StagedChange] = field(default_factory=dict)
    placements: dict[UnitId, StagedPlacement] = field(default_factory=dict)
    did: list[Did] = field(default_factory=list)
    moved: dict[UnitId, tuple[ClusterId | None, ClusterId | None, Why]] = field(default_factory=dict)
    settled: bool = False


class FakeClusters:
    """See ClusterStore."""

    def __init__(self, store: FakeMemoryStore) -> None:
        self._store = store
        self._kept: dict[ClusterId, Kept] = {}
        self._runs: dict[RunId, KeptRun] = {}
        self._in_force: list[RunId] = []

    # --- reading ---

    def clusters(self, owner: OwnerId, *, include_archived: bool = False) -> list[Cluster]:
        found = [self._cluster(cluster) for cluster in self._profiles(owner)]
        return [each for each in found if include_archived or each.archived_at is None]

    def cluster(self, owner: OwnerId, cluster: ClusterId) -> Cluster:
        if cluster not in self._profiles(owner):
            raise _unknown(cluster)
        return self._cluster(cluster)

    def members(self, owner: OwnerId, cluster: ClusterId, *, limit: int, before: UnitId | None = None) -> Page:
        self.cluster(owner, cluster)
        found = [unit for unit in reversed(self._current(cluster)) if before is None or unit.id < before]
        page = tuple(found[:limit])
        return Page(page, page[-1].id if page and len(found) > limit else None)

    def unplaced(self, owner: OwnerId, *, limit: int, after: UnitId | None = None) -> list[Unplaced]:
        found = [unit for unit in self._to_place(owner) if unit.id > (after or 0)][:limit]
        vectors = self.vectors(owner, [unit.id for unit in found])
        return [Unplaced(unit, vectors.get(unit.id), self._left(unit.id)) for unit in found]

    def count_unplaced(self, owner: OwnerId) -> int:
        return len(self._to_place(owner))

    def vectors(self, owner: OwnerId, ids: Collection[UnitId]) -> dict[UnitId, Vector]:
        embedder = self._store.embedder()
        mine = sorted(unit for unit in ids if self._store._owned(owner, unit))
        if embedder is None or not mine:
            return {}
        rows = self._store.vectors_of(embedder, np.array(mine, dtype=np.int64))
        return {
            UnitId(unit): vector for unit, vector in reversed(list(zip(rows.units.tolist(), rows.vectors, strict=True)))
        }

    # --- a run ---

    def open_run(self, owner: OwnerId) -> Run | None:
        return next((kept.run for kept in self._of(owner) if kept.run.state is RunState.OPEN), None)

    def begin_run(
        self,
        owner: OwnerId,
        *,
        trigger: str,
        seed: int,
        attempt: int,
        model: str | None,
        prompts: str | None,
        embedder: str | None,
        at: datetime,
    ) -> RunId:
        running = self.open_run(owner)
        if running is not None:
            raise ClusterRunOpen(f"Run {running.id} is open already.", run=running.id)
        number = RunId(len(self._runs) + 1)
        asked = (trigger, seed, attempt, model, prompts, embedder)
        self._runs[number] = KeptRun(Run(number, owner, *asked, RunState.OPEN, "", "{}", "", at, None))
        return number

    def note(self, owner: OwnerId, run: RunId, phase: str, state: str) -> None:
        kept = self._open(owner, run)
        kept.run = replace(kept.run, phase=phase, note=state)

    def stage(
        self,
        owner: OwnerId,
        run: RunId,
        changes: Sequence[Change] = (),
        placements: Sequence[Placement] = (),
        *,
        note: tuple[str, str] | None = None,
    ) -> None:
        self._stage(self._open(owner, run), changes, placements)
        if note is not None:
            self.note(owner, run, *note)

    def staged(self, owner: OwnerId, run: RunId) -> Staged:
        kept = self._run(owner, run)
        changes = [*_known_first(kept.changes)]
        return Staged(
            tuple(kept.changes[target].change for target in changes),
            tuple(kept.placements[unit].placement for unit in sorted(kept.placements)),
        )

    def apply_run(self, owner: OwnerId, run: RunId, at: datetime) -> Run:
        self._put_in_force(self._open(owner, run), at)
        return self.run(owner, run)

    def abandon_run(self, owner: OwnerId, run: RunId, why: str, at: datetime) -> None:
        kept = self._open(owner, run)
        counts = counts_of(list(kept.changes.values()), list(kept.placements.values()))
        ended = replace(kept.run, state=RunState.ABANDONED, why=why, ended_at=at, counts=counts)
        kept.run = replace(ended, phase="", note="{}")
        kept.changes.clear()
        kept.placements.clear()

    # --- history ---

    def runs(self, owner: OwnerId, *, limit: int, before: RunId | None = None) -> list[Run]:
        found = [kept.run.id for kept in self._of(owner) if before is None or kept.run.id < before]
        return [self.run(owner, run) for run in sorted(found, reverse=True)[:limit]]

    def run(self, owner: OwnerId, run: RunId) -> Run:
        kept = self._run(owner, run)
        return replace(kept.run, undoable=self._newest(owner) == run and not kept.settled)

    def changes(self, owner: OwnerId, run: RunId) -> list[ChangeRecord]:
        did = sorted(self._run(owner, run).did, key=lambda each: each.cluster)
        return [ChangeRecord(each.cluster, each.before, each.after, each.why) for each in did if _shows(each)]

    def undo(self, owner: OwnerId, run: RunId | None, at: datetime) -> Run:
        wanted = None if run is None else self._run(owner, run).run
        newest = self._newest(owner)
        if newest is None or self._runs[newest].settled:
            raise ClusterUndoNothing("No run is in force that can be undone.")
        if wanted is not None and wanted.id != newest:
            raise ClusterUndoOrder(f"Run {wanted.id} is not the newest in force.", newest=newest)
        self._take_back(self._runs[newest], at)
        return self.run(owner, newest)

    def settle(self, owner: OwnerId, kept: int) -> bool:
        in_force = [self._runs[run] for run in self._in_force if self._runs[run].run.owner == owner]
        old = [each for each in in_force[: max(0, len(in_force) - kept)] if not each.settled]
        for run in old[:1]:
            run.settled = True
            by_person = {unit for each in self._of(owner) for unit, move in each.moved.items() if move[2] is Why.PERSON}
            for unit, (before, to, _) in list(run.moved.items()):
                if before is None and to is not None and to == self._home(unit) and unit not in by_person:
                    del run.moved[unit]
        return bool(old)

    # --- the person's edits ---

    def edit(
        self, owner: OwnerId, what: str, changes: Sequence[Change], placements: Sequence[Placement], at: datetime
    ) -> Run:
        homes = self._require_all(owner, changes, placements)
        changes = edited(changes, placements, homes, self._profiles(owner))
        return self.run(owner, self.in_force(owner, PERSON_TRIGGER, what, changes, placements, at))

    def in_force(
        self,
        owner: OwnerId,
        trigger: str,
        what: str,
        changes: Sequence[Change],
        placements: Sequence[Placement],
        at: datetime,
    ) -> RunId:
        """A run that is made and put in force at once."""
        number = RunId(len(self._runs) + 1)
        asked = (trigger, 0, 1, None, None, None)
        kept = KeptRun(Run(number, owner, *asked, RunState.DONE, "", "{}", what, at, at))
        self._stage(kept, changes, placements)
        self._runs[number] = kept
        self._put_in_force(kept, at)
        return number

    def _require_all(
        self, owner: OwnerId, changes: Sequence[Change], placements: Sequence[Placement]
    ) -> dict[UnitId, ClusterId | None]:
        profiles = self._profiles(owner)
        for placement in placements:
            if self._store._owned(owner, placement.unit) is None:
                raise MemoryNotFound(f"There is no memory {placement.unit}.", id=placement.unit)
        named: list[Target | None] = [placement.to for placement in placements]
        for change in changes:
            if isinstance(change, Dissolve):
                named += [change.cluster, change.into]
                continue
            named += [change.cluster] if isinstance(change, Reprofile) else []
            key = check_key(change.profile.key)
            for cluster, profile in profiles.items():
                if same_key(profile.key, key) and getattr(change, "cluster", None) != cluster:
                    raise ClusterKeyTaken(f"Cluster {cluster} is called so.", cluster=cluster)
        for target in named:
            if target is not None and not isinstance(target, StagedNumber) and target not in profiles:
                raise _unknown(target)
        return {placement.unit: self._home(placement.unit) for placement in placements}

    # --- staging and applying ---

    def _stage(self, kept: KeptRun, changes: Sequence[Change], placements: Sequence[Placement]) -> None:
        profiles = self._profiles(kept.run.owner)
        for change in changes:
            if isinstance(change, Create):
                kept.changes[change.number] = StagedChange(replace(change, profile=checked(change.profile)), None)
            elif change.cluster in profiles:
                tidy = change if isinstance(change, Dissolve) else replace(change, profile=checked(change.profile))
                kept.changes[change.cluster] = StagedChange(tidy, profiles[change.cluster])
        for placement in placements:
            if self._store._owned(kept.run.owner, placement.unit):
                kept.placements[placement.unit] = StagedPlacement(placement, self._home(placement.unit))

    def _put_in_force(self, kept: KeptRun, at: datetime) -> None:
        owner = kept.run.owner
        held = {unit.id for unit in self._mine(owner) if self._last_why(unit.id) is Why.PERSON}
        standing = Standing(
            self._profiles(owner),
            {unit.id: unit.cluster for unit in self._mine(owner)},
            set() if kept.run.trigger == PERSON_TRIGGER else held,
            self._followers(owner),
        )
        changes = [kept.changes[target] for target in _known_first(kept.changes)]
        fit = fitting(changes, [kept.placements[unit] for unit in sorted(kept.placements)], standing)
        kept.changes.clear()
        kept.placements.clear()
        ids = {change.number: self._create(kept, change, at) for change in fit.changes if isinstance(change, Create)}
        for change in fit.changes:
            if not isinstance(change, Create):
                self._change(kept, change)
        for each in fit.placements:
            to = ids[each.to] if isinstance(each.to, StagedNumber) else each.to
            kept.moved[each.unit] = (self._home(each.unit), to, each.why)
            self._move(each.unit, to)
        for change in fit.changes:
            if not isinstance(change, Dissolve) and change.centroid is None:
                self.recentre(ids[change.number] if isinstance(change, Create) else change.cluster)
        kept.run = replace(kept.run, state=RunState.DONE, phase="", note="{}", counts=fit.counts(), ended_at=at)
        self._in_force.append(kept.run.id)

    def _create(self, kept: KeptRun, change: Create, at: datetime) -> ClusterId:
        number = ClusterId(len(self._kept) + 1)
        self._kept[number] = Kept(kept.run.owner, change.profile, at, change.centroid, kept.run.embedder)
        kept.did.append(Did(number, None, change.profile, change.why))
        return number

    def _change(self, kept: KeptRun, change: Reprofile | Dissolve) -> None:
        cluster = self._kept[change.cluster]
        before = (cluster.centroid, cluster.embedder)
        if isinstance(change, Dissolve):
            kept.did.append(Did(change.cluster, cluster.profile, None, change.why, *before))
            cluster.gone = True
            return
        kept.did.append(Did(change.cluster, cluster.profile, change.profile, change.why, *before))
        cluster.profile, cluster.centroid = change.profile, change.centroid
        cluster.embedder = kept.run.embedder or cluster.embedder

    def _take_back(self, kept: KeptRun, at: datetime) -> None:
        for unit, (before, _, _) in kept.moved.items():
            if unit in self._store._units:
                self._move(unit, before)
        for each in kept.did:
            cluster = self._kept[each.cluster]
            cluster.gone = each.before is None
            if each.before is not None:
                cluster.profile, cluster.centroid, cluster.embedder = each.before, each.centroid, each.embedder
                if each.centroid is None:
                    self.recentre(each.cluster)
        kept.run = replace(kept.run, state=RunState.UNDONE, ended_at=at)
        self._in_force.remove(kept.run.id)

    def recentre(self, cluster: ClusterId) -> None:
        kept = self._kept[cluster]
        members = [unit.id for unit in self._mine(kept.owner) if unit.cluster == cluster and self._is_current(unit)]
        kept.centroid = mean_vector([*self.vectors(kept.owner, members).values()])
        kept.embedder = None if kept.centroid is None else self._store.embedder()

    def placed_since(self, owner: OwnerId, cluster: ClusterId, moment: datetime) -> set[UnitId]:
        """Units that runs in force since a moment put into a cluster."""
        in_force = [kept for kept in self._of(owner) if kept.run.state is RunState.DONE]
        runs = [kept for kept in in_force if kept.run.ended_at is not None and kept.run.ended_at > moment]
        return {unit for kept in runs for unit, (_, to, _) in kept.moved.items() if to == cluster}

    def clear(self, owner: OwnerId, units: Sequence[Unit]) -> list[ClusterId]:
        """Take the words of units out that are about to be forgotten; the clusters that lose members."""
        clean(self._kept, self._of(owner), owner, units, self._mine(owner))
        return sorted({unit.cluster for unit in units if unit.cluster is not None})

    def removed(self, unit: UnitId) -> None:
        for kept in self._runs.values():
            kept.moved.pop(unit, None)
            kept.placements.pop(unit, None)

    # --- how things are ---

    def _profiles(self, owner: OwnerId) -> dict[ClusterId, Profile]:
        return {number: kept.profile for number, kept in self._kept.items() if kept.owner == owner and not kept.gone}

    def _cluster(self, cluster: ClusterId) -> Cluster:
        kept = self._kept[cluster]
        members = self._current(cluster)
        touched = max([kept.made_at, *(unit.last_accessed or unit.created_at for unit in members)])
        told = (kept.profile, kept.centroid, kept.embedder, len(members), kept.made_at, touched)
        return Cluster(cluster, kept.owner, *told, archived_at=kept.archived_at)

    def _mine(self, owner: OwnerId) -> list[Unit]:
        return [unit for unit in self._store._units.values() if unit.owner == owner]

    def _is_current(self, unit: Unit) -> bool:
        return unit.id not in self._store._superseded

    def _current(self, cluster: ClusterId) -> list[Unit]:
        kept = self._kept[cluster]
        with_archived = kept.archived_at is not None
        mine = [unit for unit in self._mine(kept.owner) if with_archived or unit.archived_at is None]
        alive = [unit for unit in mine if self._is_current(unit)]
        return [unit for unit in alive if unit.cluster == cluster]

    def _to_place(self, owner: OwnerId) -> list[Unit]:
        staged = {unit for kept in self._of(owner) for unit in kept.placements}
        followers = self._followers(owner)
        return [
            unit
            for unit in self._mine(owner)
            if (unit.cluster, unit.archived_at) == (None, None)
            and self._is_current(unit)
            and unit.kind in LEADING_KINDS
            and (unit.kind is not Kind.EPISODE or unit.source in (Source.USER, Source.IMPORT))
            and unit.id not in staged
            and self._last_why(unit.id) is not Why.PERSON
            and unit.id not in followers
        ]

    def _followers(self, owner: OwnerId) -> dict[UnitId, UnitId]:
        leaders: dict[int, UnitId] = {}
        current: dict[int, UnitId] = {}
        for unit in self._mine(owner):
            leads = unit.kind is Kind.EPISODE and unit.source in (Source.USER, Source.IMPORT)
            if leads and unit.source_turn is not None:
                leaders.setdefault(unit.source_turn, unit.id)
                if self._is_current(unit) and unit.archived_at is None:
                    current.setdefault(unit.source_turn, unit.id)
        found: dict[UnitId, UnitId] = {}
        for unit in self._mine(owner):
            is_drawn = unit.kind in DRAWN_KINDS and unit.source is Source.USER
            is_echo = unit.kind is Kind.TOOL_RESULT or (
                unit.kind is Kind.EPISODE and unit.source in (Source.ASSISTANT, Source.TOOL)
            )
            led_by = current if is_drawn else leaders if is_echo else {}
            if unit.source_turn in led_by:
                found[unit.id] = led_by[unit.source_turn]
        return found

    def _home(self, unit: UnitId) -> ClusterId | None:
        return self._store._units[unit].cluster

    def _move(self, unit: UnitId, to: ClusterId | None) -> None:
        self._store._units[unit] = replace(self._store._units[unit], cluster=to)

    def _last_why(self, unit: UnitId) -> Why | None:
        placed = [self._runs[run].moved[unit] for run in self._in_force if unit in self._runs[run].moved]
        return placed[-1][2] if placed else None

    def _left(self, unit: UnitId) -> int:
        placed = [self._runs[run].moved[unit] for run in self._in_force if unit in self._runs[run].moved]
        return sum(to is None for _, to, _ in placed)

    def _of(self, owner: OwnerId) -> list[KeptRun]:
        return [kept for kept in self._runs.values() if kept.run.owner == owner]

    def _run(self, owner: OwnerId, run: RunId) -> KeptRun:
        kept = self._runs.get(run)
        if kept is None or kept.run.owner != owner:
            raise ClusterRunNotFound(f"There is no run {run}.", run=run)
        return kept

    def _open(self, owner: OwnerId, run: RunId) -> KeptRun:
        kept = self._run(owner, run)
        if kept.run.state is not RunState.OPEN:
            raise ClusterRunEnded(f"Run {run} is {kept.run.state}.", run=run)
        return kept

    def _newest(self, owner: OwnerId) -> RunId | None:
        return next((run for run in reversed(self._in_force) if self._runs[run].run.owner == owner), None)


def _known_first(changes: Mapping[Target, StagedChange]) -> list[Target]:
    known = sorted(target for target in changes if not isinstance(target, StagedNumber))
    return [*known, *sorted(target for target in changes if isinstance(target, StagedNumber))]


def _shows(did: Did) -> bool:
    return did.before != did.after


def _unknown(cluster: ClusterId) -> ClusterNotFound:
    return ClusterNotFound(f"There is no cluster {cluster}.", id=cluster)
