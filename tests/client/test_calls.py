from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from edge import errors
from edge.client.answers import error_from_wire
from edge.client.calls import Client
from edge.client.events import Done, Found, Token
from edge.errors import (
    AnswerInvalid,
    AnswerLate,
    Busy,
    DaemonNotRunning,
    EdgeError,
    MemoryNotFound,
    PromptTooLong,
    SocketForbidden,
)
from tests.cli.scripted import FOUND, Handler, ScriptedDaemon, done_event, memory, recalled


@pytest.fixture
def client(daemon: ScriptedDaemon) -> Client:
    return Client(daemon.path)


def test_a_turn_gives_its_events_in_order(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_turn("你叫", "张伟 🎉")
    with client.turn("工作", "我叫什么？", reply_tokens=20) as turn:
        events = list(turn)
    assert [type(event) for event in events] == [Found, Token, Token, Done]
    assert events[1:3] == [Token("你叫"), Token("张伟 🎉")]
    assert isinstance(events[3], Done)
    assert events[3].data["reply"] == "你叫张伟 🎉"
    body = {"session": "工作", "message": "我叫什么？", "stream": True, "reply_tokens": 20}
    assert daemon.requests[0].body == body


@pytest.mark.parametrize(
    "stream",
    [
        b': keep-alive\n\nevent: loading\ndata: {}\n\nevent: token\ndata: {"text":\ndata:  "a"}\n\n',
        b'event:token\r\ndata:{"text": "a"}\r\n\r\n',
        b'id: 7\nretry: 10\nevent: token\ndata: {"text": "a"}\nunknown\n\n',
    ],
)
def test_events_are_framed_as_the_standard_says(daemon: ScriptedDaemon, client: Client, stream: bytes) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        for byte in stream:
            handler.send_chunk(bytes([byte]))
        handler.send_event("done", done_event("a"))

    daemon.answer("POST", "/v1/turns", answer)
    with client.turn("main", "x") as turn:
        assert [event for event in turn if isinstance(event, Token)] == [Token("a")]


def test_an_error_event_is_raised_as_its_class(daemon: ScriptedDaemon, client: Client) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("error", {"error": {"code": "model_failed", "message": "it broke", "hint": "again"}})

    daemon.answer("POST", "/v1/turns", answer)
    with client.turn("main", "x") as turn, pytest.raises(errors.ModelFailed, match="it broke"):
        list(turn)


def test_a_daemon_that_dies_in_mid_stream_is_noticed(daemon: ScriptedDaemon, client: Client) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("token", {"text": "half"})
        handler.wfile.write(b"ff\r\nevent: tok")

    daemon.answer("POST", "/v1/turns", answer)
    with client.turn("main", "x") as turn:
        events = iter(turn)
        assert next(events) == Token("half")
        with pytest.raises(DaemonNotRunning, match="middle of the reply"):
            next(events)


def test_leaving_a_turn_closes_the_connection(daemon: ScriptedDaemon, client: Client) -> None:
    closed = threading.Event()

    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("recall", FOUND)
        if handler.hung_up():
            closed.set()

    daemon.answer("POST", "/v1/turns", answer)
    with client.turn("main", "x") as turn:
        next(iter(turn))
    assert closed.wait(10)


@pytest.mark.parametrize(
    ("events", "what"),
    [
        (b"event: token\ndata: {}\n\n", "text"),
        (b"event: token\ndata: nonsense\n\n", "JSON"),
        (b"event: token\ndata: \xff\n\n", "UTF-8"),
        (b'event: done\ndata: {"reply": "x"}\n\n', "DoneEvent"),
        (b"event: done\ndata: []\n\n", "object"),
        (b'event: recall\ndata: {"turn": 1, "recalled": 3, "nothing_reliable": true, "degraded": []}\n\n', "recalled"),
    ],
)
def test_garbage_among_the_events_is_named(daemon: ScriptedDaemon, client: Client, events: bytes, what: str) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_chunk(events)

    daemon.answer("POST", "/v1/turns", answer)
    with client.turn("main", "x") as turn, pytest.raises(AnswerInvalid, match=what):
        list(turn)


def test_a_turn_that_is_answered_with_something_else(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_json("POST", "/v1/turns", {"hello": "world"})
    with pytest.raises(AnswerInvalid, match="stream of events"):
        client.turn("main", "x")


def test_a_refusal_is_raised_with_its_details(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_error("POST", "/v1/turns", 413, "prompt_too_long", "too long by 7", over=7)
    with pytest.raises(PromptTooLong) as caught:
        client.turn("main", "x")
    assert (caught.value.message, caught.value.hint, caught.value.details) == ("too long by 7", "do so", {"over": 7})


def test_memories_sends_its_filters(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_json("GET", "/v1/memories", {"memories": [memory(7, "猫")], "next_before": None})
    page = client.memories(session="a b&c", kind="episode", before=9, limit=3, past=True)
    assert page["memories"][0]["content"] == "猫"
    assert daemon.requests[0].path == "/v1/memories?session=a+b%26c&kind=episode&before=9&limit=3&past=true"


def test_all_memories_follows_the_pages(daemon: ScriptedDaemon, client: Client) -> None:
    def answer(handler: Handler) -> None:
        last = "before=3" in handler.path
        units = [memory(2, "c")] if last else [memory(4, "a"), memory(3, "b")]
        handler.send_json(200, {"memories": units, "next_before": None if last else 3})

    daemon.answer("GET", "/v1/memories", answer)
    assert [unit["id"] for unit in client.all_memories(page=2)] == [4, 3, 2]


def test_pages_that_do_not_end_are_refused(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_json("GET", "/v1/memories", {"memories": [memory(4, "a")], "next_before": 3})
    with pytest.raises(AnswerInvalid, match="do not end"):
        list(client.all_memories())


def test_the_other_routes(daemon: ScriptedDaemon, client: Client) -> None:
    remembered = {"added": [1], "confirmed": [], "superseded": [], "memories": [memory(1, "x")], "redacted": []}
    daemon.answer_json("POST", "/v1/memories", remembered, 201)
    daemon.answer_json("GET", "/v1/memories/1", memory(1, "x"))
    daemon.answer_json("DELETE", "/v1/memories/1", {"forgotten": [1]})
    found: dict[str, Any] = {"recalled": [recalled(1, "x")], "nothing_reliable": False, "dropped": [], "degraded": []}
    daemon.answer_json("POST", "/v1/recall", found | {"rules_ms": 0.1, "recall_ms": 2.0})
    session = {"session": "main", "turns": 1, "first_turn_at": "2026-01-01T00:00:00Z"}
    daemon.answer_json("GET", "/v1/sessions", {"sessions": [session | {"last_turn_at": "2026-01-01T00:00:00Z"}]})
    assert client.remember("x", "main", kind="fact_reference", expires_in=None)["added"] == [1]
    assert daemon.requests[-1].body == {"content": "x", "session": "main", "kind": "fact_reference"}
    assert client.memory(1)["content"] == "x"
    assert client.recall("x", "main", limit=3)["recalled"][0]["score"] == 0.87
    assert daemon.requests[-1].body == {"query": "x", "session": "main", "limit": 3}
    assert client.sessions()[0]["turns"] == 1
    assert client.status()["pid"] == 4242
    assert client.forget(1)["forgotten"] == [1]


def test_an_answer_without_a_field_names_it(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_json("GET", "/v1/status", {"version": "9"})
    with pytest.raises(AnswerInvalid, match="has no api"):
        client.status()


def test_an_unknown_code_keeps_its_words_and_code() -> None:
    error = error_from_wire({"error": {"code": "too_hot", "message": "85 C", "hint": "wait", "celsius": 85}})
    assert type(error) is EdgeError
    assert error.to_wire() == {"code": "too_hot", "message": "85 C", "hint": "wait", "celsius": 85}


def test_every_error_survives_the_wire() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, EdgeError)]
    for kind in kinds:
        sent = kind("说明", hint="h", number=3)
        received = error_from_wire({"error": sent.to_wire()})
        assert type(received) is kind
        assert received.to_wire() == sent.to_wire()
    assert len({kind.code for kind in kinds}) == len(kinds)


@pytest.mark.parametrize("body", [None, [], {}, {"error": "x"}, {"error": {"code": "busy"}}])
def test_an_error_without_words_is_no_answer_of_ours(body: Any) -> None:
    assert isinstance(error_from_wire(body), AnswerInvalid)


def test_no_socket_says_what_starts_a_daemon(folder: Path) -> None:
    with pytest.raises(DaemonNotRunning, match="no socket at") as caught:
        Client(folder / "none.sock").status()
    assert "edge daemon" in caught.value.hint


def test_a_stale_socket_says_what_starts_a_daemon(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "stale.sock"))
    with pytest.raises(DaemonNotRunning, match="died") as caught:
        Client(folder / "stale.sock").turn("main", "x")
    assert "edge daemon" in caught.value.hint


def test_what_is_no_socket_is_called_so(folder: Path) -> None:
    (folder / "file").write_text("")
    for path in (folder / "file", folder):
        with pytest.raises(DaemonNotRunning, match="is not a socket"):
            Client(path).status()


@pytest.mark.skipif(os.getuid() == 0, reason="root may connect to anything")
def test_a_forbidden_socket(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.path.chmod(0)
    with pytest.raises(SocketForbidden, match="may not use"):
        client.status()


def test_a_forbidden_socket_as_the_kernel_reports_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    class Forbidden(socket.socket):
        def connect(self, address: object) -> None:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("edge.client.connection.socket.socket", Forbidden)
    with pytest.raises(SocketForbidden) as caught:
        client.status()
    assert "usermod" in caught.value.hint


def raw_server(path: Path, answer: bytes, backlog: int = 5) -> socket.socket:
    """A server that sends the same bytes to everyone, whatever they ask."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(backlog)

    def serve() -> None:
        try:
            while True:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)
        except OSError:
            return

    threading.Thread(target=serve, daemon=True).start()
    return server


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot json!",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad",
        b'HTTP/1.1 400 Bad\r\nContent-Length: 13\r\n\r\n{"error": {}}',
    ],
)
def test_something_else_on_the_socket_is_named(folder: Path, answer: bytes) -> None:
    with raw_server(folder / "s", answer), pytest.raises(AnswerInvalid):
        Client(folder / "s").status()


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"])
def test_a_daemon_that_ends_before_it_answers(folder: Path, answer: bytes) -> None:
    with raw_server(folder / "s", answer), pytest.raises(DaemonNotRunning, match="before it answered"):
        Client(folder / "s").status()


def test_a_daemon_that_does_not_answer(daemon: ScriptedDaemon) -> None:
    daemon.answer("GET", "/v1/status", lambda handler: [handler.hung_up()].clear())
    with pytest.raises(AnswerLate, match=r"within 0\.05 seconds"):
        Client(daemon.path, answer_seconds=0.05).status()


def test_a_full_backlog_is_busy(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as first:
        server.bind(str(folder / "s"))
        server.listen(0)
        first.connect(str(folder / "s"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("edge.client.connection.CONNECT_SECONDS", 0.05)
            with pytest.raises(Busy):
                Client(folder / "s").status()


def test_a_body_refused_before_it_was_read(folder: Path) -> None:
    refusal = b'{"error": {"code": "body_too_large", "message": "over 1 MiB", "hint": "parts"}}'
    head = f"HTTP/1.1 413 Too Large\r\nContent-Length: {len(refusal)}\r\n\r\n".encode()
    with raw_server(folder / "s", head + refusal), pytest.raises(errors.BodyTooLarge, match="over 1 MiB"):
        Client(folder / "s").turn("main", "x" * 30_000_000)


def test_a_memory_that_is_not_there(daemon: ScriptedDaemon, client: Client) -> None:
    daemon.answer_error("GET", "/v1/memories/9", 404, "memory_not_found", "no memory 9")
    with pytest.raises(MemoryNotFound):
        client.memory(9)


@pytest.mark.parametrize(
    "value", [10**5000, [10**5000], object(), {1: {2, 3}}], ids=["long number", "long within", "object", "set"]
)
def test_what_has_no_form_in_json_is_refused_before_anything_is_sent(
    daemon: ScriptedDaemon, client: Client, value: object
) -> None:
    with pytest.raises(errors.RequestInvalid, match="no form in JSON"):
        client.recall("x", limit=value)
    with pytest.raises(errors.RequestInvalid):
        client.set_context("main", {"tool_args": value})
    assert daemon.requests == []
