"""Search by meaning: embedders and the indexes of their vectors, which follow the store.

One pair of the two serves, if there is any. During a change of embedder a second one is coming: it embeds what the
store holds, and takes over when it has all of it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection

from edge.engine.backlog import Backlog
from edge.engine.model_ports import TextEmbedder
from edge.engine.ports import Mask, MemoryStore, Vector
from edge.engine.vector_ports import VectorIndex
from edge.errors import EdgeError, EmbedderFailed
from edge.memory.units import UnitId

_log = logging.getLogger(__name__)


def embedder_key(embedder: TextEmbedder) -> str:
    """What store and index know an embedder by: another dimension under the same id is another embedder."""
    return f"{embedder.id}/{embedder.dimension}"


class Pair:
    """An embedder, the index of its vectors, and what it has yet to embed. `key` is the embedder's."""

    def __init__(self, embedder: TextEmbedder, index: VectorIndex) -> None:
        self.embedder = embedder
        self.index = index
        self.key = embedder_key(embedder)
        self.backlog = Backlog(embedder, self.key)
        self._rebuilding = False

    def embed(self, store: MemoryStore, limit: int) -> bool:
        """A step of the backlog; what it kept can be found at once."""
        worked = self.backlog.step(store, limit)
        if worked:
            self.index.follow()
        return worked

    def tend(self) -> bool:
        """A step of what is due in the index."""
        due = self.index.step()
        self._rebuilding = self._rebuilding and due
        return due

    def rebuild(self) -> None:
        """Begin to build the index anew; one that has begun goes on as it is."""
        if not self._rebuilding:
            self.index.rebuild()
            self._rebuilding = True

    @property
    def is_rebuilding(self) -> bool:
        """Whether a rebuild goes on: one that was asked for, or of what is missing."""
        return self._rebuilding or self.index.state().missing > 0

    def is_whole(self, store: MemoryStore) -> bool:
        """Whether all that can be embedded is, and can be found through the index."""
        return self.backlog.is_done(store) and not self.index.state().missing


class Vectors:
    """The pairs. Until `attach` is called (no model file yet) there is no search by meaning, and it says so."""

    def __init__(self) -> None:
        self.serving: Pair | None = None
        self.coming: Pair | None = None
        self.mostly_missing = False
        """Whether most units have no embedding yet by the embedder that serves."""

    def attach(self, embedder: TextEmbedder, index: VectorIndex) -> None:
        """Let a pair serve."""
        self.serving = Pair(embedder, index)

    def prepare(self, embedder: TextEmbedder, index: VectorIndex) -> None:
        """Let a pair get ready beside the one that serves."""
        self.coming = Pair(embedder, index)

    def switch(self) -> Pair:
        """Let the coming pair serve; gives the one that served. Raises ValueError where there are not two."""
        if self.serving is None or self.coming is None:
            raise ValueError("no pair is coming to take over from another")
        former, self.serving, self.coming = self.serving, self.coming, None
        return former

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Those that there are, the serving one first."""
        return tuple(pair for pair in (self.serving, self.coming) if pair is not None)

    @property
    def index(self) -> VectorIndex | None:
        """The index that is searched, where there is one."""
        return self.serving.index if self.serving else None

    @property
    def embedder(self) -> TextEmbedder | None:
        """The embedder that serves, where there is one."""
        return self.serving.embedder if self.serving else None

    @property
    def key(self) -> str | None:
        """What the store knows the serving embedder by, where there is one."""
        return self.serving.key if self.serving else None

    @property
    def degraded(self) -> tuple[str, ...]:
        """What keeps a search from finding all there is: `vectors` where none is made, `index` where vectors are not
        in it at the moment, `embeddings` where most units have none yet."""
        if self.serving is None:
            return ("vectors",)
        index = ("index",) if self.serving.index.state().missing else ()
        return (*index, *(("embeddings",) if self.mostly_missing else ()))

    def nearest(self, vector: Vector, limit: int, allowed: Mask) -> dict[UnitId, float]:
        """The nearest of the allowed units to a vector of the serving embedder, with their cosine. Raises
        EmbedderFailed where none serves."""
        if self.serving is None:
            raise EmbedderFailed("There is no embedder on this machine yet.")
        return dict(self.serving.index.search(vector, limit, allowed))

    def remove(self, ids: Collection[UnitId]) -> None:
        """Take out units that the store has forgotten.

        Where an index cannot follow now, they are gone all the same: no search allows what the store does not have.
        """
        for pair in self.pairs if ids else ():
            pair.backlog.remove(ids)
            try:
                pair.index.follow()
            except EdgeError as error:
                _log.warning("the index of %s follows the store later: %s", pair.key, error.message)

    def embed_backlog(self, store: MemoryStore, limit: int) -> bool:
        """Embed up to `limit` chunks of units that the serving embedder has not embedded; True while work is left.
        Raises EmbedderFailed and the store's errors."""
        if self.serving is not None and self.serving.embed(store, limit):
            return True
        self.mostly_missing = False
        return False

    def embed_coming(self, store: MemoryStore, limit: int) -> bool:
        """The same for the coming embedder."""
        return self.coming is not None and self.coming.embed(store, limit)

    def tend_index(self) -> bool:
        """A little of what is due in an index, the serving one's first; True while more is due. Raises DiskFull,
        StoreReadOnly, StoreFailed."""
        return any(pair.tend() for pair in self.pairs)

    def seal(self) -> None:
        """Say to the indexes that the time is good for sealing what they hold in memory."""
        for pair in self.pairs:
            pair.index.seal()

    def close(self) -> None:
        """Let go of the indexes' files."""
        for pair in self.pairs:
            pair.index.close()
