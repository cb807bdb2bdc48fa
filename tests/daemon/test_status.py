"""What `GET /v1/status` tells when a part has failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from edge.clock import SystemClock
from edge.daemon.main import Daemon, running
from edge.engine.ports import TextEmbedder
from edge.errors import Busy, EdgeError, StoreFailed
from edge.memory.units import OwnerId
from edge.wire import StatusWire
from tests.e2e.running import ScriptedModels, environment, settings_of
from tests.fakes.language_model import ScriptedModel

ANN = OwnerId("uid:1000")


class BrokenEmbedder(ScriptedModels):
    def load_embedder(self) -> TextEmbedder:
        raise RuntimeError("something nobody thought of")


def with_daemon(folder: Path, models: ScriptedModels, use: Callable[[Daemon], Coroutine[Any, Any, StatusWire]]) -> Any:
    async def run() -> StatusWire:
        async with running(settings_of(environment(folder)), models, SystemClock()) as daemon:
            await daemon.speech.speaker()
            return await use(daemon)

    folder.joinpath("state").mkdir(mode=0o700)
    return asyncio.run(run())


def models_of(kind: type[ScriptedModels] = ScriptedModels) -> ScriptedModels:
    return kind(ScriptedModel())


@pytest.mark.parametrize(
    ("failure", "degraded"), [(StoreFailed("The disk is gone."), ["database"]), (Busy("Later."), [])]
)
def test_a_status_without_counts(failure: EdgeError, degraded: list[str], tmp_path: Path) -> None:
    async def ask(daemon: Daemon) -> StatusWire:
        def fail(owner: OwnerId | None) -> dict[str, int]:
            raise failure

        await daemon.workers[0].run(daemon.memory.ensure_vectors)
        daemon.memory.store.counts = fail  # type: ignore[method-assign]
        return await daemon.service.status.read(ANN)

    status = with_daemon(tmp_path, models_of(), ask)
    assert (status["counts"], status["degraded"]) == ({}, degraded)
    assert status["model"]["state"] == "ready"


def test_the_model_that_is_loaded_is_named_not_the_one_that_would_be(tmp_path: Path) -> None:
    class Other(ScriptedModels):
        def language_id(self) -> str:
            return "fetched-meanwhile"

    async def ask(daemon: Daemon) -> StatusWire:
        return await daemon.service.status.read(ANN)

    assert with_daemon(tmp_path, models_of(Other), ask)["model"]["id"] == "scripted"


def test_an_embedder_that_fails_unforeseen_is_told_and_the_daemon_ends_in_order(tmp_path: Path) -> None:
    async def ask(daemon: Daemon) -> StatusWire:
        while daemon.memory.embedder_error is None:
            await asyncio.sleep(0)
        return await daemon.service.status.read(ANN)

    status = with_daemon(tmp_path, models_of(BrokenEmbedder), ask)
    assert (status["embedder"]["state"], status["degraded"]) == ("failed", ["vectors"])
    assert not (tmp_path / "s").exists()
