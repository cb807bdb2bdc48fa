"""What the memory thread holds and does beside turns: requests for memories, the backlog, saving the index."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from edge.engine.ports import MemoryStore
from edge.engine.recall import Recall
from edge.engine.remember import Remember
from edge.engine.vectors import Vectors
from edge.errors import EdgeError
from edge.memory.rules import Rules

_log = logging.getLogger(__name__)
_BACKLOG_STEP = 4
"""Chunks embedded in one background step: 20 to 200 ms, the longest a turn may have to wait for it."""
_SAVE_AFTER = 512


@dataclass(slots=True)
class Memory:
    """The parts of the memory thread. All of it is used on that thread only.

    `attach` brings embedder and index; it is called again while there are none, so that fetching the embedder's files
    does not take a restart.
    """

    store: MemoryStore
    rules: Rules
    vectors: Vectors
    recall: Recall
    remember: Remember
    attach: Callable[[], None]
    close_store: Callable[[], None]
    unsaved: int = 0
    embedder_error: EdgeError | None = None

    def step(self) -> bool:
        """A background step: embed a little of the backlog, save the index now and then. True while work is left.

        What cannot be embedded or kept now waits for the next write.
        """
        self.ensure_vectors()
        try:
            if self.remember.embed_backlog(_BACKLOG_STEP):
                self.unsaved += _BACKLOG_STEP
                return True
        except EdgeError as error:
            _log.error("the backlog waits: %s %s", error.message, error.hint)
            return False
        if self.unsaved >= _SAVE_AFTER:
            self.save_index()
        return False

    def ensure_vectors(self) -> None:
        """Load embedder and index where they are not there yet; a failure is kept for `status`."""
        if self.vectors.index is not None:
            return
        try:
            self.attach()
            self.embedder_error = None
        except EdgeError as error:
            if self.embedder_error is None or self.embedder_error.message != error.message:
                _log.error("recall goes on without vectors: %s %s", error.message, error.hint)
            self.embedder_error = error

    def save_index(self) -> None:
        """Write the index where the next start finds it."""
        if self.vectors.index is None:
            return
        try:
            self.vectors.index.save(self.store.generation())
            self.unsaved = 0
        except EdgeError as error:
            _log.error("the index was not saved and will be rebuilt at the next start: %s", error.message)

    def finish(self) -> None:
        """The last work before the process ends."""
        self.save_index()
        self.close_store()
