"""A change of embedder in a daemon that is stopped, killed and started: nothing is lost, nothing is mixed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.e2e.running import DaemonProcess
from tests.e2e.talking import Talk, until

TOLD = ("The zeppelin leaves at nine.", "飞艇九点起飞。", "我的猫叫咪咪，喜欢吃鱼。", "The bike is blue.")
FILLING = 60


def running(folder: Path, *embedders: str) -> DaemonProcess:
    """A daemon on a machine with these embedders, the first in its settings."""
    return DaemonProcess(folder, EDGE_TEST_EMBEDDERS=",".join(embedders), EDGE_INDEX_HEAD="64")


def fill(folder: Path, embedder: str) -> None:
    """Tell all in a first life, and have it embedded."""
    daemon = running(folder, embedder)
    with daemon as talk:
        for text in TOLD:
            talk.remember(text, kind="fact_reference")
        for number in range(FILLING):
            talk.remember(f"Box {number} is on shelf {number // 7}. 第{number}箱。", kind="fact_reference")
        until(lambda: talk.status()["counts"]["unembedded"] == 0)
        assert daemon.stop() == 0


def serves(talk: Talk) -> str:
    """The key of the embedder that is searched."""
    until(lambda: talk.status()["embedder"]["state"] == "ready")
    serving = talk.index()["serving"]
    assert serving is not None
    return serving["embedder"]


def found(talk: Talk) -> bool:
    """Whether all that was told is found."""
    recalled = {text: talk.recall(text)["recalled"] for text in TOLD}
    return all(any(unit["content"] == text for unit in units) for text, units in recalled.items())


def found_by_meaning(talk: Talk) -> bool:
    best = [talk.recall(text, explain=True)["recalled"][0] for text in TOLD]
    return [unit["content"] for unit in best] == list(TOLD) and all("dense" in unit["signals"] for unit in best)


def ends(talk: Talk, daemon: DaemonProcess, key: str) -> None:
    """Wait for the end of a change, and check that all is there and nothing is left over."""
    until(lambda: serves(talk) == key and talk.status()["embedder"]["changing_to"] is None)
    until(lambda: talk.status()["counts"]["unembedded"] == 0)
    folder = key.replace("/", "-")
    until(lambda: bool(talk.status()) and {path.name for path in (daemon.state / "index").iterdir()} == {folder})
    status = talk.status()
    assert status["embedder"]["id"] == key.rpartition("/")[0]
    assert (status["embedder"]["done"], status["embedder"]["total"]) == (FILLING + len(TOLD),) * 2
    assert status["degraded"] == []
    assert found_by_meaning(talk)
    index = talk.index()
    assert (index["coming"], index["changing"]) == (None, None)


@pytest.mark.parametrize(
    ("old", "new"), [("a/64", "b/32"), ("b/32", "a/64"), ("a/64", "a/32"), ("a/32", "a/64"), ("a/64", "b/64")]
)
def test_another_embedder_takes_over_when_it_has_everything(folder: Path, old: str, new: str) -> None:
    fill(folder, old)
    daemon = running(folder, new, old)
    with daemon as talk:
        assert found(talk)
        ends(talk, daemon, new)
        assert daemon.stop() == 0
        assert f"{new} serves now in place of {old}" in daemon.log
        again = daemon.start()
        assert serves(again) == new
        assert found_by_meaning(again)
        assert daemon.stop() == 0
    assert "Traceback" not in daemon.log, daemon.log


def test_a_change_that_is_killed_again_and_again_comes_to_its_end(folder: Path) -> None:
    fill(folder, "a/64")
    chance = random.Random(7)
    daemon = running(folder, "b/32", "a/64")
    with daemon as first:
        talk = first
        for life in range(6):
            assert serves(talk) in ("a/64", "b/32")
            assert found(talk)
            for _ in range(chance.randint(0, life)):
                talk.alive()
            daemon.kill()
            talk = daemon.start()
        ends(talk, daemon, "b/32")
        assert daemon.stop() == 0


def test_settings_that_go_back_leave_nothing_of_the_other(folder: Path) -> None:
    fill(folder, "a/64")
    forth, back = running(folder, "b/32", "a/64"), running(folder, "a/64", "b/32")
    for _ in range(3):
        with forth as talk:
            assert found(talk)
            forth.kill()
        with back as talk:
            assert found(talk)
            back.kill()
    with back as talk:
        ends(talk, back, "a/64")
        assert back.stop() == 0


def test_where_the_one_before_is_gone_the_other_serves_at_once(folder: Path) -> None:
    fill(folder, "a/64")
    daemon = running(folder, "b/32")
    with daemon as talk:
        assert serves(talk) == "b/32"
        assert found(talk)
        ends(talk, daemon, "b/32")
        assert daemon.stop() == 0
    assert "takes over from a/64 at once" in daemon.log


def test_the_first_form_of_the_index_is_removed(folder: Path) -> None:
    fill(folder, "a/64")
    daemon = running(folder, "a/64")
    old = [daemon.state / "index" / name for name in ("index.json", "vectors-0a1b.hnsw", "units-0a1b.i64")]
    for path in old:
        path.write_bytes(b"of the first form")
    with daemon as talk:
        assert found(talk)
        assert not any(path.exists() for path in old)
        ends(talk, daemon, "a/64")
        assert daemon.stop() == 0
