"""curl on the interface for OpenAI clients; bytes that no client would send are refused in its form."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import StoredTurn, stored_turns
from tests.e2e.talking import Talk, until
from tests.e2e.test_requests import WRONG_BODIES
from tests.fakes.language_model import Gate, ScriptedModel

CHAT = "/v1/chat/completions"
LONG = " ".join(f"word{number}" for number in range(1200))
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def command(talk: Talk, path: str, body: dict[str, Any] | None = None, *options: str) -> list[str]:
    data = () if body is None else ("-H", "Content-Type: application/json", "-d", json.dumps(body))
    return ["curl", "-sS", "--unix-socket", talk.path, f"http://edge{path}", *data, *options]


def curl(talk: Talk, path: str, body: dict[str, Any] | None = None, *options: str) -> str:
    done = subprocess.run(command(talk, path, body, *options), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode("utf-8", "strict")


def asking(words: str, **more: Any) -> dict[str, Any]:
    return {"model": "edge", "messages": [{"role": "user", "content": words}], **more}


@needs_curl
def test_a_reply_and_the_models(talk: Talk) -> None:
    answer = json.loads(curl(talk, CHAT, asking("Say: 你好 🍜"), "-H", "Authorization: Bearer none"))
    assert answer["choices"][0]["message"]["content"] == "你好 🍜"
    assert json.loads(curl(talk, "/v1/models"))["data"][0]["id"] == "scripted"
    assert json.loads(curl(talk, "/v1/models/edge"))["id"] == "scripted"


@needs_curl
def test_a_stream_to_the_letter(talk: Talk) -> None:
    lines = curl(talk, CHAT, asking("Say: 你好 𠮷", stream=True, stream_options={"include_usage": True}), "-N", "-i")
    head, _, events = lines.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200")
    assert "content-type: text/event-stream" in head.lower()
    assert events.endswith("\n\ndata: [DONE]\n\n")
    chunks = [json.loads(event.removeprefix("data: ")) for event in events.split("\n\n")[:-2]]
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[:-1]) == "你好 𠮷"
    assert [chunk["usage"] is None for chunk in chunks] == [True] * (len(chunks) - 1) + [False]


@needs_curl
def test_a_thread_in_a_header(talk: Talk, daemon: DaemonThread) -> None:
    curl(talk, CHAT, asking("Say: yes"), "-H", "X-Edge-Session: 旅行")
    curl(talk, CHAT, asking("Say: yes"), "-H", "X-Edge-Session: %E6%97%85%E8%A1%8C")
    assert [turn.session for turn in stored_turns(daemon.state)] == ["旅行", "旅行"]


@needs_curl
def test_an_error_has_its_status(talk: Talk) -> None:
    said = curl(talk, CHAT, asking("Hi", n=2), "-w", "\n%{http_code}")
    body, _, status = said.rpartition("\n")
    assert status == "400"
    assert json.loads(body)["error"]["code"] == "unsupported_value"


@needs_curl
@pytest.mark.parametrize("stream", [False, True])
def test_curl_that_is_ended_in_mid_prefill_frees_the_model(folder: Path, stream: bool) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon:
        with subprocess.Popen(
            command(daemon.talk, CHAT, asking(LONG, stream=stream)), stdout=subprocess.DEVNULL
        ) as asked:
            assert gate.reached.wait(60)
            asked.terminate()
        until(lambda: daemon.talk.status()["queue"]["turns"] == 0)
        gate.open()
        assert stored_turns(daemon.state) == [StoredTurn("openai", LONG, "", "cancelled")]


def test_bytes_that_are_no_request_are_refused_in_its_form(talk: Talk) -> None:
    for body in WRONG_BODIES:
        answer = talk.request("POST", CHAT, body)
        assert answer.status == 400
        assert set(answer.body["error"]) == {"message", "type", "param", "code"}
    answer = talk.request("POST", CHAT, b"not gzip", **{"Content-Encoding": "gzip"})
    assert (answer.status, answer.body["error"]["type"]) == (400, "invalid_request_error")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", CHAT), ("PUT", CHAT), ("POST", "/v1/models"), ("GET", "/v1/chat/nothing"), ("DELETE", "/v1/models/edge")],
)
def test_what_is_not_served_is_not_found_in_its_form(talk: Talk, method: str, path: str) -> None:
    answer = talk.request(method, path)
    assert (answer.status, answer.code, answer.body["error"]["param"]) == (404, "route_not_found", None)
