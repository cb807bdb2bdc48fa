"""Memory in a form that outlives this program: JSON lines, one record each. `edge/memory/PORTABLE.md` describes them.

Reading is strict, and writing has one form for each record: what was read and is written again is the same, byte for
byte. Moments are whole microseconds since 1970 in a record, ISO 8601 in UTC on its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from edge.errors import ImportInvalid
from edge.memory.archive import Why
from edge.memory.units import SESSION_KINDS, Ending, Kind, Outcome, Source, TurnState

VERSION = 1
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a line that is read: a message of the largest size and a long reply, each character escaped."""
_LONGEST_NAME = 128
_LARGEST = 2**63 - 1
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_CONTROLS = re.compile("[\0-\x1f\x7f]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MISSING = object()

Values = Mapping[str, Any]
Reader = Callable[[str, Any], Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One line: which type of record it is, and all its fields."""

    type: str
    values: Values

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@dataclass(frozen=True, slots=True)
class _Field:
    read: Reader
    default: Any = _MISSING
    write: Callable[[Any], Any] = lambda value: value


def _wrong(name: str, what: str) -> ImportInvalid:
    return ImportInvalid(f"{name} must be {what}.", field=name)


def is_storable(text: str) -> bool:
    """Whether the store can keep a text: without half characters and NUL."""
    return _UNSTORABLE.search(text) is None


# --- what a field may hold ---


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "a text")
    if not is_storable(value):
        raise _wrong(name, "a text without half characters and NUL")
    return value


def _said(name: str, value: Any) -> str:
    text = _text(name, value)
    if not text.strip():
        raise _wrong(name, "a text that is not blank")
    return text


def _session(name: str, value: Any) -> str:
    text = _text(name, value)
    if text != text.strip() or not 0 < len(text) <= _LONGEST_NAME or _CONTROLS.search(text):
        raise _wrong(name, f"1 to {_LONGEST_NAME} characters, without control characters or space at its ends")
    return text


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list):
        raise _wrong(name, "a list of texts")
    return [_text(name, each) for each in value]


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false")
    return value


def _object(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(name, "an object")
    return value


def _whole(low: int) -> Reader:
    def read(name: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= _LARGEST:
            raise _wrong(name, f"a whole number from {low} on")
        return value

    return read


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _wrong(name, "a number from 0 to 1")
    return float(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e9:
        raise _wrong(name, "a number")
    return float(value)


def _moment(name: str, value: Any) -> int:
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is not None:
            return (found.astimezone(UTC) - _EPOCH) // _MICROSECOND
    except (TypeError, ValueError, OverflowError):
        pass
    raise _wrong(name, "a time like 2026-05-03T12:00:00.000000Z")


def _written_moment(stored: int | None) -> str | None:
    if stored is None:
        return None
    moment = _EPOCH + timedelta(microseconds=stored)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _one_of(names: type[StrEnum]) -> Reader:
    known = [each.value for each in names]

    def read(name: str, value: Any) -> str:
        if value not in known:
            raise _wrong(name, f"one of {', '.join(known)}")
        return str(value)

    return read


def _optional(read: Reader) -> Reader:
    return lambda name, value: None if value is None else read(name, value)


def _time(**more: Any) -> _Field:
    read = _optional(_moment) if "default" in more else _moment
    return _Field(read, write=_written_moment, **more)


_ID = _Field(_whole(1))
_TEXT = _Field(_text)
_NO_TEXT = _Field(_optional(_text), None)
_NO_ID = _Field(_optional(_whole(1)), None)

FIELDS: Mapping[str, Mapping[str, _Field]] = MappingProxyType(
    {
        "edge": {"version": _Field(_whole(1))},
        "context": {"session": _Field(_session), "context": _Field(_object), "updated_at": _time()},
        "cluster": {
            "key": _Field(_said),
            "description": _Field(_text, ""),
            "tags": _Field(_texts, []),
            "named_by": _TEXT,
            "coarse": _NO_TEXT,
            "made_at": _time(),
            "archived_at": _time(default=None),
        },
        "turn": {
            "id": _ID,
            "session": _Field(_session),
            "message": _TEXT,
            "reply": _Field(_text, ""),
            "state": _Field(_one_of(TurnState), TurnState.DONE.value),
            "started_at": _time(),
            "ended_at": _time(),
            "keep_secrets": _Field(_flag, False),
        },
        "memory": {
            "id": _ID,
            "session": _Field(_optional(_session), None),
            "kind": _Field(_one_of(Kind)),
            "content": _Field(_said),
            "subject": _Field(_text, "self"),
            "slot": _NO_TEXT,
            "value": _NO_TEXT,
            "entities": _Field(_texts, []),
            "source": _Field(_one_of(Source), Source.IMPORT.value),
            "turn": _NO_ID,
            "quote": _NO_TEXT,
            "confidence": _Field(_share, 1.0),
            "importance": _Field(_share, 0.5),
            "task_type": _NO_TEXT,
            "created_at": _time(),
            "valid_from": _time(),
            "valid_until": _time(default=None),
            "relevance": _Field(_number, 1.0),
            "cluster": _NO_TEXT,
            "access_count": _Field(_whole(0), 0),
            "last_accessed": _time(default=None),
            "superseded": _Field(_flag, False),
            "ended_why": _Field(_optional(_one_of(Ending)), None),
            "archived_at": _time(default=None),
            "archived_why": _Field(_optional(_one_of(Why)), None),
            "keep_secrets": _Field(_flag, False),
        },
        "replaced": {"memory": _ID, "by": _ID},
        "confirmed": {"memory": _ID, "turn": _ID},
        "told": {"fact": _ID, "words": _ID},
        "doubt": {
            "older": _ID,
            "newer": _ID,
            "marked_at": _time(),
            "asked_turn": _NO_ID,
            "settled_at": _time(default=None),
            "outcome": _Field(_optional(_one_of(Outcome)), None),
        },
        "end": {"turns": _Field(_whole(0)), "memories": _Field(_whole(0))},
    }
)
"""The types of records, in the order in which they come, and their fields in theirs."""


def read_record(line: bytes) -> Record:
    """The record on a line. Raises ImportInvalid, which names the field."""
    values = _parsed(line)
    name = values.pop("type", None)
    if not isinstance(name, str) or name not in FIELDS:
        raise ImportInvalid(f"type must be one of {', '.join(FIELDS)}.", field="type")
    return record_of(name, values)


def record_of(name: str, values: Mapping[str, Any]) -> Record:
    """A record from what a line says. Raises ImportInvalid."""
    fields = FIELDS[name]
    unknown = next((key for key in values if key not in fields), None)
    if unknown is not None:
        shown = unknown.encode("utf-8", "replace").decode()[:64]
        raise ImportInvalid(f"A {name} has no field {shown}.", field=shown)
    read = {key: _value(key, field, values.get(key, field.default)) for key, field in fields.items()}
    if name == "turn" and read["state"] == TurnState.OPEN.value:
        raise _wrong("state", "that of a turn that has ended")
    if name == "memory" and read["session"] is None and Kind(read["kind"]) in SESSION_KINDS:
        raise _wrong("session", f"named for a {read['kind']}")
    if name == "edge" and read["version"] > VERSION:
        raise ImportInvalid(
            f"The file is of version {read['version']}; this edge reads up to {VERSION}.", field="version"
        )
    return Record(name, read)


def _value(name: str, field: _Field, value: Any) -> Any:
    if value is _MISSING:
        raise ImportInvalid(f"{name} is missing.", field=name)
    return value if value is field.default else field.read(name, value)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ImportInvalid(f"It is not UTF-8: byte {error.start} is wrong.") from None
    except ValueError as error:
        raise ImportInvalid(f"It is not JSON: {error}.") from None
    except RecursionError:
        raise ImportInvalid("It is nested too deeply.") from None
    if not isinstance(value, dict):
        raise ImportInvalid("It must be a JSON object.")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def write_record(record: Record) -> str:
    """Its line, without the line's end."""
    fields = FIELDS[record.type]
    values = {name: field.write(record.values[name]) for name, field in fields.items()}
    return json.dumps({"type": record.type, **values}, ensure_ascii=False, separators=(",", ":"))
