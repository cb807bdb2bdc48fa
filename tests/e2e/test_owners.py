"""Two Unix users at one daemon: neither sees, finds nor forgets what is the other's. Needs root to become both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.fakes.language_model import ScriptedModel

OTHER_UID = 65_533
_BECOMING: dict[str, Any] = {"user": OTHER_UID, "group": OTHER_UID, "extra_groups": [], "cwd": "/"}
_RELAY = """
import json, socket, sys
for line in sys.stdin:
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(60)
    try:
        link.connect(sys.argv[1])
        link.sendall(bytes.fromhex(line))
        data = b"".join(iter(lambda: link.recv(65536), b""))
    except PermissionError:
        data = b"forbidden"
    link.close()
    print(data.hex(), flush=True)
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a second user")


class OtherUser:
    """Speaks to the socket as another Unix user, from a process of theirs."""

    def __init__(self, python: str, socket: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-c", _RELAY, str(socket)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **_BECOMING
        )

    def raw(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n"
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write((head.encode() + data).hex() + "\n")
        self._process.stdin.flush()
        return bytes.fromhex(self._process.stdout.readline())

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        head, _, answer = self.raw(method, path, body).partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(answer)

    def say(self, session: str, message: str) -> dict[str, Any]:
        status, done = self.request("POST", "/v1/turns", {"session": session, "message": message, "stream": False})
        assert status == 200
        assert isinstance(done, dict)
        return done

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def shared(folder: Path) -> Iterator[DaemonThread]:
    """A daemon whose socket the other user may use, as a member of its group may."""
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        folder.chmod(0o711)
        daemon.settings.places.socket.chmod(0o666)
        yield daemon


@pytest.fixture(scope="module")
def their_python() -> str:
    """An interpreter that the other user may run: not one in root's home."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            if subprocess.run([python, "-c", ""], **_BECOMING).returncode == 0:
                return python
        except OSError:
            continue
    pytest.skip("no Python here that another user may run")


@pytest.fixture
def other(shared: DaemonThread, their_python: str) -> Iterator[OtherUser]:
    user = OtherUser(their_python, shared.settings.places.socket)
    yield user
    user.close()


def test_the_owner_is_the_user_the_kernel_names(shared: DaemonThread, other: OtherUser) -> None:
    assert shared.talk.status()["owner"] == "uid:0"
    assert other.request("GET", "/v1/status")[1]["owner"] == f"uid:{OTHER_UID}"


def test_another_users_units_are_neither_listed_shown_recalled_nor_forgotten(
    shared: DaemonThread, other: OtherUser
) -> None:
    mine = shared.talk
    mine.say("My order number is ORD-55871.")
    mine.say("我的电话是 13800138000。")
    mine.remember("The garage code is 4711", "main")
    units = list(mine.all_memories())
    assert len(units) >= 5
    assert other.request("GET", "/v1/memories?past=true")[1]["memories"] == []
    assert other.request("GET", "/v1/memories?session=main")[1]["memories"] == []
    assert other.request("GET", "/v1/sessions")[1] == {"sessions": []}
    for query in ("What is my order number?", "ORD-55871", "我的电话号码是多少？", "garage code", "13800138000"):
        for session in ("main", None):
            body = {"query": query, "session": session, "explain": True}
            found = other.request("POST", "/v1/recall", body)[1]
            assert found["recalled"] == found["dropped"] == [], query
    for unit in units:
        for method in ("GET", "DELETE"):
            status, answer = other.request(method, f"/v1/memories/{unit['id']}")
            assert (status, answer["error"]["code"]) == (404, "memory_not_found")
            assert unit["content"] not in str(answer)
    assert other.request("GET", "/v1/memories/999999")[1]["error"]["code"] == "memory_not_found"
    counts = other.request("GET", "/v1/status")[1]["counts"]
    assert counts["units"] == counts["turns"] == counts["sessions"] == 0
    assert list(mine.all_memories()) == units


def test_another_users_clusters_are_neither_shown_nor_edited(shared: DaemonThread, other: OtherUser) -> None:
    unit = shared.talk.remember("The garage code is 4711", kind="fact_reference")["added"][0]
    moved = shared.talk.clusters.move_to_new(unit, "garage and car")
    cluster, run = moved["memory"]["cluster"], moved["run"]["id"]
    theirs = other.request("POST", "/v1/memories", {"content": "nginx", "kind": "fact_reference"})[1]["added"][0]
    assert other.request("GET", "/v1/clusters")[1] == {"clusters": [], "unplaced": 1}
    assert other.request("GET", "/v1/clusters/history")[1]["runs"] == []
    for method, path, body, code in (
        ("GET", f"/v1/clusters/{cluster}", None, "cluster_not_found"),
        ("POST", f"/v1/clusters/{cluster}/rename", {"key": "my own words"}, "cluster_not_found"),
        ("POST", f"/v1/clusters/{cluster}/merge", {"into": 99}, "cluster_not_found"),
        ("POST", f"/v1/memories/{theirs}/move", {"cluster": cluster}, "cluster_not_found"),
        ("POST", f"/v1/memories/{unit}/move", {"cluster": None}, "memory_not_found"),
        ("GET", f"/v1/clusters/history/{run}", None, "cluster_run_not_found"),
        ("POST", "/v1/clusters/undo", {"run": run}, "cluster_run_not_found"),
        ("POST", "/v1/clusters/undo", {}, "nothing_to_undo"),
    ):
        status, answer = other.request(method, path, body)
        assert (status >= 400, answer["error"]["code"]) == (True, code)
        assert "garage" not in str(answer)
    assert shared.talk.memory(unit)["cluster"] == cluster


def test_the_same_session_name_is_two_sessions(shared: DaemonThread, other: OtherUser) -> None:
    mine = shared.talk
    mine.say("My name is Ann Lee.", "main")
    mine.say("I put 3 red mugs in my cart.", "main")
    other.say("main", "我叫王芳。")
    other.say("main", "我把两本词典放进了购物车。")
    assert "Ann Lee" in mine.say("What is my name?", "main")["recalled"][0]["content"]
    assert "王芳" in other.say("main", "我叫什么名字？")["recalled"][0]["content"]
    theirs = other.say("main", "我的购物车里有什么？")
    assert "两本词典" in str(theirs)
    assert "red mugs" not in str(theirs)
    prompts = [shared.model.tokenizer.decode(prompt).decode() for prompt in shared.model.prompts]
    assert not any("Ann Lee" in prompt and "王芳" in prompt for prompt in prompts)
    assert not any("mugs" in prompt and "词典" in prompt for prompt in prompts)
    assert [session["turns"] for session in mine.sessions()] == [3]
    assert [session["turns"] for session in other.request("GET", "/v1/sessions")[1]["sessions"]] == [4]


def test_another_users_batches_and_contexts_are_neither_seen_nor_moved(shared: DaemonThread, other: OtherUser) -> None:
    mine = shared.talk
    batch = mine.begin_batch("main", "t", "Adding 10 contacts", 10)
    mine.set_context("main", {"current_tool": "add_contact", "last_tool_result": {"order": "A-1"}})
    assert other.request("GET", "/v1/batches")[1]["batches"] == []
    for method, path, body in (
        ("GET", "", None), ("POST", "/advance", {"item": 1}), ("POST", "/fail", {"item": 1, "reason": "x"}),
        ("POST", "/resume", None), ("POST", "/cancel", None),
    ):  # fmt: skip
        status, answer = other.request(method, f"/v1/batches/{batch['id']}{path}", body)
        assert (status, answer["error"]["code"]) == (404, "batch_not_found")
    theirs = {"session": "main", "task": "t", "title": "Theirs", "total": 3}
    assert other.request("POST", "/v1/batches", theirs)[0] == 201
    assert other.request("GET", "/v1/sessions/main/context")[1]["context"] == {}
    assert other.request("DELETE", "/v1/sessions/main/context")[0] == 200
    assert "Adding 10" not in str(other.say("main", "How far are you?"))
    assert "add_contact" not in shared.model.tokenizer.decode(shared.model.prompts[-1]).decode()
    assert mine.batch(batch["id"]) == batch
    assert mine.context("main")["context"]["current_tool"] == "add_contact"


def test_forgetting_mine_leaves_theirs(shared: DaemonThread, other: OtherUser) -> None:
    mine = shared.talk
    mine.say("My order number is ORD-55871.")
    other.say("main", "My order number is ORD-55871.")
    fact = next(unit for unit in mine.all_memories() if unit["slot"] == "order_id")
    mine.forget(fact["id"])
    assert mine.recall("What is my order number?")["recalled"] == []
    found = other.request("POST", "/v1/recall", {"query": "What is my order number?"})[1]["recalled"]
    assert "ORD-55871" in found[0]["content"]


def test_who_is_not_of_the_group_cannot_connect(shared: DaemonThread, other: OtherUser) -> None:
    shared.settings.places.socket.chmod(0o660)
    assert other.raw("GET", "/healthz") == b"forbidden"


def test_by_the_interface_for_openai_clients_the_owner_is_no_other(shared: DaemonThread, other: OtherUser) -> None:
    def ask(words: str, **fields: Any) -> str:
        body = {"model": "edge", "messages": [{"role": "user", "content": words}], **fields}
        status, answer = other.request("POST", "/v1/chat/completions", body)
        assert status == 200
        return str(answer["choices"][0]["message"]["content"])

    shared.talk.say("My order number is ORD-55871.", "openai-ann")
    for fields in ({"user": "ann"}, {"session": "openai-ann"}, {"metadata": {"session": "main"}}, {"user": "uid:0"}):
        assert "55871" not in ask("What is my order number?", **fields)
        assert "55871" not in ask("Say: what do you know?", **fields)
    assert [session["session"] for session in shared.talk.sessions()] == ["openai-ann"]
    assert shared.talk.sessions()[0]["turns"] == 1
