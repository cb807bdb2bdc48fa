"""`scripts/bench intents` in a tiny form."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from edge.memory.intents import Intent, Label, Move
from scripts.benchmarks.intents import Judged, measure_intents, read_lists, report_of
from tests.memory.test_rules import RULES


def test_lists_are_read_and_judged(tmp_path: Path) -> None:
    (tmp_path / "part1.tsv").write_text(
        "label\tmove\ttext\nsmall_talk\tgreet\tHello!\ntemporal\task\t我上次什么时候洗车\n"
    )
    report = measure_intents(RULES, read_lists(tmp_path))
    assert report.figures["part1: labels right (target >= 0.92)"] == 1.0
    assert report.figures["moves right"] == 1.0
    assert report.figures["microseconds a message"] > 0


def test_a_row_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "part1.tsv").write_text("label\tmove\ttext\nchat\tgreet\tHello!\n")
    with pytest.raises(click.UsageError, match=r"part1\.tsv:2"):
        read_lists(tmp_path)


def test_what_is_not_sure_counts_as_general_and_confusions_are_shown() -> None:
    judged = [Judged("part1", Label.FACT, Move.ASK, "a"), Judged("part2", Label.GENERAL, Move.ASK, "啊")]
    told = [Intent(Label.PROFILE, 0.9, "", Move.ASK), Intent(Label.FACT, 0.3, "", Move.TELL)]
    report = report_of(judged, told, 5.0)
    shares, confusions, calibration = report.tables
    assert {row[0]: row[2] for row in shares.rows} == {"fact": 0, "general": 1, "part1, en": 0, "part2, zh": 1}
    assert list(confusions.rows) == [("fact", "profile", 1)]
    assert [row[2] for row in calibration.rows] == [0, 0]
    assert report.figures["moves right"] == 0.5
