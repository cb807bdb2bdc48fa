"""How a memory came to be, on the command line; moments as a person types them."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest

from edge.cli.moments import moment
from tests.cli.conftest import Edge
from tests.cli.scripted import ScriptedDaemon, memory

VERSIONS = [
    memory(5, "The user lives in Berlin.", superseded_by=9, valid_until="2026-03-02T10:00:00Z", ended_why="newer"),
    memory(9, "用户住在汉堡。", source="import"),
]


def words(text: str | None, turn: int = 3) -> dict[str, object]:
    return {"turn": turn, "session": "main", "at": "2026-03-01T11:02:00Z", "words": text}


def test_history(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/memories/9/history", {"memories": VERSIONS})
    assert edge("memories", "--history", "9").stdout.splitlines() == [
        "     #5  2026-03-01 11:02 – 2026-03-02 10:00  you said: The user lives in Berlin.",
        "         ended: newer, by #9",
        "     #9  2026-03-01 11:02 – now               imported: 用户住在汉堡。",
    ]
    assert json.loads(edge("memories", "--history", "9", "--json").stdout) == {"memories": VERSIONS}


def test_why(daemon: ScriptedDaemon, edge: Edge) -> None:
    answer = {
        "memory": VERSIONS[0],
        "quote": "I live in Berlin",
        "said": words("Hello! I live in Berlin."),
        "confirmed": [words("Berlin,\nyes", 4), words(None, 5)],
    }
    daemon.answer_json("GET", "/v1/memories/5/why", answer)
    assert edge("memories", "--why", "5").stdout.splitlines() == [
        "     #5  2026-03-01 11:02  user_profile     The user lives in Berlin.  (superseded by #9)",
        "         you said, 2026-03-01 11:02 in main: Hello! I live in Berlin.",
        "         said again, 2026-03-01 11:02 in main: Berlin, yes",
        "         said again, 2026-03-01 11:02 in main: (forgotten)",
        "         ended 2026-03-02 10:00: newer, by #9",
    ]
    assert json.loads(edge("memories", "--why", "5", "--json").stdout) == answer


def test_why_of_what_was_told_outside_a_talk(daemon: ScriptedDaemon, edge: Edge) -> None:
    answer: dict[str, Any] = {"memory": memory(5, "x", source="tool"), "quote": None, "said": None, "confirmed": []}
    daemon.answer_json("GET", "/v1/memories/5/why", answer)
    assert edge("memories", "--why", "5").stdout.splitlines()[1:] == [
        "         a tool found, outside a talk, 2026-03-01 11:02",
    ]


def test_one_of_them_at_a_time(daemon: ScriptedDaemon, edge: Edge) -> None:
    result = edge("memories", "--why", "5", "--history", "5")
    assert result.exit_code == 2
    assert daemon.requests == []


def test_what_was_so_then(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/memories", {"memories": [], "next_before": None})
    edge("memories", "--as-of", "2026-03-01")
    assert daemon.requests[-1].path == "/v1/memories?as_of=2026-03-01T23%3A59%3A59.999999%2B00%3A00"
    edge("memories", "--all", "--as-of", "2026-03-01T12:00")
    assert "as_of=2026-03-01T12%3A00%3A00%2B00%3A00" in daemon.requests[-1].path


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("2026-03-01", "2026-03-01T23:59:59.999999+00:00"),
        (" 2026-03-01T12:00 ", "2026-03-01T12:00:00+00:00"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00+00:00"),
        ("2026-03-01T12:00+08:00", "2026-03-01T12:00:00+08:00"),
    ],
)
def test_moments(typed: str, sent: str) -> None:
    assert moment(typed) == sent


@pytest.mark.parametrize("typed", ["", "March", "2026-13-01", "2026-03-01T99:00", "昨天"])
def test_what_is_no_moment(typed: str) -> None:
    with pytest.raises(click.BadParameter):
        moment(typed)
