from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.cli.units import KINDS
from edge.memory.units import Kind
from tests.cli.conftest import Edge
from tests.cli.scripted import STATUS, Handler, ScriptedDaemon, done_event, forgetting, memory, preview, recalled

FOUND = {
    "recalled": [recalled(41, "订单号 A1234567", signals={"bm25": 1.5, "dense": 0.25})],
    "nothing_reliable": False,
    "dropped": [{"id": 7, "content": "猫\n喜欢鱼", "score": 0.2, "why": "below the threshold"}],
    "degraded": [],
    "rules_ms": 0.1,
    "recall_ms": 2.25,
}


def test_the_kinds_are_those_of_the_domain() -> None:
    assert tuple(Kind) == KINDS


def test_ask_prints_the_reply(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_turn("Your name is ", "张伟 🎉.")
    result = edge("ask", "What", "is", "my", "name?")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "Your name is 张伟 🎉.\n", "")
    assert daemon.requests[0].body == {"session": "main", "message": "What is my name?", "stream": True}


def test_ask_json_is_one_object_with_what_is_promised(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_turn("张伟", finish="length")
    result = edge("ask", "--json", "我叫什么？")
    assert result.stdout.count("\n") == 1
    assert "张伟" in result.stdout
    done = json.loads(result.stdout)
    assert (done["reply"], done["session"], done["finish"]) == ("张伟", "main", "length")
    assert set(done["recalled"][0]) >= {"id", "kind", "content", "score", "stage"}
    assert set(done["usage"]) >= {"prompt_tokens", "reused_tokens", "evaluated_tokens", "completion_tokens"}
    assert set(done["timings"]) >= {"recall_ms", "first_token_ms", "total_ms"}


def test_ask_explains_what_the_turn_cost_and_what_gave_way(daemon: ScriptedDaemon, edge: Edge) -> None:
    lost = [
        {"section": "memories", "count": 3, "tokens": 96, "because": "seconds"},
        {"section": "turns", "count": 1, "tokens": 40, "because": "tokens"},
        {"section": "last_tool_result", "count": 1, "tokens": 1, "because": "seconds"},
    ]
    daemon.answer_turn("张伟", usage=done_event("")["usage"] | {"gave_way": lost, "compacted": True})
    assert edge("ask", "--explain", "我叫什么？").stdout.splitlines() == [
        "张伟",
        "intent    profile, ask: profile asked (0.87)",
        "prompt    100 tokens, 20 of them evaluated now, time for 208, built anew",
        "gave way  3 memories (96 tokens), for want of time",
        "gave way  1 earlier turn (40 tokens), for want of room",
        "gave way  the last tool result (1 token), for want of time",
        "time      recall 3 ms, first token after 0.20 s, 0.90 s in all",
    ]
    daemon.answer_turn("张伟", usage=done_event("")["usage"] | {"in_time_tokens": None})
    assert "prompt  100 tokens, 20 of them evaluated now\n" in edge("ask", "--explain", "我叫什么？").stdout


def test_ask_explains_what_a_turn_was_taken_for(daemon: ScriptedDaemon, edge: Edge) -> None:
    unsure = {"label": "state_change", "move": "tell", "confidence": 0.5, "sure": False, "why": "told changed"}
    daemon.answer_turn("好", intent=unsure)
    told = "intent  state change, tell: told changed (0.50), not sure enough: treated as general\n"
    assert told in edge("ask", "--explain", "我搬家了").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("--session", "work", "ask", "hi"),
        ("ask", "--session", "work", "hi"),
        ("ask", "hi", "--session", "work"),
        ("--session", "other", "ask", "--session=work", "hi"),
    ],
)
def test_options_stand_where_a_person_puts_them(daemon: ScriptedDaemon, edge: Edge, arguments: tuple[str, ...]) -> None:
    daemon.answer_turn("ok")
    assert edge(*arguments).exit_code == 0
    assert daemon.requests[0].body["session"] == "work"


def test_the_session_of_the_environment(daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_SESSION", "旅行")
    daemon.answer_turn("ok")
    edge("ask", "hi")
    edge("ask", "--session", "work", "hi")
    assert [request.body["session"] for request in daemon.requests] == ["旅行", "work"]


def test_the_socket_of_the_command_line(daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_SOCKET", "/nowhere")
    assert edge("status", "--socket", str(daemon.path)).exit_code == 0
    assert edge("--socket", str(daemon.path), "status").exit_code == 0
    assert edge("status").exit_code == 4


@pytest.mark.parametrize("arguments", [("ask", "-"), ("ask",)])
def test_ask_reads_standard_input(daemon: ScriptedDaemon, edge: Edge, arguments: tuple[str, ...]) -> None:
    daemon.answer_turn("ok")
    assert edge(*arguments, stdin="第一行\n\nsecond 🎉\n").exit_code == 0
    assert daemon.said() == ["第一行\n\nsecond 🎉"]


def test_bytes_that_are_not_utf8_are_named_by_line(daemon: ScriptedDaemon, edge: Edge) -> None:
    result = edge("ask", "-", stdin=b"good\nb\xe9d\n")
    assert result.exit_code == 2
    assert "Line 2 of standard input is not UTF-8: byte 2 is 0xe9" in result.stderr
    assert "iconv" in result.stderr
    assert daemon.requests == []


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_said_is_refused(daemon: ScriptedDaemon, edge: Edge, text: str) -> None:
    result = edge("ask", "-", stdin=text)
    assert (result.exit_code, daemon.requests) == (2, [])
    assert "TEXT is empty" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("nope", "--json"), ("--json", "ask", "--nope"), ("memories", "--limit", "0", "--json")]
)
def test_a_wrong_command_line_is_json_where_json_is_wanted(edge: Edge, arguments: tuple[str, ...]) -> None:
    result = edge(*arguments)
    error = json.loads(result.stderr)["error"]
    assert (result.exit_code, error["code"]) == (2, "invalid_request")
    assert "--help" in error["hint"]


def test_an_error_says_what_to_do_and_has_its_exit_status(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_error("POST", "/v1/turns", 503, "busy", "8 turns wait already")
    result = edge("ask", "hi")
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr == "edge: 8 turns wait already\nhint: do so\n"


@pytest.mark.parametrize("arguments", [("--json", "ask", "hi"), ("ask", "hi", "--json")])
def test_an_error_is_json_where_json_is_wanted(daemon: ScriptedDaemon, edge: Edge, arguments: tuple[str, ...]) -> None:
    daemon.answer_error("POST", "/v1/turns", 413, "prompt_too_long", "太长", over=7)
    result = edge(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    expected = {"code": "prompt_too_long", "message": "太长", "hint": "do so", "over": 7}
    assert json.loads(result.stderr) == {"error": expected}


def test_a_reply_that_breaks_off_ends_its_line(daemon: ScriptedDaemon, edge: Edge) -> None:
    def answer(handler: Handler) -> None:
        handler.begin_events()
        handler.send_event("token", {"text": "half"})

    daemon.answer("POST", "/v1/turns", answer)
    result = edge("ask", "hi")
    assert (result.exit_code, result.stdout) == (4, "half\n")
    assert "middle of the reply" in result.stderr


def test_without_a_daemon_every_command_says_what_starts_one(edge: Edge, folder: Path) -> None:
    commands = (
        ("ask", "x"),
        ("remember", "x"),
        ("recall", "x"),
        ("memories",),
        ("forget", "1"),
        ("sessions",),
        ("status",),
        ("index", "status"),
        ("index", "rebuild"),
        ("index", "verify"),
    )
    for command in commands:
        result = edge(*command, "--socket", str(folder / "none"))
        assert result.exit_code == 4, command
        assert "edge daemon" in result.stderr


def test_a_socket_path_that_is_too_long(edge: Edge) -> None:
    result = edge("status", "--socket", "/tmp/" + "x" * 120)
    assert result.exit_code == 4
    assert "hint: Set EDGE_SOCKET to a shorter path" in result.stderr


def test_remember(daemon: ScriptedDaemon, edge: Edge) -> None:
    units = [memory(41, "订单号: A1234567")]
    answer = {"added": [41], "confirmed": [3], "superseded": [7, 8], "memories": units, "redacted": []}
    daemon.answer_json("POST", "/v1/memories", answer, 201)
    result = edge("remember", "我的订单号是", "A1234567")
    assert result.stdout.splitlines() == [
        "    #41  2026-03-01 11:02  user_profile     订单号: A1234567",
        "known already: #3",
        "superseded: #7, #8",
    ]
    assert daemon.requests[-1].body == {"content": "我的订单号是 A1234567", "session": "main"}
    edge("remember", "x", "--kind", "fact_reference", "--expires-in", "60", "--json")
    assert daemon.requests[-1].body == {
        "content": "x",
        "session": "main",
        "kind": "fact_reference",
        "expires_in": 60.0,
    }


def test_remember_tells_which_secrets_it_did_not_keep(daemon: ScriptedDaemon, edge: Edge) -> None:
    answer = {"added": [], "confirmed": [], "superseded": [], "memories": [], "redacted": ["password", "PIN"]}
    daemon.answer_json("POST", "/v1/memories", answer, 201)
    result = edge("remember", "my wifi password is hunter2")
    assert "not kept: password, PIN" in result.stderr
    assert "hunter2" not in result.stdout + result.stderr
    edge("remember", "--keep-secrets", "my wifi password is hunter2")
    assert daemon.requests[-1].body == {
        "content": "my wifi password is hunter2", "session": "main", "keep_secrets": True,
    }  # fmt: skip


def test_a_life_without_a_kind_is_refused(daemon: ScriptedDaemon, edge: Edge) -> None:
    result = edge("remember", "x", "--expires-in", "60")
    assert result.exit_code == 2
    assert "--expires-in goes with --kind" in result.stderr
    assert daemon.requests == []


def test_an_episode_cannot_be_given(daemon: ScriptedDaemon, edge: Edge) -> None:
    assert edge("remember", "x", "--kind", "episode").exit_code == 2
    assert daemon.requests == []


def test_recall(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/recall", FOUND)
    result = edge("recall", "我的订单号", "--limit", "3", "--kind", "user_profile", "--kind", "episode")
    assert result.stdout == "    #41  0.87  rule    2026-03-01 11:02  user_profile     订单号 A1234567\n"
    assert daemon.requests[0].body == {
        "query": "我的订单号",
        "session": "main",
        "limit": 3,
        "kinds": ["user_profile", "episode"],
    }


def test_recall_explains(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/recall", FOUND | {"degraded": ["vectors"], "nothing_reliable": True})
    result = edge("recall", "--explain", "x")
    assert result.stdout.splitlines()[1:] == [
        "         bm25 1.50  dense 0.25",
        "     #7  0.20  dropped: below the threshold  猫 喜欢鱼",
        "rules 0.10 ms, recall in all 2.25 ms",
    ]
    assert "Nothing reliable" in result.stderr
    assert "without: vectors" in result.stderr
    assert daemon.requests[0].body["explain"] is True
    assert json.loads(edge("recall", "x", "--json").stdout)["dropped"] == FOUND["dropped"]


def test_recall_says_what_comes_from_the_archive(daemon: ScriptedDaemon, edge: Edge) -> None:
    found = [recalled(1, "飞艇", archived_why="decayed"), recalled(2, "zeppelin")]
    answer = {
        "recalled": found,
        "nothing_reliable": False,
        "dropped": [],
        "degraded": [],
        "rules_ms": 0,
        "recall_ms": 0,
    }
    daemon.answer_json("POST", "/v1/recall", answer)
    first, second = edge("recall", "x").stdout.splitlines()
    assert first.endswith("飞艇  (archived, decayed)")
    assert second.endswith("zeppelin")


def test_recall_shows_of_a_long_text_the_passage_that_matched(daemon: ScriptedDaemon, edge: Edge) -> None:
    long = recalled(41, "很长的文字" * 900, passage="飞艇九点起飞。")
    daemon.answer_json("POST", "/v1/recall", FOUND | {"recalled": [long]})
    assert edge("recall", "x").stdout.endswith("user_profile     飞艇九点起飞。\n")


def test_memories(daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_SESSION", "does not narrow")
    units = [
        memory(9, "lives in Hamburg"),
        memory(5, "lives in\nBerlin\x1b[2J", superseded_by=9, valid_until="2026-03-02T00:00:00Z"),
        memory(4, "x", archived_at="2026-03-02T00:00:00Z"),
        memory(3, "y", valid_until="2026-03-02T00:00:00Z"),
    ]
    daemon.answer_json("GET", "/v1/memories", {"memories": units, "next_before": 3})
    result = edge("memories", "--past", "--limit", "2", "--kind", "user_profile")
    assert result.stdout.splitlines() == [
        "     #9  2026-03-01 11:02  user_profile     lives in Hamburg",
        "     #5  2026-03-01 11:02  user_profile     lives in Berlin␛[2J  (superseded by #9)",
        "     #4  2026-03-01 11:02  user_profile     x  (archived 2026-03-02 00:00)",
        "     #3  2026-03-01 11:02  user_profile     y  (until 2026-03-02 00:00)",
    ]
    assert "--before 3" in result.stderr
    assert daemon.requests[0].path == "/v1/memories?kind=user_profile&limit=2&past=true"
    edge("memories", "--session", "work")
    assert daemon.requests[-1].path == "/v1/memories?session=work"


def paged(units: list[dict[str, Any]]) -> Any:
    def answer(handler: Handler) -> None:
        first = "before" not in handler.path
        page = units[:1] if first else units[1:]
        handler.send_json(200, {"memories": page, "next_before": units[0]["id"] if first and len(units) > 1 else None})

    return answer


@pytest.mark.parametrize("count", [0, 1, 3])
def test_all_memories_are_one_json_object(daemon: ScriptedDaemon, edge: Edge, count: int) -> None:
    units = [memory(10 - number, f"事实 {number}") for number in range(count)]
    daemon.answer("GET", "/v1/memories", paged(units))
    result = edge("memories", "--all", "--json")
    assert json.loads(result.stdout) == {"memories": units, "next_before": None}
    assert len(edge("memories", "--all").stdout.splitlines()) == count


def session(name: str, turns: int, first: str, last: str) -> dict[str, Any]:
    return {"session": name, "turns": turns, "first_turn_at": first, "last_turn_at": last}


def test_sessions(daemon: ScriptedDaemon, edge: Edge) -> None:
    found = [
        {
            "session": "工作",
            "turns": 12,
            "first_turn_at": "2026-01-01T08:00:00Z",
            "last_turn_at": "2026-02-01T09:30:00Z",
        },
        {
            "session": "main",
            "turns": 3,
            "first_turn_at": "2026-01-02T08:00:00Z",
            "last_turn_at": "2026-01-02T09:00:00Z",
        },
    ]
    daemon.answer_json("GET", "/v1/sessions", {"sessions": found})
    assert edge("sessions").stdout.splitlines() == [
        "session  turns  first             last",
        "工作     12     2026-01-01 08:00  2026-02-01 09:30",
        "main     3      2026-01-02 08:00  2026-01-02 09:00",
    ]
    assert json.loads(edge("sessions", "--json").stdout) == {"sessions": found}
    daemon.answer_json("GET", "/v1/sessions", {"sessions": []})
    assert "no session yet" in edge("sessions").stderr


def test_status(daemon: ScriptedDaemon, edge: Edge) -> None:
    assert edge("status").stdout.splitlines() == [
        "edge      0.1.0, process 4242, up 1 h 2 min",
        "owner     uid:1000",
        "model     ready: qwen2.5-coder-0.5b, for 1 min",
        "embedder  failed: all-minilm-l6-v2-int8: model.onnx is missing. Fetch it.",
        "memory    model weights 400 MB, model kv 50.3 MB, total 712 MB",
        "holds     units 12, turns 5, sessions 2, unembedded 0, 4.1 kB of text, 41 kB on disk",
        "queue     turns 1, limit 8",
        "speed     prefill 118 tokens/s",
        "off-peak  waits: the board is hot, 82 °C",
        "degraded  vectors",
        "socket    /run/edge/edge.sock",
        "state     /var/lib/edge",
        "config    /etc/edge/edge.toml",
        "settings  model.context = 2048 (environment)",
        "          model.flash_attention = false (file)",
    ]
    assert json.loads(edge("status", "--json").stdout) == STATUS


@pytest.mark.parametrize(
    ("embedder", "lines"),
    [
        (
            {"id": "old", "state": "ready", "error": None, "changing_to": "new/384", "done": 3, "total": 12},
            ["embedder  ready: old", "          until new/384 takes over, which has embedded 3 of 12 memories"],
        ),
        (
            {"id": "old", "state": "ready", "changing_to": "new"},
            [
                "embedder  ready: old: model.onnx is missing. Fetch it.",
                "          until new takes over",
            ],
        ),
    ],
)
def test_status_during_a_change_of_embedder(
    daemon: ScriptedDaemon, edge: Edge, embedder: dict[str, Any], lines: list[str]
) -> None:
    told: dict[str, Any] = STATUS["embedder"]  # type: ignore[assignment]
    daemon.answer_json("GET", "/v1/status", STATUS | {"embedder": told | embedder})
    assert edge("status").stdout.splitlines()[3:5] == lines


@pytest.mark.parametrize(
    ("degraded", "words"),
    [(["index"], "without: parts of the index;"), (["vectors"], "without: vectors;")],
)
def test_recall_says_what_it_could_not_search(
    daemon: ScriptedDaemon, edge: Edge, degraded: list[str], words: str
) -> None:
    daemon.answer_json("POST", "/v1/recall", FOUND | {"degraded": degraded})
    assert words in edge("recall", "x").stderr


def forgettable(daemon: ScriptedDaemon, **changes: Any) -> None:
    units = [memory(42, "name: Will", source_turn=6), memory(41, "My name is Will", source_turn=6, kind="episode")]
    daemon.answer("POST", "/v1/forget", forgetting(preview(*units, **changes)))


def forgets(daemon: ScriptedDaemon) -> list[dict[str, Any]]:
    """The bodies that forgot something."""
    return [request.body for request in daemon.requests if not request.body.get("preview")]


def test_forget_asks_nobody_in_a_pipe(daemon: ScriptedDaemon, edge: Edge) -> None:
    forgettable(daemon)
    for way in (["42"], ["--query", "Will"], ["--session", "trip"]):
        result = edge("forget", *way)
        assert result.exit_code == 2
        assert "--yes" in result.stderr
    assert forgets(daemon) == []


def test_forget(daemon: ScriptedDaemon, edge: Edge) -> None:
    forgettable(daemon)
    result = edge("forget", "#42", "--yes")
    assert (result.exit_code, result.stdout) == (0, "Forgotten: #42, #41\n")
    assert "Backups" in result.stderr
    assert forgets(daemon) == [{"ids": [42]}]
    answer = json.loads(edge("forget", "42", "--yes", "--json").stdout)
    assert answer == {"forgotten": [42, 41], "turns": 1, "kept": []}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--query", "旧地址"], {"query": "旧地址"}),
        (["--session", "trip"], {"session": "trip"}),
        (["--session", "trip", "--facts"], {"session": "trip", "facts": True}),
        (["7", "7", "#8"], {"ids": [7, 8]}),
    ],
)
def test_what_to_forget(daemon: ScriptedDaemon, edge: Edge, arguments: list[str], wanted: dict[str, Any]) -> None:
    forgettable(daemon)
    assert edge("forget", *arguments, "--yes").exit_code == 0
    assert [request.body for request in daemon.requests] == [{**wanted, "preview": True}, wanted]


def test_forget_only_shows(daemon: ScriptedDaemon, edge: Edge) -> None:
    kept = memory(7, "phone: 555", source_turn=6)
    forgettable(daemon, found_by="meaning", turns=3, kept=[kept], kept_ids=[7])
    shown = edge("forget", "--query", "address", "--preview").stdout.splitlines()
    assert "near in meaning" in shown[0]
    assert "name: Will" in shown[1]
    assert shown[3] == "2 memories and the words of 3 turns go."
    assert "stay" in shown[4]
    assert "phone: 555" in shown[5]
    assert json.loads(edge("forget", "42", "--preview", "--json").stdout)["token"] == "t0"
    assert forgets(daemon) == []


def test_forget_shows_the_first_of_many(daemon: ScriptedDaemon, edge: Edge) -> None:
    units = [memory(number, f"memory {number}") for number in range(1, 51)]
    daemon.answer_json("POST", "/v1/forget", preview(*units, ids=list(range(1, 201))))
    shown = edge("forget", "--session", "trip", "--preview").stdout
    assert "memory 20" in shown
    assert "memory 21" not in shown
    assert "and 180 more\n200 memories and the words of 1 turn go." in shown


@pytest.mark.parametrize(
    "arguments",
    [[], ["1", "--query", "x"], ["1", "--session", "x"], ["--query", "x", "--session", "y"], ["1", "--facts"]],
)
def test_forget_one_way_at_a_time(daemon: ScriptedDaemon, edge: Edge, arguments: list[str]) -> None:
    assert edge("forget", *arguments, "--yes").exit_code == 2
    assert daemon.requests == []


@pytest.mark.parametrize(
    ("code", "status"), [("memory_not_found", 3), ("session_not_found", 3), ("forgetting_changed", 2)]
)
def test_forget_says_why_not(daemon: ScriptedDaemon, edge: Edge, code: str, status: int) -> None:
    daemon.answer_error("POST", "/v1/forget", 404, code, "not so")
    result = edge("forget", "--session", "x", "--yes")
    assert (result.exit_code, "not so" in result.stderr) == (status, True)


def test_archived_memories(daemon: ScriptedDaemon, edge: Edge) -> None:
    gone = memory(5, "a coupon", archived_at="2026-03-02T00:00:00Z", archived_why="expired")
    daemon.answer_json("GET", "/v1/memories", {"memories": [gone], "next_before": None})
    assert "expired)" in edge("memories", "--archived").stdout
    assert daemon.requests[-1].path == "/v1/memories?archived=true"
    assert json.loads(edge("memories", "--archived", "--all", "--json").stdout)["memories"] == [gone]


def test_archive_and_restore(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("POST", "/v1/memories/5/archive", memory(5, "a coupon", archived_at="2026-03-02T00:00:00Z"))
    daemon.answer_json("POST", "/v1/memories/6/restore", memory(6, "a ticket"))
    shown = edge("memories", "--archive", "5", "--restore", "6").stdout.splitlines()
    assert "archived" in shown[0]
    assert "a ticket" in shown[1]
    answer = json.loads(edge("memories", "--restore", "6", "--json").stdout)
    assert [unit["id"] for unit in answer["memories"]] == [6]
    daemon.answer_error("POST", "/v1/memories/7/restore", 404, "memory_not_found", "no memory 7")
    assert edge("memories", "--restore", "7").exit_code == 3


@pytest.mark.parametrize("wrong", ["0", "x", "4.5", "1" * 30, "٤"])
def test_what_is_no_id_is_refused(edge: Edge, wrong: str) -> None:
    result = edge("forget", wrong, "--yes")
    assert result.exit_code == 2
    assert "is not an id" in result.stderr


def test_settings_in_force(edge: Edge, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = home / ".config/edge/edge.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[prompt]\nrole = "助手"\n', encoding="utf-8")
    monkeypatch.setenv("EDGE_MODEL_CONTEXT", "2048")
    lines = [line.split() for line in edge("settings").stdout.splitlines()]
    assert ["model.context", "environment", "2048"] in lines
    assert ["prompt.role", "file", '"助手"'] in lines
    assert ["config", "place", str(file)] in lines
    found = json.loads(edge("settings", "--json").stdout)
    assert found["settings"]["model.context"] == {"value": 2048, "origin": "environment"}
    assert found["places"]["state"] == str(home / ".local/state/edge")
    file.write_text("[prompt]\nrule = 1\n")
    result = edge("settings")
    assert result.exit_code == 2
    assert f"{file}:2: there is no setting prompt.rule; did you mean prompt.role?" in result.stderr


def test_a_wrong_setting_keeps_a_daemon_from_starting(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_MODEL_CONTEXT", "12")
    result = edge("daemon", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"]["key"] == "model.context"


def test_a_command_that_does_not_exist(edge: Edge) -> None:
    result = edge("chta")
    assert result.exit_code == 2
    assert "did you mean chat?" in result.stderr


def test_version_and_help(edge: Edge) -> None:
    from edge import __version__

    assert edge("--version").stdout == f"edge {__version__}\n"
    assert edge("-h").exit_code == 0
