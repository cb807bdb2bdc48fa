"""What clusters need from the store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from edge.engine.ports import Page, Vector
from edge.memory.clusters import Change, ChangeRecord, Cluster, Placement, Run, RunId, Staged
from edge.memory.units import ClusterId, Kind, OwnerId, Source, Unit, UnitId

DRAWN_KINDS = frozenset({Kind.FACT_REFERENCE, Kind.USER_PROFILE, Kind.SESSION_STATE})
"""Kinds of what is drawn from a person's words: where these are kept too, it goes with them."""
LEADING_KINDS = DRAWN_KINDS | {Kind.EPISODE}
"""Kinds that are placed for themselves; of episodes those that are the person's words."""


def leads(unit: Unit) -> bool:
    """Whether a cluster is made, weighed and called by a unit's words: not by the assistant's, nor by what a tool
    returned, which only go with the person's."""
    return unit.kind in LEADING_KINDS and unit.source in (Source.USER, Source.IMPORT)


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A unit that is in no cluster, the vector of its first chunk by the embedder whose vectors are searched (None
    where it waits for one), and how many runs in force looked at it and left it unplaced."""

    unit: Unit
    vector: Vector | None = field(compare=False)
    left: int = 0


class ClusterStore(Protocol):
    """Clusters, and the runs that change them. What is put in force, undone or edited is durable when the call
    returns; a power cut may take back the newest of what was only staged, whole calls of it.

    At most one run an owner is open. What it stages is kept beside and shows nowhere before it is applied. The person
    may edit meanwhile, and wins: what no longer fits then is left out when the run is applied.

    The assistant's words and results of tools are placed by the store, with the person's words of their turn.
    """

    # --- reading ---

    def clusters(self, owner: OwnerId, *, include_archived: bool = False) -> list[Cluster]:
        """All clusters of an owner, by id. Forgetting may leave one empty: a run may dissolve it."""

    def cluster(self, owner: OwnerId, cluster: ClusterId) -> Cluster:
        """One cluster, archived or not. Raises ClusterNotFound."""

    def members(self, owner: OwnerId, cluster: ClusterId, *, limit: int, before: UnitId | None = None) -> Page:
        """Current units of a cluster, newest first: not superseded, and, unless the cluster is, not archived. Raises
        ClusterNotFound."""

    def unplaced(self, owner: OwnerId, *, limit: int, after: UnitId | None = None) -> list[Unplaced]:
        """Units to place, by id: of LEADING_KINDS, neither superseded nor archived, in no cluster, not staged by the
        run that is open (staged as unplaced neither), not taken out of a cluster by the person, and not drawn from
        words of the person that are current too: with those it goes as the assistant's words do."""

    def count_unplaced(self, owner: OwnerId) -> int:
        """How many units `unplaced` would name in all."""

    def vectors(self, owner: OwnerId, ids: Collection[UnitId]) -> dict[UnitId, Vector]:
        """The vectors of first chunks by the embedder whose vectors are searched, of those that have one."""

    # --- a run ---

    def open_run(self, owner: OwnerId) -> Run | None:
        """The run that is open."""

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
        """A new run. Raises ClusterRunOpen where one is open."""

    def note(self, owner: OwnerId, run: RunId, phase: str, state: str) -> None:
        """Keep a run's own state between units of work: a phase and a small JSON object. Forgetting a unit whose words
        stand in it makes it `{}`. Raises ClusterRunEnded."""

    def stage(
        self,
        owner: OwnerId,
        run: RunId,
        changes: Sequence[Change] = (),
        placements: Sequence[Placement] = (),
        *,
        note: tuple[str, str] | None = None,
    ) -> None:
        """Keep what one unit of work decided, and the run's phase and state (see `note`), in one transaction. What is
        said again of a cluster or a unit replaces what was staged of it. Units and clusters that are not (or no longer)
        the owner's are passed over. Raises ClusterRunEnded, ClusterKeyInvalid."""

    def staged(self, owner: OwnerId, run: RunId) -> Staged:
        """All that a run has staged, changes by cluster (new ones last), placements by unit; nothing of one that
        ended. Raises ClusterRunNotFound."""

    def apply_run(self, owner: OwnerId, run: RunId, at: datetime) -> Run:
        """Put all that was staged in force, in one transaction; what was before is kept. Left out is what no longer
        fits: of clusters that are gone or were changed since, of units that were moved since or that the person placed,
        and keys that are another cluster's by now (see `edge.memory.cluster_runs`). Raises ClusterRunEnded."""

    def abandon_run(self, owner: OwnerId, run: RunId, why: str, at: datetime) -> None:
        """End a run of which nothing is to hold. Its counts and the reason are kept. Raises ClusterRunEnded."""

    # --- history ---

    def runs(self, owner: OwnerId, *, limit: int, before: RunId | None = None) -> list[Run]:
        """Runs of an owner, newest first."""

    def run(self, owner: OwnerId, run: RunId) -> Run:
        """One run. Raises ClusterRunNotFound."""

    def changes(self, owner: OwnerId, run: RunId) -> list[ChangeRecord]:
        """What a run that was applied did to clusters, by cluster. Raises ClusterRunNotFound."""

    def undo(self, owner: OwnerId, run: RunId | None, at: datetime) -> Run:
        """Restore what was before a run (None: the newest in force): each unit that still is in its earlier cluster,
        each cluster with its earlier profile. In one transaction. Raises ClusterUndoNothing where none is in force or
        the newest is settled, ClusterRunNotFound, ClusterUndoOrder for one that is not the newest in force."""

    def settle(self, owner: OwnerId, kept: int) -> bool:
        """Settle the oldest run in force, but for as many of the newest in force as are kept; whether there was one.
        It stays in the history, is undone no more, and what nothing but undoing needs is dropped of it."""

    # --- the person's edits: runs too, applied at once ---

    def edit(
        self, owner: OwnerId, what: str, changes: Sequence[Change], placements: Sequence[Placement], at: datetime
    ) -> Run:
        """Make changes that the person asked for, in one transaction; `what` says what was done. Raises
        ClusterNotFound, MemoryNotFound, ClusterKeyInvalid, ClusterKeyTaken. Clusters that gain or lose members get the
        mean of their vectors as centroid."""
