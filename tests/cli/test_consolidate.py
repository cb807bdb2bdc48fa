"""`edge consolidate`: its progress, its end, and Ctrl-C."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge.cli.consolidate import STEPS
from edge.memory.nights import StepName
from tests.cli.conftest import Edge
from tests.cli.scripted import Handler, ScriptedDaemon


def step(name: str, state: str = "done", **more: Any) -> dict[str, Any]:
    told = {"seconds": 2.0, "tokens": 0, "works": 1, "counts": {}, "failure": None}
    return {"step": name, "state": state, **told, **more}


def night(state: str, *steps: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": 7, "trigger": "asked", "began_at": "2026-05-03T12:00:00.000Z", "ended_at": None, "state": state,
        "steps": list(steps),
    }  # fmt: skip


def tell(daemon: ScriptedDaemon, *events: tuple[str, Any]) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        for name, data in events:
            handler.send_event(name, data)
        handler.send_chunk(b"")

    daemon.answer("POST", "/v1/consolidations", answer)


def test_the_steps_are_those_of_the_domain() -> None:
    assert tuple(StepName) == STEPS


def test_each_step_that_ends_is_a_line(daemon: ScriptedDaemon, edge: Edge) -> None:
    seal = step("seal", counts={"steps": 3})
    backup = step("backup", counts={"backups": 1, "bytes": 4_100_000, "removed": 0}, seconds=90.0)
    tell(
        daemon,
        ("waits", {"cause": "turn", "words": "a turn goes first"}),
        ("progress", step("seal", "waiting")),
        ("progress", seal),
        ("progress", backup),
        ("done", {"night": night("done", seal, backup)}),
    )
    result = edge("consolidate", "--now")
    assert result.stderr.splitlines() == [
        "waits: a turn goes first",
        "seal: steps 3 (2.0 s)",
        "backup: backups 1, 4.1 MB (1.5 min)",
    ]
    assert result.stdout == "Done in 1.5 min, 0 tokens evaluated.\n"
    assert daemon.requests[0].body == {"now": True}


def test_what_failed_and_what_is_left_is_said(daemon: ScriptedDaemon, edge: Edge) -> None:
    failed = step("distil", "failed", failure="没有模型\n.")
    tell(daemon, ("done", {"night": night("spent", failed, step("cluster", "waiting"))}))
    assert edge("consolidate", "--now").stdout.splitlines() == [
        "The budget was spent after 4.0 s; left for the next night: cluster.",
        "distil: waits for the next night: 没有模型 . (2.0 s)",
    ]
    tell(daemon, ("done", {"night": night("open", step("cluster", "waiting"))}))
    assert edge("consolidate").stdout == "Stopped after 2.0 s; what is left is done off-peak: cluster.\n"


def test_a_wish_says_what_it_waits_for(daemon: ScriptedDaemon, edge: Edge) -> None:
    waits = {"cause": "in_use", "words": "it was just used, 4 min to go"}
    tell(daemon, ("waits", waits), ("done", {"night": None}))
    result = edge("consolidate", "--only", "backup")
    assert result.stdout == "It is done at the next off-peak moment: it was just used, 4 min to go.\n"
    assert daemon.requests[0].body == {"now": False, "only": "backup"}
    assert json.loads(edge("consolidate", "--json").stdout) == {"night": None, "waits": waits}


@pytest.mark.parametrize(
    ("event", "status", "words"),
    [
        (
            ("error", {"error": {"code": "busy", "message": "One is under way.", "hint": "Wait."}}),
            5,
            "One is under way.",
        ),
        (("progress", step("seal")), None, "The daemon ended in the middle of its work"),
    ],
)
def test_an_end_that_is_none(
    daemon: ScriptedDaemon, edge: Edge, event: tuple[str, Any], status: int | None, words: str
) -> None:
    tell(daemon, event)
    result = edge("consolidate", "--now")
    assert words in result.stderr
    assert result.exit_code != 0
    assert status is None or result.exit_code == status


def test_ctrl_c_says_what_becomes_of_the_rest(
    daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("edge.cli.consolidate._Lines.show", interrupted)
    tell(daemon, ("progress", step("seal")))
    result = edge("consolidate", "--now")
    assert (result.exit_code, result.stderr.strip() + "\n") == (130, "Stopped; what is left is done off-peak.\n")


def test_an_unknown_step_is_refused(edge: Edge) -> None:
    assert edge("consolidate", "--only", "sleep").exit_code == 2
