"""The figures of sessions that take turns."""

from __future__ import annotations

from typing import Any, cast

from edge.wire import DoneEvent
from scripts.benchmarks.sessions import Played, Resumed, report_of


def resumed(
    after: str, first_ms: float | None, evaluated: int = 20, *, compacted: bool = False, anew_ms: float | None = 3000.0
) -> Resumed:
    done: dict[str, Any] = {
        "answered_by": "model",
        "timings": {"first_token_ms": first_ms},
        "usage": {
            "prompt_tokens": 400, "evaluated_tokens": evaluated, "appended_tokens": 20, "compacted": compacted,
        },
    }  # fmt: skip
    return Resumed(after, "one", cast(DoneEvent, done), anew_ms)


def test_each_way_of_coming_back_has_its_figures_and_windows_built_anew_count_for_none() -> None:
    played = [
        resumed("a switch", 200.0),
        resumed("a switch", 600.0, 21),
        resumed("a switch", 100.0),
        resumed("a switch", 100.0, 23, anew_ms=None),
        resumed("a switch", 3000.0, 400, compacted=True),
        resumed("a restart", 300.0),
    ]
    report = report_of(Played(played, 123), 4, 3)
    assert list(report.figures.values()) == [4, 3, 15.0, 1, 0, 10.0, 123]
    assert len(report.tables[0].rows) == 5


def test_spoilt_files_are_to_be_evaluated_anew_and_told_of() -> None:
    played = [resumed("a cut file", 900.0, 400), resumed("a stale file", 90.0)]
    figures = report_of(Played([*played, resumed("a foreign file", 9.0, 60, compacted=True)], 9, 2), 4, 3).figures
    assert figures["spoilt files whose window was evaluated anew"] == "2 of 3"
    assert figures["spoilt files that the log tells of"] == "2 of 3"


def test_a_turn_without_a_token_is_not_compared() -> None:
    assert resumed("a switch", None).ratio is None
    assert resumed("a switch", 5.0, anew_ms=None).ratio is None
