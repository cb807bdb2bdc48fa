"""What goes on the wire is what `edge.wire` declares, for every unit and event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_type_hints

import pytest

from edge import wire
from edge.daemon.views import event_wire, memory_wire, recall_answer, recalled_wire, session_wire, time_wire
from edge.engine.events import RecallDone, Timings, TokenMade, TurnDone, TurnFailed, Usage
from edge.engine.model_ports import Finish
from edge.engine.recall import Found
from edge.errors import Busy
from edge.memory.intents import Intent, Label, Move
from edge.memory.units import SessionId, SessionInfo, TurnId, Unit, UnitId
from edge.prompt.budget import Cause, GaveWay, Section
from tests.engine.making import fact, found, remembered
from tests.fakes.clock import NOON
from tests.fakes.memory_store import FakeMemoryStore


@pytest.fixture
def unit() -> Unit:
    return remembered(FakeMemoryStore(), fact("用户喜欢茶。", "likes", "茶"))


def all_found(unit: Unit, *, dropped: bool = False) -> Found:
    (recalled,) = found(unit)
    return Found(
        recalled=() if dropped else (replace(recalled, score=0.123456, signals={"bm25": 1.23456}),),
        asked=None, about_the_past=False, dropped=((recalled, "too low"),) if dropped else (), degraded=("vectors",),
        rules_seconds=0.0001234, total_seconds=0.0021,
    )  # fmt: skip


GAVE_WAY = (
    GaveWay(Section.MEMORIES, 2, 30, Cause.TOKENS),
    GaveWay(Section.MEMORIES, 1, 12, Cause.SECONDS),
    GaveWay(Section.TOOL_RESULT, 1, 90, Cause.SECONDS),
)


def keys(shape: type) -> set[str]:
    return set(get_type_hints(shape))


def done(unit: Unit, finish: Finish = Finish.STOP, first_token: float | None = 0.5) -> TurnDone:
    return TurnDone(
        TurnId(7), SessionId("main"), "好。", finish, False, all_found(unit), frozenset({unit.id}), (UnitId(9),),
        Usage(10, 4, 6, 3, 2, 6, 48, GAVE_WAY, True), Timings(0.001, 0.002, first_token, 1.5),
        Intent(Label.PROFILE, 0.87, "profile asked", Move.ASK),
    )  # fmt: skip


def test_a_unit_has_every_field_and_survives_json(unit: Unit) -> None:
    shown = memory_wire(replace(unit, valid_until=NOON, last_accessed=NOON, archived_at=NOON, superseded_by=UnitId(3)))
    assert shown.keys() == keys(wire.MemoryWire)
    assert json.loads(json.dumps(shown, ensure_ascii=False)) == shown
    assert (shown["valid_until"], shown["superseded_by"]) == ("2026-05-03T12:00:00.000Z", 3)
    assert memory_wire(unit)["valid_until"] is None


def test_times_are_utc() -> None:
    assert (
        time_wire(datetime(2026, 5, 3, 1, 2, 3, 4567, tzinfo=timezone(timedelta(hours=8))))
        == "2026-05-02T17:02:03.004Z"
    )
    assert time_wire(datetime(1970, 1, 1, tzinfo=UTC)) == "1970-01-01T00:00:00.000Z"


def test_a_session(unit: Unit) -> None:
    shown = session_wire(SessionInfo(SessionId("工作"), 3, NOON, NOON))
    assert shown.keys() == keys(wire.SessionWire)
    assert shown["session"] == "工作"


def test_events_have_the_declared_shapes(unit: Unit) -> None:
    shapes: list[tuple[Any, str, type]] = [
        (RecallDone(TurnId(7), all_found(unit), frozenset({unit.id})), "recall", wire.RecallEvent),
        (TokenMade("你"), "token", wire.TokenEvent),
        (done(unit), "done", wire.DoneEvent),
        (TurnFailed(Busy("full", waiting=3)), "error", wire.ErrorWire),
    ]
    for event, name, shape in shapes:
        told, data = event_wire(event)
        assert told == name
        assert data.keys() == keys(shape)
        json.dumps(data)


def test_the_end_of_a_turn_in_numbers(unit: Unit) -> None:
    name, data = event_wire(done(unit, Finish.LENGTH, None))
    shown: Mapping[str, Any] = dict(data)
    assert (name, shown["finish"], shown["remembered"]) == ("done", "length", [9])
    assert shown["answered_by"] == "model"
    assert shown["usage"].keys() == keys(wire.UsageWire)
    assert shown["usage"]["prompt_tokens"] == shown["usage"]["reused_tokens"] + shown["usage"]["evaluated_tokens"]
    assert shown["usage"]["compacted"] is True
    assert (shown["usage"]["in_time_tokens"], shown["usage"]["dropped_memories"]) == (48, 3)
    assert all(each.keys() == keys(wire.GaveWayWire) for each in shown["usage"]["gave_way"])
    assert [list(each.values()) for each in shown["usage"]["gave_way"]] == [
        ["memories", 2, 30, "tokens"],
        ["memories", 1, 12, "seconds"],
        ["last_tool_result", 1, 90, "seconds"],
    ]
    assert shown["intent"].keys() == keys(wire.IntentWire)
    assert list(shown["intent"].values()) == ["profile", "ask", 0.87, True, "profile asked"]
    assert shown["timings"] == {"rules_ms": 1.0, "recall_ms": 2.0, "first_token_ms": None, "total_ms": 1500.0}
    (recalled,) = shown["recalled"]
    assert (recalled["sent"], recalled["score"], "signals" in recalled) == (True, 0.1235, False)


def test_a_long_unit_has_the_passage_that_matched(unit: Unit) -> None:
    (recalled,) = found(unit)
    assert "passage" not in recalled_wire(recalled)
    shown = recalled_wire(replace(recalled, passage="茶。"), [unit.id])
    assert (shown["passage"], shown["content"]) == ("茶。", unit.content)


def test_a_recall_explains_itself_on_request(unit: Unit) -> None:
    plain = recall_answer(all_found(unit, dropped=True), explain=False)
    assert plain.keys() == keys(wire.RecallAnswer)
    assert (plain["nothing_reliable"], plain["dropped"], plain["degraded"]) == (True, [], ["vectors"])
    explained = recall_answer(all_found(unit, dropped=True), explain=True)
    assert [(dropped["id"], dropped["why"]) for dropped in explained["dropped"]] == [(unit.id, "too low")]
    assert recall_answer(all_found(unit), explain=True)["recalled"][0]["signals"] == {"bm25": 1.2346}


def test_an_error_carries_code_hint_and_details() -> None:
    _, data = event_wire(TurnFailed(Busy("full", waiting=3)))
    assert data == {"error": {"code": "busy", "message": "full", "hint": Busy.default_hint, "waiting": 3}}
