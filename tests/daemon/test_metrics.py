"""The figures in the text format of Prometheus."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from edge.daemon.board import Board
from edge.daemon.figures import TurnFigures
from edge.daemon.health import board_wire
from edge.daemon.metrics import exposition
from tests.daemon.boards import FakeBoard
from tests.daemon.test_figures import DONE
from tests.daemon.watching import PROMTOOL, labels, machine, promtool, samples, totals


def counted() -> TurnFigures:
    figures = TurnFigures()
    for first_token in (0.04, 0.3, 0.3, 60.0):
        figures.ended(replace(DONE, timings=replace(DONE.timings, first_token=first_token)))
    return figures


def test_every_figure_is_there() -> None:
    told = samples(exposition(totals(counted())))
    assert told["edge_turns_total", labels(outcome="done")] == 4
    assert told["edge_turns_total", labels(outcome="failed")] == 0
    assert told["edge_tokens_total", labels(kind="evaluated")] == 80
    assert told["edge_prefill_tokens_per_second", ()] == 120.5
    assert told["edge_generation_tokens_per_second", ()] == 11.0
    assert told["edge_recall_stage_seconds_count", labels(stage="embed")] == 4
    assert (told["edge_queue_turns", ()], told["edge_queue_limit_turns", ()]) == (1, 8)
    assert told["edge_resident_bytes", labels(part="model_kv")] == 50
    assert ("edge_resident_bytes", labels(part="total")) not in told
    assert told["edge_memory_freshness_ratio", ()] == 0.95
    assert told["edge_memory_hit_ratio", ()] == 0.8
    assert told["edge_memory_amnesia_owners", ()] == 0
    assert told["edge_board_temperature_celsius", ()] == 48.5
    assert (told["edge_board_throttled", ()], told["edge_board_under_voltage", ()]) == (0, 0)
    assert told["edge_model_state", labels(state="ready")] == 1
    assert told["edge_model_state", labels(state="failed")] == 0


def test_a_histogram_adds_up() -> None:
    told = samples(exposition(totals(counted())))
    name = "edge_first_token_seconds"
    assert told[f"{name}_count", ()] == 4
    assert told[f"{name}_sum", ()] == pytest.approx(60.64)
    within = [told[f"{name}_bucket", labels(le=bound)] for bound in ("0.05", "0.1", "0.25", "0.5", "30.0", "+Inf")]
    assert within == [1, 1, 1, 3, 3, 4]


def test_what_is_not_known_is_not_there(tmp_path: Path) -> None:
    silent = machine(TurnFigures(), {**board_wire(Board(tmp_path)), "load": None})
    told = samples(exposition(totals(machine=silent, quality=None, counts={})))
    assert not [name for name, _ in told if name.startswith(("edge_board", "edge_memory", "edge_stored"))]
    assert told["edge_store_readable", ()] == 1


def test_no_recall_is_no_rate() -> None:
    quality = replace(totals().quality, recalls=0, served=0)  # type: ignore[type-var]
    assert ("edge_memory_hit_ratio", ()) not in samples(exposition(totals(quality=quality)))


def test_the_clients_global_registry_is_left_alone() -> None:
    exposition(totals(counted()))
    assert not [name for name in REGISTRY._names_to_collectors if name.startswith("edge")]
    assert exposition(totals(counted())) == exposition(totals(counted()))


def test_the_client_is_not_loaded_before_somebody_asks() -> None:
    code = "import sys, edge.daemon.main; sys.exit('prometheus_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian package prometheus)")
def test_promtool_takes_it() -> None:
    done = promtool("check", "metrics", stdin=exposition(totals(counted())))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_board_is_told_by_its_files(tmp_path: Path) -> None:
    fake = FakeBoard(tmp_path)
    fake.cool(81.25)
    fake.throttle(0x5)
    fake.busy(2.0, cores=4)
    fake.memory(1000, total_mb=4000)
    told = samples(exposition(totals(machine=machine(TurnFigures(), board_wire(fake.board)))))
    assert told["edge_board_temperature_celsius", ()] == 81.25
    assert (told["edge_board_throttled", ()], told["edge_board_under_voltage", ()]) == (1, 1)
    assert told["edge_board_load_ratio", ()] == 0.5
    assert told["edge_board_memory_available_bytes", ()] * 4 == told["edge_board_memory_bytes", ()]
