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
from edge.daemon.indexes import change_wire
from edge.daemon.memory import Memory
from edge.daemon.night_views import offpeak_wire
from edge.daemon.offpeak import Schedule
from edge.daemon.resident import mapped_bytes, resident_bytes
from edge.daemon.speaking import ModelHolder
from edge.engine.ports import Worker
from edge.engine.speed import Speed
from edge.engine.turn import Turns
from edge.errors import Busy, EdgeError
from edge.memory.units import OwnerId
from edge.settings import SECTIONS, Settings
from edge.wire import API_VERSION, ChangeWire, EmbedderStatus, LanguageModelStatus, SettingWire, StatusWire

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Held:
    """What the memory thread tells of what it owns."""

    counts: dict[str, int]
    units: int = 0
    embedded: int = 0
    index_bytes: int = 0
    kept_bytes: int = 0
    changing: ChangeWire | None = None
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
    schedule: Schedule
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
            "embedder": self._embedder(held),
            "queue": {"turns": self.turns.depth, "limit": self.settings.daemon.queue},
            "counts": held.counts,
            "memory": self._memory(held),
            "speed": {"prefill_tokens_s": self.speed.prefill, "generate_tokens_s": self.speed.generate},
            "offpeak": offpeak_wire(self.schedule.look_only()),
            "degraded": list(held.degraded),
            "settings": settings_wire(self.settings),
        }

    async def of_all(self) -> tuple[dict[str, int], dict[str, int], tuple[str, ...]]:
        """Counts of all owners together, empty where they cannot be had; resident bytes by part; what is degraded."""
        held = await self._ask_memory(None)
        return held.counts, self._memory(held), held.degraded

    async def _ask_memory(self, owner: OwnerId | None) -> _Held:
        try:
            return await self.memory_worker.run(partial(self._count, owner))
        except EdgeError as error:
            vectors = () if self.memory.vectors.index is not None else ("vectors",)
            if isinstance(error, Busy):
                return _Held({}, degraded=vectors)
            _log.error("the database cannot be counted: %s", error.message)
            return _Held({}, degraded=("database", *vectors))

    def _count(self, owner: OwnerId | None) -> _Held:
        """On the memory thread."""
        everyone = self.memory.store.counts(None)
        counts = everyone if owner is None else self.memory.store.counts(owner)
        return _Held(
            {**counts, "unembedded": everyone["unembedded"], "database_bytes": everyone["bytes"]},
            everyone["units"],
            everyone["units"] - everyone["unembedded"],
            sum(pair.index.memory_bytes() for pair in self.memory.vectors.pairs),
            self.memory.store.kept_bytes(),
            change_wire(self.memory),
            self.memory.vectors.degraded,
        )

    async def model_name(self) -> str:
        """The id of the model that is loaded; until then of the one that would be, for which files may have to be read
        whole."""
        model = self.speech.state.model
        return await asyncio.to_thread(self.model_id) if model is None else model.id

    async def _model(self) -> LanguageModelStatus:
        state = self.speech.state
        return {
            "id": await self.model_name(),
            "state": state.state,
            "state_seconds": round(self.clock.monotonic() - state.since, 1),
            "file": self.settings.model.file or None,
            "error": None if state.error is None else state.error.to_wire(),
        }

    def _embedder(self, held: _Held) -> EmbedderStatus:
        """The one that serves; where there is none, the one of the settings."""
        error, serving, wanted = self.memory.embedder_error, self.memory.vectors.embedder, self.settings.embedder.id
        changing = held.changing
        waits = wanted if serving is not None and error is not None else None
        return {
            "id": wanted if serving is None else serving.id,
            "state": "ready" if serving is not None else "failed" if error else "loading",
            "file": None,
            "error": None if error is None else error.to_wire(),
            "changing_to": waits if changing is None else changing["embedder"],
            "done": held.embedded if changing is None else changing["done"],
            "total": held.units if changing is None else changing["total"],
        }

    def _memory(self, held: _Held) -> dict[str, int]:
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
        parts["index"] = held.index_bytes
        parts["recall_cache"] = held.kept_bytes
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
