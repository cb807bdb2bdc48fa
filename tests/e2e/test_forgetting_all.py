"""Everything of one person goes, and nothing of another; only for themselves and for root."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from edge.errors import ForgettingChanged, RequestInvalid
from edge.wire import ForgotAllEvent
from tests.e2e.running import DaemonThread, environment
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import files_holding
from tests.e2e.talking import Talk
from tests.e2e.test_owners import OTHER_UID, OtherUser, other, shared, their_python  # noqa: F401  fixtures
from tests.fakes.language_model import Gate, ScriptedModel

WORDS = [
    "My order number is ORD-55871.",
    "我的电话是 13800138000。",
    "Say: the zabaglione hotel 鳄鱼酒店 <|im_end|> 🚲",
]
HELD = ["55871", "13800138000", "zabaglione", "鳄鱼酒店", "garage and car", "crimson"]
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a second user")


def tell(talk: Talk) -> None:
    for number in range(3):
        for words in WORDS:
            talk.say(words, f"s{number}")
    for number in range(230):
        talk.remember(f"Box {number} crimson", kind="fact_reference")
    talk.clusters.move_to_new(next(iter(talk.all_memories()))["id"], "garage and car")
    talk.set_context("s1", {"current_tool": "crimson"})
    talk.begin_batch("s1", "t", "crimson batch", 3)


def forget_all(talk: Talk, owner: str | None = None, token: str | None = None) -> ForgotAllEvent:
    with talk.forget_all(owner, token) as forgetting:
        for _ in forgetting:
            pass
    return forgetting.result


def test_all_of_oneself(daemon: DaemonThread) -> None:
    talk = daemon.talk
    tell(talk)
    shown = talk.forget_all_preview()
    assert (shown["turns"], shown["sessions"]) == (9, 3)
    assert shown["memories"] > 230
    talk.remember("one more")
    with pytest.raises(ForgettingChanged):
        forget_all(talk, token=shown["token"])
    assert talk.forget_all_preview()["memories"] == shown["memories"] + 1
    gone = forget_all(talk, token=talk.forget_all_preview()["token"])
    assert (gone["memories"], gone["turns"]) == (shown["memories"] + 1, 9)
    assert list(talk.all_memories(past=True)) == []
    assert talk.sessions() == []
    assert talk.clusters.all()["clusters"] == []
    assert talk.batches()["batches"] == []
    assert b"".join(talk.export()).count(b"\n") == 2
    daemon.on_memory_thread(daemon.daemon.memory.store.checkpoint)  # type: ignore[union-attr]
    assert [
        words for words in HELD if any(not name.startswith("head") for name in files_holding(daemon.state, words))
    ] == []
    assert forget_all(talk)["memories"] == 0
    assert talk.say("Say: hello again 你好")["reply"] == "hello again 你好"


@root_only
def test_root_for_another_and_another_for_nobody(shared: DaemonThread, other: OtherUser) -> None:  # noqa: F811
    shared.talk.say("My order number is ORD-55871.")
    assert other.request("POST", "/v1/memories", {"content": "theirs 他们的", "kind": "fact_reference"})[0] == 201
    status, answer = other.request("POST", "/v1/forget-all", {"owner": "uid:0", "preview": True})
    assert (status, answer["error"]["code"]) == (403, "not_permitted")
    assert other.request("POST", "/v1/forget-all", {"owner": "uid:0"})[0] == 403
    assert other.request("POST", "/v1/forget-all", {"preview": True})[1]["memories"] == 1
    mine = shared.talk.forget_all_preview()
    assert forget_all(shared.talk, f"uid:{OTHER_UID}")["memories"] == 1
    assert other.request("GET", "/v1/memories?past=true")[1]["memories"] == []
    assert shared.talk.forget_all_preview() == mine


@pytest.mark.parametrize("owner", ["root", "uid:", "uid:-1", "uid:01", "uid:١", "uid:0\n"])
def test_what_names_nobody(talk: Talk, owner: str) -> None:
    with pytest.raises(RequestInvalid):
        talk.forget_all_preview(owner)


def edge(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-c", "from edge.cli.main import main; raise SystemExit(main())", *arguments)
    return subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=120, check=False)


def test_by_the_command_line(daemon: DaemonThread, folder: Path) -> None:
    daemon.talk.remember("我的自行车是蓝色的")
    assert "1 memories" in edge(folder, "forget", "--all-of", "me", "--preview").stdout
    assert edge(folder, "forget", "--all-of", "me").returncode == 2
    assert edge(folder, "forget", "--all-of", "me", "7", "--yes").returncode == 2
    assert edge(folder, "forget", "--all-of", "me", "--yes").stdout.startswith("Forgotten: all of uid:")
    assert list(daemon.talk.all_memories(past=True)) == []
    with closing(sqlite3.connect(daemon.state / "memory.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("words", ["Say: my zabaglione is ready", "Say: 我的鳄鱼酒店很漂亮"])
def test_a_turn_that_runs_meanwhile_keeps_no_word(folder: Path, words: str) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon, ThreadPoolExecutor(1) as pool:
        running = pool.submit(daemon.talk.say, words, "trip")
        assert gate.reached.wait(60)
        forget_all(daemon.talk)
        gate.open()
        assert running.result()["finish"] == "stop"
        assert list(daemon.talk.all_memories(past=True)) == []
        assert files_holding(daemon.state, words.removeprefix("Say: ")) == []
        assert forget_all(daemon.talk)["turns"] == 1
        assert daemon.talk.sessions() == []
