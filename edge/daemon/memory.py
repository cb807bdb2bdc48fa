"""What the memory thread holds, and what it does in the background, in steps that a turn need not wait long for."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from itertools import islice

from edge.daemon.embedders import Embedders
from edge.engine.archive import Archive
from edge.engine.doubles import Doubles
from edge.engine.ports import MemoryStore
from edge.engine.recall import Recall
from edge.engine.remember import Remember
from edge.engine.vectors import Vectors
from edge.errors import EdgeError
from edge.memory.rules import Rules

_log = logging.getLogger(__name__)
_BACKLOG_STEP = 4
"""Chunks embedded in one background step: 20 to 200 ms, the longest a turn may have to wait for it."""
_AHEAD_STEP = 32
"""Units read ahead in one."""


class Memory:
    """The parts of the memory thread. All of it is used on that thread only."""

    def __init__(
        self,
        store: MemoryStore,
        rules: Rules,
        vectors: Vectors,
        recall: Recall,
        remember: Remember,
        archive: Archive,
        embedders: Embedders,
        doubles: Doubles,
        close_store: Callable[[], None],
    ) -> None:
        self.store = store
        self.rules = rules
        self.vectors = vectors
        self.recall = recall
        self.remember = remember
        self.archive = archive
        self.embedder_error: EdgeError | None = None
        """Why the embedder of the settings is not there."""
        self.waiting: dict[str, EdgeError] = {}
        """What has failed and waits for the next write, by its name, and why."""
        self._embedders = embedders
        self._close_store = close_store
        self._doubles = doubles
        self._said: dict[str, str] = {}
        self._compiling = rules.compiling()
        self._works: deque[tuple[str, Callable[[], bool]]] = deque()
        self._line_up()

    def wake(self) -> bool:
        """Begin anew with what failed, as something was written or asked for. A background step; has no second one.

        Also looks again for an embedder that was not there, so that fetching its files does not take a restart.
        """
        self.waiting.clear()
        self._line_up()
        self.ensure_vectors()
        return False

    def step(self) -> bool:
        """A background step: a little of each work in its turn; when all is done, of a change of embedder. True while
        work is left. What fails waits for `wake`."""
        for _ in range(len(self._works)):
            name, work = self._works[0]
            self._works.rotate(-1)
            if self._does(name, work):
                return True
        return self._does("change of embedder", self._embedders.step)

    def embed_some(self) -> bool:
        """A step of embedding what waits for it; True while work is left."""
        return self.remember.embed_backlog(_BACKLOG_STEP)

    def seal(self) -> bool:
        """A step of sealing and merging what the indexes have, as nobody uses the daemon; True while work is left."""
        self.vectors.seal()
        return self.vectors.tend_index()

    def tidy(self) -> bool:
        """Do what forgetting put off a moment ago. A background step; has no second one."""
        self._does("tidying after forgetting", self.store.tidy)
        return False

    def read_ahead(self) -> bool:
        """A background step after the start: bring a few of the units of the last day and of profiles into memory;
        True while some are left."""
        return self._does("reading ahead", lambda: self.store.read_ahead(_AHEAD_STEP))

    def compile_rules(self) -> bool:
        """A background step after the start: compile one pattern of the rules; True while some are left. In a turn
        the first sentences would wait up to a tenth of a second for theirs."""
        return any(True for _ in islice(self._compiling, 1))

    def ensure_vectors(self) -> None:
        """Load embedder and index where they are not there yet; a failure is kept for `status`."""
        if self._embedders.attached:
            return
        try:
            self._embedders.attach()
            self.embedder_error = None
        except EdgeError as error:
            if self.embedder_error is None or self.embedder_error.message != error.message:
                without = "with the embedder as it was" if self.vectors.serving else "without vectors"
                _log.error("recall goes on %s: %s %s", without, error.message, error.hint)
            self.embedder_error = error

    def forgot(self) -> None:
        """After units were forgotten: also where an embedder is not there, their vectors leave its index's files."""
        if self.embedder_error is not None:
            self._embedders.remove_unopened()

    def finish(self) -> None:
        """The last work before the process ends. What an index does not have in its files is read from the store at
        the next start."""
        self.vectors.close()
        self._close_store()

    def _line_up(self) -> None:
        """New units first; then all take turns, so that a long one does not keep an index from being sealed."""
        vectors, store = self.vectors, self.store
        self._works = deque(
            [
                ("backlog", self.embed_some),
                ("index", vectors.tend_index),
                ("coming embedder", lambda: vectors.embed_coming(store, _BACKLOG_STEP)),
                ("archive", self.archive.step),
                ("doubles", self._doubles.step),
            ]
        )

    def _does(self, name: str, work: Callable[[], bool]) -> bool:
        if name in self.waiting:
            return False
        try:
            worked = work()
        except EdgeError as error:
            if self._said.get(name) != error.message:
                _log.error("the %s waits: %s %s", name, error.message, error.hint)
            self._said[name] = error.message
            self.waiting[name] = error
            return False
        if worked:
            self._said.pop(name, None)
        return worked
