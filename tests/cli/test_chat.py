from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Edge
from tests.cli.screen import CTRL_D, Screen
from tests.cli.scripted import (
    FOUND,
    STATUS,
    Handler,
    ScriptedDaemon,
    forgetting,
    json_answer,
    memory,
    preview,
    turn_answer,
)


def echo(handler: Handler) -> None:
    turn_answer([f"you said {handler.server.said()[-1]}"])(handler)


@pytest.fixture
def echoing(daemon: ScriptedDaemon) -> ScriptedDaemon:
    daemon.answer("POST", "/v1/turns", echo)
    return daemon


# --- in a pipe ---------------------------------------------------------------------------------------------------


def test_each_line_is_a_turn(echoing: ScriptedDaemon, edge: Edge) -> None:
    result = edge("chat", stdin="My name is Zhang Wei.\n\n   \n我叫什么？ 🎉\r\n/etc/passwd\nno newline")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "you said My name is Zhang Wei.",
        "you said 我叫什么？ 🎉",
        "you said /etc/passwd",
        "you said no newline",
    ]


def test_json_lines(echoing: ScriptedDaemon, edge: Edge) -> None:
    lines = edge("chat", "--json", "--session", "工作", stdin="a\nb\n").stdout.splitlines()
    assert [json.loads(line)["reply"] for line in lines] == ["you said a", "you said b"]
    assert {request.body["session"] for request in echoing.requests} == {"工作"}


def test_after_an_error_the_next_lines_are_still_said(daemon: ScriptedDaemon, edge: Edge) -> None:
    def answer(handler: Handler) -> None:
        match handler.server.said()[-1]:
            case "long":
                error = {"code": "prompt_too_long", "message": "too long", "hint": "shorten"}
                handler.send_json(413, {"error": error})
            case "busy":
                handler.send_json(503, {"error": {"code": "busy", "message": "queue is full", "hint": "later"}})
            case _:
                echo(handler)

    daemon.answer("POST", "/v1/turns", answer)
    result = edge("chat", stdin=b"a\nlong\nbusy\n\xff\xfe\nb\n")
    assert result.stdout.splitlines() == ["you said a", "you said b"]
    assert result.exit_code == 2
    assert [line for line in result.stderr.splitlines() if line.startswith("edge:")] == [
        "edge: too long",
        "edge: queue is full",
        "edge: Line 4 of standard input is not UTF-8: byte 1 is 0xff.",
    ]


def test_when_the_daemon_is_gone_nothing_more_is_tried(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer("POST", "/v1/turns", lambda handler: None)
    result = edge("chat", stdin="a\nb\n")
    assert (result.exit_code, daemon.said()) == (4, ["a"])
    assert result.stderr.count("edge:") == 1


def run(environ: dict[str, str], *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "edge.cli.main", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **environ},
        timeout=60,
    )


@pytest.mark.parametrize("environ", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_chinese_and_emoji_whatever_the_locale_is(echoing: ScriptedDaemon, environ: dict[str, str]) -> None:
    done = run(environ, "chat", stdin="我叫张伟 🎉\n".encode())
    assert (done.returncode, done.stdout.decode()) == (0, "you said 我叫张伟 🎉\n")
    done = run({**environ, "PYTHONUTF8": "1"}, "ask", "--json", "你好")
    assert json.loads(done.stdout)["reply"] == "you said 你好"


def test_a_reader_that_leaves_is_no_error(daemon: ScriptedDaemon) -> None:
    units = [memory(number, "x" * 500) for number in range(500, 0, -1)]
    daemon.answer_json("GET", "/v1/memories", {"memories": units, "next_before": None})
    command = f"set -o pipefail; {sys.executable} -m edge.cli.main memories | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (141, "")
    assert done.stdout.count("\n") == 1


def test_an_output_that_is_full_is_an_error(echoing: ScriptedDaemon) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "edge.cli.main", "ask", "hi"], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.decode() == "edge: Reading or writing failed: No space left on device\n"


def test_closed_outputs_are_no_crash(echoing: ScriptedDaemon) -> None:
    command = f"{sys.executable} -m edge.cli.main ask hi >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], timeout=60).returncode == 0


@pytest.mark.parametrize(("command", "status"), [("ask", 2), ("ask -", 2), ("remember", 2), ("chat", 0)])
def test_a_closed_input_is_an_empty_one(echoing: ScriptedDaemon, command: str, status: int) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m edge.cli.main {command} <&-"], timeout=60, capture_output=True
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (status, False)


def test_arguments_are_utf8_whatever_the_locale_is(echoing: ScriptedDaemon) -> None:
    done = run({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "ask", "我叫什么？")
    assert (done.returncode, done.stdout.decode().strip()) == (0, "you said 我叫什么？")


def test_a_lone_surrogate_in_a_reply_is_written_as_json_escapes_it(daemon: ScriptedDaemon) -> None:
    daemon.answer("POST", "/v1/turns", turn_answer(["a"]))
    daemon.answer("GET", "/v1/status", lambda handler: handler.send_bytes(200, surrogate_status()))
    done = run({}, "status", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["owner"] == "\ud83d"


def surrogate_status() -> bytes:
    return json.dumps(STATUS | {"owner": "\ud83d"}).encode()


# --- on a terminal -----------------------------------------------------------------------------------------------


def test_a_conversation(echoing: ScriptedDaemon) -> None:
    with Screen("chat") as screen:
        assert "qwen2.5-coder-0.5b" in screen.wait_for("> ")
        screen.type("我叫张伟 🎉\n")
        screen.wait_for("you said 我叫张伟 🎉")
        screen.wait_for("> ")
        screen.type("//help is a word\n")
        screen.wait_for("you said /help is a word")
        screen.wait_for("> ")
        screen.type("/quit\n")
        assert screen.end() == 0
    assert echoing.said() == ["我叫张伟 🎉", "/help is a word"]


def test_commands(echoing: ScriptedDaemon) -> None:
    units = [memory(42, "name: Will", source_turn=6), memory(41, "My name is Will", source_turn=6, kind="episode")]
    echoing.answer_json("GET", "/v1/memories", {"memories": units, "next_before": None})
    echoing.answer("POST", "/v1/forget", forgetting(preview(*units)))
    with Screen("chat") as screen:
        screen.wait_for("> ")
        screen.type("/help\n")
        screen.wait_for("stop a reply")
        screen.type("/nonsense\n")
        screen.wait_for("There is no command /nonsense")
        screen.type("/session 旅行\n")
        screen.wait_for("This is session 旅行.")
        screen.type("/memories\n")
        screen.wait_for("#42")
        screen.type("/forget x\n")
        screen.wait_for("Say which")
        screen.type("/forget 42\n")
        screen.wait_for("My name is Will")
        screen.wait_for("[y/N] ")
        screen.type("n\n")
        screen.wait_for("> ")
        assert [request.body["preview"] for request in echoing.requests if request.path == "/v1/forget"] == [True]
        screen.type("/forget #42\n")
        screen.wait_for("[y/N] ")
        screen.type("y\n")
        screen.wait_for("Forgotten: #42, #41")
        assert echoing.requests[-1].body == {"ids": [42], "token": "t0"}
        screen.type("hi\n")
        screen.wait_for("you said hi")
        screen.wait_for("> ")
        screen.type(CTRL_D)
        assert screen.end() == 0
    assert echoing.requests[-1].body["session"] == "旅行"


def test_ctrl_c_stops_the_reply_and_not_the_chat(daemon: ScriptedDaemon) -> None:
    closed = threading.Event()

    def endless(handler: Handler) -> None:
        if handler.server.said()[-1] != "tell me a story":
            echo(handler)
            return
        handler.begin_events()
        handler.send_event("recall", FOUND)
        handler.send_event("token", {"text": "once upon"})
        if handler.hung_up():
            closed.set()

    daemon.answer("POST", "/v1/turns", endless)
    with Screen("chat") as screen:
        screen.wait_for("> ")
        screen.type("tell me a story\n")
        screen.wait_for("once upon")
        screen.interrupt()
        screen.wait_for("(stopped)")
        assert closed.wait(30)
        screen.wait_for("> ")
        screen.type("and now\n")
        screen.wait_for("you said and now")


def test_ctrl_c_before_the_first_token_stops_too(daemon: ScriptedDaemon) -> None:
    asked, closed = threading.Event(), threading.Event()

    def silent(handler: Handler) -> None:
        handler.begin_events()
        asked.set()
        if handler.hung_up():
            closed.set()

    daemon.answer("POST", "/v1/turns", silent)
    with Screen("ask", "hi") as screen:
        screen.wait_for("recalling")
        assert asked.wait(30)
        screen.interrupt()
        assert closed.wait(30)
        assert screen.end() == 130
        assert b"Traceback" not in screen.seen


def test_ctrl_c_clears_the_line_and_twice_leaves(echoing: ScriptedDaemon) -> None:
    with Screen("chat") as screen:
        screen.wait_for("> ")
        screen.type("half a li")
        screen.wait_for("half a li")
        screen.interrupt()
        screen.wait_for("(Ctrl-C again")
        screen.wait_for("> ")
        screen.type("whole\n")
        screen.wait_for("you said whole")
        screen.wait_for("> ")
        screen.interrupt()
        screen.wait_for("(Ctrl-C again")
        screen.wait_for("> ")
        screen.interrupt()
        assert screen.end() == 0
        assert b"Traceback" not in screen.seen
    assert echoing.said() == ["whole"]


def test_an_error_does_not_end_the_chat(daemon: ScriptedDaemon) -> None:
    daemon.answer_error("POST", "/v1/turns", 503, "busy", "queue is full")
    with Screen("chat") as screen:
        screen.wait_for("> ")
        screen.type("hi\n")
        screen.wait_for("edge: queue is full")
        screen.wait_for("hint: do so")
        screen.wait_for("> ")
        screen.type(CTRL_D)
        assert screen.end() == 0


def test_no_daemon_ends_the_chat_at_once(folder: Path) -> None:
    with Screen("chat", "--socket", str(folder / "none")) as screen:
        assert screen.end() == 4
        assert b"edge daemon" in screen.seen


def test_a_reply_cannot_steer_the_terminal(daemon: ScriptedDaemon) -> None:
    daemon.answer_turn("\x1b]0;owned", "\x07 \x9b2J\n\tdone")
    with Screen("ask", "hi") as screen:
        assert screen.end() == 0
        shown = screen.seen.decode()
    assert "␛]0;owned␇ \ufffd2J\r\n\tdone\r\n" in shown
    assert "\x1b]" not in shown


def test_a_pipe_gets_the_reply_as_it_is(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_turn("\x1b[1mbold\x1b[0m")
    assert edge("ask", "hi").stdout == "\x1b[1mbold\x1b[0m\n"


def test_a_cut_reply_and_a_partial_recall_are_mentioned(daemon: ScriptedDaemon) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("recall", FOUND | {"degraded": ["vectors"]})
        handler.send_event("token", {"text": "so far"})
        handler.send_event("done", json.loads(json.dumps(DONE_CUT)))

    daemon.answer("POST", "/v1/turns", answer)
    with Screen("ask", "hi") as screen:
        screen.wait_for("(recalled without: vectors)")
        screen.wait_for("so far")
        screen.wait_for("(cut: ")
        screen.wait_for("(not kept: password)")
        assert screen.end() == 0


DONE_CUT = {
    "turn": 1,
    "session": "main",
    "reply": "so far",
    "finish": "length",
    "answered_by": "model",
    "recalled": [],
    "remembered": [],
    "asked": None,
    "intent": {"label": "profile", "move": "ask", "confidence": 0.87, "sure": True, "why": "profile asked"},
    "topic": None,
    "usage": {},
    "timings": {},
    "redacted": ["password"],
}


def test_a_model_that_failed_is_told_at_the_start(daemon: ScriptedDaemon) -> None:
    model = {"id": "q", "state": "failed", "file": None, "error": {"message": "no file", "hint": "fetch it"}}
    daemon.answer("GET", "/v1/status", json_answer(STATUS | {"model": model}))
    with Screen("chat") as screen:
        screen.wait_for("no file fetch it")


# --- the input history -------------------------------------------------------------------------------------------


def history(home: Path) -> Path:
    return home / ".local/state/edge/chat_history"


def test_lines_are_kept_for_the_owner_alone(echoing: ScriptedDaemon, home: Path) -> None:
    with Screen("chat") as screen:
        screen.wait_for("> ")
        screen.type("我叫张伟\n")
        screen.wait_for("you said")
        screen.wait_for("> ")
        screen.type(CTRL_D)
        screen.end()
    assert history(home).read_text(encoding="utf-8") == "我叫张伟\n"
    assert stat.S_IMODE(history(home).stat().st_mode) == 0o600
    assert stat.S_IMODE(history(home).parent.stat().st_mode) == 0o700
    with Screen("chat") as screen:
        screen.wait_for("> ")
        screen.type("\x1b[A\n")
        screen.wait_for("you said 我叫张伟")


def test_no_lines_are_kept_where_none_are_wanted(echoing: ScriptedDaemon, home: Path) -> None:
    with Screen("chat", "--no-history") as screen:
        screen.wait_for("> ")
        screen.type("secret\n")
        screen.wait_for("you said secret")
        screen.wait_for("> ")
        screen.type(CTRL_D)
        screen.end()
    assert not history(home).exists()


def test_what_is_forgotten_goes_from_the_history_too(daemon: ScriptedDaemon, edge: Edge, home: Path) -> None:
    history(home).parent.mkdir(parents=True)
    history(home).write_text("My name is Will\nhello\ncall me Will \n", encoding="utf-8")
    unit = memory(41, "name: Will", value="will")
    daemon.answer("POST", "/v1/forget", forgetting(preview(unit)))
    assert edge("forget", "41", "--yes").exit_code == 0
    assert history(home).read_text(encoding="utf-8") == "hello\n"


def test_what_a_preview_does_not_show_goes_from_the_history_too(daemon: ScriptedDaemon, edge: Edge, home: Path) -> None:
    history(home).parent.mkdir(parents=True)
    history(home).write_text("three red mugs\nhello\n三个红杯子\n", encoding="utf-8")
    units = [memory(3, "three red mugs"), memory(2, "三个红杯子"), memory(1, "hello")]
    daemon.answer("POST", "/v1/forget", forgetting(preview(units[0], ids=[2, 3])))
    daemon.answer_json("GET", "/v1/memories", {"memories": units, "next_before": None})
    assert edge("forget", "--session", "shop", "--yes").exit_code == 0
    assert history(home).read_text(encoding="utf-8") == "hello\n"
