"""`edge batches`: how far work is, as a person reads it and as a program does."""

from __future__ import annotations

import json
from typing import Any

from edge.cli.batches import STATES
from edge.memory.batches import BatchState
from tests.cli.conftest import Edge
from tests.cli.scripted import ScriptedDaemon


def batch(number: int = 3, **changes: Any) -> dict[str, Any]:
    """A batch on the wire."""
    return {
        "id": number,
        "session": "main",
        "task": "import-7",
        "title": "添加10个联系人",
        "unit": 88,
        "state": "running",
        "total": 10,
        "handled": 7,
        "done": 6,
        "failed": 1,
        "next": 8,
        "last_success": 7,
        "started_at": "2026-03-01T11:02:03Z",
        "updated_at": "2026-03-01T11:05:00Z",
        "failures": [{"item": 4, "reason": "no\ne-mail \x1b[31maddress"}],
    } | changes


def test_they_are_listed(daemon: ScriptedDaemon, edge: Edge) -> None:
    page = {"batches": [batch(), batch(2, session="工作", state="done", title="Sorting mail")], "next_before": 2}
    daemon.answer_json("GET", "/v1/batches", page)
    told = edge("batches", "--session", "main", "--state", "running", "--limit", "2")
    assert told.stdout.splitlines() == [
        "id  session  state    done     failed  title",
        "3   main     running  6 of 10  1       添加10个联系人",
        "2   工作     done     6 of 10  1       Sorting mail",
    ]
    assert "--before 2" in told.stderr
    assert daemon.requests[-1].path == "/v1/batches?session=main&state=running&limit=2"
    assert json.loads(edge("batches", "--json").stdout) == page
    assert edge("--json", "batches").exit_code == 0


def test_none_is_said(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/batches", {"batches": [], "next_before": None})
    told = edge("batches")
    assert (told.exit_code, told.stdout, told.stderr) == (0, "", "There is no batch here.\n")


def test_one_is_shown_with_its_failures(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/batches/3", batch())
    assert edge("batches", "show", "3").stdout.splitlines() == [
        "#3  添加10个联系人",
        "running: 6 of 10 done, 1 failed, next is item 8",
        "task import-7 of session main, memory #88",
        "begun 2026-03-01 11:02, last report 2026-03-01 11:05",
        "  item 4: no e-mail ␛[31maddress",
    ]
    assert json.loads(edge("batches", "show", "3", "--json").stdout) == batch()


def test_of_many_failures_it_is_said_where_the_others_are(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/batches/3", batch(failed=51, done=0))
    assert "edge batches failures 3" in edge("batches", "show", "3").stderr


def test_failures_are_listed(daemon: ScriptedDaemon, edge: Edge) -> None:
    page = {
        "failures": [{"item": 9, "reason": "没有\n邮箱"}, {"item": 4, "reason": "no \x1b[31maddress"}],
        "next_before": 4,
    }
    daemon.answer_json("GET", "/v1/batches/3/failures", page)
    told = edge("batches", "failures", "3", "--limit", "2", "--before", "10")
    assert told.stdout.splitlines() == ["item 9: 没有 邮箱", "item 4: no ␛[31maddress"]
    assert "--before 4" in told.stderr
    assert daemon.requests[-1].path == "/v1/batches/3/failures?before=10&limit=2"
    assert json.loads(edge("batches", "failures", "3", "--json").stdout) == page


def test_one_that_is_not_there_is_an_error_of_its_own(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_error("GET", "/v1/batches/9", 404, "batch_not_found", "There is no batch 9.")
    told = edge("batches", "show", "9")
    assert (told.exit_code, "There is no batch 9." in told.stderr) == (3, True)
    assert edge("batches", "show", "x").exit_code == 2


def test_the_states_are_those_of_batches() -> None:
    assert tuple(BatchState) == STATES
