"""`edge health`: once, again and again, and as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Edge
from tests.cli.scripted import Handler, ScriptedDaemon

SPREAD = {"count": 4, "mean_ms": 812.0, "p50_ms": 700.0, "p95_ms": 1900.0}
UNKNOWN = {"count": 0, "mean_ms": None, "p50_ms": None, "p95_ms": None}
QUALITY: dict[str, Any] = {
    "freshness": {"share": 0.9302, "valid": 120, "active": 129, "healthy_from": 0.85, "is_healthy": True},
    "hit_rate": {
        "share": 0.8, "served": 8, "recalls": 10, "window": 100, "healthy_from": 0.7, "is_healthy": True,
    },
    "amnesia": {"alert": False, "turns_in_a_row": 1, "alert_from": 3},
}  # fmt: skip
MACHINE: dict[str, Any] = {
    "uptime_seconds": 3725.0,
    "turns": {"done": 4, "cut": 0, "cancelled": 1, "failed": 0},
    "by_runtime": 2,
    "tokens": {"reused": 800, "evaluated": 120, "generated": 44, "memories": 30},
    "speed": {"prefill_tokens_s": 96.4, "generate_tokens_s": None},
    "first_token": SPREAD,
    "turn": SPREAD,
    "recall": {**SPREAD, "p50_ms": 3.21, "p95_ms": 9.0},
    "stages": {"rules": {**SPREAD, "mean_ms": 0.24}, "embed": {**SPREAD, "mean_ms": 5.5}},
    "queue": {"turns": 1, "limit": 8},
    "memory": {"model_weights": 400_000_000, "rest": 70_000_000, "total": 470_000_000},
    "board": {
        "temperature_celsius": 54.2, "throttled": False, "under_voltage": True, "load": 0.51,
        "memory_total": 4_000_000_000, "memory_available": 2_100_000_000,
    },
    "offpeak": {"state": "rests", "step": None, "cause": None, "words": None},
    "degraded": [],
}  # fmt: skip


def found(**changes: Any) -> dict[str, Any]:
    whole = {"owner": "uid:1000", "is_healthy": True, "needs": [], "quality": QUALITY, "error": None}
    return {**whole, "machine": MACHINE, **changes}


def rows(output: str) -> dict[str, str]:
    return {line[:11].strip(): line[11:].strip() for line in output.splitlines() if line[:11].strip()}


def test_what_is_healthy_is_told_in_figures(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/memory/health", found())
    result = edge("health")
    assert result.exit_code == 0
    told = rows(result.output)
    assert told["memory"] == "of uid:1000: healthy"
    assert told["freshness"] == "93%: 120 of 129 hold now, healthy from 85%"
    assert told["hit rate"] == "80%: 8 of the last 10 recalls served, healthy from 70%"
    assert told["amnesia"] == "none: 1 turn in a row, alert from 3"
    assert told["tokens"] == "reused 800, evaluated 120, generated 44, memories 30"
    assert told["speed"] == "prefill 96.4 tokens/s"
    assert told["first token"] == "half under 700 ms, 95% under 1.9 s (4 times)"
    assert "on average: rules 0.24 ms, embed 5.5 ms" in result.output
    assert told["board"] == (
        "54 °C, not throttled, UNDER-VOLTAGE, load 0.51 for each core, 2.10 GB of 4.00 GB available"
    )


def test_what_needs_attention_is_told_with_what_to_do(daemon: ScriptedDaemon, edge: Edge) -> None:
    quality = {**QUALITY, "amnesia": {"alert": True, "turns_in_a_row": 3, "alert_from": 3}}
    daemon.answer_json(
        "GET", "/memory/health", found(is_healthy=False, needs=["freshness", "amnesia"], quality=quality)
    )
    output = edge("health").output
    assert rows(output)["memory"] == "of uid:1000: needs attention"
    assert rows(output)["amnesia"] == "ALERT: 3 turns in a row, alert from 3"
    assert "freshness: too much of it holds no more" in output
    assert "edge consolidate --now" in output


def test_before_anything_was_asked(daemon: ScriptedDaemon, edge: Edge) -> None:
    hits = {**QUALITY["hit_rate"], "share": None, "served": 0, "recalls": 0, "is_healthy": None}
    board = dict.fromkeys(MACHINE["board"])
    machine = {**MACHINE, "first_token": UNKNOWN, "stages": {}, "board": board, "degraded": ["vectors"]}
    daemon.answer_json("GET", "/memory/health", found(quality={**QUALITY, "hit_rate": hits}, machine=machine))
    told = rows(edge("health").output)
    assert told["hit rate"] == "no recalls yet, healthy from 70%"
    assert (told["first token"], told["board"], told["degraded"]) == ("not measured yet", "tells nothing", "vectors")


def test_a_database_that_fails_is_named(daemon: ScriptedDaemon, edge: Edge) -> None:
    error = {"code": "store_failed", "message": "The disk is gone.", "hint": "Look at the card."}
    daemon.answer_json("GET", "/memory/health", found(is_healthy=None, quality=None, error=error))
    told = rows(edge("health").output)
    assert told["memory"] == "not known: The disk is gone. Look at the card."
    assert "freshness" not in told


def test_json(daemon: ScriptedDaemon, edge: Edge) -> None:
    daemon.answer_json("GET", "/memory/health", found())
    assert json.loads(edge("health", "--json").stdout) == found()


class Waits:
    """Stands in for time: what was waited for, until Ctrl-C at the third wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        monkeypatch.setattr("edge.cli.health.time.sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) == 3:
            raise KeyboardInterrupt


def test_watching_looks_again_until_ctrl_c(daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = Waits(monkeypatch)
    daemon.answer_json("GET", "/memory/health", found())
    result = edge("health", "--watch", "--every", "5", "--json")
    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == [found()] * 3
    assert waits.seconds == [5.0, 5.0, 5.0]


def test_watching_waits_for_a_daemon_that_is_away(
    daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    Waits(monkeypatch)
    looks: list[int] = []

    def answer(handler: Handler) -> None:
        looks.append(1)
        if len(looks) == 2:
            handler.send_json(503, {"error": {"code": "stopping", "message": "It stops.", "hint": "Wait."}})
        else:
            handler.send_json(200, found())

    daemon.answer("GET", "/memory/health", answer)
    result = edge("health", "--watch")
    assert result.exit_code == 0
    assert result.stdout.count("freshness") == 2
    assert "It stops." in result.stderr
    assert "\x1b" not in result.output


def test_on_a_terminal_each_look_takes_the_place_of_the_one_before(
    daemon: ScriptedDaemon, edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    Waits(monkeypatch)
    monkeypatch.setattr("edge.cli.terminal.has_cursor", lambda stream: True)
    daemon.answer_json("GET", "/memory/health", found())
    output = edge("health", "--watch").output
    assert output.count("\x1b[H\x1b[J") == 3
    assert output.startswith("\x1b[H\x1b[J")
