"""What every benchmark gives: tables for a person, the same figures as JSON for a machine."""

from __future__ import annotations

import json
import platform
import statistics
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from edge import __version__
from edge.models.device import usable_cpus

NOISE = "The machine may do other work meanwhile; times are medians, and single figures are noisy."


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; cells are text or numbers. `note` says what the figures are."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(slots=True)
class Report:
    """The tables of one run, in order, and single figures by name."""

    benchmark: str
    tables: list[Table] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Everything, with what it was measured on."""
        return {
            "benchmark": self.benchmark,
            "edge": __version__,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": {"cpus": len(usable_cpus()), "machine": platform.machine(), "python": platform.python_version()},
            "figures": self.figures,
            "tables": [
                {"title": table.title, "note": table.note, "rows": [_named(table, row) for row in table.rows]}
                for table in self.tables
            ],
        }

    def show(self) -> None:
        """Print the tables, then the figures."""
        for table in self.tables:
            click.echo(f"\n{table.title}")
            for line in lines(table.columns, table.rows):
                click.echo(f"  {line}")
            if table.note:
                click.echo(f"  {table.note}")
        if self.figures:
            click.echo("")
        for name, value in self.figures.items():
            click.echo(f"{name}: {shown(value)}")


def finish(report: Report, file: Path | None) -> None:
    """Print a report, and write it where `--json` names a file."""
    report.show()
    if file is not None:
        file.write_text(json.dumps(report.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def json_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--json FILE`, the same for every benchmark."""
    path = click.Path(dir_okay=False, writable=True, path_type=Path)
    option = click.option("--json", "json_file", type=path, metavar="FILE", help="Write the figures to FILE as well.")
    return option(command)


def spread(milliseconds: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile; (0, 0) of nothing."""
    if not milliseconds:
        return 0.0, 0.0
    ordered = sorted(milliseconds)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table as lines: text to the left, numbers to the right, Chinese characters two columns wide."""
    cells = [list(columns), *([shown(cell) for cell in row] for row in rows)]
    numeric = [isinstance(cell, int | float) for cell in next(iter(rows), ())]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(columns))]
    return [
        "  ".join(_padded(cell, widths[i], numeric[i : i + 1] == [True]) for i, cell in enumerate(row)).rstrip()
        for row in cells
    ]


def shown(value: Any) -> str:
    """A cell as text: three digits behind the point under 1, fewer above."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return "" if value is None else str(value)


def _named(table: Table, row: Sequence[Any]) -> Mapping[str, Any]:
    return dict(zip(table.columns, row, strict=True))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
