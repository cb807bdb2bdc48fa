"""What mem0 and ChatGPT export becomes lines of our own."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.cli.foreign import converted
from edge.errors import ImportInvalid
from edge.memory.portable import Record, read_record


def records(value: Any, **how: Any) -> list[Record]:
    source = io.BytesIO(json.dumps(value, **how).encode())
    lines = converted(source.readline(), source)
    assert lines is not None
    return [read_record(line) for line in lines]


AT = 1736209412.345


def node(parent: str | None, role: str | None = None, *parts: Any, at: float | None = AT, **more: Any) -> Any:
    content = {"content_type": more.pop("content_type", "text"), "parts": list(parts)}
    message = None if role is None else {"author": {"role": role}, "create_time": at, "content": content, **more}
    return {"parent": parent, "children": [], "message": message}


TALK = {
    "title": "Umzug", "create_time": 1736209400, "current_node": "f", "conversation_id": "8f3a",
    "mapping": {
        "r": node(None),
        "s": node("r", "system", "You are helpful."),
        "a": node("s", "user", "我搬到成都了 🚲"),
        "old": node("s", "user", "an edited message that is no longer seen"),
        "b": node("a", "assistant", "好的。"),
        "t": node("b", "assistant", "print(1)", content_type="code", recipient="python"),
        "c": node("t", "tool", "1"),
        "d": node("c", "assistant", "<|im_end|> It is one."),
        "e": node("d", "user", "And the picture?", {"asset": "x"}, content_type="multimodal_text", at=None),
        "f": node("e", "assistant", "A cat.\0\ud800"),
    },
}  # fmt: skip


def test_a_conversation_of_chatgpt_is_the_thread_that_was_last_seen() -> None:
    found = records([TALK])
    turns = [record for record in found if record.type == "turn"]
    assert [(turn["session"], turn["message"], turn["reply"]) for turn in turns] == [
        ("chatgpt-8f3a", "我搬到成都了 🚲", "好的。\n\n<|im_end|> It is one."),
        ("chatgpt-8f3a", "And the picture?", "A cat.?"),
    ]
    assert turns[0]["started_at"] == 1736209412345000
    assert turns[1]["started_at"] == 1736209400000000
    told = [(each["turn"], each["source"], each["content"]) for each in found if each.type == "memory"]
    assert told[0] == (1, "import", "我搬到成都了 🚲")
    assert told[3] == (2, "assistant", "A cat.?")
    assert "edited" not in str(found)


MEM0 = {
    "id": "3c90", "memory": "Dev works at TechCorp 在成都", "user_id": "dev", "hash": "x", "metadata": {"a": 1},
    "created_at": "2024-07-01T12:00:00.123456-07:00", "updated_at": None, "categories": ["work"],
}  # fmt: skip


@pytest.mark.parametrize(
    "value", [[MEM0], {"results": [MEM0], "relations": []}, {"memories": [MEM0]}, {"count": 1, "results": [MEM0]}, MEM0]
)
@pytest.mark.parametrize("how", [{}, {"indent": 1}])
def test_memories_of_mem0(value: Any, how: dict[str, Any]) -> None:
    (record,) = records(value, **how)
    assert (record["content"], record["kind"], record["source"]) == (MEM0["memory"], "fact_reference", "import")
    assert record["created_at"] == 1719860400123456


def test_mem0_without_a_time_and_one_on_each_line() -> None:
    source = io.BytesIO(b'{"memory": "a"}\n{"text": "b", "created_at": 5e20}\n')
    lines = converted(source.readline(), source)
    assert lines is not None
    found = [read_record(line) for line in lines]
    assert [(each["id"], each["content"], each["created_at"]) for each in found] == [(1, "a", 0), (2, "b", 0)]


@pytest.mark.parametrize("value", [[5], [{"memory": ""}], [{"memory": 5}], {"results": [None]}, [[]]])
def test_what_is_neither_is_refused(value: Any) -> None:
    with pytest.raises(ImportInvalid, match="Item 1 is neither"):
        records(value)


@pytest.mark.parametrize("first", [b'{"type":"edge","version":1}\n', b'{"type": "memory"}\n', b"\n", b"x\n", b""])
def test_our_own_is_left_as_it_is(first: bytes) -> None:
    assert converted(first, io.BytesIO()) is None


def test_a_file_that_is_too_large_is_refused_and_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.cli.foreign._LARGEST", 40)
    lines = b'{"memory": "one"}\n{"memory": "another"}\n'
    source = io.BytesIO(lines + b'{"memory": "last"}\n')
    with pytest.raises(ImportInvalid, match="more than 40 bytes"):
        converted(source.readline(), source)
    source = io.BytesIO(lines)
    assert len(list(converted(source.readline(), source) or ())) == 2


@pytest.mark.parametrize("text", [b"[", b"[1,", b'{"memory": \n', b"[" * 100_000, b"{\xff"])
def test_what_is_no_json_is_refused(text: bytes) -> None:
    source = io.BytesIO(text)
    with pytest.raises(ImportInvalid):
        converted(source.readline(), source)


parts = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["a", "b", "user", "我", "\ud800\0", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["mapping", "message", "author", "role", "content", "parts", "parent", "current_node", "a", "b",
                 "memory", "create_time", "created_at", "children", "id", "results"]
            ),
            inner, max_size=5,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@given(parts)
def test_whatever_a_file_holds_it_becomes_lines_or_is_refused(value: Any) -> None:
    source = io.BytesIO(json.dumps(value).encode())
    try:
        for line in converted(source.readline(), source) or ():
            read_record(line)
    except ImportInvalid:
        return
