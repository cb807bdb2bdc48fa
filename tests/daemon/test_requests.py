"""Requests are read strictly: any JSON at all gives values of the right type and range, or an error that says where."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.daemon.memories import PageRequest, RecallRequest, RememberRequest, query_fields
from edge.daemon.requests import Fields, read_object, session_name, turn_context
from edge.errors import BodyInvalid, FieldUnknown, RequestInvalid
from edge.memory.units import Kind, Source
from tests.fakes.clock import NOON


def refused(call: Callable[[], object]) -> RequestInvalid:
    with pytest.raises(RequestInvalid) as error:
        call()
    assert error.value.http_status in (400, 413)
    return error.value


def error_of(call: Callable[[], object]) -> RequestInvalid | None:
    """The refusal, where it is one; any other error goes on."""
    try:
        call()
    except RequestInvalid as error:
        return error
    return None


# --- bodies ---


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"1", b'"x"', b"null", b'{"a": NaN}', b'{"a": Infinity}', b"\xff", b'\xef\xbb\xbf{}',
        b"{'a': 1}", b'{"a": 1,}', b"[" * 100_000, b'{"a":' * 100_000, b'{"a": ' + b"9" * 5000 + b"}",
    ],
    ids=lambda body: repr(body[:12]),
)  # fmt: skip
def test_what_is_no_object_is_refused(body: bytes) -> None:
    assert isinstance(refused(lambda: read_object(body)), BodyInvalid)


def test_an_object_is_read() -> None:
    assert read_object('{"message": "你好 🙂"}'.encode()) == {"message": "你好 🙂"}


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(BodyInvalid):
        assert isinstance(read_object(body), dict)


# --- fields ---

WRONG: dict[str, tuple[Callable[[Fields], object], list[Any]]] = {
    "text": (lambda f: f.text("x"), [1, None, True, [], {}, "", "  ", "\n", "a\0b", "a\ud800"]),
    "short text": (lambda f: f.text("x", longest=3), ["four"]),
    "optional text": (lambda f: f.optional_text("x"), [1, False, "", "a\udfff"]),
    "integer": (lambda f: f.integer("x", 5, low=1, high=9), [0, 10, 1.0, 1.5, "1", True, None, 10**400]),
    "number": (lambda f: f.number("x", 0.5, low=0, high=1), [-0.1, 1.1, "1", True, None, 10**400, -(10**400), 1e999]),
    "optional number": (lambda f: f.optional_number("x", low=0.001, high=9), [0, -1, "1", True, [], 10**12, -1e999]),
    "boolean": (lambda f: f.boolean("x", True), [0, 1, "true", None]),
    "texts": (lambda f: f.texts("x", most=2, longest=3), ["a", [1], ["a", None], ["a"] * 3, ["four"], ["\0"], None]),
    "moment": (
        lambda f: f.moment("x"),
        ["now", "2026-05-03", "2026-05-03T10:00:00", 5, "0001-01-01T00:00:00+23:00", "", "2026-13-01T00:00:00Z"],
    ),
    "session": (
        lambda f: Fields({"session": f._left["x"]}).session(),
        ["", " ", " a", "a ", "a\nb", "a\x7f", "s" * 129, 1, None, "\ud800"],
    ),
}


WRONG_ONES = [
    pytest.param(read, value, id=f"{name}: {value!r:.20}") for name, (read, values) in WRONG.items() for value in values
]


@pytest.mark.parametrize(("read", "value"), WRONG_ONES)
def test_a_wrong_value_is_refused_by_name(read: Callable[[Fields], object], value: Any) -> None:
    error = refused(lambda: read(Fields({"x": value})))
    assert error.details["field"] in ("x", "session")
    assert str(error.details["field"]) in error.message
    error.message.encode()


def test_right_values_are_taken() -> None:
    fields = Fields(
        {"t": "a", "i": 9, "n": 1, "b": False, "l": ["a", "b"], "m": "2026-05-03T14:00:00+02:00", "session": "工作 🙂"}
    )
    assert fields.text("t") == "a"
    assert fields.integer("i", 5, low=1, high=9) == 9
    assert fields.number("n", 0.5, low=0, high=1) == 1.0
    assert fields.boolean("b", True) is False
    assert fields.texts("l", most=2, longest=1) == ("a", "b")
    assert fields.moment("m") == datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
    assert fields.session() == "工作 🙂"
    fields.done()


def test_what_is_missing_has_its_default_or_is_named() -> None:
    fields = Fields({"o": None, "session": None, "m": None})
    assert fields.text("t", "d") == "d"
    assert fields.integer("i", 5, low=1, high=9) == 5
    assert fields.boolean("b", True) is True
    assert fields.texts("l", most=2, longest=1) == ()
    assert fields.optional_text("o") is None
    assert fields.optional_number("n", low=0, high=1) is None
    assert fields.moment("m") is None
    assert fields.optional_session() is None
    fields.done()
    assert refused(lambda: fields.text("t")).details["field"] == "t"
    assert refused(fields.session).details["field"] == "session"


def test_what_nobody_took_is_named() -> None:
    error = refused(Fields({"mesage": "x"}).done)
    assert isinstance(error, FieldUnknown)
    assert error.details["field"] == "mesage"
    assert "�" not in refused(Fields({"\ud800": 1}).done).message


@pytest.mark.parametrize("name", ["main", "a b", "工作", "🙂", "s" * 128])
def test_a_sessions_name(name: str) -> None:
    assert session_name(name) == name


# --- whole requests ---


def test_a_statement_and_a_draft_are_told_apart() -> None:
    statement = RememberRequest.read(Fields({"content": "My name is Will."}), NOON)
    assert (statement.statement, statement.draft) == ("My name is Will.", None)
    given_ = {"content": "It is 12 km.", "kind": "tool_result", "session": "main", "source": "tool", "expires_in": 60}
    drafted = RememberRequest.read(Fields(given_), NOON)
    assert drafted.statement is None
    assert drafted.draft is not None
    assert (drafted.draft.kind, drafted.draft.source) == (Kind.TOOL_RESULT, Source.TOOL)
    assert drafted.draft.valid_until == NOON + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "content"),
        ({"content": "x", "kind": "episode"}, "kind"),
        ({"content": "x", "kind": "nonsense"}, "kind"),
        ({"content": "x", "kind": "session_state"}, "session"),
        ({"content": "x", "kind": "fact_reference", "source": "god"}, "source"),
        ({"content": "x", "kind": "fact_reference", "expires_in": 0}, "expires_in"),
        ({"content": "x", "kind": "fact_reference", "expires_in": -1}, "expires_in"),
        ({"content": "x", "kind": "fact_reference", "expires_in": 10**12}, "expires_in"),
        ({"content": "x", "kind": "fact_reference", "confidence": 10**400}, "confidence"),
        ({"content": "x", "slot": "name"}, "slot"),
        ({"content": "x", "owner": "uid:0"}, "owner"),
    ],
)
def test_what_cannot_be_remembered_is_named(body: dict[str, Any], field: str) -> None:
    assert refused(lambda: RememberRequest.read(Fields(body), NOON)).details["field"] == field


def test_a_recall() -> None:
    request = RecallRequest.read(Fields({"query": "tea", "kinds": ["episode"], "as_of": "2026-05-03T00:00:00Z"}), 8)
    assert (request.limit, request.kinds, request.explain) == (8, frozenset({Kind.EPISODE}), False)
    assert RecallRequest.read(Fields({"query": "tea"}), 0).limit == 1
    assert refused(lambda: RecallRequest.read(Fields({"query": "tea", "kinds": ["x"]}), 8)).details["field"] == "kinds"


def test_a_page() -> None:
    request = PageRequest.read(
        query_fields({"before": "7", "limit": "500", "past": "1", "kind": "episode,tool_result"})
    )
    assert (request.before, request.limit, request.past) == (7, 500, True)
    assert request.kinds == frozenset({Kind.EPISODE, Kind.TOOL_RESULT})
    assert PageRequest.read(query_fields({})) == PageRequest(None, None, None, 50, False)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"before": "-1"}, "before"), ({"before": "²"}, "before"), ({"before": "9" * 19}, "before"),
        ({"limit": "0"}, "limit"), ({"limit": "501"}, "limit"), ({"limit": ""}, "limit"), ({"past": "yes"}, "past"),
        ({"kind": "x"}, "kind"), ({"session": ""}, "session"), ({"sesion": "x"}, "sesion"),
    ],
)  # fmt: skip
def test_a_wrong_page_is_named(query: dict[str, str], field: str) -> None:
    assert refused(lambda: PageRequest.read(query_fields(query))).details["field"] == field


NAMES = st.sampled_from(
    [
        "content",
        "kind",
        "session",
        "subject",
        "slot",
        "value",
        "entities",
        "source",
        "confidence",
        "importance",
        "expires_in",
        "task_type",
        "query",
        "limit",
        "kinds",
        "as_of",
        "explain",
        "before",
        "past",
        "x",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(max_size=10)
    | st.sampled_from([kind.value for kind in Kind]) | st.sampled_from(["user", "main", "true", "5", "\ud800", "\0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
BODIES = st.dictionaries(NAMES, VALUES, max_size=6)


@settings(max_examples=500)
@given(BODIES, st.booleans())
def test_any_json_is_a_request_or_an_error_of_ours(body: dict[str, Any], with_content: bool) -> None:
    if with_content:
        body = {"content": "x", "query": "x", "kind": "user_profile", **body}
    for read in (
        lambda: RememberRequest.read(Fields(body), NOON),
        lambda: RecallRequest.read(Fields(body), 8),
        lambda: PageRequest.read(Fields(body)),
    ):
        error = error_of(read)
        if error is not None:
            json.dumps(error.to_wire(), ensure_ascii=False).encode()


@given(st.dictionaries(st.sampled_from(["before", "limit", "past", "kind", "session", "x"]), st.text(max_size=8)))
def test_any_query_is_a_page_or_an_error_of_ours(query: dict[str, str]) -> None:
    error = error_of(lambda: PageRequest.read(query_fields(query)))
    assert error is None or error.details["field"] in query


# --- what an agent is doing ---


def test_the_execution_context_is_read() -> None:
    context = {"current_tool": "查订单", "last_tool_result": [1, {"ok": True}]}
    fields = Fields({"context": context})
    assert turn_context(fields) == context
    fields.done()
    assert turn_context(Fields({"context": {}})) == {}
    assert turn_context(Fields({})) is turn_context(Fields({"context": None})) is None


@pytest.mark.parametrize(
    ("context", "field"),
    [
        ("text", "context"),
        ({"tool": "x"}, "context.tool"),
        ({"tool_args": {"a": "half \ud800"}}, "context"),
    ],
)
def test_a_wrong_execution_context_is_named(context: Any, field: str) -> None:
    assert refused(lambda: turn_context(Fields({"context": context}))).details["field"] == field
