"""Totals as a daemon may have them, and what a scrape of them says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from edge.daemon.figures import TurnFigures
from edge.daemon.health import Quality, Totals, spread_wire
from edge.wire import BoardWire, MachineWire

Labels = tuple[tuple[str, str], ...]
Samples = dict[tuple[str, Labels], float]
PROMTOOL = shutil.which("promtool")
QUALITY = Quality(active=200, valid=190, recalls=50, served=40, forgetful_owners=0)
BOARD: BoardWire = {
    "temperature_celsius": 48.5,
    "throttled": False,
    "under_voltage": False,
    "load": 0.4,
    "memory_total": 4_000_000_000,
    "memory_available": 2_000_000_000,
}
COUNTS = {"units": 210, "turns": 80, "sessions": 3, "bytes": 4096, "unembedded": 2, "database_bytes": 1_000_000}


def machine(figures: TurnFigures, board: BoardWire = BOARD) -> MachineWire:
    return {
        "uptime_seconds": 3600.0,
        "turns": figures.turns,
        "by_runtime": figures.by_runtime,
        "tokens": figures.tokens,
        "speed": {"prefill_tokens_s": 120.5, "generate_tokens_s": 11.0},
        "first_token": spread_wire(figures.first_token),
        "turn": spread_wire(figures.turn),
        "recall": spread_wire(figures.recall),
        "stages": {},
        "queue": {"turns": 1, "limit": 8},
        "memory": {"model_weights": 300, "model_kv": 50, "rest": 100, "total": 450},
        "board": board,
        "offpeak": {"state": "rests", "step": None, "cause": None, "words": None},
        "degraded": [],
    }


def totals(figures: TurnFigures | None = None, **changes: object) -> Totals:
    figures = figures or TurnFigures()
    made: dict[str, object] = {
        "counts": COUNTS,
        "quality": QUALITY,
        "machine": machine(figures),
        "states": {"model": "ready", "embedder": "ready"},
        "figures": figures,
    }
    return Totals(**{**made, **changes})  # type: ignore[arg-type]


def samples(exposed: bytes) -> Samples:
    """What a scrape says, by name and labels."""
    families = text_string_to_metric_families(exposed.decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def promtool(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    assert PROMTOOL is not None
    return subprocess.run([PROMTOOL, *arguments], input=stdin, capture_output=True, cwd=cwd, timeout=120)


def labels(**told: str) -> Labels:
    return tuple(sorted(told.items()))
