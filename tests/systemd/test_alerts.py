"""Each alert fires on the figures that it is for, and on no healthy ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edge.daemon.figures import TurnFigures
from edge.daemon.metrics import exposition
from edge.engine.events import TurnFailed
from edge.errors import ModelFailed
from edge.memory.freshness import HEALTHY
from edge.memory.health import HEALTHY_HIT_RATE, LEAST_RECALLS
from tests.daemon.test_figures import DONE
from tests.daemon.watching import BOARD, PROMTOOL, QUALITY, Samples, machine, promtool, samples, totals
from tests.systemd.alerts import FILE, Alert, fires, read_alerts

ALERTS = {alert.name: alert for alert in read_alerts()}


def seen(figures: TurnFigures | None = None, **changes: Any) -> Samples:
    return samples(exposition(totals(figures or talked(0.4), **changes)))


def talked(*first_tokens: float, failed: int = 0) -> TurnFigures:
    figures = TurnFigures()
    for seconds in first_tokens:
        figures.ended(replace(DONE, timings=replace(DONE.timings, first_token=seconds)))
    for _ in range(failed):
        figures.ended(TurnFailed(ModelFailed("It broke.")))
    return figures


def with_board(**changes: Any) -> dict[str, Any]:
    board: Any = {**BOARD, **changes}
    return {"machine": machine(talked(0.4), board)}


UNWELL: Mapping[str, Samples] = {
    "EdgeDown": {},
    "EdgeStoreUnreadable": seen(counts={}, quality=None, machine={**machine(talked(0.4)), "degraded": ["database"]}),
    "EdgeModelFailed": seen(states={"model": "failed", "embedder": "ready"}),
    "EdgeEmbedderFailed": seen(states={"model": "ready", "embedder": "failed"}),
    "EdgeMemoryStale": seen(quality=replace(QUALITY, valid=169)),
    "EdgeHitRateLow": seen(quality=replace(QUALITY, served=34)),
    "EdgeAmnesia": seen(quality=replace(QUALITY, forgetful_owners=1)),
    "EdgeTurnsFail": seen(talked(0.4, failed=4)),
    "EdgeQueueFull": seen(machine={**machine(talked(0.4)), "queue": {"turns": 9, "limit": 8}}),
    "EdgeFirstTokenSlow": seen(talked(0.4, 8.0, 8.0)),
    "EdgeBoardHot": seen(**with_board(temperature_celsius=82.5)),
    "EdgeUnderVoltage": seen(**with_board(under_voltage=True)),
    "EdgeMemoryShort": seen(**with_board(memory_available=100_000_000)),
}
"""Figures on which each alert fires."""
BEGIN = seen(TurnFigures())
WELL = [
    seen(),
    BEGIN,
    seen(counts={}, quality=None),
    seen(quality=replace(QUALITY, valid=170, served=35)),
    seen(quality=replace(QUALITY, active=4, valid=1, recalls=LEAST_RECALLS - 1, served=0)),
    seen(talked(0.4, failed=3)),
    seen(**with_board(**dict.fromkeys(BOARD))),
    seen(machine={**machine(talked(0.4)), "queue": {"turns": 8, "limit": 8}}),
]


def test_every_alert_has_figures_on_which_it_fires() -> None:
    assert set(UNWELL) == set(ALERTS)


@pytest.mark.parametrize("name", UNWELL)
def test_it_fires_on_them_and_no_other_does(name: str) -> None:
    fired = [alert.name for alert in ALERTS.values() if fires(alert.expr, UNWELL[name], BEGIN)]
    assert fired == [name]


@pytest.mark.parametrize("figures", WELL)
def test_none_fires_on_healthy_figures(figures: Samples) -> None:
    assert [alert.name for alert in ALERTS.values() if fires(alert.expr, figures, BEGIN)] == []


def test_the_thresholds_are_those_of_memory() -> None:
    assert f"< {HEALTHY:g} " in ALERTS["EdgeMemoryStale"].expr
    assert f"< {HEALTHY_HIT_RATE:g} " in ALERTS["EdgeHitRateLow"].expr
    assert f">= {LEAST_RECALLS}" in ALERTS["EdgeHitRateLow"].expr


@pytest.mark.parametrize("alert", ALERTS.values(), ids=ALERTS)
def test_each_says_what_is_wrong_and_what_to_do(alert: Alert) -> None:
    assert alert.severity in ("critical", "warning")
    assert alert.summary
    assert alert.description.endswith(".")


# --- with Prometheus' own tool ---

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian package prometheus)")


@needs_promtool
def test_promtool_takes_the_rules() -> None:
    done = promtool("check", "rules", str(FILE))
    assert (done.returncode, done.stderr) == (0, b"")


@needs_promtool
def test_each_fires_in_prometheus_too(tmp_path: Path) -> None:
    """Figures that stand for two days; those that count rise from the begin to them in each of its hours."""
    tests = [_promtool_test(ALERTS[name], figures) for name, figures in UNWELL.items()]
    told = {"rule_files": [str(FILE)], "evaluation_interval": "1m", "tests": tests}
    file = tmp_path / "tests.yml"
    file.write_text(json.dumps(told))  # JSON is YAML
    done = promtool("test", "rules", str(file))
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


def _promtool_test(alert: Alert, figures: Samples) -> dict[str, Any]:
    series = [
        {"series": f"{name}{_braces(labels)}", "values": _values(name, labels, value)}
        for (name, labels), value in figures.items()
    ]
    expected = {"exp_labels": _labels(alert), "exp_annotations": _annotations(alert)}
    return {
        "interval": "1m",
        "input_series": series,
        "alert_rule_test": [{"eval_time": "30h", "alertname": alert.name, "exp_alerts": [expected]}],
    }


def _labels(alert: Alert) -> dict[str, str]:
    """Of what fires: those of the rule, and those of the series that it is about."""
    of_series = {"EdgeModelFailed": {"state": "failed"}, "EdgeEmbedderFailed": {"state": "failed"}}
    of_series["EdgeTurnsFail"] = {"outcome": "failed"}
    return {"severity": alert.severity, **of_series.get(alert.name, {})}


def _annotations(alert: Alert) -> dict[str, str]:
    return {"summary": alert.summary, "description": alert.description}


def _braces(labels: tuple[tuple[str, str], ...]) -> str:
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""


def _values(name: str, labels: tuple[tuple[str, str], ...], value: float) -> str:
    first = BEGIN.get((name, labels), 0.0)
    if not name.endswith(("_total", "_bucket", "_count", "_sum")) or value == first:
        return f"{value}+0x2000"
    return f"{first}+{(value - first) / 60:.6f}x2000"
