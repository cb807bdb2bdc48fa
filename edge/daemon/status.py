"""What `GET /v1/status` tells: states, memory by part, speed, and the settings in force."""

from __future__ import annotations

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
from edge.errors import Busy
from edge.memory.units import OwnerId
from edge.settings import SECTIONS, Settings
from edge.wire import API_VERSION, ModelStatus, SettingWire, StatusWire


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
        """The status, with the counts of that owner; without them where the memory thread is too busy to count."""
        try:
            counts = await self.memory_worker.run(partial(self.memory.store.counts, owner))
            everyone = await self.memory_worker.run(partial(self.memory.store.counts, None))
            counts = {**counts, "unembedded": everyone["unembedded"], "database_bytes": everyone["bytes"]}
        except Busy:
            counts = {}
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
            "model": self._model(),
            "embedder": self._embedder(),
            "queue": {"turns": self.turns.depth, "limit": self.settings.daemon.queue},
            "counts": counts,
            "memory": self._memory(),
            "speed": {"prefill_tokens_s": self.speed.prefill, "generate_tokens_s": self.speed.generate},
            "degraded": [] if self.memory.vectors.index is not None else ["vectors"],
            "settings": settings_wire(self.settings),
        }

    def _model(self) -> ModelStatus:
        state = self.speech.state
        return {
            "id": self.model_id(),
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

    def _memory(self) -> dict[str, int]:
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
        index = self.memory.vectors.index
        parts["embedder"] = self.embedder_bytes()
        parts["index"] = index.memory_bytes() if index is not None else 0
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
