"""`edge index`: told as a person would, waited for, and an exit status of its own for what was wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from edge.cli import index
from tests.cli.conftest import Edge
from tests.cli.screen import Screen
from tests.cli.scripted import Answer, Handler, ScriptedDaemon


def one(**changes: Any) -> dict[str, Any]:
    """An index on the wire."""
    return {
        "embedder": "all-minilm-l6-v2-int8/384",
        "vectors": 51_200,
        "fresh": 310,
        "missing": 0,
        "segments": [
            {"name": "s-000001", "vectors": 50_000, "dead": 0, "bytes": 83_800_000},
            {"name": "s-050001", "vectors": 890, "dead": 1_234, "bytes": 1_491_640},
        ],
        "work": None,
        "rebuilding": False,
        "unfit": [],
        "memory_bytes": 9_120_340,
    } | changes


def answer(serving: dict[str, Any] | None, **changes: Any) -> dict[str, Any]:
    return {"serving": serving, "coming": None, "changing": None, "held_up": None} | changes


def rebuilding(done: int, **changes: Any) -> dict[str, Any]:
    return one(rebuilding=True, work={"task": "rebuild", "done": done, "total": 51_200}, **changes)


FULL = {"code": "disk_full", "message": "磁盘满了。", "hint": "Free some space."}


def test_status_of_a_quiet_index(daemon: ScriptedDaemon, edge: Edge) -> None:
    told = answer(one())
    daemon.answer_json("GET", "/v1/index", told)
    assert edge("index", "status").stdout.splitlines() == [
        "embedder  all-minilm-l6-v2-int8/384",
        "vectors   51,200, 310 of them fresh, in memory",
        "files     2, 85.3 MB in all",
        "          s-000001: 83.8 MB, 50,000 vectors",
        "          s-050001: 1.49 MB, 890 vectors, 1,234 of them of no use any more",
        "memory    9.12 MB",
        "doing     nothing, all is done",
    ]
    assert json.loads(edge("index", "status", "--json").stdout) == told
    assert edge("index", "--json", "status").stdout == edge("--json", "index", "status").stdout


def test_status_of_an_index_with_troubles(daemon: ScriptedDaemon, edge: Edge) -> None:
    serving = rebuilding(12_800, missing=5_000, unfit=["s-000001 was cut", "第二段\n坏了"], segments=[])
    daemon.answer_json("GET", "/v1/index", answer(serving, held_up=FULL))
    assert edge("index", "status").stdout.splitlines() == [
        "embedder   all-minilm-l6-v2-int8/384",
        "vectors    51,200, 310 of them fresh, in memory; 5,000 more are missing until they are rebuilt",
        "files      none yet",
        "memory     9.12 MB",
        "doing      rebuilding, 25% of 51,200 vectors",
        "was wrong  s-000001 was cut",
        "           第二段 坏了",
        "waits      磁盘满了。 Free some space.",
    ]


def test_status_during_a_change_of_embedder(daemon: ScriptedDaemon, edge: Edge) -> None:
    coming = one(embedder="new/32", vectors=1, fresh=1, segments=[], work={"task": "seal", "done": 0, "total": 1})
    changing = {"embedder": "new/32", "done": 3_000, "total": 12_000}
    daemon.answer_json("GET", "/v1/index", answer(one(segments=[]), coming=coming, changing=changing))
    assert edge("index", "status").stdout.splitlines()[5:] == [
        "",
        "to come   new/32, 3,000 of 12,000 memories embedded",
        "vectors   1, 1 of them fresh, in memory",
        "files     none yet",
        "memory    9.12 MB",
        "doing     sealing fresh vectors into a file, 0% of 1 vector",
    ]


def test_status_without_an_index(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/index", answer(None))
    result = edge("index", "status")
    assert (result.exit_code, result.stdout) == (0, "index  none: there is no embedder; `edge status` says why\n")


@pytest.mark.parametrize("wrong", [[], {"serving": None}, answer({}), answer(one(work={"task": "x"}))])
def test_an_answer_of_another_shape_is_no_answer(daemon: ScriptedDaemon, edge: Edge, wrong: Any) -> None:
    daemon.answer_json("GET", "/v1/index", wrong)
    assert edge("index", "status").exit_code == 4


# --- rebuild ---


def one_after_the_other(*answers: dict[str, Any]) -> Answer:
    left = list(answers)
    return lambda handler: handler.send_json(200, left.pop(0))


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "POLL_SECONDS", 0.0)


@pytest.mark.usefixtures("no_wait")
def test_a_rebuild_is_waited_for(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/index/rebuild", answer(one(rebuilding=True)), 202)
    states = [answer(rebuilding(done)) for done in (0, 100, 25_600, 51_200)]
    daemon.answer("GET", "/v1/index", one_after_the_other(*states, answer(one())))
    result = edge("index", "rebuild")
    assert (result.exit_code, result.stdout) == (0, "Rebuilt: 51,200 vectors.\n")
    assert [line.split("  ", 1)[1] for line in result.stderr.splitlines()] == [
        "  0% of 51,200 vectors",
        " 50% of 51,200 vectors",
        "100% of 51,200 vectors",
    ]


@pytest.mark.usefixtures("no_wait")
def test_a_rebuild_in_json_is_how_it_is_at_the_end(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/index/rebuild", answer(rebuilding(0)), 202)
    daemon.answer_json("GET", "/v1/index", answer(one()))
    assert json.loads(edge("index", "rebuild", "--json").stdout) == answer(one())


def test_a_rebuild_can_be_left_to_itself(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/index/rebuild", answer(rebuilding(0)), 202)
    result = edge("index", "rebuild", "--no-wait")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "edge index status" in result.stdout
    assert json.loads(edge("index", "rebuild", "--no-wait", "--json").stdout) == answer(rebuilding(0))
    assert {request.path for request in daemon.requests} == {"/v1/index/rebuild"}


@pytest.mark.usefixtures("no_wait")
def test_a_rebuild_that_is_held_up_says_by_what(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/index/rebuild", answer(rebuilding(0)), 202)
    daemon.answer_json("GET", "/v1/index", answer(rebuilding(0), held_up=FULL))
    result = edge("index", "rebuild")
    assert (result.exit_code, result.stdout) == (7, "")
    assert "edge: 磁盘满了。\nhint: Free some space.\n" in result.stderr


def test_ctrl_c_leaves_a_rebuild_running_and_says_so(daemon: ScriptedDaemon) -> None:
    daemon.answer_json("POST", "/v1/index/rebuild", answer(rebuilding(12_800)), 202)
    daemon.answer_json("GET", "/v1/index", answer(rebuilding(12_800)))
    with Screen("index", "rebuild") as screen:
        screen.wait_for("25% of 51,200 vectors")
        screen.interrupt()
        screen.wait_for("The rebuild goes on in the daemon; `edge index status` shows how far it is.")
        assert screen.end() == 130


# --- verify ---


def verification(done: Sequence[int], faults: Sequence[str] = (), *, rebuilding: bool = False) -> Answer:
    def events(handler: Handler) -> None:
        handler.begin_events()
        for count in done:
            handler.send_event("progress", {"embedder": "a/384", "done": count, "total": 40})
        handler.send_event("done", {"vectors": 40, "faults": list(faults), "rebuilding": rebuilding})
        handler.send_chunk(b"")

    return events


def test_a_whole_index(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer("POST", "/v1/index/verify", verification([0, 1, 20, 40]))
    result = edge("index", "verify")
    assert (result.exit_code, result.stdout) == (0, "Whole: 40 vectors, each as the database has it.\n")
    assert result.stderr.splitlines() == [
        "verifying a/384    0% of 40 vectors",
        "verifying a/384   50% of 40 vectors",
        "verifying a/384  100% of 40 vectors",
    ]
    assert json.loads(edge("index", "verify", "--json").stdout) == {"vectors": 40, "faults": [], "rebuilding": False}


@pytest.mark.parametrize(
    ("rebuilding", "after"), [(True, "what was wrong is being rebuilt"), (False, "what was wrong was taken out")]
)
def test_faults_have_an_exit_status_of_their_own(
    daemon: ScriptedDaemon, edge: Edge, rebuilding: bool, after: str
) -> None:
    faults = ["s-000001: 一个字节\n坏了", "s-000002 is missing"]
    daemon.answer("POST", "/v1/index/verify", verification([40], faults, rebuilding=rebuilding))
    result = edge("index", "verify")
    assert result.exit_code == 8
    assert result.stdout == "s-000001: 一个字节 坏了\ns-000002 is missing\n"
    assert f"edge: 2 faults in the index; {after}.\n" in result.stderr
    assert "edge index status" in result.stderr
    in_json = edge("index", "verify", "--json")
    assert (in_json.exit_code, json.loads(in_json.stdout)["faults"]) == (8, faults)
    error = json.loads(in_json.stderr.splitlines()[-1])["error"]
    assert (error["code"], error["faults"], error["rebuilding"]) == ("index_damaged", 2, rebuilding)


def test_a_second_verification_is_busy(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_error("POST", "/v1/index/verify", 503, "busy", "The index is being verified already.")
    assert edge("index", "verify").exit_code == 5


def test_a_verification_that_breaks_off_is_not_called_whole(daemon: ScriptedDaemon, edge: Edge) -> None:
    def cut(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("progress", {"embedder": "a/384", "done": 1, "total": 40})

    daemon.answer("POST", "/v1/index/verify", cut)
    result = edge("index", "verify")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "middle of the verification" in result.stderr

    def failed(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("error", {"error": {"code": "store_failed", "message": "读不了", "hint": "Look."}})
        handler.send_chunk(b"")

    daemon.answer("POST", "/v1/index/verify", failed)
    assert edge("index", "verify").exit_code == 7


def test_ctrl_c_hangs_up(daemon: ScriptedDaemon) -> None:
    closed = threading.Event()

    def endless(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("progress", {"embedder": "a/384", "done": 10, "total": 40})
        if handler.hung_up():
            closed.set()

    daemon.answer("POST", "/v1/index/verify", endless)
    with Screen("index", "verify") as screen:
        screen.wait_for("25% of 40 vectors")
        screen.interrupt()
        assert screen.end() == 130
    assert closed.wait(30)
