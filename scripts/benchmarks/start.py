"""Cold start, resident memory by part, and what asking for the status costs."""

from __future__ import annotations

import resource
import statistics
import subprocess
from collections.abc import Mapping

from scripts.benchmarks.daemon import OwnDaemon, edge_command, own_daemon
from scripts.benchmarks.report import NOISE, Report, Table
from scripts.benchmarks.script import turns
from scripts.benchmarks.turns import ask

_MEGABYTE = 1_000_000
_STATUS_CALLS = 7


def measure_start(model: str | None, count: int, rounds: int) -> Report:
    """Start a fresh daemon in each round; the last one also plays the script."""
    starts: list[tuple[float, float]] = []
    for number in range(rounds):
        with own_daemon(model) as daemon:
            starts.append((daemon.serving_seconds, daemon.ready_seconds))
            if number == rounds - 1:
                before = daemon.wait_until_quiet()["memory"]
                status_cpu = statistics.median(_status_cpu(daemon) for _ in range(_STATUS_CALLS))
                for message in turns(count):
                    ask(daemon.client, message)
                after = daemon.wait_until_quiet()["memory"]
    report = Report("start", [_starts(starts), _parts(before, after, count)])
    report.figures = {
        "process start to socket serving, median s": statistics.median(serving for serving, _ in starts),
        "process start to model ready, median s": statistics.median(ready for _, ready in starts),
        f"resident after {count} turns, MB (target < 900)": after["total"] / _MEGABYTE,
        "CPU time of `edge status`, median s (target < 0.15)": status_cpu,
        "targets held": after["total"] / _MEGABYTE < 900 and status_cpu < 0.15,
    }
    return report


def _starts(starts: list[tuple[float, float]]) -> Table:
    rows = [(number, *times) for number, times in enumerate(starts, start=1)]
    note = f"The files may be in the page cache: the first round is the coldest. {NOISE}"
    return Table("Start", ("round", "socket serves after s", "model ready after s"), rows, note)


def _parts(before: Mapping[str, int], after: Mapping[str, int], count: int) -> Table:
    rows = [(part, before[part] / _MEGABYTE, after[part] / _MEGABYTE) for part in before]
    return Table("Resident memory, MB", ("part", "after start", f"after {count} turns"), rows)


def _status_cpu(daemon: OwnDaemon) -> float:
    """User and system seconds of one `edge status`, the interpreter's start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(edge_command("status"), env=daemon.environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
