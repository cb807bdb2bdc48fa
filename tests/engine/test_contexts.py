"""The execution context of sessions over fakes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from edge.engine.contexts import Contexts, SessionContext
from edge.errors import RequestInvalid
from edge.memory.units import Kind, Source
from edge.prompt.structured import IDLE, Execution
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk
from tests.fakes.clock import NOON

CREATE = {"current_tool": "查订单", "tool_args": {"id": 7}}


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def contexts(desk: Desk) -> Contexts:
    return Contexts(desk.store.contexts, desk.remember)


def test_it_is_one_of_an_owner_and_a_session(contexts: Contexts) -> None:
    contexts.replace(ANN, MAIN, CREATE, NOON)
    assert contexts.read(ANN, MAIN) == SessionContext(MAIN, CREATE, NOON)
    for owner, session in ((ANN, OTHER), (BOB, MAIN)):
        assert contexts.read(owner, session) == SessionContext(session)
        assert contexts.execution(owner, session, None) == IDLE


def test_a_turn_takes_its_own_or_the_sessions(contexts: Contexts) -> None:
    contexts.replace(ANN, MAIN, CREATE, NOON)
    assert contexts.execution(ANN, MAIN, None) == Execution('{"current_tool":"查订单","tool_args":{"id":7}}')
    assert contexts.execution(ANN, MAIN, {"last_tool_result": 1}) == Execution(result='{"last_tool_result":1}')
    assert contexts.execution(ANN, MAIN, {}) == IDLE


def test_what_is_not_json_changes_nothing(contexts: Contexts, desk: Desk) -> None:
    contexts.replace(ANN, MAIN, CREATE, NOON)
    with pytest.raises(RequestInvalid, match=r"context\.last_tool_result\.at is a datetime"):
        contexts.replace(ANN, MAIN, {"last_tool_result": {"at": datetime(2026, 5, 3, tzinfo=UTC)}}, NOON)
    assert contexts.read(ANN, MAIN).context == CREATE
    assert desk.units() == []


def test_a_result_is_remembered_and_confirmed_for_its_session_alone(contexts: Contexts, desk: Desk) -> None:
    result = {"current_tool": "sync", "last_tool_result": {"retry_after": 300}}
    first = contexts.replace(ANN, MAIN, result, NOON)
    again = contexts.replace(ANN, MAIN, result, NOON)
    other = contexts.replace(ANN, OTHER, result, NOON)
    assert (len(first.added), again.confirmed, len(other.added)) == (1, first.added, 1)
    unit = desk.store.unit(ANN, first.added[0])
    assert (unit.kind, unit.source, unit.session, unit.content, unit.task_type) == (
        Kind.TOOL_RESULT, Source.TOOL, MAIN, "retry after: 300", "sync",
    )  # fmt: skip
    assert unit.valid_until is not None
    assert unit.valid_until > NOON


def test_secrets_are_marked_where_it_is_kept_told_and_remembered(contexts: Contexts, desk: Desk) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9" * 3
    context = {"tool_args": {"note": f"use {secret}"}, "last_tool_result": {"password": "hunter2", "text": secret}}
    contexts.replace(ANN, MAIN, context, NOON)
    told = contexts.execution(ANN, MAIN, context)
    for text in (str(contexts.read(ANN, MAIN)), told.call + told.result, str(desk.units())):
        assert secret not in text
        assert "hunter2" not in text
    assert "redacted" in told.call
    assert told == contexts.execution(ANN, MAIN, None)
