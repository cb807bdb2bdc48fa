"""The figures of sessions that take turns."""

from __future__ import annotations

from typing import Any, cast

from edge.wire import DoneEvent
from scripts.benchmarks.sessions import Resumed, report_of


def resumed(after: str, first_ms: float | None, evaluated: int = 20, *, compacted: bool = False) -> Resumed:
    done: dict[str, Any] = {
        "answered_by": "model",
        "timings": {"first_token_ms": first_ms},
        "usage": {
            "prompt_tokens": 400, "evaluated_tokens": evaluated, "appended_tokens": 20, "compacted": compacted,
        },
    }  # fmt: skip
    return Resumed(after, "one", cast(DoneEvent, done), 3000.0)


def test_each_way_of_coming_back_has_its_figures_and_windows_built_anew_count_for_none() -> None:
    played = [
        resumed("a switch", 200.0),
        resumed("a switch", 600.0, 21),
        resumed("a switch", 100.0),
        resumed("a switch", 3000.0, 400, compacted=True),
        resumed("a restart", 300.0),
    ]
    report = report_of(played, 4, 3, 123)
    assert list(report.figures.values()) == [15.0, 1, 10.0, 0, 123]
    assert len(report.tables[0].rows) == 5


def test_a_turn_without_a_token_is_no_sooner() -> None:
    assert resumed("a switch", None).ratio == 1.0
