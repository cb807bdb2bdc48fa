"""What `GET /v1/status` tells when a part has failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from edge.clock import SystemClock
from edge.daemon.assembly import Daemon
from edge.daemon.main import running
from edge.engine.model_ports import Embedded, TextEmbedder
from edge.errors import Busy, EdgeError, EmbedderFailed, ModelMissing, StoreFailed
from edge.memory.units import OwnerId
from edge.wire import EmbedderStatus, StatusWire
from tests.e2e.running import ScriptedModels, environment, settings_of
from tests.fakes.embedder import HashEmbedder
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

    folder.joinpath("state").mkdir(mode=0o700, exist_ok=True)
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


class Lame(HashEmbedder):
    """Embeds nothing that is stored."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        raise EmbedderFailed("It broke off.")


class Missing(ScriptedModels):
    """The embedder of the settings is not on the machine."""

    def load_embedder(self) -> TextEmbedder:
        raise ModelMissing("model.onnx is not there.")


async def tell(daemon: Daemon) -> StatusWire:
    """Two memories, embedded."""

    def told() -> None:
        for text in ("飞艇九点起飞。", "The bike is blue."):
            daemon.memory.remember.statement(ANN, None, text, SystemClock().now())
        while daemon.memory.step():
            pass

    await daemon.workers[0].run(daemon.memory.ensure_vectors)
    await daemon.workers[0].run(told)
    return await daemon.service.status.read(ANN)


async def look(daemon: Daemon) -> StatusWire:
    await daemon.workers[0].run(daemon.memory.ensure_vectors)
    return await daemon.service.status.read(ANN)


def test_a_change_of_embedder_is_told_with_how_far_it_is(tmp_path: Path) -> None:
    old = HashEmbedder(64, model_id="old")
    before = with_daemon(tmp_path, ScriptedModels(ScriptedModel(), old), tell)["embedder"]
    assert (before["id"], before["changing_to"], before["done"], before["total"]) == ("old", None, 2, 2)
    coming = ScriptedModels(ScriptedModel(), Lame(32, model_id="new"), old)
    status = with_daemon(tmp_path, coming, look)
    embedder = status["embedder"]
    assert (embedder["id"], embedder["state"], embedder["error"]) == ("old", "ready", None)
    assert (embedder["changing_to"], embedder["done"], embedder["total"]) == ("new/32", 0, 2)
    assert (status["degraded"], status["counts"]["unembedded"]) == ([], 0)
    assert embedder.keys() == get_type_hints(EmbedderStatus).keys()


def test_where_the_embedder_of_the_settings_is_missing_the_one_before_is_ready_and_the_reason_told(
    tmp_path: Path,
) -> None:
    old = HashEmbedder(64, model_id="old")
    with_daemon(tmp_path, ScriptedModels(ScriptedModel(), old), tell)
    status = with_daemon(tmp_path, Missing(ScriptedModel(), old), look)
    embedder = status["embedder"]
    assert (embedder["id"], embedder["state"]) == ("old", "ready")
    assert embedder["error"]["code"] == "model_missing"
    assert embedder["changing_to"] == status["settings"]["embedder.id"]["value"]
    assert status["degraded"] == []
