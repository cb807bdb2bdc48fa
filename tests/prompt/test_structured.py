"""Structured data is compact JSON or refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given as with_any
from hypothesis import strategies as st

from edge.errors import RequestInvalid
from edge.prompt.structured import IDLE, Execution, compact_json, execution_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_json_has_no_spaces_and_keeps_other_scripts() -> None:
    assert (
        compact_json({"tool": "查订单", "args": [1, None, "é"]}, "context") == '{"tool":"查订单","args":[1,null,"é"]}'
    )


@with_any(JSON)
def test_any_json_comes_back_as_it_was(value: Any) -> None:
    assert json.loads(compact_json(value, "context")) == value


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, "context.at is a datetime"),
        ({"a": [1, object()]}, "context.a[1] is a object"),
        ({"n": float("nan")}, "context.n is nan"),
        ({"n": float("inf")}, "context.n is inf"),
        ({1: "x"}, "context has a key that is not a text: int"),
        ({"s": {1, 2}}, "context.s is a set"),
        ({"b": b"x"}, "context.b is a bytes"),
        ({"n": [10**5000]}, "context.n[0] is a number of over 4300 digits"),
        ({"数": -(10**5000)}, "context.数 is a number of over 4300 digits"),
    ],
)
def test_what_is_not_json_is_refused_and_named(value: object, place: str) -> None:
    with pytest.raises(RequestInvalid) as refused:
        compact_json(value, "context")
    assert refused.value.message.startswith(place)


def test_a_number_as_long_as_can_be_read_again_is_taken() -> None:
    longest = 10**4299
    assert json.loads(compact_json([longest, -longest], "context")) == [longest, -longest]


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: Any = 1
    for _ in range(40):
        value = [value]
    with pytest.raises(RequestInvalid):
        compact_json(value, "context")


def test_the_result_is_apart_from_the_call() -> None:
    context = {"current_tool": "orders", "tool_args": {"id": 7}, "last_tool_result": {"state": "已发货"}}
    assert execution_of(context, "context") == Execution(
        '{"current_tool":"orders","tool_args":{"id":7}}', '{"last_tool_result":{"state":"已发货"}}'
    )
    assert execution_of({}, "context") == IDLE


def test_only_what_changed_is_told_again() -> None:
    before, now = Execution("a", "x"), Execution("a", "y")
    assert now.changed_since(before) == Execution("", "y")
    assert before.changed_since(before) == IDLE
    assert Execution("b", "").over(before) == Execution("b", "x")
    assert now.only(call=True, result=False) == Execution("a", "")


def test_what_holds_no_more_is_told_once() -> None:
    before = Execution("a", "x")
    ended = IDLE.changed_since(before)
    assert ended == Execution("{}", '{"last_tool_result":null}')
    assert IDLE.changed_since(ended.over(before)) == IDLE
    assert Execution("a", "").changed_since(before) == Execution("", '{"last_tool_result":null}')
    assert IDLE.changed_since(IDLE) == IDLE
