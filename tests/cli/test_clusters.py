"""`edge clusters`: topics and their history, as a person reads them and as a program does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Edge
from tests.cli.scripted import ScriptedDaemon, memory

COUNTS = {
    "created": 2, "reprofiled": 1, "dissolved": 1, "placed": 40, "left": 3, "checked": 4, "wrong": 1, "skipped": 0,
    "moved": 0,
}  # fmt: skip


def profile(key: str = "coffee at home", **changes: Any) -> dict[str, Any]:
    return {
        "key": key,
        "description": "How Ann\ndrinks coffee.",
        "tags": ["coffee", "kitchen"],
        "named_by": "model",
        "coarse": "person",
    } | changes


def cluster(number: int = 3, key: str = "coffee at home", **changes: Any) -> dict[str, Any]:
    """A cluster on the wire."""
    return {
        "id": number,
        **profile(key),
        "size": 12,
        "made_at": "2026-03-01T11:02:03Z",
        "touched_at": "2026-03-02T11:05:00Z",
        "archived_at": None,
    } | changes


def run(number: int = 7, **changes: Any) -> dict[str, Any]:
    """A run on the wire."""
    return {
        "id": number,
        "trigger": "units",
        "state": "done",
        "undoable": True,
        "phase": "",
        "why": "",
        "model": "tiny",
        "prompts": "a1b2",
        "embedder": "mini/2",
        "seed": 5,
        "attempt": 1,
        "began_at": "2026-03-01T01:00:00Z",
        "ended_at": "2026-03-01T01:20:00Z",
        "counts": COUNTS,
    } | changes


CHANGES = [
    {"cluster": 3, "before": None, "after": profile(), "why": "they lie\ntogether"},
    {"cluster": 4, "before": profile("web servers"), "after": profile("web server upkeep"), "why": ""},
    {"cluster": 5, "before": profile("old things"), "after": None, "why": "the same as 4"},
    {"cluster": 6, "before": profile("咖啡与茶"), "after": profile("咖啡与茶", description=""), "why": ""},
]


@pytest.mark.parametrize("command", [["clusters"], ["clusters", "list"]])
def test_they_are_listed(daemon: ScriptedDaemon, edge: Edge, command: list[str]) -> None:
    found = [cluster(), cluster(4, "咖啡与茶 \x1b[31m", size=1, coarse="small_talk", named_by="person")]
    answer = {"clusters": [*found, cluster(5, "old things", archived_at="2026-03-03T11:05:00Z", coarse=None)]}
    daemon.answer_json("GET", "/v1/clusters", answer | {"unplaced": 41})
    told = edge(*command)
    assert [line.rstrip() for line in told.stdout.splitlines()] == [
        "id  key                    memories  level       named by  last used",
        "3   coffee at home         12        person      model     2026-03-02 11:05",
        "4   咖啡与茶 ␛[31m         1         small talk  person    2026-03-02 11:05",
        "5   old things (archived)  12                    model     2026-03-02 11:05",
    ]
    assert told.stderr == "In no cluster: 41.\n"
    assert json.loads(edge(*command, "--json").stdout)["unplaced"] == 41


def test_archived_ones_are_asked_for(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/clusters", {"clusters": [], "unplaced": 0})
    told = edge("clusters", "list", "--archived")
    assert daemon.requests[-1].path == "/v1/clusters?archived=true"
    assert (told.exit_code, told.stdout) == (0, "")
    assert "There is no cluster yet" in told.stderr


def test_one_is_shown_with_its_memories(daemon: ScriptedDaemon, edge: Edge) -> None:
    page = {"cluster": cluster(), "memories": [memory(41, "喜欢咖啡")], "next_before": 41}
    daemon.answer_json("GET", "/v1/clusters/3", page)
    told = edge("clusters", "show", "#3", "--limit", "1", "--before", "50")
    lines = told.stdout.splitlines()
    assert lines[:5] == [
        "#3  coffee at home",
        "How Ann drinks coffee.",
        "tags: coffee, kitchen",
        "12 memories, person, named by model",
        "made 2026-03-01 11:02, last used 2026-03-02 11:05",
    ]
    assert "喜欢咖啡" in lines[5]
    assert "--before 41" in told.stderr
    assert daemon.requests[-1].path == "/v1/clusters/3?before=50&limit=1"
    assert json.loads(edge("clusters", "show", "3", "--json").stdout) == page


def test_one_is_found_by_its_key(daemon: ScriptedDaemon, edge: Edge) -> None:
    answer = {"clusters": [cluster(), cluster(4, "咖啡与茶")], "unplaced": 0}
    daemon.answer_json("GET", "/v1/clusters", answer)
    daemon.answer_json(
        "GET", "/v1/clusters/4", {"cluster": cluster(4, "咖啡与茶"), "memories": [], "next_before": None}
    )
    assert edge("clusters", "show", "咖啡与茶").exit_code == 0
    daemon.answer_json("GET", "/v1/clusters/3", {"cluster": cluster(), "memories": [], "next_before": None})
    assert edge("clusters", "show", " Coffee at  home").exit_code == 0
    told = edge("clusters", "show", "tea")
    assert (told.exit_code, told.stdout) == (3, "")
    assert "There is no cluster called 'tea'" in told.stderr
    assert "edge clusters list" in told.stderr


def test_history_is_listed(daemon: ScriptedDaemon, edge: Edge) -> None:
    runs = [
        run(),
        run(6, undoable=False, trigger="person", why="merge", counts=COUNTS | {"moved": 38}),
        run(5, undoable=False, state="abandoned", why="over 30% wrong", ended_at=None),
    ]
    daemon.answer_json("GET", "/v1/clusters/history", {"runs": runs, "next_before": 5})
    told = edge("clusters", "history", "--limit", "3", "--before", "9")
    assert [line.rstrip() for line in told.stdout.splitlines()] == [
        "run  when              by      state      clusters  memories                    why",
        "7*   2026-03-01 01:00  units   done       +2 ~1 -1  40 placed, 3 left",
        "6    2026-03-01 01:00  person  done       +2 ~1 -1  2 placed, 38 moved, 3 left  merge",
        "5    2026-03-01 01:00  units   abandoned  +2 ~1 -1  40 placed, 3 left           over 30% wrong",
    ]
    assert "--before 5" in told.stderr
    assert daemon.requests[-1].path == "/v1/clusters/history?before=9&limit=3"
    assert len(json.loads(edge("clusters", "history", "--json").stdout)["runs"]) == 3


def test_no_history_is_said(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/clusters/history", {"runs": [], "next_before": None})
    assert edge("clusters", "history").stderr == "Nothing was organised yet.\n"


def test_a_run_is_shown(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/v1/clusters/history/7", {"run": run(), "changes": CHANGES})
    assert edge("clusters", "history", "7").stdout.splitlines() == [
        "run 7 by units, done",
        "begun 2026-03-01 01:00, ended 2026-03-01 01:20",
        "model tiny, prompts a1b2, seed 5, attempt 1",
        "40 memories placed, 3 left, 0 changes no longer fitted",
        "4 were asked again, 1 were wrong",
        "  cluster 3: coffee at home is new (they lie together)",
        "  cluster 4: web servers is now called web server upkeep",
        "  cluster 5: old things is no more (the same as 4)",
        "  cluster 6: 咖啡与茶 has another description",
    ]
    assert json.loads(edge("clusters", "history", "7", "--json").stdout)["changes"] == CHANGES


def test_the_newest_is_undone(daemon: ScriptedDaemon, edge: Edge) -> None:
    undone = {"run": run(state="undone", undoable=False), "changes": CHANGES[:1]}
    daemon.answer_json("POST", "/v1/clusters/undo", undone)
    told = edge("clusters", "undo")
    assert told.stdout.splitlines()[:2] == ["Run 7 is undone. What it had done:", "run 7 by units, undone"]
    assert daemon.requests[-1].body == {}
    assert json.loads(edge("clusters", "undo", "7", "--json").stdout) == undone
    assert daemon.requests[-1].body == {"run": 7}


@pytest.mark.parametrize(
    ("status", "code", "message", "exit_status"),
    [
        (409, "nothing_to_undo", "No run is in force; there is nothing to undo.", 3),
        (409, "cluster_undo_order", "Run 3 is not the newest in force; the newest is run 7.", 2),
        (404, "cluster_run_not_found", "There is no run 3.", 3),
    ],
)
def test_what_cannot_be_undone_says_why(
    daemon: ScriptedDaemon, edge: Edge, status: int, code: str, message: str, exit_status: int
) -> None:
    daemon.answer_error("POST", "/v1/clusters/undo", status, code, message)
    told = edge("clusters", "undo", "3")
    assert (told.exit_code, told.stdout) == (exit_status, "")
    assert message in told.stderr


def test_one_is_renamed(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/clusters/3/rename", {"run": run(), "cluster": cluster(3, "my coffee")})
    assert edge("clusters", "rename", "3", "my", "coffee").stdout == "Cluster 3 is called my coffee.\n"
    assert daemon.requests[-1].body == {"key": "my coffee"}
    assert json.loads(edge("clusters", "rename", "3", "my coffee", "--json").stdout)["cluster"]["id"] == 3
    assert edge("clusters", "rename", "3").exit_code == 2


def test_two_are_merged(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/clusters/4/merge", {"run": run(), "cluster": cluster()})
    assert edge("clusters", "merge", "4", "--into", "#3").stdout == "Cluster 3, coffee at home, has 12 memories.\n"
    assert daemon.requests[-1].body == {"into": 3}
    assert json.loads(edge("clusters", "merge", "4", "--into", "3", "--json").stdout)["run"]["id"] == 7


@pytest.mark.parametrize(
    ("options", "body", "home", "said"),
    [
        (["--to", "3"], {"cluster": 3}, 3, "Memory 41 is in cluster 3 now.\n"),
        (["--out"], {"cluster": None}, None, "Memory 41 is in no cluster now.\n"),
        (["--new", "去挪威旅行"], {"key": "去挪威旅行"}, 9, "Memory 41 is in cluster 9 now.\n"),
    ],
)
def test_a_memory_is_moved(
    daemon: ScriptedDaemon, edge: Edge, options: list[str], body: dict[str, Any], home: int | None, said: str
) -> None:
    answer = {"run": run(), "memory": memory(41, "x", cluster=home)}
    daemon.answer_json("POST", "/v1/memories/41/move", answer)
    assert edge("clusters", "move", "#41", *options).stdout == said
    assert daemon.requests[-1].body == body
    assert json.loads(edge("clusters", "move", "41", *options, "--json").stdout) == answer


@pytest.mark.parametrize("options", [[], ["--out", "--to", "3"], ["--new", "a b", "--to", "3"]])
def test_where_to_is_said_once(daemon: ScriptedDaemon, edge: Edge, options: list[str]) -> None:
    told = edge("clusters", "move", "41", *options)
    assert told.exit_code == 2
    assert "one of --to, --new and --out" in told.stderr
    assert daemon.requests == []
