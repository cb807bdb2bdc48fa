"""What an agent tells of a session: set whole, used by the next turn, seen by nobody else, cleared by forgetting."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest

from edge.prompt.structured import EXECUTION_MARK
from tests.e2e.running import DaemonProcess, DaemonThread
from tests.e2e.stored import files_holding

CREATE = {"current_tool": "create_order", "tool_args": {"sku": "A-1", "备注": "轻放"}}
TOLD = '{"current_tool":"create_order","tool_args":{"sku":"A-1","备注":"轻放"}}'


def path(session: str) -> str:
    return f"/v1/sessions/{quote(session, safe='')}/context"


def last_prompt(daemon: DaemonThread) -> str:
    return daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()


def last_turn(daemon: DaemonThread) -> str:
    """The conversation channel of the last turn: what stands in the person's message."""
    return last_prompt(daemon).rpartition("\nuser\n")[2]


def test_the_next_turn_is_told_and_no_other_session(daemon: DaemonThread) -> None:
    talk = daemon.talk
    assert talk.set_context("main", CREATE)["context"] == CREATE
    talk.say("Hello", "other")
    assert EXECUTION_MARK not in last_prompt(daemon)
    talk.say("What are you doing?")
    assert f"system\n{EXECUTION_MARK}{TOLD}" in last_prompt(daemon)
    talk.say("And now?")
    assert last_prompt(daemon).count(TOLD) == 1
    assert talk.context("other") == {"session": "other", "context": {}, "updated_at": None}


def test_what_is_cleared_is_told_once(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.set_context("main", {**CREATE, "last_tool_result": {"state": "ok"}})
    talk.say("One")
    assert talk.clear_context("main")["context"] == talk.context("main")["context"] == {}
    for words in ("Two", "Three"):
        talk.say(words)
        assert last_prompt(daemon).count(f"{EXECUTION_MARK}{{}}") == 1
        assert last_prompt(daemon).count('{"last_tool_result":null}') == 1


def test_a_put_replaces_all_of_it(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.set_context("main", {**CREATE, "session_variables": {"n": 1}})
    talk.set_context("main", {"session_variables": {"n": 2}})
    assert talk.context("main")["context"] == {"session_variables": {"n": 2}}
    talk.set_context("main", {})
    assert talk.context("main")["updated_at"] is None


def test_a_turns_own_context_takes_its_place(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.set_context("main", {"current_tool": "old"})
    body = {"session": "main", "message": "Hello", "context": CREATE, "stream": False}
    assert talk.request("POST", "/v1/turns", body).status == 200
    assert TOLD in last_prompt(daemon)
    assert '"old"' not in last_prompt(daemon)
    assert talk.context("main")["context"] == CREATE
    talk.request("POST", "/v1/turns", {**body, "context": None})
    assert talk.context("main")["context"] == CREATE
    talk.request("POST", "/v1/turns", {**body, "context": {}})
    assert talk.context("main")["context"] == {}


def test_a_refused_turn_leaves_it(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.set_context("main", CREATE)
    body = {"session": "main", "message": "word " * 9000, "context": {"current_tool": "other"}, "stream": False}
    assert talk.request("POST", "/v1/turns", body).code == "prompt_too_long"
    assert talk.context("main")["context"] == CREATE


@pytest.mark.parametrize("session", ["a/b", "工作/二", "50%", "a b?c#d", "../up", "%2F", "x" * 128, "..", "."])
def test_any_session_can_be_named(daemon: DaemonThread, session: str) -> None:
    talk = daemon.talk
    assert talk.set_context(session, CREATE)["session"] == session
    assert talk.context(session)["context"] == CREATE
    talk.say("Hello", session)
    assert TOLD in last_prompt(daemon)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"tool": "x"}, "tool"),
        ({"current_tool": "half \ud800"}, "context"),
        ({"tool_args": "nul \0"}, "context"),
    ],
)
def test_a_wrong_one_changes_nothing(daemon: DaemonThread, body: dict[str, object], field: str) -> None:
    talk = daemon.talk
    talk.set_context("main", CREATE)
    answer = talk.request("PUT", path("main"), body)
    assert (answer.status, answer.field) == (400, field)
    for wrong in (b"[]", b"{", b'{"tool_args": NaN}', b"\xff"):
        assert talk.request("PUT", path("main"), wrong).code == "invalid_body"
    assert talk.request("PUT", path(" x"), {}).field == "session"
    assert talk.request("DELETE", path("main"), {"x": 1}).code == "unknown_field"
    assert talk.context("main")["context"] == CREATE


def test_it_survives_a_kill(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        talk.set_context("工作/二", CREATE)
        daemon.kill()
    with daemon as talk:
        assert talk.context("工作/二")["context"] == CREATE
        assert daemon.stop() == 0


def test_what_a_tool_returned_is_remembered_in_its_session(daemon: DaemonThread) -> None:
    talk = daemon.talk
    result = {"order_id": "A-20391", "retryAfter": 300, "error": {"code": 503, "message": "服务器故障"}}
    for _ in range(2):
        talk.set_context("main", {"current_tool": "create_order", "last_tool_result": result})
    (unit,) = talk.memories(kind="tool_result")["memories"]
    assert (unit["session"], unit["source"], unit["task_type"]) == ("main", "tool", "create_order")
    assert unit["access_count"] == 1
    assert all(part in unit["content"] for part in ("order id: A-20391", "error code: 503", "服务器故障"))
    assert unit["valid_until"] is not None
    assert talk.memories(session="other", kind="tool_result")["memories"] == []


def test_both_waits_stay_each_in_its_own_channel(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.set_context("main", {"current_tool": "sync", "last_tool_result": {"retry_after": 300}})
    talk.say("Wait five minutes, then try again.")
    prompt, said = last_prompt(daemon), last_turn(daemon)
    assert '{"last_tool_result":{"retry_after":300}}' in prompt
    assert said.startswith("Wait five minutes") or "Wait five minutes" in said
    assert not any(name in said for name in ("retry_after", "last_tool_result", "current_tool"))


def test_secrets_are_marked_before_anything_is_kept_or_told(daemon: DaemonThread) -> None:
    talk = daemon.talk
    secret = "ghp_" + "aB3dE5fG7hJ9" * 3
    context = {"tool_args": {"token": secret, "note": f"use {secret}"}, "last_tool_result": {"message": secret}}
    assert secret not in str(talk.set_context("main", context))
    body = {"session": "main", "message": "Hello", "context": context, "stream": False}
    assert talk.request("POST", "/v1/turns", body).status == 200
    assert secret not in last_prompt(daemon)
    assert "redacted" in last_prompt(daemon)
    assert files_holding(daemon.state, secret) == []


def test_what_is_forgotten_leaves_the_context_too(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.say("My phone number is 0151 2345678.")
    (phone,) = (unit for unit in talk.all_memories() if unit["slot"] == "phone")
    talk.set_context("main", {"tool_args": {"to": "0151-2345678"}})
    talk.set_context("work", {"tool_args": {"to": "nobody"}})
    talk.say("Call it")
    talk.forget(phone["id"])
    assert talk.context("main")["context"] == {}
    assert talk.context("work")["context"] != {}
    talk.say("And now?")
    assert "2345678" not in last_prompt(daemon)
    assert files_holding(daemon.state, "0151-2345678") == []


def test_forgetting_what_a_tool_returned_clears_where_it_came_from(daemon: DaemonThread) -> None:
    talk = daemon.talk
    talk.set_context("main", {"current_tool": "weather", "last_tool_result": {"sky": "cloudy", "wind": 3}})
    (unit,) = talk.memories(kind="tool_result")["memories"]
    talk.forget(unit["id"])
    assert talk.context("main")["context"] == {}


def test_clients_that_set_it_at_once_never_mix(daemon: DaemonThread) -> None:
    talk = daemon.talk
    start = threading.Barrier(4)

    def put(number: int) -> None:
        start.wait()
        for _ in range(10):
            talk.set_context("main", {"current_tool": f"t{number}", "tool_args": {"n": number}})
            seen = talk.context("main")["context"]
            assert seen["current_tool"] == f"t{seen['tool_args']['n']}"  # type: ignore[index]

    with ThreadPoolExecutor(4) as clients:
        list(clients.map(put, range(4)))
