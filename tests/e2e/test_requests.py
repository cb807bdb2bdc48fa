"""Bad requests: refused with the field named, and the daemon goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.wire import MAX_BODY_BYTES
from tests.e2e.running import DaemonProcess
from tests.e2e.talking import Talk, closing, raw_request, read_all, read_until

TURN = {"session": "main", "message": "Hello"}
FACT = {"content": "The bike is blue"}
MANY = 1 << 70

WRONG_FIELDS: list[tuple[str, dict[str, Any], str]] = [
    ("/v1/turns", {"message": "Hello"}, "session"),
    ("/v1/turns", {"session": "main"}, "message"),
    ("/v1/turns", {**TURN, "mesage": "Hello"}, "mesage"),
    ("/v1/turns", {**TURN, "owner": "uid:1"}, "owner"),
    ("/v1/turns", {**TURN, "message": 3}, "message"),
    ("/v1/turns", {**TURN, "message": None}, "message"),
    ("/v1/turns", {**TURN, "message": ["Hello"]}, "message"),
    ("/v1/turns", {**TURN, "message": " \n\t"}, "message"),
    ("/v1/turns", {**TURN, "message": "\u200b\u200d\ufeff\u3000"}, "message"),
    ("/v1/turns", {**TURN, "message": "a\0b"}, "message"),
    ("/v1/turns", {**TURN, "message": "half a pair \ud83d"}, "message"),
    ("/v1/turns", {**TURN, "message": "我说\udc00话"}, "message"),
    ("/v1/turns", {**TURN, "session": ""}, "session"),
    ("/v1/turns", {**TURN, "session": " main"}, "session"),
    ("/v1/turns", {**TURN, "session": "ma\nin"}, "session"),
    ("/v1/turns", {**TURN, "session": "ma\x1b[31min"}, "session"),
    ("/v1/turns", {**TURN, "session": "s" * 129}, "session"),
    ("/v1/turns", {**TURN, "session": 7}, "session"),
    ("/v1/turns", {**TURN, "session": {"name": "main"}}, "session"),
    ("/v1/turns", {**TURN, "stream": "yes"}, "stream"),
    ("/v1/turns", {**TURN, "reply_tokens": 0}, "reply_tokens"),
    ("/v1/turns", {**TURN, "reply_tokens": 10**6}, "reply_tokens"),
    ("/v1/turns", {**TURN, "reply_tokens": MANY}, "reply_tokens"),
    ("/v1/turns", {**TURN, "reply_tokens": 1.5}, "reply_tokens"),
    ("/v1/turns", {**TURN, "reply_tokens": True}, "reply_tokens"),
    ("/v1/memories", {}, "content"),
    ("/v1/memories", {**FACT, "kind": "episode"}, "kind"),
    ("/v1/memories", {**FACT, "kind": "user_profil"}, "kind"),
    ("/v1/memories", {**FACT, "kind": "session_state"}, "session"),
    ("/v1/memories", {"content": "\u200b"}, "content"),
    ("/v1/memories", {**FACT, "slot": "name"}, "slot"),
    ("/v1/memories", {**FACT, "expires_in": 60}, "expires_in"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "expires_in": 0}, "expires_in"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "expires_in": -5}, "expires_in"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "expires_in": 10**12}, "expires_in"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "expires_in": MANY}, "expires_in"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "confidence": 1.01}, "confidence"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "importance": "high"}, "importance"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "entities": "bike"}, "entities"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "entities": [1]}, "entities"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "entities": ["\ud800"]}, "entities"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "source": "god"}, "source"),
    ("/v1/memories", {**FACT, "kind": "fact_reference", "id": 5}, "id"),
    ("/v1/recall", {"session": "main"}, "query"),
    ("/v1/recall", {"query": "猫", "kinds": ["cat"]}, "kinds"),
    ("/v1/recall", {"query": "猫", "limit": 0}, "limit"),
    ("/v1/recall", {"query": "猫", "as_of": "yesterday"}, "as_of"),
    ("/v1/recall", {"query": "猫", "as_of": "2026-05-03T14:00:00"}, "as_of"),
    ("/v1/recall", {"query": "猫", "as_of": "0001-01-01T00:00:00+14:00"}, "as_of"),
    ("/v1/recall", {"query": "猫", "explain": 1}, "explain"),
]

WRONG_BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe{}",
    b'{"session": "main", "message": "\xe4\xbd"}',
    '{"session": "main", "message": "你好"}'.encode("gb18030"),
    b'{"session": "main", "message": "x", "reply_tokens": NaN}',
    b'{"session": "main", "message": "x", "reply_tokens": Infinity}',
    b'{"session": "main", "message": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    b'{"a": ' * 50_000 + b"1" + b"}" * 50_000,
    b'{"session": "main", "message": "x", "reply_tokens": ' + b"9" * 5_000 + b"}",
    b"\x00" * 100,
]

WRONG_QUERIES = [
    ("limit=0", "limit"),
    ("limit=501", "limit"),
    ("limit=ten", "limit"),
    ("limit=-1", "limit"),
    ("limit=%EF%BC%91", "limit"),
    ("before=99999999999999999999", "before"),
    ("before=9223372036854775808", "before"),
    ("kind=pet", "kind"),
    ("past=maybe", "past"),
    ("session=", "session"),
    ("session=a%00b", "session"),
    ("sesion=main", "sesion"),
]

WRONG_ROUTES = [
    ("GET", "/"),
    ("GET", "/v1/turns"),
    ("PUT", "/v1/memories"),
    ("PATCH", "/v1/memories/1"),
    ("POST", "/v1/status"),
    ("DELETE", "/v1/sessions"),
    ("GET", "/v1/memories/1/2"),
    ("GET", "/v2/status"),
    ("GET", "/%00"),
    ("GET", "/v1/../v1/nothing"),
    ("PROPFIND", "/v1/turns"),
]

WRONG_IDS = ["0", "-1", "1e3", "x", "%31%00", "99999999999999999999", "%EF%BC%99", "1%20OR%201=1"]

GARBAGE = [
    b"BREW /v1/turns HTTP/1.1\r\nHost: edge\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    b"hello\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nX: " + b"b" * 100_000 + b"\r\n\r\n",
    b"POST /v1/turns HTTP/1.1\r\nHost: edge\r\nContent-Length: -5\r\n\r\n",
    b"POST /v1/turns HTTP/1.1\r\nHost: edge\r\nContent-Length: many\r\n\r\n",
    b"POST /v1/turns HTTP/1.1\r\nHost: edge\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /v1/turns HTTP/1.1\r\nHost: edge\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
]


@pytest.mark.parametrize(("path", "body", "field"), WRONG_FIELDS, ids=lambda value: str(value)[:60].encode().hex()[:24])
def test_a_wrong_field_is_named(talk: Talk, path: str, body: dict[str, Any], field: str) -> None:
    answer = talk.request("POST", path, body)
    assert answer.status == 400
    assert answer.field == field
    assert field in answer.body["error"]["message"]
    assert answer.body["error"]["hint"]
    assert talk.alive()


def test_wrong_bodies_are_refused_and_the_daemon_lives(talk: Talk) -> None:
    for path in ("/v1/turns", "/v1/memories", "/v1/recall"):
        for body in WRONG_BODIES:
            answer = talk.request("POST", path, body)
            assert (answer.status, answer.code) == (400, "invalid_body"), body[:80]
    assert talk.sessions() == []
    assert talk.say("Say: still here")["reply"] == "still here"


def test_a_body_over_a_mebibyte_is_refused_and_one_just_under_it_is_read(talk: Talk) -> None:
    frame = len(json.dumps({"content": ""}))
    fits = {"content": "a" * (MAX_BODY_BYTES - frame)}
    assert talk.request("POST", "/v1/recall", {"query": fits["content"][1:]}).status == 200
    answer = talk.request("POST", "/v1/memories", {"content": fits["content"] + "ab"})
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert list(talk.all_memories()) == []


def test_a_body_that_is_not_encoded_as_it_says_is_refused_in_the_one_shape(talk: Talk) -> None:
    answer = talk.request("POST", "/v1/recall", b'{"query": "bike"}', **{"Content-Encoding": "gzip"})
    assert (answer.status, answer.code) == (400, "invalid_body")
    assert talk.alive()


def test_a_body_that_only_claims_to_be_huge_is_refused_unread(talk: Talk) -> None:
    with talk.connect() as link:
        link.sendall(b"POST /v1/memories HTTP/1.1\r\nHost: edge\r\nContent-Length: 99999999999\r\n\r\n{")
        assert b" 413 " in read_until(link, b"\r\n")
    assert talk.alive()


@pytest.mark.parametrize(("query", "field"), WRONG_QUERIES)
def test_a_wrong_query_is_named(talk: Talk, query: str, field: str) -> None:
    answer = talk.request("GET", f"/v1/memories?{query}")
    assert answer.status == 400
    assert answer.field == field


def test_what_is_not_served_is_said_so_in_the_one_shape(talk: Talk) -> None:
    for method, path in WRONG_ROUTES:
        answer = talk.request(method, path)
        assert (answer.status, answer.code) == (404, "route_not_found"), (method, path)


def test_ids_that_are_none_are_not_found(talk: Talk) -> None:
    for method in ("GET", "DELETE"):
        for name in WRONG_IDS:
            answer = talk.request(method, f"/v1/memories/{name}")
            assert answer.status == 404, (method, name)


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_what_is_not_http_is_refused_and_the_daemon_lives(talk: Talk, garbage: bytes) -> None:
    with talk.connect() as link:
        link.sendall(garbage)
        assert b" 4" in read_until(link, b"\r\n").splitlines()[0]
    assert talk.alive()


def test_what_is_not_http_fills_no_log_with_tracebacks(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        for garbage in GARBAGE:
            with talk.connect() as link:
                link.sendall(garbage)
                read_until(link, b"\r\n")
        assert talk.request("POST", "/v1/recall", b"{}", **{"Content-Encoding": "gzip"}).status == 400
    assert "Traceback" not in daemon.log
    assert "refused what is not HTTP" in daemon.log


def test_pipelined_requests_are_answered_in_order(talk: Talk) -> None:
    talk.remember("The bike is blue")
    last = closing(raw_request("GET", "/v1/sessions"))
    with talk.connect() as link:
        link.sendall(raw_request("GET", "/healthz") + raw_request("GET", "/v1/memories") + last)
        answers = read_all(link)
    assert answers.count(b"HTTP/1.1 200") == 3
    assert answers.index(b'"status": "ok"') < answers.index(b"The bike is blue") < answers.index(b'"sessions"')
