"""The language model of the daemon: loaded in the background, asked for again after it failed to load, and freed while
nobody speaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from edge import __version__
from edge.clock import Clock
from edge.daemon.workers import ThreadWorker
from edge.engine.anchor import PromptPlan
from edge.engine.kept_windows import KeptWindows, owner_part
from edge.engine.kv_ports import LaneFiles
from edge.engine.lasting_model import LastingModel
from edge.engine.model_ports import LanguageModel
from edge.engine.opening import Speaker
from edge.engine.ports import MemoryStore
from edge.engine.windows import Windows
from edge.errors import EdgeError
from edge.memory.units import OwnerId
from edge.prompt.composition import Composer

_log = logging.getLogger(__name__)
State = Literal["loading", "ready", "failed", "unloaded"]


@dataclass(frozen=True, slots=True)
class ModelState:
    """What `status` says of the model. It has been so since `since`, on the monotonic clock."""

    state: State
    since: float
    error: EdgeError | None = None
    model: LanguageModel | None = None


class ModelHolder:
    """Loads the model on its thread and hands out who speaks. Lives on the event loop."""

    def __init__(
        self,
        worker: ThreadWorker,
        load: Callable[[], LanguageModel],
        store: MemoryStore,
        plan: PromptPlan,
        files: LaneFiles,
        clock: Clock,
    ) -> None:
        """`files` keep what was evaluated of sessions' windows."""
        self.asked = self._since = clock.monotonic()
        """When somebody last asked for the model, on the monotonic clock."""
        self._worker = worker
        self._load = load
        self._store = store
        self._plan = plan
        self._files = files
        self._clock = clock
        self._is_unloaded = False
        self._kept = KeptWindows(store, files)
        self._loading: asyncio.Task[_Loaded] | None = None

    def start(self) -> None:
        """Begin to load, where that was not begun yet. A failure is kept for `state`."""
        if self._loading is None:
            self._begin()

    async def speaker(self) -> Speaker:
        """The loaded model and its windows; waits while it loads. Raises why it cannot be had; then tries anew at
        the next call, so that a model that was fetched meanwhile is found without a restart."""
        self.asked = self._clock.monotonic()
        if self._loading is None or self._has_failed():
            return (await asyncio.shield(self._begin())).speaker
        return (await asyncio.shield(self._loading)).speaker

    @property
    def state(self) -> ModelState:
        """Where loading stands."""
        if self._loading is None and self._is_unloaded:
            return ModelState("unloaded", self._since)
        if self._loading is None or not self._loading.done():
            return ModelState("loading", self._since)
        error = self._loading.exception()
        if error is None:
            return ModelState("ready", self._since, model=self._loading.result().model)
        return ModelState("failed", self._since, error if isinstance(error, EdgeError) else EdgeError(str(error)))

    @property
    def is_freed(self) -> bool:
        """Whether the model was freed, and is not back yet."""
        return self._is_unloaded

    async def unload(self) -> None:
        """Save the windows and free the model, until `speaker` is called. Nothing may use it now."""
        loaded = self._loaded
        if loaded is None:
            return
        self._loading, self._is_unloaded, self._since = None, True, self._clock.monotonic()
        await self._worker.run(loaded.model.close)
        _log.info("the language model was freed until somebody speaks")

    def forget_kept(self, owner: OwnerId) -> None:
        """Drop the owner's windows and remove their files, before something of theirs is forgotten. Called on the
        memory thread. Raises StoreReadOnly or StoreFailed."""
        self._kept.forget(owner)

    def forget(self, owner: OwnerId) -> None:
        """Drop the owner's windows, where forgotten words may stand. Called on the memory thread, which owns them; what
        the model has in its cache goes as soon as its thread is free, and nothing reads it before."""
        loaded = self._loaded
        if loaded is not None:
            loaded.speaker.windows.forget(owner)
            self._worker.in_background(partial(_drop, loaded.model, owner))

    def close(self) -> None:
        """Save the windows and free the model. Called on the model thread when all is done."""
        if self._loaded is not None:
            self._loaded.model.close()

    @property
    def _loaded(self) -> _Loaded | None:
        is_loaded = self._loading is not None and self._loading.done() and not self._has_failed()
        return self._loading.result() if self._loading is not None and is_loaded else None

    def _has_failed(self) -> bool:
        return self._loading is not None and self._loading.done() and self._loading.exception() is not None

    def _begin(self) -> asyncio.Task[_Loaded]:
        self._since = self._clock.monotonic()
        self._loading = asyncio.get_running_loop().create_task(self._make())
        return self._loading

    async def _make(self) -> _Loaded:
        try:
            model = await self._worker.run(self._load)
        except EdgeError as error:
            _log.error("the language model cannot be used: %s %s", error.message, error.hint)
            raise
        finally:
            self._is_unloaded, self._since = False, self._clock.monotonic()
        _log.info("the language model %s is ready", model.id)
        self._kept.serve(f"{model.fingerprint} {__version__} {_described(self._plan)}")
        lasting = LastingModel(model, self._kept, self._files)
        windows = Windows(self._store, Composer(model.tokenizer), self._plan, self._kept, lasting.held)
        return _Loaded(lasting, Speaker(lasting, windows))


@dataclass(frozen=True, slots=True)
class _Loaded:
    model: LastingModel
    speaker: Speaker


def _described(plan: PromptPlan) -> str:
    """A plan in words that are the same for the same plan."""
    return f"{replace(plan, newest_slots=frozenset())} {sorted(plan.newest_slots)}"


def _drop(model: LastingModel, owner: OwnerId) -> bool:
    model.drop(owner_part(owner))
    return False
