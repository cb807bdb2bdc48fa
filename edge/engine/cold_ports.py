"""What the archive of cold clusters needs from the store."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from edge.memory.units import ClusterId, OwnerId, UnitId


class ColdStore(Protocol):
    """Clusters that leave the active set as a whole and come back so. Belongs to the memory thread; writes are durable
    when they return.

    What leaves are a cluster's current members, but for the kinds of `edge.memory.archive.STAYS_WARM` and what fills a
    slot: rules answer from it however long ago it was said, and the next value has to find it.
    """

    def cold(self, owner: OwnerId, before: datetime, at: datetime, limit: int) -> list[ClusterId]:
        """Up to `limit` active clusters of which no member was added or used since `before`, and that have members to
        put away at `at`, by id."""

    def put_away(self, owner: OwnerId, cluster: ClusterId, before: datetime, at: datetime) -> tuple[UnitId, ...]:
        """Archive a cluster with its members, in one transaction; ids of those. Nothing where it is no longer cold."""

    def bring_back(self, owner: OwnerId, units: Collection[UnitId], at: datetime) -> tuple[UnitId, ...]:
        """Put back, in one transaction, those of the units that left with a cluster, and all that left with theirs;
        ids of all of them. Their clusters are active again, and these units count as used at `at`."""

    def mend(self, owner: OwnerId, at: datetime, limit: int) -> int:
        """Put back what no longer is as a cold cluster is left: clusters archived at a moment that is still to come
        (the clock was wrong then), that have got members since, also older ones, or of which nothing is archived; and
        up to `limit` units that are in no archived cluster any more, as a run was undone or the person moved them. How
        many clusters and units it were."""
