"""What of a tool's result becomes a memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from edge.memory.compression import LIMIT
from edge.memory.tool_results import readable, told_by_result
from tests.prompt.test_structured import JSON


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({"last_tool_result": {"retry_after": 300}}, "retry after: 300"),
        ({"last_tool_result": {"note": "x", "orderId": "A-1", "total": 12.5}}, "order id: A-1; total: 12.5; note: x"),
        ({"current_tool": "get_temperature", "last_tool_result": 21.5}, "get temperature: 21.5"),
        ({"last_tool_result": "已发货"}, "已发货"),
        ({"last_tool_result": {"备注": "轻放", "状态": "已发货"}}, "状态: 已发货; 备注: 轻放"),
        ({"last_tool_result": {"items": [{"name": "tea"}, {"name": "mug"}]}}, "items 1 name: tea; items 2 name: mug"),
        ({"last_tool_result": {"tags": ["red", "blue"], "ok": True}}, "tags: red, blue; ok: yes"),
        ({"last_tool_result": {}}, None),
        ({"last_tool_result": None}, None),
        ({"last_tool_result": " "}, None),
        ({"current_tool": "x"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_result_is_told_in_readable_pairs(context: dict[str, Any], told: str | None) -> None:
    assert told_by_result(context) == told


def test_an_error_is_kept_whole_and_padding_is_left_out() -> None:
    result = {
        "blob": "QUJD" * 40, "description": "long words " * 30, "error_code": 503, "message": "Server fault",
        "trace_id": "c0ffee00-1111-2222-3333-444455556666",
    }  # fmt: skip
    told = told_by_result({"last_tool_result": result})
    assert told is not None
    assert told.startswith("error code: 503; message: Server fault")
    assert len(told) <= LIMIT


@given(JSON)
def test_any_result_is_short_or_nothing(result: object) -> None:
    told = told_by_result({"last_tool_result": result})
    assert told is None or 0 < len(told) <= LIMIT


def test_no_field_name_of_a_tool_is_told() -> None:
    assert readable("last_tool_result") == "last tool result"
    assert readable("toolArgs") == "tool args"
    told = told_by_result({"current_tool": "t", "last_tool_result": {"tool_args": {"retry_after": 1}}})
    assert told == "tool args retry after: 1"
