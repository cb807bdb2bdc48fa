"""The language model of the daemon: when it is loaded, and when it is tried again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from edge.daemon.speaking import ModelHolder
from edge.daemon.workers import ThreadWorker
from edge.engine.model_ports import LanguageModel
from edge.errors import ModelMissing
from edge.models.kv_files import KvFiles
from tests.engine.making import plan
from tests.fakes.clock import SetClock
from tests.fakes.language_model import ScriptedModel
from tests.fakes.memory_store import FakeMemoryStore


def test_a_model_that_failed_is_tried_again_by_the_next_turn_and_by_nothing_else(tmp_path: Path) -> None:
    tries: list[int] = []

    def load() -> LanguageModel:
        tries.append(1)
        if len(tries) == 1:
            raise ModelMissing("It is not here yet.")
        return ScriptedModel()

    async def story() -> None:
        worker = ThreadWorker("model", 8)
        holder = ModelHolder(worker, load, FakeMemoryStore(), plan(), KvFiles(tmp_path, 4, 1 << 20), SetClock())
        with pytest.raises(ModelMissing):
            await holder.speaker()
        holder.start()  # the daemon, whose embedder took longer than the first turn
        failed = holder.state
        assert (failed.state, failed.error is not None) == ("failed", True)
        assert (await holder.speaker()).model.id
        assert holder.state.state == "ready"
        assert len(tries) == 2
        await asyncio.to_thread(worker.close)

    asyncio.run(asyncio.wait_for(story(), 30))
