"""A change between two real embedders: the old one serves until the other has everything, also over a kill."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.running import DaemonProcess
from tests.e2e.talking import Talk, until
from tests.e2e.twin_daemon import TWIN
from tests.models.real_embedder import MODEL, real_files

pytestmark = pytest.mark.models

OLD, NEW = f"{MODEL}/384", f"{TWIN}/384"
ASKED = {
    "When does the airship depart?": "The zeppelin leaves at nine in the morning.",
    "Where do I keep my bicycle?": "The bike stands in the cellar.",
    "飞艇几点起飞？": "飞艇早上九点起飞。",
    "我的猫喜欢吃什么？": "我的猫咪咪最喜欢吃鱼。",
}
FILLING = 26
TOTAL = FILLING + len(ASKED)
TWINS = (sys.executable, "-m", "tests.e2e.twin_daemon", "daemon")


def running(folder: Path, embedder: str) -> DaemonProcess:
    models = folder / "models"
    for name in (MODEL, TWIN):
        (models / name).mkdir(parents=True, exist_ok=True)
        for file in real_files():
            if not (models / name / file.name).exists():
                os.symlink(file, models / name / file.name)
    (folder / "state").mkdir(exist_ok=True)
    return DaemonProcess(folder, TWINS, EDGE_MODELS_DIR=str(models), EDGE_EMBEDDER_ID=embedder)


def serves(talk: Talk) -> str | None:
    index = talk.index()["serving"]
    return None if index is None else index["embedder"]


def done(talk: Talk) -> int:
    return talk.status()["embedder"]["done"]


def is_found(talk: Talk) -> bool:
    """Each by a question in other words, and by meaning too."""
    for question, told in ASKED.items():
        recalled = talk.recall(question, explain=True)["recalled"]
        found = [unit for unit in recalled if unit["content"] == told]
        if not found or "dense" not in found[0]["signals"]:
            return False
    return True


def fill(folder: Path) -> None:
    daemon = running(folder, MODEL)
    with daemon as talk:
        for text in ASKED.values():
            talk.remember(text, kind="fact_reference")
        for number in range(FILLING):
            talk.remember(f"Box {number} is on shelf {number // 7}. 第{number}箱。", kind="fact_reference")
        until(lambda: serves(talk) == OLD and talk.status()["counts"]["unembedded"] == 0)
        assert is_found(talk)
        assert daemon.stop() == 0, daemon.log


def stays_half_way(talk: Talk) -> None:
    """The old one serves, and it is told how far the other is."""
    until(lambda: serves(talk) == OLD and 2 * done(talk) >= TOTAL)
    embedder = talk.status()["embedder"]
    assert (embedder["id"], embedder["changing_to"], embedder["total"]) == (MODEL, NEW, TOTAL)
    assert TOTAL / 2 <= embedder["done"] < TOTAL
    assert is_found(talk)


def test_another_real_embedder_takes_over_when_it_has_everything(folder: Path) -> None:
    fill(folder)
    hold = folder / "state" / "hold"
    hold.touch()
    daemon = running(folder, TWIN)
    with daemon as before:
        stays_half_way(before)
        daemon.kill()
        talk = daemon.start()
        stays_half_way(talk)
        hold.unlink()
        talk.remember("The rest may come.", kind="fact_reference")
        until(lambda: serves(talk) == NEW and talk.status()["embedder"]["changing_to"] is None)
        until(lambda: {path.name for path in (daemon.state / "index").iterdir()} == {NEW.replace("/", "-")})
        assert (done(talk), talk.status()["degraded"]) == (TOTAL + 1, [])
        assert is_found(talk)
        assert daemon.stop() == 0
    assert f"{NEW} serves now in place of {OLD}" in daemon.log
    assert "Traceback" not in daemon.log, daemon.log
