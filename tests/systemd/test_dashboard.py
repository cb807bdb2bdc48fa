"""The dashboard has the form that Grafana loads, and asks for figures that there are."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from edge.daemon.metrics import exposition
from tests.daemon.test_metrics import counted
from tests.daemon.watching import PROMTOOL, promtool, samples, totals

FILE = Path(__file__).resolve().parents[2] / "systemd" / "grafana-dashboard.json"
DASHBOARD: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
SHOWN = [panel for panel in PANELS if panel["type"] != "row"]
EXPRESSIONS = [target["expr"] for panel in SHOWN for target in panel["targets"]]
NAMES = {name for name, _ in samples(exposition(totals(counted())))}


def test_it_has_what_grafana_wants_of_a_dashboard() -> None:
    kinds = {
        "title": str, "uid": str, "schemaVersion": int, "version": int, "editable": bool, "timezone": str,
        "refresh": str, "time": dict, "templating": dict, "annotations": dict, "panels": list, "tags": list,
    }  # fmt: skip
    assert {key: type(DASHBOARD[key]) for key in kinds} == kinds
    assert len(DASHBOARD["uid"]) <= 40
    assert "id" not in DASHBOARD  # it is the server's: with one, an import would replace another's dashboard
    (source,) = DASHBOARD["templating"]["list"]
    assert (source["type"], source["query"], source["name"]) == ("datasource", "prometheus", "datasource")


def test_each_panel_is_whole() -> None:
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    for panel in SHOWN:
        assert panel["type"] in ("stat", "timeseries")
        assert panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        assert next(step["value"] for step in steps) is None
        references = [target["refId"] for target in panel["targets"]]
        assert references == sorted(set(references))
        assert all(target["datasource"] == panel["datasource"] for target in panel["targets"])


def test_no_panel_lies_on_another() -> None:
    for panel in PANELS:
        place = panel["gridPos"]
        assert 0 <= place["x"] < place["x"] + place["w"] <= 24
        assert place["h"] > 0
    for one, other in combinations((panel["gridPos"] for panel in PANELS), 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        below = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert beside or below, (one, other)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_asks_for_figures_that_there_are(expression: str) -> None:
    asked = set(re.findall(r"\bedge_[a-z_]+", expression))
    assert asked
    assert asked <= NAMES


def test_every_figure_of_health_is_on_it() -> None:
    asked = set(re.findall(r"\bedge_[a-z_]+", " ".join(EXPRESSIONS)))
    assert asked >= {
        "edge_memory_freshness_ratio", "edge_memory_hit_ratio", "edge_memory_amnesia_owners", "edge_tokens_total",
        "edge_prefill_tokens_per_second", "edge_generation_tokens_per_second", "edge_first_token_seconds_bucket",
        "edge_recall_stage_seconds_bucket", "edge_queue_turns", "edge_resident_bytes",
        "edge_board_temperature_celsius", "edge_board_throttled",
    }  # fmt: skip


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian package prometheus)")
def test_prometheus_understands_every_question(tmp_path: Path) -> None:
    rules = [
        {"record": f"question:{number}", "expr": expression.replace("$__rate_interval", "5m")}
        for number, expression in enumerate(EXPRESSIONS)
    ]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = promtool("check", "rules", str(file))
    assert done.returncode == 0, done.stderr.decode()
