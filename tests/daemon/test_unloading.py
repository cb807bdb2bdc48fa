"""The model is freed when nobody has used it for a while, and not before."""

from __future__ import annotations

import asyncio
import gc
import weakref
from pathlib import Path

import pytest

from edge.daemon.speaking import ModelHolder
from edge.daemon.unloading import Unloading
from edge.daemon.workers import ThreadWorker
from edge.engine.model_ports import LanguageModel
from edge.models.kv_files import KvFiles
from tests.engine.making import plan
from tests.fakes.clock import SetClock
from tests.fakes.language_model import ScriptedModel
from tests.fakes.memory_store import FakeMemoryStore


class Made:
    """A holder with its watcher; `used` says whether something uses the model."""

    def __init__(self, folder: Path, idle_seconds: float) -> None:
        self.clock = SetClock()
        self.used = False
        self.models: list[weakref.ref[ScriptedModel]] = []
        self.worker = ThreadWorker("model", 8)
        files = KvFiles(folder, 4, 1 << 20)
        self.holder = ModelHolder(self.worker, self.load, FakeMemoryStore(), plan(), files, self.clock)
        self.unloading = Unloading(self.holder, idle_seconds, lambda: self.used, self.clock)

    def load(self) -> LanguageModel:
        model = ScriptedModel()
        self.models.append(weakref.ref(model))
        return model

    async def after(self, seconds: float) -> str:
        """The model's state when so much time has gone by."""
        self.clock.pass_by(seconds=seconds)
        await self.unloading.look()
        return self.holder.state.state


@pytest.mark.parametrize("idle_seconds", [600, 0])
def test_only_what_nobody_uses_is_freed(tmp_path: Path, idle_seconds: int) -> None:
    async def story() -> None:
        made = Made(tmp_path, idle_seconds)
        assert await made.after(10_000) == "loading"
        await made.holder.speaker()
        assert await made.after(599) == "ready"
        await made.holder.speaker()
        assert await made.after(599) == "ready"
        made.used = True
        assert await made.after(5000) == "ready"
        made.used = False
        assert await made.after(599) == "ready"
        assert await made.after(1) == ("unloaded" if idle_seconds else "ready")
        assert made.holder.is_freed is (idle_seconds > 0)
        await asyncio.to_thread(made.worker.close)

    asyncio.run(asyncio.wait_for(story(), 60))


def test_a_freed_model_is_gone_and_the_next_turn_loads_another(tmp_path: Path) -> None:
    async def story() -> None:
        made = Made(tmp_path, 600)
        await made.holder.speaker()
        assert await made.after(600) == "unloaded"
        gc.collect()
        assert made.models[0]() is None
        made.clock.pass_by(seconds=30)
        assert made.clock.monotonic() - made.holder.state.since == 30
        made.holder.close()
        assert (await made.holder.speaker()).model.id
        assert made.holder.state.state == "ready"
        assert not made.holder.is_freed
        assert len(made.models) == 2
        await asyncio.to_thread(made.worker.close, made.holder.close)

    asyncio.run(asyncio.wait_for(story(), 60))
