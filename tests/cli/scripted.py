"""A small HTTP server on a Unix socket that answers what a test tells it to."""

from __future__ import annotations

import json
import socketserver
import sys
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What a client asked."""

    method: str
    path: str
    body: Any


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedDaemon

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length)) if length else None
        self.server.requests.append(Request(self.command, self.path, body))
        answer = self.server.answers.get((self.command, self.path.partition("?")[0]))
        if answer is None:
            self.send_json(404, {"error": {"code": "route_not_found", "message": "no such path", "hint": ""}})
        else:
            answer(self)
        self.close_connection = True

    do_GET = do_POST = do_DELETE = _handle  # noqa: N815

    def send_json(self, status: int, value: Any) -> None:
        self.send_bytes(status, json.dumps(value, ensure_ascii=False).encode())

    def send_bytes(self, status: int, data: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin_events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def send_event(self, name: str, data: Any) -> None:
        self.send_chunk(f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode())

    def hung_up(self) -> bool:
        """Wait until the client closes the connection; false if it sends something instead."""
        try:
            return not self.connection.recv(1)
        except ConnectionResetError:
            return True


Answer = Callable[[Handler], None]


class ScriptedDaemon(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Answers by (method, path), and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), Handler)
        self.path = path
        self.answers: dict[tuple[str, str], Answer] = {("GET", "/v1/status"): json_answer(STATUS)}
        self.requests: list[Request] = []
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no fault of the server's; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, answer: Answer) -> None:
        self.answers[(method, path)] = answer

    def answer_json(self, method: str, path: str, value: Any, status: int = 200) -> None:
        self.answer(method, path, json_answer(value, status))

    def answer_error(self, method: str, path: str, status: int, code: str, message: str, **details: Any) -> None:
        self.answer_json(
            method, path, {"error": {"code": code, "message": message, "hint": "do so", **details}}, status
        )

    def answer_turn(self, *pieces: str, **done: Any) -> None:
        self.answer("POST", "/v1/turns", turn_answer(pieces, **done))

    def said(self) -> list[str]:
        """The messages of all turns, in order."""
        return [request.body["message"] for request in self.requests if request.path == "/v1/turns"]


def json_answer(value: Any, status: int = 200) -> Answer:
    return lambda handler: handler.send_json(status, value)


def turn_answer(pieces: Iterable[str], **changes: Any) -> Answer:
    kept = tuple(pieces)

    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("recall", FOUND)
        for piece in kept:
            handler.send_event("token", {"text": piece})
        handler.send_event("done", done_event("".join(kept), **changes))
        handler.send_chunk(b"")

    return answer


def memory(number: int, content: str, **changes: Any) -> dict[str, Any]:
    """A unit on the wire."""
    return {
        "id": number,
        "kind": "user_profile",
        "content": content,
        "session": None,
        "subject": "self",
        "slot": None,
        "value": None,
        "entities": [],
        "source": "user",
        "source_turn": None,
        "confidence": 1.0,
        "importance": 0.5,
        "task_type": None,
        "created_at": "2026-03-01T11:02:03Z",
        "valid_from": "2026-03-01T11:02:03Z",
        "valid_until": None,
        "relevance": 1.0,
        "cluster": None,
        "access_count": 0,
        "last_accessed": None,
        "superseded_by": None,
        "archived_at": None,
        "ended_why": None,
    } | changes


def preview(*units: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What `POST /v1/forget` shows before."""
    ids = [unit["id"] for unit in units]
    shown = {"token": "t0", "found_by": None, "ids": ids, "memories": list(units), "turns": 1}
    return {**shown, "kept_ids": [], "kept": [], **changes}


def forgetting(shown: dict[str, Any]) -> Answer:
    """Answers previews with what goes, and then that it is gone."""

    def answer(handler: Handler) -> None:
        gone = {"forgotten": shown["ids"], "turns": shown["turns"], "kept": shown["kept_ids"]}
        handler.send_json(200, shown if handler.server.requests[-1].body.get("preview") else gone)

    return answer


def recalled(number: int, content: str, **changes: Any) -> dict[str, Any]:
    """A recalled unit on the wire."""
    return {
        "id": number,
        "kind": "user_profile",
        "content": content,
        "score": 0.87,
        "stage": "rule",
        "source": "user",
        "created_at": "2026-03-01T11:02:03Z",
    } | changes


def done_event(reply: str, **changes: Any) -> dict[str, Any]:
    """The `done` event of a turn."""
    return {
        "turn": 12,
        "session": "main",
        "reply": reply,
        "finish": "stop",
        "answered_by": "model",
        "recalled": [recalled(41, "name: Zhang Wei")],
        "remembered": [42],
        "asked": None,
        "intent": {"label": "profile", "move": "ask", "confidence": 0.87, "sure": True, "why": "profile asked"},
        "topic": None,
        "usage": {
            "prompt_tokens": 100,
            "reused_tokens": 80,
            "evaluated_tokens": 20,
            "completion_tokens": 7,
            "memory_tokens": 8,
            "appended_tokens": 20,
            "in_time_tokens": 208,
            "dropped_memories": 0,
            "gave_way": [],
            "compacted": False,
        },
        "timings": {"rules_ms": 0.2, "recall_ms": 3.0, "first_token_ms": 200.0, "total_ms": 900.0},
        "redacted": [],
    } | changes


FOUND = {"turn": 12, "recalled": [], "nothing_reliable": False, "degraded": []}
STATUS = {
    "version": "0.1.0",
    "api": 1,
    "pid": 4242,
    "uptime_seconds": 3725.0,
    "owner": "uid:1000",
    "state_dir": "/var/lib/edge",
    "socket": "/run/edge/edge.sock",
    "config": "/etc/edge/edge.toml",
    "model": {"id": "qwen2.5-coder-0.5b", "state": "ready", "state_seconds": 75.0, "file": "/m/q.gguf", "error": None},
    "embedder": {
        "id": "all-minilm-l6-v2-int8",
        "state": "failed",
        "file": None,
        "error": {"code": "model_missing", "message": "model.onnx is missing.", "hint": "Fetch it."},
        "changing_to": None,
        "done": 12,
        "total": 12,
    },
    "queue": {"turns": 1, "limit": 8},
    "counts": {"units": 12, "turns": 5, "sessions": 2, "unembedded": 0, "bytes": 4096, "database_bytes": 40960},
    "memory": {"model_weights": 400_000_000, "model_kv": 50_331_648, "total": 712_000_000},
    "speed": {"prefill_tokens_s": 118.4, "generate_tokens_s": None},
    "offpeak": {"state": "waits", "step": None, "cause": "hot", "words": "the board is hot, 82 °C"},
    "degraded": ["vectors"],
    "settings": {
        "model.context": {"value": 2048, "origin": "environment"},
        "model.threads": {"value": 0, "origin": "default"},
        "model.flash_attention": {"value": False, "origin": "file"},
    },
}
