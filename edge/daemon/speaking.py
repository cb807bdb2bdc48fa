"""The language model of the daemon: loaded in the background, asked for again after it failed to load."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from edge.daemon.workers import ThreadWorker
from edge.engine.anchor import PromptPlan
from edge.engine.model_ports import LanguageModel
from edge.engine.opening import Speaker
from edge.engine.ports import MemoryStore
from edge.engine.windows import Windows
from edge.errors import EdgeError
from edge.memory.units import OwnerId
from edge.prompt.composition import Composer

_log = logging.getLogger(__name__)
State = Literal["loading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class ModelState:
    """What `status` says of the model."""

    state: State
    error: EdgeError | None = None
    model: LanguageModel | None = None


class ModelHolder:
    """Loads the model on its thread and hands out who speaks. Lives on the event loop."""

    def __init__(
        self, worker: ThreadWorker, load: Callable[[], LanguageModel], store: MemoryStore, plan: PromptPlan
    ) -> None:
        self._worker = worker
        self._load = load
        self._store = store
        self._plan = plan
        self._loading: asyncio.Task[Speaker] | None = None

    def start(self) -> None:
        """Begin to load, where that was not begun yet. A failure is kept for `state`."""
        if self._loading is None:
            self._begin()

    async def speaker(self) -> Speaker:
        """The loaded model and its windows; waits while it loads. Raises why it cannot be had; then tries anew at
        the next call, so that a model that was fetched meanwhile is found without a restart."""
        if self._loading is None or self._has_failed():
            return await asyncio.shield(self._begin())
        return await asyncio.shield(self._loading)

    @property
    def state(self) -> ModelState:
        """Where loading stands."""
        if self._loading is None or not self._loading.done():
            return ModelState("loading")
        error = self._loading.exception()
        if error is None:
            return ModelState("ready", model=self._loading.result().model)
        return ModelState("failed", error if isinstance(error, EdgeError) else EdgeError(str(error)))

    def forget(self, owner: OwnerId) -> None:
        """Drop the owner's windows, where forgotten words may stand. Called on the memory thread, which owns them."""
        if self._loading is not None and self._loading.done() and not self._has_failed():
            self._loading.result().windows.forget(owner)

    def close(self) -> None:
        """Free the model. Called on the model thread when all is done."""
        if self._loading is not None and self._loading.done() and not self._has_failed():
            self._loading.result().model.close()

    def _has_failed(self) -> bool:
        return self._loading is not None and self._loading.done() and self._loading.exception() is not None

    def _begin(self) -> asyncio.Task[Speaker]:
        self._loading = asyncio.get_running_loop().create_task(self._make())
        return self._loading

    async def _make(self) -> Speaker:
        try:
            model = await self._worker.run(self._load)
        except EdgeError as error:
            _log.error("the language model cannot be used: %s %s", error.message, error.hint)
            raise
        _log.info("the language model %s is ready", model.id)
        return Speaker(model, Windows(self._store, Composer(model.tokenizer), self._plan))
