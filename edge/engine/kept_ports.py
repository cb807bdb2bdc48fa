"""What a store keeps ready in memory for recall. Part of the port MemoryStore."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from edge.memory.agreement import Signposts
from edge.memory.units import OwnerId, Unit, UnitId


class KeptUnits(Protocol):
    """Units that are kept ready are always what the database holds: a forgotten one is gone from here at once."""

    def terms(self, units: Collection[Unit]) -> dict[UnitId, frozenset[str]]:
        """The search terms of the texts of units that were just read (see `edge.memory.text.text_terms`)."""

    def signposts(self, owner: OwnerId, embedder: str | None) -> Signposts:
        """The owner's active clusters, as questions are compared with them; with centroids by this embedder."""

    def read_ahead(self, limit: int) -> bool:
        """Bring up to `limit` units of the last day and of profiles into memory; True while some are left."""

    def kept_bytes(self) -> int:
        """Memory that is taken by what is kept ready."""
