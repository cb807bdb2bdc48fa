"""Reading requests strictly: every field has a type and a range, an unknown one is named, and nothing is guessed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from edge.errors import BodyInvalid, FieldUnknown, RequestInvalid
from edge.memory.leftovers import texts_of
from edge.memory.units import SessionId, UnitId
from edge.prompt.structured import EXECUTION_FIELDS, compact_json
from edge.wire import MAX_SESSION_CHARS

_CONTROLS = frozenset(map(chr, (*range(32), 127)))
LARGEST_ID = 2**63 - 1
"""That the database can hold."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises BodyInvalid for anything else."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BodyInvalid(f"The body is not UTF-8: byte {error.start} is wrong.", position=error.start) from None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise BodyInvalid(f"The body is not JSON: {error}.") from None
    except RecursionError:
        raise BodyInvalid("The body is nested too deeply.") from None
    if not isinstance(value, dict):
        raise BodyInvalid("The body must be a JSON object.")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


class Fields:
    """The fields of a request, taken one by one; `done` refuses what nobody took."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._left = dict(values)

    def given(self, names: Iterable[str]) -> str | None:
        """The first of the names that is among the fields nobody took yet."""
        return next((name for name in names if name in self._left), None)

    def done(self) -> None:
        """Raise FieldUnknown for fields that are left."""
        for name in self._left:
            raise FieldUnknown(f"The field {_shown(name)} is not known here.", field=_shown(name))

    def text(self, name: str, default: str | None = None, *, longest: int | None = None) -> str:
        """A text that is not blank. Required where there is no default."""
        value = self._take(name, str, default)
        text = check_text(name, value)
        if is_blank(text):
            raise RequestInvalid(f"{name} must not be blank.", field=name)
        if longest is not None and len(text) > longest:
            raise RequestInvalid(f"{name} has {len(text)} characters; at most {longest} are taken.", field=name)
        return text

    def optional_text(self, name: str, *, longest: int | None = None) -> str | None:
        """A text, or None where the field is missing or null."""
        if self._left.get(name) is None:
            self._left.pop(name, None)
            return None
        return self.text(name, longest=longest)

    def session(self) -> SessionId:
        """A session's name."""
        return session_name(self.text("session", longest=MAX_SESSION_CHARS))

    def optional_session(self) -> SessionId | None:
        """A session's name, or None where the field is missing or null."""
        if self._left.get("session") is None:
            self._left.pop("session", None)
            return None
        return self.session()

    def integer(self, name: str, default: int, *, low: int, high: int) -> int:
        """A whole number in a range."""
        value = self._take(name, int, default)
        if isinstance(value, bool):
            raise RequestInvalid(f"{name} must be a whole number.", field=name)
        return int(self._in_range(name, value, low, high))

    def number(self, name: str, default: float, *, low: float, high: float) -> float:
        """A number in a range."""
        value = self._take(name, (int, float), default)
        if isinstance(value, bool) or value != value:
            raise RequestInvalid(f"{name} must be a number.", field=name)
        return float(self._in_range(name, value, low, high))

    def optional_number(self, name: str, *, low: float, high: float) -> float | None:
        """A number in a range, or None where the field is missing or null."""
        if self._left.get(name) is None:
            self._left.pop(name, None)
            return None
        return self.number(name, low, low=low, high=high)

    def boolean(self, name: str, default: bool) -> bool:
        """True or false."""
        return bool(self._take(name, bool, default))

    def those_of(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of the fields that are there, whatever they hold."""
        return {name: self._left.pop(name) for name in list(self._left) if name in set(names)}

    def optional_object(self, name: str) -> dict[str, Any] | None:
        """A JSON object, or None where the field is missing or null."""
        if self._left.get(name) is None:
            self._left.pop(name, None)
            return None
        value: dict[str, Any] = self._take(name, dict, None)
        return value

    def texts(self, name: str, *, most: int, longest: int) -> tuple[str, ...]:
        """A list of texts; empty where the field is missing."""
        values = self._take(name, list, [])
        if len(values) > most or not all(isinstance(value, str) for value in values):
            raise RequestInvalid(f"{name} must be a list of at most {most} texts.", field=name)
        for value in values:
            if len(check_text(name, value)) > longest:
                raise RequestInvalid(f"{name} holds a text of over {longest} characters.", field=name)
        return tuple(values)

    def ids(self, name: str, *, most: int) -> tuple[UnitId, ...]:
        """A list of at least one id, each once."""
        values = self._take(name, list, None)
        if (
            not values
            or len(values) > most
            or not all(type(value) is int and 0 < value <= LARGEST_ID for value in values)
        ):
            raise RequestInvalid(f"{name} must be a list of 1 to {most} ids.", field=name)
        return tuple(UnitId(value) for value in dict.fromkeys(values))

    def moment(self, name: str) -> datetime | None:
        """A point in time with its offset, in ISO 8601; None where the field is missing or null."""
        text = self.optional_text(name, longest=64)
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                raise ValueError
            return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            raise RequestInvalid(
                f"{name} must be a time with its offset, such as 2026-05-03T14:00:00Z.", field=name
            ) from None

    def _take(self, name: str, wanted: type | tuple[type, ...], default: Any) -> Any:
        if name not in self._left:
            if default is None:
                raise RequestInvalid(f"{name} is missing.", field=name)
            return default
        value = self._left.pop(name)
        if not isinstance(value, wanted):
            raise RequestInvalid(f"{name} must be {_named(wanted)}.", field=name)
        return value

    def _in_range(self, name: str, value: float, low: float, high: float) -> float:
        if not low <= value <= high:
            raise RequestInvalid(f"{name} must be from {low:g} to {high:g}.", field=name)
        return value


def whole_number(name: str, text: str) -> int:
    """A number of a query, from its text. Raises RequestInvalid."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise RequestInvalid(f"{name} must be a whole number.", field=name)
    return int(text)


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: spaces, and characters without a shape of their own such as the zero-width ones."""
    return all(char.isspace() or unicodedata.category(char) in ("Cc", "Cf") for char in text)


def check_text(name: str, text: str) -> str:
    """The text, where it can be stored and sent: no NUL, no half of a surrogate pair. Raises RequestInvalid."""
    found = _UNSTORABLE.search(text)
    if found is not None:
        what = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
        raise RequestInvalid(f"{name} holds {what} at position {found.start()}.", field=name)
    return text


def turn_context(fields: Fields) -> dict[str, Any] | None:
    """The execution context that a turn brings: `context` with current_tool, tool_args, last_tool_result and
    session_variables; None where it brings none."""
    context = fields.optional_object("context")
    return None if context is None else checked_context(context)


def checked_context(context: dict[str, Any]) -> dict[str, Any]:
    """An execution context that can be stored and told. Raises FieldUnknown, RequestInvalid."""
    for name in context:
        if name not in EXECUTION_FIELDS:
            shown = _shown(name)
            raise FieldUnknown(f"The field context.{shown} is not known here.", field=f"context.{shown}")
    compact_json(context, "context")
    for text in texts_of(context):
        check_text("context", text)
    return context


def session_name(text: str) -> SessionId:
    """A session's name: 1 to 128 characters, no control characters, no space at its ends. Raises RequestInvalid."""
    text = check_text("session", text)
    if not text.strip() or text != text.strip() or len(text) > MAX_SESSION_CHARS or _CONTROLS & set(text):
        raise RequestInvalid(
            f"session must be 1 to {MAX_SESSION_CHARS} characters, without control characters or space at its ends.",
            field="session",
        )
    return SessionId(text)


def _named(wanted: type | tuple[type, ...]) -> str:
    names = {str: "a text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}
    return "a number" if isinstance(wanted, tuple) else names[wanted]


def _shown(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")[:64]
