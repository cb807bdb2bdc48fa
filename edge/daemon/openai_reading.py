"""Reading a chat completion request as a turn: whose thread it is in, what the person says, what the client wants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edge.daemon.openai_parameters import (
    array,
    check_others,
    flag,
    mapping,
    optional_text,
    stop_sequences,
    text,
    tokens,
)
from edge.daemon.openai_refusals import (
    empty,
    missing,
    shown,
    unknown,
    unsuitable,
    unsupported,
    unsupported_parameter,
    wrong_type,
    wrong_value,
)
from edge.daemon.requests import check_text, is_blank, session_name
from edge.engine.running import Terms
from edge.errors import RequestInvalid
from edge.memory.units import SessionId

SESSION_HEADER = "X-Edge-Session"
DEFAULT_SESSION = "openai"
_USER_PREFIX = "openai-"
_INSTRUCTING = ("system", "developer")
_ROLES = (*_INSTRUCTING, "user", "assistant")
_TOOL_ROLES = ("tool", "function")
_TOOL_FIELDS = ("tool_calls", "function_call", "audio")
_ENCODED = re.compile(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat completion as a turn. `reply_tokens` is None where the client sets no limit."""

    model: str
    session: SessionId
    message: str
    terms: Terms
    reply_tokens: int | None
    stream: bool
    include_usage: bool


def read_chat(body: Mapping[str, Any], session_header: str | None = None) -> ChatRequest:
    """The turn that a request asks for. Raises RequestInvalid with the API's code and the parameter.

    Of the messages the last one is the turn, which has to be the user's; those of the system and the developer are the
    instructions; the rest is what was said before, which the daemon knows by itself.
    """
    model = text(body, "model")
    messages = [_message(at, value) for at, value in enumerate(array(body, "messages"))]
    check_others(body)
    stream = flag(body, "stream")
    return ChatRequest(
        model=model,
        session=_session(body, session_header),
        message=_last(messages),
        terms=Terms(_instructions(messages), stop_sequences(body)),
        reply_tokens=_reply_tokens(body),
        stream=stream,
        include_usage=_include_usage(body, stream),
    )


# --- messages ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Message:
    role: str
    words: str
    place: str

    def checked(self) -> str:
        """Its words, where they can be stored and told."""
        return check_text(f"{self.place}.content", self.words)


def _message(at: int, value: object) -> _Message:
    place = f"messages[{at}]"
    if not isinstance(value, dict):
        raise wrong_type(place, "an object", value)
    role = text(value, "role", f"{place}.role")
    if role in _TOOL_ROLES:
        raise unsupported(f"{place}.role", f"'{role}'")
    if role not in _ROLES:
        raise wrong_value(f"{place}.role", role, _ROLES)
    for name in _TOOL_FIELDS:
        if value.get(name):
            raise unsupported_parameter(f"{place}.{name}")
    return _Message(role, _content(f"{place}.content", role, value.get("content")), place)


def _content(place: str, role: str, value: object) -> str:
    """The words of a message: a text, or parts that are texts, each on lines of its own."""
    if isinstance(value, str):
        return value
    if value is None:
        if role == "assistant":
            return ""
        raise missing(place)
    if not isinstance(value, list):
        raise wrong_type(place, "a string or an array of objects", value)
    if not value:
        raise empty(place)
    return "\n".join(_part(f"{place}[{at}]", role, part) for at, part in enumerate(value))


def _part(place: str, role: str, value: object) -> str:
    if not isinstance(value, dict):
        raise wrong_type(place, "an object", value)
    kind = text(value, "type", f"{place}.type")
    if kind == "refusal" and role == "assistant":
        return text(value, "refusal", f"{place}.refusal")
    if kind != "text":
        raise unsupported(f"{place}.type", f"'{shown(kind)}'")
    return text(value, "text", f"{place}.text")


def _last(messages: list[_Message]) -> str:
    last = messages[-1]
    if last.role != "user":
        raise unsuitable(f"{last.place}.role", "the last message has to be the user's: it is what is replied to.")
    if is_blank(last.words):
        raise unsuitable(f"{last.place}.content", "it must not be blank.")
    return last.checked()


def _instructions(messages: list[_Message]) -> str:
    told = (message.checked().strip() for message in messages if message.role in _INSTRUCTING)
    return "\n\n".join(words for words in told if not is_blank(words))


# --- the thread --------------------------------------------------------------------------------------------------


def _session(body: Mapping[str, Any], header: str | None) -> SessionId:
    """The session: what the client names, else one for each of its users, else one for all of this API."""
    metadata = mapping(body, "metadata")
    named = {
        "session": optional_text(body, "session"),
        "metadata.session": optional_text(metadata, "session", "metadata.session"),
        SESSION_HEADER: None if header is None else _decoded(header),
    }
    users = {name: optional_text(body, name) for name in ("user", "safety_identifier")}
    for param, name in named.items():
        if name is not None:
            return _session_named(param, name)
    for param, user in users.items():
        if user is not None and user.strip():
            return _session_named(param, _USER_PREFIX + user.strip())
    return SessionId(DEFAULT_SESSION)


def _decoded(header: str) -> str:
    """The words of a header that may be percent-encoded."""
    try:
        data = header.encode("utf-8", "surrogateescape")
        return _ENCODED.sub(lambda found: bytes.fromhex(found[1].decode()), data).decode("utf-8")
    except UnicodeError:
        raise unsuitable(SESSION_HEADER, "it is not UTF-8.") from None


def _session_named(param: str, name: str) -> SessionId:
    try:
        return session_name(name)
    except RequestInvalid as error:
        raise unsuitable(param, error.message) from None


# --- the rest ----------------------------------------------------------------------------------------------------


def _reply_tokens(body: Mapping[str, Any]) -> int | None:
    former, current = tokens(body, "max_tokens"), tokens(body, "max_completion_tokens")
    if former is not None and current is not None:
        raise unsuitable("max_tokens", "it stands beside max_completion_tokens; set one of them.")
    return former if current is None else current


def _include_usage(body: Mapping[str, Any], stream: bool) -> bool:
    options = mapping(body, "stream_options")
    if body.get("stream_options") is not None and not stream:
        raise unsuitable("stream_options", "it is only allowed when 'stream' is true.")
    for name in options:
        if name not in ("include_usage", "include_obfuscation"):
            raise unknown(f"stream_options.{shown(name)}")
    flag(options, "include_obfuscation", "stream_options.include_obfuscation")
    return flag(options, "include_usage", "stream_options.include_usage")
