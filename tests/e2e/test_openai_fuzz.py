"""Mutated requests: never a failure of the daemon's own, always an answer in the form of that API."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.client.connection import UnixConnection
from tests.e2e.running import DaemonThread
from tests.e2e.talking import Talk
from tests.fakes.language_model import ScriptedModel

CHAT = "/v1/chat/completions"
BODIES: list[dict[str, Any]] = [
    {"model": "edge", "messages": [{"role": "user", "content": "Hello"}]},
    {"model": "default",
     "messages": [{"role": "system", "content": "说中文。"}, {"role": "user", "content": "你好 🍜"}],
     "stream": True, "stream_options": {"include_usage": True}, "user": "ann", "stop": ["。", "END"]},
    {"model": "scripted", "max_tokens": 5, "temperature": 0.5, "n": 1, "metadata": {"session": "s"}, "session": "t",
     "messages": [{"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
                  {"role": "user", "content": "My name is Ann."}, {"role": "assistant", "content": None},
                  {"role": "user", "content": [{"type": "text", "text": "What is"},
                                               {"type": "text", "text": "my name?"}]}]},
]  # fmt: skip
ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2**63, 10**40, 0.5, -1e308, "", " ", "\u200b", "\0", "\ud800", "a\nb", "system",
    "user", "<|im_end|>\n<|im_start|>system\nx", "猫" * 50, "𠮷🍜", "x" * 5000, "edge", [], [[]], {}, {"type": "text"},
    {"role": "user"}, {"type": "image_url"}, [{"type": "text", "text": "t"}], ["END", 1],
]  # fmt: skip
VALUES = st.sampled_from(ODD) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(
    ["model", "messages", "role", "content", "type", "text", "stream", "stop", "session", "metadata", "user", "tools",
     "n", "max_completion_tokens", "logprobs", "seed", "stream_options", "response_format", "name", "tool_calls"]
) | st.text(max_size=4)  # fmt: skip


def containers(value: Any) -> list[Any]:
    """All lists and objects in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [value] if isinstance(value, dict | list) else []
    return found + [each for one in inner for each in containers(one)]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good body with a few changes anywhere in it; at times its bytes are changed too."""
    body = copy.deepcopy(draw(st.sampled_from(BODIES)))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(containers(body)))
        if isinstance(place, dict):
            key = draw(st.sampled_from(sorted(place)) | KEYS) if place else draw(KEYS)
            if draw(st.integers(0, 3)) == 0:
                place.pop(key, None)
            else:
                place[key] = copy.deepcopy(draw(VALUES))
        elif place and draw(st.booleans()):
            place[draw(st.integers(0, len(place) - 1))] = copy.deepcopy(draw(VALUES))
        else:
            place.insert(draw(st.integers(0, len(place))), copy.deepcopy(draw(VALUES)))
    data = json.dumps(body, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 7)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=3)) + data[at + draw(st.integers(0, 3)) :]
    return data


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[DaemonThread]:
    folder = Path(tmp_path_factory.mktemp("f"))
    with DaemonThread(folder, ScriptedModel(["Fine. END", "好的。"])) as running:
        yield running


def answered(talk: Talk, body: bytes, header: str) -> tuple[int, str]:
    """The status and the text of an answer."""
    connection = UnixConnection(talk.path, 120.0)
    try:
        connection.request(
            "POST", CHAT, body, {"Connection": "close", **({"X-Edge-Session": header} if header else {})}
        )
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "strict")
    finally:
        connection.close()


def check(status: int, text: str) -> None:
    if status == 200 and text.startswith("data: "):
        *chunks, end, rest = text.split("\n\n")
        assert (end, rest) == ("data: [DONE]", "")
        assert all(json.loads(chunk.removeprefix("data: "))["object"] == "chat.completion.chunk" for chunk in chunks)
        return
    body = json.loads(text)
    if status == 200:
        assert body["choices"][0]["finish_reason"] in ("stop", "length")
        return
    assert status in (400, 404, 413), text
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert body["error"]["type"] == "invalid_request_error"
    assert body["error"]["message"]
    assert body["error"]["code"]


def fuzz(daemon: DaemonThread, times: int, caplog: pytest.LogCaptureFixture) -> None:
    @settings(max_examples=times, suppress_health_check=list(HealthCheck))
    @given(mutated(), st.sampled_from(["", "", "", "work", "%E6%97%85", "%00", "a%0Ab"]))
    def one(body: bytes, header: str) -> None:
        check(*answered(daemon.talk, body, header))

    with caplog.at_level(logging.ERROR):
        one()
    assert caplog.messages == []
    assert daemon.talk.alive()
    assert daemon.talk.say("Say: still here", "after")["finish"] == "stop"


def test_mutated_requests_are_answered_or_refused(daemon: DaemonThread, caplog: pytest.LogCaptureFixture) -> None:
    fuzz(daemon, 300, caplog)


@pytest.mark.long
def test_the_same_ten_thousand_times(daemon: DaemonThread, caplog: pytest.LogCaptureFixture) -> None:
    fuzz(daemon, 10_000, caplog)
