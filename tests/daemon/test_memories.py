"""Requests for memories over a memory of fakes: page, add, show, recall; each inside its owner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.daemon import memories
from edge.daemon.memories import PageRequest, RecallRequest, RememberRequest, query_fields
from edge.daemon.memory import Memory
from edge.daemon.requests import Fields
from edge.errors import MemoryNotFound
from edge.memory.units import OwnerId, UnitId
from edge.wire import RememberAnswer
from tests.daemon.making import Life, NamedModels
from tests.engine.making import ANN, BOB, Desk
from tests.fakes.embedder import HashEmbedder


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def memory(desk: Desk, tmp_path: Path) -> Memory:
    life = Life(tmp_path, NamedModels("hash", HashEmbedder()), desk)
    life.start()
    return life.memory


def remember(memory: Memory, desk: Desk, owner: OwnerId = ANN, **body: Any) -> RememberAnswer:
    desk.clock.pass_by(minutes=1)
    now = desk.clock.now()
    answer = memories.remember(memory, owner, RememberRequest.read(Fields(body), now), now)
    desk.embed()
    return answer


def page(memory: Memory, desk: Desk, owner: OwnerId = ANN, **query: str) -> tuple[list[int], int | None]:
    answer = memories.page(memory, owner, PageRequest.read(query_fields(query)), desk.clock.now())
    return [shown["id"] for shown in answer["memories"]], answer["next_before"]


@pytest.mark.parametrize("content", ["My name is Will, say the papers.", "我叫小王，报纸上写着。"])
def test_a_statement_is_answered_with_what_it_made(memory: Memory, desk: Desk, content: str) -> None:
    answer = remember(memory, desk, content=content)
    assert [(shown["kind"], shown["slot"]) for shown in answer["memories"]] == [
        ("fact_reference", None),
        ("user_profile", "name"),
    ]
    assert answer["added"] == [shown["id"] for shown in answer["memories"]]
    again = remember(memory, desk, content=content)
    assert (again["added"], again["confirmed"]) == ([], answer["added"])
    json.dumps(again)


def test_what_is_superseded_is_named(memory: Memory, desk: Desk) -> None:
    old = remember(memory, desk, content="I live in Berlin.")["added"]
    answer = remember(memory, desk, content="I live in Hamburg now.")
    assert answer["superseded"] == old == [1]
    assert page(memory, desk)[0] == answer["added"] == [2]
    assert page(memory, desk, past="true")[0] == [2, 1]


def test_a_draft_is_stored_as_given_and_ends_when_it_was_to(memory: Memory, desk: Desk) -> None:
    body: dict[str, Any] = {
        "content": "The cart holds a lamp.",
        "kind": "session_state",
        "session": "shop",
        "expires_in": 3600,
    }
    (shown,) = remember(memory, desk, **body)["memories"]
    assert (shown["session"], shown["valid_until"]) == ("shop", "2026-05-03T13:01:00.000Z")
    assert page(memory, desk, session="other")[0] == []
    desk.clock.pass_by(hours=1)
    assert page(memory, desk, session="shop")[0] == []
    assert memories.show(memory, ANN, UnitId(shown["id"]))["content"] == "The cart holds a lamp."


def test_pages_follow_one_another_without_a_gap(memory: Memory, desk: Desk) -> None:
    for n in range(7):
        remember(memory, desk, content=f"Number {n} is odd or even.", kind="fact_reference")
    seen: list[int] = []
    before: int | None = 0
    while before is not None:
        ids, before = page(memory, desk, limit="3", before=str(before))
        seen += ids
    assert seen == [7, 6, 5, 4, 3, 2, 1]
    assert page(memory, desk, kind="episode") == ([], None)


def test_another_owner_sees_nothing(memory: Memory, desk: Desk) -> None:
    unit = UnitId(remember(memory, desk, content="The zeppelin leaves at nine.")["added"][0])
    with pytest.raises(MemoryNotFound):
        memories.show(memory, BOB, unit)
    assert page(memory, desk, BOB) == ([], None)
    wanted = RecallRequest.read(Fields({"query": "zeppelin"}), 8)
    assert memories.recall(memory, BOB, wanted, desk.clock.now())["recalled"] == []
    assert [shown["id"] for shown in memories.recall(memory, ANN, wanted, desk.clock.now())["recalled"]] == [unit]


def test_the_past_can_be_asked_about(memory: Memory, desk: Desk) -> None:
    remember(memory, desk, content="I live in Berlin.")
    then = desk.clock.now().isoformat()
    remember(memory, desk, content="I live in Hamburg now.")
    wanted = RecallRequest.read(Fields({"query": "Where do I live?", "as_of": then, "explain": True}), 8)
    answer = memories.recall(memory, ANN, wanted, desk.clock.now())
    assert "Berlin" in answer["recalled"][0]["content"]
    assert not any("Hamburg" in shown["content"] for shown in answer["recalled"])


@pytest.mark.parametrize(
    ("content", "kept", "label"),
    [
        ("my wifi password is hunter2", "my wifi password is [redacted password]", "password"),
        ("我的WiFi密码是hunter2", "我的WiFi密码是［已隐去 密码］", "password"),
    ],
    ids=["en", "zh"],
)
def test_a_secret_is_not_remembered_unless_that_is_asked_for(
    memory: Memory, desk: Desk, content: str, kept: str, label: str
) -> None:
    hidden = remember(memory, desk, content=content)
    assert hidden["redacted"] == [label]
    assert [shown["content"] for shown in hidden["memories"]] == [kept]
    asked = remember(memory, desk, content=content, keep_secrets=True)
    assert asked["redacted"] == []
    assert [(shown["content"], shown["value"]) for shown in asked["memories"]] == [(content, "hunter2")]


def test_words_that_ask_to_remember_a_secret_keep_it(memory: Memory, desk: Desk) -> None:
    answer = remember(memory, desk, content="Remember that my PIN is 4821.")
    assert (answer["redacted"], answer["memories"][0]["value"]) == ([], "4821")


def test_a_secret_stands_in_no_field_of_a_given_memory(memory: Memory, desk: Desk) -> None:
    fields: dict[str, Any] = {
        "content": "The router's password is hunter2", "kind": "fact_reference", "value": "hunter2",
        "entities": ["router", "hunter2"], "task_type": "setup", "slot": "router", "subject": "my PIN is 4821",
    }  # fmt: skip
    [shown] = remember(memory, desk, **fields)["memories"]
    assert shown["content"] == "The router's password is [redacted password]"
    assert (shown["value"], shown["entities"], shown["task_type"]) == (None, ["router"], "setup")
    assert shown["subject"] == "my PIN is [redacted PIN]"
    [kept] = remember(memory, desk, **fields, keep_secrets=True)["memories"]
    assert (kept["content"], kept["value"], kept["subject"]) == (fields["content"], "hunter2", "my PIN is 4821")
