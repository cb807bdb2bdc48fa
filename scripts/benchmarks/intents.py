"""How often rules alone know what a message is for: by part of the list, language and label, and how fast."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from edge.memory.intents import Intent, Label, Move
from edge.memory.language import language_of
from edge.memory.rules import Rules
from scripts.benchmarks.report import Report, Table

_MICROSECONDS = 1e6


@dataclass(frozen=True, slots=True)
class Judged:
    """A message as the list has it: from which part, and what it is for."""

    part: str
    label: Label
    move: Move
    text: str


def read_lists(folder: Path) -> list[Judged]:
    """The messages of all lists of a folder, `*.tsv` with a head: label, move, text. Raises UsageError for a row that
    is none."""
    return [row for path in sorted(folder.glob("*.tsv")) for row in _rows(path)]


def _rows(path: Path) -> Iterator[Judged]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], 2):
        try:
            label, move, text = line.split("\t")
            yield Judged(path.stem, Label(label), Move(move), text)
        except ValueError as error:
            raise click.UsageError(f"{path}:{number}: {error}") from error


def measure_intents(rules: Rules, judged: Sequence[Judged]) -> Report:
    """Tell each message's intent; by rules alone what is not sure counts as general."""
    told = [rules.intent_of(each.text) for each in judged]
    begun = time.thread_time()
    for each in judged:
        rules.intent_of(each.text)
    spent = (time.thread_time() - begun) / max(1, len(judged)) * _MICROSECONDS
    return report_of(judged, told, spent)


def report_of(judged: Sequence[Judged], told: Sequence[Intent], microseconds: float) -> Report:
    """The figures of messages and what they were taken for."""
    report = Report("intents")
    pairs = list(zip(judged, told, strict=True))
    report.tables = [_shares(pairs), _confusions(pairs), _calibration(pairs)]
    for part in sorted({each.part for each in judged}):
        report.figures[f"{part}: labels right (target >= 0.92)"] = _right([p for p in pairs if p[0].part == part])
    moves = sum(each.move is intent.move for each, intent in pairs) / max(1, len(pairs))
    report.figures["moves right"] = round(moves, 3)
    report.figures["microseconds a message"] = round(microseconds)
    return report


_Pairs = Sequence[tuple[Judged, Intent]]


def _right(pairs: _Pairs) -> float:
    return round(sum(each.label is intent.leads for each, intent in pairs) / max(1, len(pairs)), 3)


def _shares(pairs: _Pairs) -> Table:
    groups: dict[str, list[tuple[Judged, Intent]]] = {}
    for each, intent in pairs:
        for group in (f"{each.part}, {language_of(each.text)}", each.label.value):
            groups.setdefault(group, []).append((each, intent))
    rows = [(group, len(members), _right(members)) for group, members in sorted(groups.items())]
    return Table("Labels by rules alone", ("of", "messages", "right"), rows)


def _confusions(pairs: _Pairs) -> Table:
    wrong = Counter((each.label.value, intent.leads.value) for each, intent in pairs if each.label is not intent.leads)
    rows = [(wanted, got, count) for (wanted, got), count in wrong.most_common()]
    return Table("Taken for another", ("is", "taken for", "messages"), rows)


def _calibration(pairs: _Pairs) -> Table:
    tenths: dict[int, list[bool]] = {}
    for each, intent in pairs:
        tenths.setdefault(min(9, int(intent.confidence * 10)), []).append(each.label is intent.label)
    rows = [
        (f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}", len(right), round(sum(right) / len(right), 3))
        for tenth, right in sorted(tenths.items())
    ]
    return Table("Confidence", ("confidence", "messages", "label right"), rows)
