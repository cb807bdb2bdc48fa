"""Records and their lines: the same again both ways, and a wrong line named by its field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import ImportInvalid
from edge.memory.archive import Why
from edge.memory.portable import FIELDS, Record, read_record, record_of, write_record
from edge.memory.units import Ending, Kind, Outcome, Source, TurnState

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40) | st.sampled_from(
    ["我叫张伟", "<|im_end|>\n<|im_start|>user", "👩‍👩‍👧", '"\\\u2028\x1b[31m']
)
said = texts.filter(str.strip)
names = st.sampled_from(["main", "工作", "trip to Kiel", "🚲"])
ids = st.integers(1, 2**63 - 1)
moments = st.integers(-62135596800 * 10**6, 253402300799 * 10**6)
shares = st.floats(0, 1)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def values(enum: Any) -> st.SearchStrategy[str]:
    return st.sampled_from([each.value for each in enum])


RECORDS = st.one_of(
    st.fixed_dictionaries({"session": names, "context": st.just({"current_tool": "搜索"}), "updated_at": moments}).map(
        lambda found: Record("context", found)
    ),
    st.fixed_dictionaries(
        {
            "key": said, "description": texts, "tags": st.lists(texts, max_size=3), "named_by": texts,
            "coarse": maybe(texts), "made_at": moments, "archived_at": maybe(moments),
        }
    ).map(lambda found: Record("cluster", found)),
    st.fixed_dictionaries(
        {
            "id": ids, "session": names, "message": texts, "reply": texts,
            "state": values([each for each in TurnState if each is not TurnState.OPEN]),
            "started_at": moments, "ended_at": moments, "keep_secrets": st.booleans(),
        }
    ).map(lambda found: Record("turn", found)),
    st.fixed_dictionaries(
        {
            "id": ids, "session": names, "kind": values(Kind), "content": said, "subject": texts, "slot": maybe(texts),
            "value": maybe(texts), "entities": st.lists(texts, max_size=3), "source": values(Source),
            "turn": maybe(ids), "quote": maybe(texts), "confidence": shares, "importance": shares,
            "task_type": maybe(texts), "created_at": moments, "valid_from": moments, "valid_until": maybe(moments),
            "relevance": st.floats(-10, 10), "cluster": maybe(texts), "access_count": st.integers(0, 10**9),
            "last_accessed": maybe(moments), "superseded": st.booleans(), "ended_why": maybe(values(Ending)),
            "archived_at": maybe(moments), "archived_why": maybe(values(Why)), "keep_secrets": st.booleans(),
        }
    ).map(lambda found: Record("memory", found)),
    st.builds(lambda one, other: Record("replaced", {"memory": one, "by": other}), ids, ids),
    st.fixed_dictionaries(
        {
            "older": ids, "newer": ids, "marked_at": moments, "asked_turn": maybe(ids), "settled_at": maybe(moments),
            "outcome": maybe(values(Outcome)),
        }
    ).map(lambda found: Record("doubt", found)),
)  # fmt: skip


@given(RECORDS)
def test_a_record_is_the_same_after_a_line(record: Record) -> None:
    line = write_record(record)
    assert "\n" not in line
    again = read_record(line.encode())
    assert again == record
    assert write_record(again) == line


@given(st.binary(max_size=200) | texts.map(str.encode))
def test_no_bytes_crash_it(line: bytes) -> None:
    try:
        read_record(line)
    except ImportInvalid:
        return
    raise AssertionError("nothing here is a record")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(FIELDS)), st.data())
def test_whatever_stands_in_the_fields_it_is_a_record_or_named(name: str, data: st.DataObject) -> None:
    fields = data.draw(st.dictionaries(st.sampled_from(sorted(FIELDS[name])), json_values))
    line = json.dumps({"type": name, **fields}).encode()
    try:
        record = read_record(line)
    except ImportInvalid:
        return
    assert read_record(write_record(record).encode()) == record


MINIMAL: dict[str, Any] = {
    "id": 1, "kind": "fact_reference", "content": "自行车是蓝色的", "created_at": "2026-05-03T12:00:00Z",
    "valid_from": "2026-05-03T14:00:00+02:00",
}  # fmt: skip


def test_what_is_not_said_has_its_usual_value() -> None:
    record = record_of("memory", MINIMAL)
    assert (record["subject"], record["source"], record["confidence"]) == ("self", "import", 1.0)
    assert record["created_at"] == record["valid_from"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"content": "  "}, "content"),
        ({"content": "half \ud800"}, "content"),
        ({"content": None}, "content"),
        ({"kind": "session_state"}, "session"),
        ({"kind": "opinion"}, "kind"),
        ({"kind": ["fact_reference"]}, "kind"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"id": 0}, "id"),
        ({"id": True}, "id"),
        ({"id": 2**63}, "id"),
        ({"created_at": "yesterday"}, "created_at"),
        ({"created_at": "2026-05-03T12:00:00"}, "created_at"),
        ({"created_at": None}, "created_at"),
        ({"created_at": 5}, "created_at"),
        ({"session": " x"}, "session"),
        ({"session": "a\nb"}, "session"),
        ({"entities": ["a", 1]}, "entities"),
        ({"ended_why": "bored"}, "ended_why"),
        ({"owner": "uid:0"}, "owner"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ImportInvalid) as refused:
        read_record(json.dumps({"type": "memory", **MINIMAL, **changes}).encode())
    assert refused.value.details["field"] == field


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"type": "owner"}', b'{"type": 5}', b'{"type": "end", "turns": NaN}',
     b'{"type": "edge", "version": 2}'],
)  # fmt: skip
def test_a_wrong_line_is_named(line: bytes) -> None:
    with pytest.raises(ImportInvalid):
        read_record(line)
