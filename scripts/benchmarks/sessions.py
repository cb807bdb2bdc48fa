"""Sessions that take turns, and go on after a restart, beside the bare library evaluating their windows anew."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from edge.wire import DoneEvent
from scripts.benchmarks.bare import BareLlama, model_file
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.report import NOISE, Report, Table
from scripts.benchmarks.script import turns
from scripts.benchmarks.turns import ask

TARGET = 5.0


@dataclass(frozen=True, slots=True)
class Resumed:
    """A turn of a session after other sessions spoke, or after a restart (`after`), and the milliseconds that its whole
    prompt takes the bare library until the first token."""

    after: str
    session: str
    done: DoneEvent
    anew_ms: float

    @property
    def again(self) -> int:
        """Tokens that were evaluated again."""
        return self.done["usage"]["evaluated_tokens"] - self.done["usage"]["appended_tokens"]

    @property
    def ratio(self) -> float:
        """How many times sooner the first token came."""
        return self.anew_ms / (self.done["timings"]["first_token_ms"] or self.anew_ms)


def measure_sessions(model: str | None, sessions: int, count: int, *, restart: bool) -> Report:
    """Play so many turns in each of the sessions, one after the other; where `restart`, one more in each after the
    daemon was stopped and started."""
    bare = BareLlama(model_file(model))
    played: list[Resumed] = []
    names = [f"session-{number}" for number in range(1, sessions + 1)]
    script = turns(count + 1)
    try:
        with tempfile.TemporaryDirectory(prefix="edge-bench-state-") as state:
            settings = {"EDGE_STATE_DIR": state, "EDGE_RECALL_FAST_ANSWERS": "false"}
            with own_daemon(model, **settings) as daemon:
                for number, message in enumerate(script[:-1]):
                    played += [
                        each for name in names if (each := _play(daemon, bare, "a switch", name, message)) and number
                    ]
            kept = sum(path.stat().st_size for path in Path(state).rglob("*.kv"))
            if restart:
                with own_daemon(model, **settings) as daemon:
                    played += [_play(daemon, bare, "a restart", name, script[-1]) for name in names]
    finally:
        bare.close()
    return report_of(played, sessions, count, kept)


def _play(daemon: OwnDaemon, bare: BareLlama, after: str, session: str, message: str) -> Resumed:
    daemon.wait_until_quiet()
    done, _ = ask(daemon.client, f"{message} ({session})", session=session)
    daemon.wait_until_quiet()
    turn = Resumed(after, session, done, bare.first_token_ms(0, done["usage"]["prompt_tokens"]))
    click.echo(f"{session} after {after}: {turn.ratio:.1f} times sooner", err=True)
    return turn


def report_of(played: Sequence[Resumed], sessions: int, count: int, kept_bytes: int) -> Report:
    """The turns, and the figures after switches and after the restart."""
    columns = (
        "after",
        "session",
        "prompt",
        "evaluated",
        "appended",
        "first token ms",
        "window anew ms",
        "times sooner",
    )
    rows = [_row(turn) for turn in played]
    title = f"{count} turns in each of {sessions} sessions, in turns"
    report = Report("sessions", [Table(title, columns, rows, NOISE)])
    grown = [turn for turn in played if not turn.done["usage"]["compacted"]]
    for after in dict.fromkeys(turn.after for turn in played):
        ratios = [turn.ratio for turn in grown if turn.after == after and turn.done["answered_by"] == "model"]
        again = [turn.again for turn in grown if turn.after == after]
        report.figures |= {
            f"after {after}, first token sooner than the window anew, median times (target >= 5)": _median(ratios),
            f"after {after}, most tokens evaluated again": max(again, default=0),
        }
    report.figures["bytes of the files"] = kept_bytes
    return report


def _row(turn: Resumed) -> Sequence[object]:
    usage = turn.done["usage"]
    first = turn.done["timings"]["first_token_ms"]
    return (
        turn.after, turn.session, usage["prompt_tokens"], usage["evaluated_tokens"], usage["appended_tokens"], first,
        turn.anew_ms, turn.ratio,
    )  # fmt: skip


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0
