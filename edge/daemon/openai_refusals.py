"""Refusals in the words of the OpenAI API, and its form of an error.

Its clients tell causes apart by `code`, and find the place by `param`, such as `messages[0].content[1].type`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from edge.errors import (
    BodyInvalid,
    Busy,
    Cancelled,
    EdgeError,
    ModelUnknown,
    PromptTooLong,
    RequestInvalid,
    RouteNotFound,
    Stopping,
)

_REASON = "reason"
"""The detail of an error that holds this API's code."""
_LONGEST_SHOWN = 64
_CODES: dict[type[EdgeError], tuple[int, str, str]] = {
    Busy: (429, "requests", "rate_limit_exceeded"),
    ModelUnknown: (404, "invalid_request_error", "model_not_found"),
    PromptTooLong: (400, "invalid_request_error", "context_length_exceeded"),
    Cancelled: (503, "server_error", "cancelled"),
}
"""HTTP status, type and code of the errors that this API has words of its own for."""


def error_body(error: EdgeError) -> dict[str, Any]:
    """The body of an error: what it is, of what type, and of which parameter."""
    _, kind, code = _told(error)
    is_asked_wrongly = kind == "invalid_request_error"
    message = error.message if is_asked_wrongly else f"{error.message} {error.hint}"
    return {"error": {"message": message, "type": kind, "param": _param(error), "code": code}}


def status_of(error: EdgeError) -> int:
    """The HTTP status of an error."""
    return _told(error)[0]


def retry_headers(error: EdgeError, seconds: int) -> dict[str, str]:
    """What a client is told of trying again: after so many seconds where that may help, else not at all. Some clients
    repeat whatever failed, and of a turn that failed late the words are remembered already."""
    if isinstance(error, Busy | Stopping):
        return {"Retry-After": str(seconds)}
    return {"x-should-retry": "false"}


def _told(error: EdgeError) -> tuple[int, str, str]:
    for kind, told in _CODES.items():
        if isinstance(error, kind):
            return told
    if isinstance(error, BodyInvalid | RouteNotFound) or error.http_status == 413:
        return error.http_status, "invalid_request_error", error.code
    if isinstance(error, RequestInvalid):
        return error.http_status, "invalid_request_error", str(error.details.get(_REASON, "invalid_value"))
    return error.http_status, "server_error", error.code


def _param(error: EdgeError) -> str | None:
    if isinstance(error, PromptTooLong):
        return "messages"
    field = error.details.get("field")
    return None if field is None else str(field)


# --- what is wrong with a request --------------------------------------------------------------------------------


def missing(param: str) -> RequestInvalid:
    """A required parameter is not there."""
    return _refused(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")


def unknown(param: str) -> RequestInvalid:
    """A parameter that this API does not have."""
    return _refused(f"Unknown parameter: '{param}'.", param, "unknown_parameter")


def wrong_type(param: str, wanted: str, value: object) -> RequestInvalid:
    """A value is of another type."""
    message = f"Invalid type for '{param}': expected {wanted}, but got {_type_of(value)} instead."
    return _refused(message, param, "invalid_type")


def wrong_value(param: str, value: str, supported: Iterable[str]) -> RequestInvalid:
    """A value is none of those that there are."""
    names = ", ".join(f"'{each}'" for each in supported)
    return _refused(f"Invalid value: '{shown(value)}'. Supported values are: {names}.", param, "invalid_value")


def unsuitable(param: str, why: str) -> RequestInvalid:
    """A value cannot be taken."""
    return _refused(f"Invalid '{param}': {why}", param, "invalid_value")


def unsupported(param: str, what: str) -> RequestInvalid:
    """A value asks for something that is not done here: it would make another answer of it."""
    return _refused(f"Unsupported value: '{param}' does not support {what} here.", param, "unsupported_value")


def unsupported_parameter(param: str) -> RequestInvalid:
    """A parameter asks for something that is not done here."""
    return _refused(f"Unsupported parameter: '{param}' is not supported here.", param, "unsupported_parameter")


def empty(param: str) -> RequestInvalid:
    """A list has nothing in it."""
    message = (
        f"Invalid '{param}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    )
    return _refused(message, param, "empty_array")


def out_of_range(param: str, value: float, how: str, limit: int) -> RequestInvalid:
    """A number is beyond a limit: `how` is such as integer_below_min or decimal_above_max."""
    sign = ">=" if how.endswith("min") else "<="
    words = how.replace("min", "minimum").replace("max", "maximum").replace("_", " ")
    got = shown(str(value))
    message = f"Invalid '{param}': {words} value. Expected a value {sign} {limit}, but got {got} instead."
    return _refused(message, param, f"{how}_value")


def shown(text: str) -> str:
    """A text of a client's as a message may hold it."""
    return text.encode("utf-8", "replace").decode()[:_LONGEST_SHOWN]


def _refused(message: str, param: str, code: str) -> RequestInvalid:
    return RequestInvalid(message, field=param, **{_REASON: code})


def _type_of(value: object) -> str:
    names: dict[type, str] = {
        bool: "a boolean",
        int: "an integer",
        float: "a decimal",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return names.get(type(value), "null")
