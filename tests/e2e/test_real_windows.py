"""What the real model has evaluated of sessions outlasts stops; kills and full disks cost no more than it."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from edge.engine.kv_ports import Lane
from edge.errors import EdgeError
from edge.models.kv_files import KvFiles
from tests.disks import mounted, root_only
from tests.e2e.real import real_daemon
from tests.e2e.running import DaemonProcess
from tests.e2e.talking import Talk
from tests.e2e.test_windows_across_time import assert_only_new, only_new

pytestmark = pytest.mark.models

CONTEXT = 1024
ROLE_TOKENS = 80
"""The role text takes fewer, in either language."""
SESSIONS = ("home", "work", "旅行")
ENGLISH = "The train to the coast leaves early, and we carry the blue lamp, the kettle and the map with us. " * 8
CHINESE = "去海边的火车很早就开，我们带着蓝色的台灯、水壶和地图，路上还要给妹妹打电话。" * 8


def talk_long(talk: Talk, session: str, number: int) -> None:
    """A turn of some 200 tokens: three sessions of them have no room beside each other."""
    words = CHINESE if session == "旅行" else ENGLISH
    talk.say(f"{number}. {words}", session, reply_tokens=4)


def files(daemon: DaemonProcess, pattern: str = "*.kv") -> list[Path]:
    return sorted((daemon.state / "kv").glob(f"*/{pattern}"))


def test_sessions_go_on_after_a_stop_and_new_ones_begin_as_they_do(folder: Path) -> None:
    daemon = real_daemon(folder)
    with daemon as first:
        talk = first
        talk.say("My name is Zhang Wei.", "home", reply_tokens=8)
        talk.say("I walked along the river today.", "home", reply_tokens=8)
        talk.say("我们说说旅行。", "旅行", reply_tokens=8)
        assert daemon.stop() == 0
        talk = daemon.start()
        assert_only_new(talk.say("And tomorrow I stay at home.", "home", reply_tokens=8))
        assert_only_new(talk.say("明天我在家。", "旅行", reply_tokens=8))
        assert daemon.stop() == 0
        talk = daemon.start()
        for message, session, role in (("Good morning!", "garden", 60), ("早上好！", "厨房", 55)):
            usage = talk.say(message, session, reply_tokens=8)["usage"]
            assert usage["reused_tokens"] > role, session
            assert usage["evaluated_tokens"] < 30, session
        assert daemon.stop() == 0


@pytest.mark.parametrize("at", [0.3, 0.97], ids=["cut in its keys", "cut in its header"])
def test_a_cut_file_costs_its_evaluation_and_is_told_of(folder: Path, at: float) -> None:
    daemon = real_daemon(folder)
    with daemon as first:
        talk = first
        talk.say("I walked along the river today. 我沿着河边散步。", "home", reply_tokens=8)
        assert daemon.stop() == 0
        (path,) = (path for path in files(daemon) if path.stem not in ("en", "zh"))
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * at)])
        talk = daemon.start()
        after = talk.say("And what did I do today? 我做了什么？", "home", reply_tokens=8)
        assert after["usage"]["compacted"]
        assert after["usage"]["reused_tokens"] < ROLE_TOKENS
        assert f"{path.name} with a session's window is ignored and removed" in daemon.log
        assert_only_new(talk.say("Thank you. 谢谢。", "home", reply_tokens=8))


def kill_while_windows_are_written(folder: Path, times: int) -> None:
    """Killed while a file is under way; then every session goes on, with what is whole, and nothing else is left."""
    daemon = real_daemon(folder, EDGE_MODEL_CONTEXT=str(CONTEXT))
    with daemon as first:
        talk = first
        for life in range(times):
            _kill_in_the_middle(daemon, talk, life)
            talk = daemon.start()
            assert files(daemon, "*.part") == []
            for session in SESSIONS:
                talk.say("And now? 现在呢？", session, reply_tokens=4)
                done = talk.say("And then? 然后呢？", session, reply_tokens=4)
                assert done["usage"]["compacted"] or only_new(done)
        assert daemon.stop() == 0
        assert "Traceback" not in daemon.log
        kept = KvFiles(daemon.state / "kv", 16, 1 << 30)
        assert files(daemon)
        for path in files(daemon):
            assert kept.body(Lane(f"{path.parent.name}/{path.stem}")) == str(path)


def _kill_in_the_middle(daemon: DaemonProcess, talk: Talk, life: int) -> None:
    """Sessions take turns until a file is under way; the life's number decides which one it dies in."""
    gone = threading.Event()

    def speak() -> None:
        with suppress(EdgeError):
            for number in range(100):
                if gone.is_set():
                    return
                talk_long(talk, SESSIONS[number % len(SESSIONS)], number)

    speaker = threading.Thread(target=speak)
    speaker.start()
    for _ in range(1 + life % 3):
        _wait_for_part(daemon, speaker)
    daemon.kill()
    gone.set()
    speaker.join()


def _wait_for_part(daemon: DaemonProcess, speaker: threading.Thread) -> None:
    """Look until a file is under way that was not there before."""
    seen = set(files(daemon, "*.part"))
    while speaker.is_alive():
        now = set(files(daemon, "*.part"))
        if now - seen:
            return
        seen &= now
    raise AssertionError("no window was written while sessions took turns")


def test_kills_while_windows_are_written(folder: Path) -> None:
    kill_while_windows_are_written(folder, 2)


@pytest.mark.long
def test_thirty_kills_while_windows_are_written(folder: Path) -> None:
    kill_while_windows_are_written(folder, 30)


@root_only
def test_a_disk_without_room_for_windows_costs_no_turn(folder: Path) -> None:
    daemon = real_daemon(folder, EDGE_MODEL_CONTEXT=str(CONTEXT))
    daemon.state.mkdir(mode=0o700)
    with mounted(daemon.state / "kv", "size=1m,mode=0700"), daemon as first:
        talk = first
        for number in range(2):
            for session in SESSIONS:
                talk_long(talk, session, number)
        assert "a session's window was not kept in a file" in daemon.log
        assert files(daemon, "*") == []
        assert daemon.stop() == 0
        talk = daemon.start()
        done = talk.say("Still here? 还在吗？", "home", reply_tokens=8)
        assert done["reply"]
        assert done["usage"]["reused_tokens"] == 0
        assert daemon.stop() == 0
        assert "Traceback" not in daemon.log
