"""What other programs export, as lines of our own format (edge/memory/PORTABLE.md). Only plain fields are read.

mem0: objects with `memory` (older ones `text`), `created_at` and `id`, alone, in a list, or in `results`/`memories` of
an object, as its `get_all` and its exports give them. ChatGPT: `conversations.json`, a list of conversations in which
`mapping` holds the nodes of a tree; the thread from `current_node` up to its root is what was last seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import IO, Any

from edge.errors import ImportInvalid
from edge.wire import MAX_SESSION_CHARS

_EPOCH = "1970-01-01T00:00:00.000000Z"
_LARGEST = 1024 * 1024 * 1024
"""Bytes of a file, which is read whole."""


def converted(first: bytes, rest: IO[bytes]) -> Iterator[bytes] | None:
    """The lines that a file becomes, by its first line; None for a file of our own. Raises ImportInvalid."""
    if _is_ours(first):
        return None
    data = first + rest.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ImportInvalid(f"The file has more than {_LARGEST:,} bytes.", hint="Divide it, and import the parts.")
    return _lines(_parsed(data))


def _is_ours(first: bytes) -> bool:
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return not first.lstrip().startswith((b"[", b"{"))
    return not isinstance(value, list) and not (isinstance(value, dict) and _is_foreign(value))


def _is_foreign(value: dict[str, Any]) -> bool:
    return "type" not in value and any(name in value for name in ("memory", "text", "results", "memories", "mapping"))


def _parsed(data: bytes) -> list[Any]:
    """The objects of a file: those of a list, those in an object, or one on each line."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise ImportInvalid("The file is nested too deeply.") from None
    except ValueError as error:
        return _each_line(data, error)
    for name in ("results", "memories"):
        if isinstance(value, dict) and isinstance(value.get(name), list):
            value = value[name]
    return value if isinstance(value, list) else [value]


def _each_line(data: bytes, error: ValueError) -> list[Any]:
    try:
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise ImportInvalid(f"The file is neither JSON nor lines of JSON: {error}.") from None


def _lines(objects: list[Any]) -> Iterator[bytes]:
    turns, memories = count(1), count(1)
    said = [turn for each in objects if _is_conversation(each) for turn in _turns(each)]
    numbers = []
    for session, at, message, reply in said:
        numbers.append(next(turns))
        yield _line("turn", id=numbers[-1], session=session, message=message, reply=reply, started_at=at, ended_at=at)
    for number, (session, at, message, reply) in zip(numbers, said, strict=True):
        for source, words in (("import", message), ("assistant", reply)):
            if words.strip():
                more = {"session": session, "source": source, "turn": number}
                yield _memory(next(memories), "episode", words, at, **more)
    for place, each in enumerate(objects, 1):
        if not _is_conversation(each):
            yield _memory(next(memories), "fact_reference", *_mem0(each, place), source="import")


def _is_conversation(each: Any) -> bool:
    return isinstance(each, dict) and isinstance(each.get("mapping"), dict)


def _mem0(each: Any, place: int) -> tuple[str, str]:
    content = (each.get("memory") or each.get("text")) if isinstance(each, dict) else None
    if not isinstance(content, str) or not content.strip():
        raise ImportInvalid(f"Item {place} is neither a memory of mem0 nor a conversation of ChatGPT.", item=place)
    return _storable(content), _moment(each.get("created_at"))


def _turns(conversation: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Session, moment, message and reply of each turn. Words that follow one another of one side belong together."""
    name = conversation.get("conversation_id") or conversation.get("id") or conversation.get("title") or "import"
    session = _session(f"chatgpt-{name}")
    message, replies, at = "", list[str](), conversation.get("create_time")
    for role, words, moment in _thread(conversation):
        if role == "user" and replies:
            yield session, _moment(at), message, "\n\n".join(replies)
            message, replies = "", []
        if role == "user":
            at = moment if not message else at
            message = f"{message}\n\n{words}" if message else words
        else:
            replies.append(words)
    if message or replies:
        yield session, _moment(at), message, "\n\n".join(replies)


def _thread(conversation: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """What was said on the way to the current node, oldest first: role, words, and when."""
    mapping = conversation["mapping"]
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    node = conversation.get("current_node") or _last_leaf(mapping)
    while isinstance(node, str) and node not in seen and isinstance(mapping.get(node), dict):
        seen.add(node)
        path.append(mapping[node])
        node = mapping[node].get("parent")
    for each in reversed(path):
        message = each.get("message")
        if isinstance(message, dict):
            role, words = _role(message), _words(message.get("content"))
            if role in ("user", "assistant") and words.strip():
                yield role, words, message.get("create_time") or conversation.get("create_time")


def _last_leaf(mapping: dict[str, Any]) -> str | None:
    leaves = [name for name, node in mapping.items() if isinstance(node, dict) and not node.get("children")]
    return leaves[-1] if leaves else None


def _role(message: dict[str, Any]) -> str:
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else None
    return role if isinstance(role, str) and message.get("recipient", "all") in ("all", None) else ""


def _words(content: Any) -> str:
    """Texts alone: neither code that ran, nor pictures."""
    if not isinstance(content, dict) or content.get("content_type", "text") not in ("text", "multimodal_text"):
        return ""
    parts = content.get("parts")
    return _storable("\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else "")


def _moment(value: Any) -> str:
    """From seconds since 1970 or ISO 8601; what tells no time is taken to be of 1970, before all else."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            found = found if found.tzinfo else found.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value, UTC)
        else:
            return _EPOCH
        return found.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return _EPOCH


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _session(name: str) -> str:
    plain = "".join(char for char in _storable(name) if char.isprintable())
    return plain.strip()[:MAX_SESSION_CHARS].strip()


def _memory(number: int, kind: str, content: str, at: str, **more: Any) -> bytes:
    return _line("memory", id=number, kind=kind, content=content, created_at=at, valid_from=at, **more)


def _line(name: str, **values: Any) -> bytes:
    return json.dumps({"type": name, **values}, ensure_ascii=False).encode() + b"\n"
