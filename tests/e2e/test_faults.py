"""Disks that are full or read-only, models that are missing or cut: told by name, and the daemon goes on."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.errors import DiskFull, EdgeError, ModelDamaged, ModelMissing, StoreFailed
from tests.disks import fill, mounted, root_only
from tests.e2e.running import REAL, DaemonProcess, environment
from tests.e2e.stored import stored_turns
from tests.e2e.talking import Talk
from tests.folders import MODEL_FOLDERS
from tests.models.real_llama import MODEL


def remember_refused(talk: Talk, kind: type[EdgeError]) -> EdgeError:
    """Write until it is refused, by a turn and by a statement; the error of the turn."""
    with pytest.raises(kind) as by_turn:
        talk_much(talk)
    with pytest.raises(kind):
        remember_much(talk)
    return by_turn.value


def talk_much(talk: Talk) -> None:
    for number in range(200):
        talk.say(f"My order number is FULL-{number:04}. {'长话' * 300}")


def remember_much(talk: Talk, words: str = "长话" * 300) -> None:
    for number in range(200):
        talk.remember(f"The safe code is {number:04}. {words}")


@root_only
def test_on_a_full_disk_it_says_that_it_was_not_remembered_and_goes_on(folder: Path) -> None:
    with mounted(folder / "state", "size=6m,mode=0700") as state:
        daemon = DaemonProcess(folder)
        with daemon as talk:
            talk.say("My name is Zhang Wei.")
            talk.remember("我的自行车是蓝色的")
            fill(state)
            error = remember_refused(talk, DiskFull)
            assert "nothing was remembered" in error.hint
            assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]
            assert talk.alive()
            known = {turn.message for turn in stored_turns(state)}
            (state / "filler").unlink()
            assert talk.say("Say: room again")["reply"] == "room again"
            assert talk.remember("The bike has a bell")["added"]
            assert known <= {turn.message for turn in stored_turns(state)}
            assert daemon.stop() == 0
        assert "Traceback" not in daemon.log, daemon.log
        with daemon as talk:
            assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]
            assert not any(turn.state == "open" for turn in stored_turns(state))


@root_only
def test_on_a_full_disk_it_still_forgets(folder: Path) -> None:
    with mounted(folder / "state", "size=24m,mode=0700") as state:
        daemon = DaemonProcess(folder)
        with daemon as talk:
            talk.say("My name is Zhang Wei.")
            bike = talk.remember("我的自行车是蓝色的")["added"][0]
            talk.say("The zeppelin leaves at nine.", "trip")
            car = talk.remember("The car stands in Elm Street")["added"][0]
            fill(state)
            remember_refused(talk, DiskFull)
            assert bike in talk.forget(bike)["forgotten"]
            fill(state)
            remember_refused(talk, DiskFull)
            preview = talk.forget_preview(session="trip")
            assert talk.forget_selected(preview["token"], session="trip")["forgotten"]
            assert car in talk.forget_selected(ids=[car])["forgotten"]
            fill(state)
            remember_refused(talk, DiskFull)
            known = {unit["content"] for unit in talk.all_memories(past=True)}
            assert not any(word in content for content in known for word in ("自行车", "zeppelin", "Elm Street"))
            assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]
            (state / "filler").unlink()
            assert talk.remember("The bike has a bell")["added"]
            assert daemon.stop() == 0
        assert "Traceback" not in daemon.log, daemon.log
        for word in ("自行车", "zeppelin", "Elm Street"):
            assert not any(word.encode() in path.read_bytes() for path in state.rglob("*") if path.is_file())


@root_only
def test_on_a_full_disk_it_ends_in_order_and_has_all_at_the_next_start(folder: Path) -> None:
    with mounted(folder / "state", "size=6m,mode=0700") as state:
        daemon = DaemonProcess(folder)
        with daemon as talk:
            talk.say("My name is Zhang Wei.")
            fill(state)
            remember_refused(talk, DiskFull)
            assert daemon.stop() == 0
        assert "Traceback" not in daemon.log, daemon.log
        (state / "filler").unlink()
        with daemon as talk:
            assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]


@root_only
def test_killed_on_a_full_disk_it_starts_again_and_tells_what_it_knows(folder: Path) -> None:
    with mounted(folder / "state", "size=6m,mode=0700") as state:
        daemon = DaemonProcess(folder)
        with daemon as talk:
            talk.say("My name is Zhang Wei.")
            with pytest.raises(DiskFull):
                remember_much(talk, "长话" * 8000)
            fill(state)
            daemon.kill()
        with daemon as talk:
            assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]
            subprocess.run(["mount", "-o", "remount,size=24m", str(state)], check=True)
            assert talk.say("Say: 又有空间了")["reply"] == "又有空间了"


def test_when_writing_fails_it_says_so_and_reads_on(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        talk.say("My name is Zhang Wei.")
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        error = remember_refused(talk, StoreFailed)
        assert error.hint
        assert talk.alive()
        assert "Zhang Wei" in talk.recall("What is my name?")["recalled"][0]["content"]
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert talk.say("Say: 又能写了")["reply"] == "又能写了"
        assert daemon.stop() == 0
    assert not any(turn.state == "open" for turn in stored_turns(daemon.state))


@root_only
def test_a_state_folder_on_a_read_only_disk_keeps_it_from_starting_with_a_clear_word(folder: Path) -> None:
    with mounted(folder / "state", "size=6m,mode=0700") as state:
        subprocess.run(["mount", "-o", "remount,ro", str(state)], check=True)
        refused = subprocess.run(REAL, env=environment(folder), capture_output=True, text=True, timeout=120)
    assert refused.returncode == 7
    assert "Traceback" not in refused.stderr
    assert str(state) in refused.stderr or "writ" in refused.stderr


def test_a_state_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    (folder / "file").write_text("")
    environ = environment(folder, EDGE_STATE_DIR=str(folder / "file/state"))
    refused = subprocess.run(REAL, env=environ, capture_output=True, text=True, timeout=120)
    assert refused.returncode == 7
    assert str(folder / "file/state") in refused.stderr


def test_without_models_memory_serves_and_status_says_what_to_do(folder: Path) -> None:
    daemon = DaemonProcess(folder, REAL, EDGE_MODELS_DIR=str(folder / "models"))
    with daemon as talk:
        added = talk.remember("My order number is ORD-55871.")["added"]
        talk.remember("我的猫叫咪咪")
        assert "ORD-55871" in talk.recall("What is my order number?")["recalled"][0]["content"]
        assert "咪咪" in talk.recall("猫")["recalled"][0]["content"]
        assert talk.recall("猫")["degraded"] == ["vectors"]
        with pytest.raises(ModelMissing) as missing:
            talk.say("Hello")
        status = talk.status()
        assert status["model"]["state"] == status["embedder"]["state"] == "failed"
        for told in (missing.value.to_wire(), status["model"]["error"], status["embedder"]["error"]):
            assert told is not None
            assert "edge models fetch" in str(told["hint"])
        assert talk.sessions() == []
        assert talk.forget(added[0])["forgotten"]
        assert daemon.stop() == 0


@pytest.mark.models
def test_a_cut_model_is_named_and_a_whole_one_is_taken_without_a_restart(folder: Path) -> None:
    models = folder / "models"
    source = next(place for place in MODEL_FOLDERS if (place / MODEL).is_dir())
    target = models / MODEL / f"{MODEL}.gguf"
    target.parent.mkdir(parents=True)
    with (source / MODEL / target.name).open("rb") as whole:
        target.write_bytes(whole.read(1_000_000))
    daemon = DaemonProcess(folder, REAL, EDGE_MODELS_DIR=str(models))
    with daemon as talk:
        with pytest.raises(ModelDamaged) as damaged:
            talk.say("Hello")
        assert MODEL in damaged.value.message
        assert f"edge models fetch {MODEL}" in (talk.status()["model"]["error"] or {})["hint"]  # type: ignore[operator]
        talk.remember("The bike is blue")
        for model in source.iterdir():
            shutil.rmtree(models / model.name, ignore_errors=True)
            os.symlink(model, models / model.name)
        assert talk.say("Hello", reply_tokens=4)["usage"]["completion_tokens"] > 0
        assert talk.status()["model"]["state"] == "ready"
        assert talk.recall("bike")["degraded"] == []
        assert daemon.stop() == 0
