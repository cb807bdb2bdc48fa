"""The clusters' words and centroids are kept in memory: every recall compares its question with them.

They are exact: SQLite itself tells of each write to a cluster in the statement that makes it, so a key leaves with the
forgotten words in it.
"""

from __future__ import annotations

from edge.memory.agreement import Signposts, signposts
from edge.memory.units import OwnerId
from edge.store.clusters import SqliteClusters
from edge.store.database import Database

KEPT = 4
"""Owners whose clusters are kept; 300 clusters take half a megabyte."""
_TRIGGERS = tuple(
    f"CREATE TEMP TRIGGER cluster_{name} AFTER {event} ON main.clusters BEGIN SELECT cluster_written({row}.id); END"
    for name, event, row in (
        ("inserted", "INSERT", "new"),
        ("rewritten", "UPDATE", "new"),
        ("deleted", "DELETE", "old"),
    )
)


class KeptSignposts:
    """Of one store. The owner who asked last stays longest."""

    def __init__(self, db: Database, clusters: SqliteClusters) -> None:
        self._clusters = clusters
        self._kept: dict[tuple[OwnerId, str | None], Signposts] = {}
        db.define("cluster_written", lambda _: self.let_go())
        for trigger in _TRIGGERS:
            db.rows(trigger)

    @property
    def size(self) -> int:
        """Bytes that the centroids take, which is most of it."""
        return sum(posts.centroids.nbytes for posts in self._kept.values())

    def let_go(self) -> None:
        """Keep nothing any more of what was read so far."""
        self._kept.clear()

    def of(self, owner: OwnerId, embedder: str | None) -> Signposts:
        """As `MemoryStore.signposts`."""
        posts = self._kept.pop((owner, embedder), None)
        if posts is None:
            posts = signposts(self._clusters.clusters(owner), embedder)
        while len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[owner, embedder] = posts
        return posts
