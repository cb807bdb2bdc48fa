"""The figures of questions for slots."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click
import pytest

from edge.wire import DoneEvent
from scripts.benchmarks.slots import Replied, SlotCase, read_cases, report_of

CASES = Path("tests/memory/cases")


def replied(
    reply: str, seconds: float | None = 0.01, *, by: str = "runtime", others: float = 0.0, gone: str = "Rex"
) -> Replied:
    case = SlotCase("talks", "My dog is Rex.", "No, Max.", "Yes.", "What is my dog's name?", "Max", gone)
    done: dict[str, Any] = {"reply": reply, "answered_by": by}
    return Replied(case, cast(DoneEvent, done), seconds, others)


def test_a_reply_is_right_that_holds_the_answer_and_not_what_was_corrected() -> None:
    assert replied("Your dog's name is Max.").is_right
    assert replied("你的狗叫 M a x。").is_right
    assert not replied("Your dog's name is Rex.").is_right
    assert not replied("Max, formerly Rex.").is_right


def test_times_are_those_of_the_runtimes_own_replies() -> None:
    report = report_of([replied("Max"), replied("Max", 0.5, others=0.6), replied("Max", 2.0, by="model"), replied("?")])
    row = dict(zip(report.tables[0].columns, report.tables[0].rows[0], strict=True))
    assert (row["questions"], row["right"], row["by the runtime"]) == (4, 0.75, 3)
    assert row["under 30 ms"] == pytest.approx(2 / 3)
    assert (row["calm"], row["calm under 30 ms"]) == (2, 1.0)
    assert report.figures["targets held"] is False
    assert report_of([replied("Max")]).figures["targets held"] is True


def test_the_tables_of_the_tests_are_read() -> None:
    cases = read_cases([CASES / "talks_en.toml", CASES / "talks_zh.toml"])
    assert len(cases) >= 120
    assert {case.table for case in cases} == {"talks_en", "talks_zh"}
    assert cases[0].told == "Hi, my name is Jon Baker."
    assert cases[0].answer == "John Baker"


def test_what_is_no_table_of_talks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text("talks = [['one']]")
    with pytest.raises(click.UsageError, match="no table of talks"):
        read_cases([tmp_path / "t.toml"])
