"""What the evolution of clusters needs from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.memory.clusters import Profile
from edge.memory.units import ClusterId, OwnerId, UnitId


@dataclass(frozen=True, slots=True)
class Changed:
    """A cluster with other members than when it was last looked at: how many are current now, and the newest."""

    cluster: ClusterId
    members: int
    newest: UnitId


@dataclass(frozen=True, slots=True)
class Evolved:
    """A cluster that was looked at: its profile `before`, the one `after` it (the same where it stays) and why, and the
    units of whose words that is made."""

    changed: Changed
    before: Profile
    after: Profile
    units: tuple[UnitId, ...]
    why: str = ""


class EvolvingStore(Protocol):
    """Which clusters were looked at since they changed. Belongs to the memory thread."""

    def changed(self, owner: OwnerId, limit: int) -> list[Changed]:
        """Active clusters with members to look at, by id."""

    def keep_evolved(self, owner: OwnerId, evolved: Sequence[Evolved], at: datetime) -> tuple[ClusterId, ...]:
        """Note that the clusters were looked at, make their centroids the means of their members' vectors, and give
        them their new profiles, as one run in force (see `ClusterStore`); those that got another. In one transaction.

        Left out, and still to be looked at, are clusters that are gone, have another profile by now, or lost one of the
        units.
        """
