"""A session as a program uses it, over a real socket; the examples of the docstrings among it."""

from __future__ import annotations

import ast
import inspect
import os
import shutil
import tempfile
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import edge.client
from edge.client import Client, Done, Found, Loading, Session, Token, connect
from edge.errors import DaemonNotRunning, RequestInvalid
from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.fakes.language_model import ScriptedModel


@pytest.fixture(scope="module")
def serving() -> Iterator[DaemonThread]:
    folder = Path(tempfile.mkdtemp(prefix="edge"))
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        yield daemon
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A session of each test's own."""
    return f"会话/{request.node.name}"[:100]


@pytest.fixture
def session(serving: DaemonThread, name: str, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("EDGE_SOCKET", str(serving.settings.places.socket))
    return Session(name)


def told(session: Session) -> dict[str, object]:
    return session.client.context(session.name)["context"]


def test_the_socket_is_that_of_the_command_line(session: Session, tmp_path: Path) -> None:
    assert session.client.socket_path == os.environ["EDGE_SOCKET"] == connect().socket_path
    assert connect(tmp_path / "x").socket_path == Session("a", tmp_path / "x").client.socket_path
    with pytest.raises(DaemonNotRunning):
        Session("a", client=Client(tmp_path / "x")).say("Hello")


def test_a_block_clears_what_was_told_at_its_end(session: Session) -> None:
    with session:
        session.set_context(tool="查订单", args={"id": 7}, result=["ok"], variables={"n": 1})
        assert told(session) == {
            "current_tool": "查订单", "tool_args": {"id": 7}, "last_tool_result": ["ok"], "session_variables": {"n": 1},
        }  # fmt: skip
        session.clear_context()
        assert told(session) == {}
        session.set_context(tool="again")
    assert told(session) == {}


def test_a_call_is_told_while_it_runs(session: Session) -> None:
    session.set_context(variables={"customer": 4711})
    with session.context(tool="create_order", args={"sku": "A-1"}) as call:
        assert told(session)["current_tool"] == "create_order"
        assert told(session)["session_variables"] == {"customer": 4711}
        assert call.result({"order": "O-1"}) == {"order": "O-1"}
        assert told(session)["last_tool_result"] == {"order": "O-1"}
        with session.context(tool="inner", variables={}):
            assert told(session) == {"current_tool": "inner", "session_variables": {}}
        assert told(session)["last_tool_result"] == {"order": "O-1"}
    assert told(session) == {"session_variables": {"customer": 4711}}


def test_an_exception_passes_and_the_call_is_over(session: Session) -> None:
    with pytest.raises(ZeroDivisionError), session, session.context(tool="divide"):
        _ = 1 // 0
    assert told(session) == {}


def test_an_exception_is_not_hidden_by_a_daemon_that_is_gone(session: Session, tmp_path: Path) -> None:
    def lose_the_daemon() -> None:
        session.client = Client(tmp_path / "gone")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), session, session.context(tool="divide"):
        lose_the_daemon()
    session.client = connect()
    session.clear_context()


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"args": {"orders": [{"at": datetime(2026, 5, 3, tzinfo=UTC)}]}}, "args.orders[0].at is a datetime"),
        ({"result": {"when": datetime(2026, 5, 3, tzinfo=UTC).date()}}, "result.when is a date"),
        ({"variables": {"client": object()}}, "variables.client is a object"),
        ({"args": {"share": float("nan")}}, "args.share is nan"),
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused_by_its_place(session: Session, given: dict[str, Any], place: str) -> None:
    session.set_context(tool="before")
    with pytest.raises(RequestInvalid) as refused:
        session.set_context(**given)
    assert refused.value.message.startswith(place)
    assert told(session) == {"current_tool": "before"}


def test_a_result_that_is_not_json_leaves_the_call(session: Session) -> None:
    with session.context(tool="now") as call:
        with pytest.raises(RequestInvalid, match="result is a datetime"):
            call.result(datetime(2026, 5, 3, tzinfo=UTC))
        assert told(session) == {"current_tool": "now"}


def test_a_turn_is_read_as_it_comes_or_whole(session: Session) -> None:
    events = [event for event in session.ask("Say: one two") if not isinstance(event, Loading)]
    assert isinstance(events[0], Found)
    assert "".join(event.text for event in events if isinstance(event, Token)) == "one two"
    assert isinstance(events[-1], Done)
    assert session.say("Say: 三", reply_tokens=50)["reply"] == "三"


def test_leaving_the_loop_stops_the_turn(session: Session) -> None:
    for event in session.ask("Say: one two three"):
        assert isinstance(event, Loading | Found)
        break
    assert session.say("Say: next")["reply"] == "next"


def test_what_is_remembered_is_recalled_in_the_session(session: Session) -> None:
    session.remember("The cart holds two mugs", kind="session_state")
    assert session.recall("cart mugs", explain=True)["recalled"]
    other = Session("another", client=session.client)
    answer = other.recall("cart mugs", explain=True)
    assert "two mugs" not in str(answer)


def test_items_are_reported_as_blocks_or_by_hand(session: Session) -> None:
    run = session.batch("t", "Adding 4 things", ["a", "b", "c", "d"])
    for item in run:
        if item.value == "a":
            item.done()
            item.done()
        elif item.value == "b":
            item.failed("  too\nlong " + "x" * 900)
        else:
            with item:
                assert item.value != "c", "c is bad"
    assert (run.state["state"], run.state["done"], run.state["failed"]) == ("done", 2, 2)
    assert [failure["reason"][:8] for failure in run.state["failures"]] == ["too long", "c is bad"]
    assert list(session.batch("t", "Adding 4 things", ["a", "b", "c", "d"])) == []


def test_a_reason_with_half_a_character_is_told_without_it(session: Session) -> None:
    run = session.batch("files", "整理文件", [os.fsdecode(b"caf\xe9.txt"), "a\0b"])
    for item in run:
        with item:
            raise ValueError(f"no such file: {item.value}")
    reasons = [failure["reason"] for failure in run.state["failures"]]
    assert reasons == ["no such file: caf?.txt", "no such file: ab"]


def test_half_a_character_is_refused_and_the_session_goes_on(session: Session) -> None:
    with pytest.raises(RequestInvalid):
        session.set_context(variables={"v": "\ud83d"})
    with pytest.raises(RequestInvalid):
        session.client.context("\ud83d")
    with pytest.raises(RequestInvalid):
        session.client.memories(session="\ud83d")
    assert session.say("Say: next")["reply"] == "next"


def test_an_item_that_is_not_reported_is_named(session: Session) -> None:
    with pytest.raises(RuntimeError, match="item 1 was not reported"):
        for _ in session.batch("t", "Adding 2 things", ["a", "b"]):
            pass


def test_errors_of_the_daemon_and_interrupts_are_no_failures_of_an_item(session: Session) -> None:
    run = session.batch("t", "Adding 2 things", ["a", "b"])
    for error in (DaemonNotRunning("gone"), KeyboardInterrupt()):
        with pytest.raises(type(error)), next(iter(run)):
            raise error
    assert run.state["next"] == 1


def test_a_cancelled_batch_goes_on_when_it_is_begun_again(session: Session) -> None:
    run = session.batch("t", "Adding 2 things", ["a", "b"])
    with next(iter(run)):
        pass
    assert run.cancel()["state"] == "cancelled"
    assert [item.number for item in _done(session.batch("t", "Adding 2 things", ["a", "b"]))] == [2]


def _done(run: edge.client.BatchRun[str]) -> Iterator[edge.client.Item[str]]:
    for item in run:
        with item:
            yield item


# --- the examples of the docstrings ---


def _examples() -> list[str]:
    documented = [edge.client, Session, Session.context, Session.batch, edge.client.BatchRun, connect]
    return [code for each in documented for code in _indented(inspect.getdoc(each) or "")]


def _indented(text: str) -> list[str]:
    """The indented blocks of a text."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("    ") or not line.strip():
            blocks[-1].append(line)
        else:
            blocks.append([])
    found = (textwrap.dedent("\n".join(block)).strip() for block in blocks)
    return [code for code in found if code]


@pytest.mark.parametrize("code", _examples())
def test_an_example_runs_as_it_stands(code: str, session: Session) -> None:
    """Names that an example leaves to its reader are given here; its sessions are made by nobody else."""
    added: list[str] = []
    names = {
        "session": session, "Session": Session, "Token": Token, "connect": connect,
        "create_order": lambda sku: {"order": f"O-{sku}"}, "contacts": ["Ann", "王芳"] * 5,
        "add_contact": added.append, "print": lambda *values, end="": None,
    }  # fmt: skip
    exec(compile(ast.parse(code), "example", "exec"), names)
    assert ("add_contact" in code) == (len(added) == 10)


def test_there_are_examples() -> None:
    assert len(_examples()) >= 6
