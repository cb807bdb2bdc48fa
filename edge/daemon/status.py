"""What `GET /v1/status` tells: states, memory by part, speed, and the settings in force."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

from edge import __version__
from edge.clock import Clock
from edge.daemon.memory import Memory
from edge.daemon.resident import mapped_bytes, resident_bytes
from edge.daemon.speaking import ModelHolder
from edge.engine.ports import Worker
from edge.engine.speed import Speed
from edge.engine.turn import Turns
from edge.errors import Busy, EdgeError
from edge.memory.units import OwnerId
from edge.settings import SECTIONS, Settings
from edge.wire import API_VERSION, ModelStatus, SettingWire, StatusWire

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Held:
    """What the memory thread tells of what it owns."""

    counts: dict[str, int]
    index_bytes: int = 0
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """Reads the state of all parts. Lives on the event loop."""

    settings: Settings
    model_id: Callable[[], str]
    memory: Memory
    memory_worker: Worker
    turns: Turns
    speech: ModelHolder
    speed: Speed
    embedder_bytes: Callable[[], int]
    clock: Clock
    started: float

    async def read(self, owner: OwnerId) -> StatusWire:
        """The status, with the counts of that owner; without them where the memory thread is too busy to count, or the
        database fails, which is then named in `degraded`."""
        held = await self._ask_memory(owner)
        places = self.settings.places
        return {
            "version": __version__,
            "api": API_VERSION,
            "pid": os.getpid(),
            "uptime_seconds": round(self.clock.monotonic() - self.started, 1),
            "owner": owner,
            "state_dir": str(places.state),
            "socket": str(places.socket),
            "config": str(places.config),
            "model": await self._model(),
            "embedder": self._embedder(),
            "queue": {"turns": self.turns.depth, "limit": self.settings.daemon.queue},
            "counts": held.counts,
            "memory": self._memory(held.index_bytes),
            "speed": {"prefill_tokens_s": self.speed.prefill, "generate_tokens_s": self.speed.generate},
            "degraded": [*held.degraded, *([] if self.memory.vectors.index is not None else ["vectors"])],
            "settings": settings_wire(self.settings),
        }

    async def _ask_memory(self, owner: OwnerId) -> _Held:
        try:
            return await self.memory_worker.run(partial(self._count, owner))
        except Busy:
            return _Held({})
        except EdgeError as error:
            _log.error("the database cannot be counted: %s", error.message)
            return _Held({}, degraded=("database",))

    def _count(self, owner: OwnerId) -> _Held:
        """On the memory thread."""
        counts, everyone = self.memory.store.counts(owner), self.memory.store.counts(None)
        index = self.memory.vectors.index
        return _Held(
            {**counts, "unembedded": everyone["unembedded"], "database_bytes": everyone["bytes"]},
            index.memory_bytes() if index is not None else 0,
        )

    async def _model(self) -> ModelStatus:
        """The model that is loaded; until then the one that would be, for which files may have to be read whole."""
        state = self.speech.state
        return {
            "id": await asyncio.to_thread(self.model_id) if state.model is None else state.model.id,
            "state": state.state,
            "file": self.settings.model.file or None,
            "error": None if state.error is None else state.error.to_wire(),
        }

    def _embedder(self) -> ModelStatus:
        error = self.memory.embedder_error
        ready = self.memory.vectors.index is not None
        return {
            "id": self.settings.embedder.id,
            "state": "ready" if ready else "failed" if error else "loading",
            "file": None,
            "error": None if error is None or ready else error.to_wire(),
        }

    def _memory(self, index_bytes: int) -> dict[str, int]:
        """Resident bytes by part; `rest` is the interpreter, its libraries, and what no part accounts for."""
        parts = {"model_weights": 0, "model_kv": 0, "model_compute": 0}
        model = self.speech.state.model
        if model is not None:
            told = model.memory()
            parts = {
                "model_weights": mapped_bytes(".gguf"),
                "model_kv": told["kv"],
                "model_compute": told["compute"],
            }
        parts["embedder"] = self.embedder_bytes()
        parts["index"] = index_bytes
        total = resident_bytes()
        return {**parts, "rest": max(0, total - sum(parts.values())), "total": total}


def settings_wire(settings: Settings) -> dict[str, SettingWire]:
    """Every setting in force, by `section.key`, with its origin."""
    return {
        f"{section}.{field.name}": {
            "value": getattr(getattr(settings, section), field.name),
            "origin": settings.origins.get(f"{section}.{field.name}", "default"),
        }
        for section, kind in SECTIONS.items()
        for field in fields(kind)
    }
