"""The shapes that an OpenAI client reads: completions, chunks, usage, models, errors."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from edge.daemon.openai_refusals import error_body, retry_headers, status_of
from edge.daemon.openai_views import Completion, model_wire
from edge.engine.events import Usage
from edge.engine.model_ports import Finish
from edge.errors import (
    BodyInvalid,
    BodyTooLarge,
    Busy,
    Cancelled,
    DiskFull,
    EdgeError,
    ModelMissing,
    ModelUnknown,
    PromptTooLong,
    RequestInvalid,
    RouteNotFound,
    Stopping,
)
from edge.memory.units import TurnId

USAGE = Usage(prompt=412, reused=340, evaluated=72, completion=18)


def completion(*, usage: bool = False) -> Completion:
    return Completion(TurnId(12), "qwen", 1_796_000_000, usage)


def strict(kind: type[Any], wire: dict[str, Any]) -> Any:
    """The wire as the client's own type; a field that this does not know, or of another type, fails."""
    read = kind.model_validate(wire, strict=True)
    assert set(wire) <= set(kind.model_fields)
    return read


@pytest.mark.parametrize(("finish", "reason"), [(Finish.STOP, "stop"), (Finish.LENGTH, "length")])
def test_a_whole_reply(finish: Finish, reason: str) -> None:
    read = strict(ChatCompletion, completion().whole("你好 🍜", finish, USAGE))
    assert (read.id, read.object, read.model) == ("chatcmpl-12", "chat.completion", "qwen")
    [choice] = read.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", "你好 🍜", reason)
    assert (read.usage.prompt_tokens, read.usage.completion_tokens, read.usage.total_tokens) == (412, 18, 430)
    assert read.usage.prompt_tokens_details.cached_tokens == 340


@pytest.mark.parametrize("usage", [False, True])
def test_a_reply_in_chunks(usage: bool) -> None:
    made = completion(usage=usage)
    wires = [made.opening(), made.piece("你好"), *made.endings(Finish.LENGTH, USAGE)]
    first, piece, ending, *rest = (strict(ChatCompletionChunk, wire) for wire in wires)
    assert {chunk.id for chunk in (first, piece, ending, *rest)} == {"chatcmpl-12"}
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", "")
    assert (piece.choices[0].delta.content, piece.choices[0].finish_reason) == ("你好", None)
    assert (ending.choices[0].delta.content, ending.choices[0].finish_reason) == (None, "length")
    assert [("usage" in wire) for wire in wires[:3]] == [usage] * 3
    assert [chunk.usage for chunk in (first, piece, ending)] == [None] * 3
    assert [(chunk.choices, chunk.usage.total_tokens) for chunk in rest] == [([], 430)] * usage


def test_a_model() -> None:
    assert strict(Model, model_wire("qwen", 1_796_000_000)).id == "qwen"


@pytest.mark.parametrize(
    ("error", "status", "kind", "code", "param"),
    [
        (RequestInvalid("No.", field="messages[0].role", reason="invalid_type"), 400, "invalid_request_error",
         "invalid_type", "messages[0].role"),
        (RequestInvalid("No.", field="session"), 400, "invalid_request_error", "invalid_value", "session"),
        (BodyInvalid("No."), 400, "invalid_request_error", "invalid_body", None),
        (BodyTooLarge("No."), 413, "invalid_request_error", "body_too_large", None),
        (ModelUnknown("No.", field="model"), 404, "invalid_request_error", "model_not_found", "model"),
        (RouteNotFound("No."), 404, "invalid_request_error", "route_not_found", None),
        (PromptTooLong("No.", over_by=3), 400, "invalid_request_error", "context_length_exceeded", "messages"),
        (Busy("No."), 429, "requests", "rate_limit_exceeded", None),
        (Stopping("No."), 503, "server_error", "stopping", None),
        (Cancelled("No."), 503, "server_error", "cancelled", None),
        (ModelMissing("No."), 503, "server_error", "model_missing", None),
        (DiskFull("No."), 507, "server_error", "disk_full", None),
        (EdgeError("No."), 500, "server_error", "internal", None),
    ],
)  # fmt: skip
def test_every_error_has_the_form_of_that_api(
    error: EdgeError, status: int, kind: str, code: str, param: str | None
) -> None:
    told = error_body(error)["error"]
    assert set(told) == {"message", "type", "param", "code"}
    assert (status_of(error), told["type"], told["code"], told["param"]) == (status, kind, code, param)
    assert (error.hint in told["message"]) == (kind != "invalid_request_error")


def test_only_what_may_mend_itself_is_to_be_tried_again() -> None:
    for error in (Busy("No."), Stopping("No.")):
        assert retry_headers(error, 5) == {"Retry-After": "5"}
    for other in (EdgeError("No."), DiskFull("No."), ModelMissing("No."), RequestInvalid("No.")):
        assert retry_headers(other, 5) == {"x-should-retry": "false"}
