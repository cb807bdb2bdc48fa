"""What merging within a cluster needs from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.memory.units import ClusterId, Kind, OwnerId, Unit, UnitId

MERGED_KINDS = frozenset({Kind.USER_PROFILE, Kind.FACT_REFERENCE, Kind.SESSION_STATE})
"""Kinds that say something in the runtime's words; a turn's own words are never joined to others."""


@dataclass(frozen=True, slots=True)
class Double:
    """A unit that says what another says, which stays."""

    kept: UnitId
    double: UnitId


@dataclass(frozen=True, slots=True)
class Replaced:
    """A statement that cannot hold beside a newer one. `is_doubted`: the person is to be asked which of them does."""

    older: UnitId
    newer: UnitId
    is_doubted: bool


@dataclass(frozen=True, slots=True)
class Merged:
    """How many were joined, and replaced."""

    doubles: int
    replaced: int


class MergingStore(Protocol):
    """What was compared within its cluster. Belongs to the memory thread."""

    def unmerged(self, owner: OwnerId, limit: int) -> list[Unit]:
        """Of one cluster, current units of MERGED_KINDS that fill no slot and were not compared with its others yet, by
        id. None where all were. Archived clusters are left alone."""

    def fellows(self, owner: OwnerId, cluster: ClusterId) -> list[Unit]:
        """All such units of a cluster, compared or not, by id."""

    def keep_merged(
        self, owner: OwnerId, compared: Sequence[Unit], changes: Sequence[Double | Replaced], at: datetime
    ) -> Merged:
        """Join doubles, end what is replaced and mark what is doubted, and note that the units were compared in the
        clusters they were read in: all in one transaction. Changes of units that are no longer current are left out."""
