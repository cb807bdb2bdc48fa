"""How many turns begin their reply within the wanted time, in a memory of made-up units, and what that costs them."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path

import click

from edge.client.calls import Client
from edge.client.events import Done
from edge.memory.units import Source
from edge.wire import DoneEvent
from scripts.benchmarks import made_up
from scripts.benchmarks.conversations import Memory
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.memory import bench_memory, real_embedder
from scripts.benchmarks.report import NOISE, Report, Table, spread
from scripts.benchmarks.script import turns

SHARE = 0.95
"""Of the turns, so many are to be within the wanted time."""
_REPLY_TOKENS = 16
_SESSION_TURNS = 40
_SEED = 7
_BEGAN = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Paced:
    """One turn under one wanted time, in seconds."""

    target: float
    message: str
    done: DoneEvent

    @property
    def first_seconds(self) -> float | None:
        """Until the first token, by the daemon's clock; None where there was none."""
        first = self.done["timings"]["first_token_ms"]
        return None if first is None else first / 1000

    @property
    def is_in_time(self) -> bool:
        return self.first_seconds is not None and self.first_seconds <= self.target


def measure_pace(model: str | None, units: int, count: int, targets: Sequence[float]) -> Report:
    """The same turns on a fresh copy of the same memory for each wanted time; the model words every answer it can."""
    played: list[Paced] = []
    with tempfile.TemporaryDirectory(prefix="edge-bench-") as folder:
        filled = Path(folder) / "filled"
        fill(filled, units)
        for target in targets:
            state = Path(folder) / f"state-{target}"
            shutil.copytree(filled, state)
            wanted = {"EDGE_PROMPT_TARGET_FIRST_TOKEN": str(target), "EDGE_RECALL_FAST_ANSWERS": "false"}
            with own_daemon(model, EDGE_STATE_DIR=str(state), **wanted) as daemon:
                played += _play(daemon, mixed(count), target)
    return report_of(played, units)


def mixed(count: int) -> list[str]:
    """What is told and asked in the script, and questions for the made-up units, in turn."""
    asked = made_up.questions(count, _SEED)
    return list(islice(chain.from_iterable(zip(turns(count), asked, strict=True)), count))


def fill(state: Path, units: int) -> None:
    """Make a state folder with made-up memories of this user, embedded and indexed."""
    state.mkdir(mode=0o700)
    told = [
        Memory(str(number), draft.content, draft.valid_from or _BEGAN, session=f"session {number // 50}")
        for number, draft in enumerate(made_up.drafts(units, _SEED, _BEGAN))
    ]
    with bench_memory(state, real_embedder()) as memory:
        memory.tell(told, Source.USER)


def _play(daemon: OwnDaemon, messages: Sequence[str], target: float) -> list[Paced]:
    played = []
    for number, message in enumerate(messages):
        daemon.wait_until_quiet()
        done = _said(daemon.client, f"bench {number // _SESSION_TURNS}", message)
        played.append(Paced(target, message, done))
        click.echo(f"{target:g} s, turn {number + 1}: {played[-1].first_seconds}", err=True)
    return played


def _said(client: Client, session: str, message: str) -> DoneEvent:
    with client.turn(session, message, _REPLY_TOKENS) as events:
        [done] = [event.data for event in events if isinstance(event, Done)]
    return done


# --- the report --------------------------------------------------------------------------------------------------


def report_of(played: Sequence[Paced], units: int) -> Report:
    """A row for each wanted time; the figures are of the turns in which a token was made."""
    targets = sorted({each.target for each in played}, reverse=True)
    columns = (
        "target s", "turns", "in time", "by the model", "of these in time", "median s", "p95 s", "time for tokens",
        "evaluated", "memory tokens", "memories out", "turns out", "built anew",
    )  # fmt: skip
    rows = [_row(target, [each for each in played if each.target == target]) for target in targets]
    note = f"Tokens are medians over the turns. Replies are cut at {_REPLY_TOKENS} tokens. {NOISE}"
    report = Report("pace", [Table(f"Turns in a memory of {units:,} made-up units", columns, rows, note)])
    for target in targets:
        same = [each for each in played if each.target == target and each.first_seconds is not None]
        share = _share(same)
        report.figures[f"{target:g} s: share of first tokens in time (target >= {SHARE:g})"] = share
        report.figures[f"{target:g} s: target held"] = share >= SHARE
    return report


def _row(target: float, same: Sequence[Paced]) -> Sequence[object]:
    worded = [each for each in same if each.done["answered_by"] == "model"]
    usages = [each.done["usage"] for each in same]
    lost: Counter[str] = Counter()
    for each in (gone for usage in usages for gone in usage["gave_way"] if gone["because"] == "seconds"):
        lost[each["section"]] += each["count"]
    return (
        target, len(same), _share(same), len(worded), _share(worded),
        *spread([each.first_seconds for each in same if each.first_seconds is not None]),
        _median(usage["in_time_tokens"] for usage in usages), _median(usage["evaluated_tokens"] for usage in usages),
        _median(usage["memory_tokens"] for usage in usages), lost["memories"], lost["turns"],
        sum(usage["compacted"] for usage in usages),
    )  # fmt: skip


def _share(played: Sequence[Paced]) -> float:
    return sum(each.is_in_time for each in played) / len(played) if played else 0.0


def _median(values: Iterable[int | None]) -> float:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else 0.0
