"""Which embedder's vectors are searched, and the change to another one, which survives a stop at any moment.

The store says which embedder serves, the settings which one should. Where they differ, the one that serves goes on
while the other embeds everything beside it, and the switch is one durable word to the store. What is left of an
embedder that neither serves nor comes is removed in steps.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from edge.daemon.index_folders import folder_of, remove_others
from edge.daemon.parts import Models
from edge.engine.model_ports import TextEmbedder
from edge.engine.ports import MemoryStore
from edge.engine.vector_ports import VectorIndex
from edge.engine.vectors import Pair, Vectors, embedder_key
from edge.errors import EdgeError, ModelUnknown

_log = logging.getLogger(__name__)
_MANY_UNITS = 64
"""As many are embedded in seconds, and not worth a word."""
_DROPPED_AT_ONCE = 200
OpenIndex = Callable[[Path, TextEmbedder], VectorIndex]
"""Opens the index of an embedder in a folder."""


class Embedders:
    """Brings embedders and indexes to `Vectors`. Lives on the memory thread."""

    def __init__(self, models: Models, store: MemoryStore, vectors: Vectors, root: Path, open_index: OpenIndex) -> None:
        """`root` is the folder in which each index has one of its own."""
        self._models = models
        self._store = store
        self._vectors = vectors
        self._root = root
        self._open_index = open_index
        self._wanted: TextEmbedder | None = None
        self._retired: list[str] | None = None
        self.attached = False
        """Whether the embedder of the settings is there, to serve or to come."""

    def attach(self) -> None:
        """Bring the embedder of the settings, and the one that serves where that is another.

        May be called again until it is `attached`. Raises ModelMissing and what else keeps the one of the settings
        from being there; the other one may serve all the same.
        """
        serving = self._store.embedder()
        try:
            self._wanted = self._wanted or self._models.load_embedder()
        except EdgeError:
            if serving is not None:
                self._serve_former(serving)
            raise
        self._bring(self._wanted, serving)
        self.attached = True

    def step(self) -> bool:
        """End a change of embedder that is ready for it, or remove a little of what is left of embedders that are not
        used any more; True while work is left. Raises the store's errors."""
        if not self.attached:
            return False
        coming = self._vectors.coming
        if coming is not None and coming.is_whole(self._store):
            self._switch(coming)
            return True
        return self._drop_retired()

    def remove_unopened(self) -> None:
        """Remove the indexes that are not open, as nobody blanks in their files what was just forgotten.

        They are built anew when their embedder is there again.
        """
        remove_others(self._root, [pair.key for pair in self._vectors.pairs])

    def _bring(self, wanted: TextEmbedder, serving: str | None) -> None:
        key = embedder_key(wanted)
        if self._vectors.serving is not None and self._vectors.serving.key == key:
            return
        if serving is not None and serving != key:
            failure = self._serve_former(serving)
            if failure is None:
                _log.info("%s takes over from %s when it has embedded everything", key, serving)
                self._vectors.prepare(wanted, self._open(wanted))
                return
            _log.warning("%s takes over from %s at once: %s", key, serving, failure.message)
        if serving != key:
            self._store.use_embedder(key)
        self._vectors.attach(wanted, self._open(wanted))
        missing, units = self._store.count_missing(key), self._store.counts(None)["units"]
        self._vectors.mostly_missing = missing > _MANY_UNITS and 2 * missing > units

    def _serve_former(self, key: str) -> EdgeError | None:
        """Let the embedder that served until now go on, or give the reason why it cannot."""
        if self._vectors.serving is not None:
            return None
        try:
            embedder = self._former(key)
        except EdgeError as error:
            return error
        self._vectors.attach(embedder, self._open(embedder))
        return None

    def _former(self, key: str) -> TextEmbedder:
        embedder_id, _, dimension = key.rpartition("/")
        if not embedder_id or not dimension.isdecimal():
            raise ModelUnknown(f"There is no embedder {key}.", model=key)
        return self._models.load_former(embedder_id, int(dimension))

    def _open(self, embedder: TextEmbedder) -> VectorIndex:
        return self._open_index(folder_of(self._root, embedder_key(embedder)), embedder)

    def _switch(self, coming: Pair) -> None:
        self._store.use_embedder(coming.key)
        former = self._vectors.switch()
        former.index.close()
        self._retired = None
        _log.info("%s serves now in place of %s", coming.key, former.key)

    def _drop_retired(self) -> bool:
        used = [pair.key for pair in self._vectors.pairs]
        if self._retired is None:
            remove_others(self._root, used)
            self._retired = [key for key in self._store.retired_embedders() if key not in used]
        if not self._retired:
            return False
        if not self._store.drop_embedder(self._retired[-1], _DROPPED_AT_ONCE):
            _log.info("nothing is left of the embedder %s", self._retired.pop())
        return True
