"""Sessions that take turns, and go on after a restart, beside the bare library evaluating their windows anew; then
sessions whose files are of no use.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import click

from edge.engine.kept_windows import lane_of
from edge.memory.units import SessionId
from edge.wire import DoneEvent
from scripts.benchmarks.bare import BareLlama, model_file
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.memory import OWNER
from scripts.benchmarks.report import NOISE, Report, Table
from scripts.benchmarks.script import turns
from scripts.benchmarks.turns import ask

TARGET = 5.0
SPOILT = ("a cut file", "a stale file", "a foreign file")
"""What the first sessions find in the place of theirs: its half, that of a turn before, that of another session."""
_COMPARED_EACH = 4
"""Of the rounds of a run, so many pass between two in which windows are evaluated anew: that takes most of its time."""
_IGNORED = "is ignored and removed"


@dataclass(frozen=True, slots=True)
class Resumed:
    """A turn of a session after other sessions spoke, after a restart, or with another file (`after`), and the
    milliseconds that its whole prompt takes the bare library until the first token, where that was measured."""

    after: str
    session: str
    done: DoneEvent
    anew_ms: float | None

    @property
    def again(self) -> int:
        """Tokens that were evaluated again."""
        return self.done["usage"]["evaluated_tokens"] - self.done["usage"]["appended_tokens"]

    @property
    def ratio(self) -> float | None:
        """How many times sooner the first token came."""
        first = self.done["timings"]["first_token_ms"]
        return None if self.anew_ms is None or first is None else self.anew_ms / first


@dataclass(frozen=True, slots=True)
class Played:
    """The turns; bytes of the files at the first stop; and how many spoilt files the log tells of."""

    turns: Sequence[Resumed]
    kept_bytes: int
    said: int = 0


def measure_sessions(model: str | None, sessions: int, count: int, *, restart: bool) -> Report:
    """Play so many turns in each of the sessions, one after the other; where `restart`, one more in each after the
    daemon was stopped and started, and one more with files that are spoilt."""
    bare = BareLlama(model_file(model))
    names = [f"session-{number}" for number in range(1, sessions + 1)]
    try:
        with tempfile.TemporaryDirectory(prefix="edge-bench-state-") as state:
            run = _Run(model, bare, Path(state), names)
            played = run.switches(turns(count))
            kept = sum(path.stat().st_size for path in Path(state).rglob("*.kv"))
            said = 0
            if restart:
                shutil.copytree(run.files, run.before)
                played += run.restarted(turns(count + 1)[-1])
                spoilt, said = run.spoilt("And what did we speak of last?")
                played += spoilt
    finally:
        bare.close()
    return report_of(Played(played, kept, said), sessions, count)


@dataclass(frozen=True, slots=True)
class _Run:
    """Daemons on one state, one after the other."""

    model: str | None
    bare: BareLlama
    state: Path
    names: Sequence[str]

    @property
    def files(self) -> Path:
        return self.state / "kv"

    @property
    def before(self) -> Path:
        """Copies of the files as they were at the first stop."""
        return self.state / "before"

    def switches(self, script: Sequence[str]) -> list[Resumed]:
        """Each message in each session, in turns. The first of a session comes after nothing."""
        played: list[Resumed] = []
        with self._daemon() as daemon:
            for number, message in enumerate(script, 1):
                compared = number % _COMPARED_EACH == 0 or number == len(script)
                each = [self._play(daemon, "a switch", name, message, compared=compared) for name in self.names]
                played += each if number > 1 else []
        return played

    def restarted(self, message: str) -> list[Resumed]:
        with self._daemon() as daemon:
            return [self._play(daemon, "a restart", name, message) for name in self.names]

    def spoilt(self, message: str) -> tuple[list[Resumed], int]:
        """A turn in each of the first sessions with a file that is of no use, and how many the log tells of."""
        pairs = list(zip(SPOILT, self.names, strict=False))
        paths = {after: self.files / self._file(name) for after, name in pairs}
        others = self.files / self._file(self.names[-1])
        for after, name in pairs:
            if after == "a cut file":
                paths[after].write_bytes(paths[after].read_bytes()[: paths[after].stat().st_size // 2])
            elif after == "a stale file":
                shutil.copy(self.before / self._file(name), paths[after])
            else:
                shutil.copy(others, paths[after])
        with self._daemon() as daemon:
            played = [self._play(daemon, after, name, message) for after, name in pairs]
            return played, daemon.log.read_text(errors="replace").count(_IGNORED)

    def _file(self, name: str) -> str:
        return f"{lane_of(OWNER, SessionId(name))}.kv"

    def _daemon(self) -> AbstractContextManager[OwnDaemon]:
        return own_daemon(self.model, EDGE_STATE_DIR=str(self.state), EDGE_RECALL_FAST_ANSWERS="false")

    def _play(self, daemon: OwnDaemon, after: str, session: str, message: str, *, compared: bool = True) -> Resumed:
        daemon.wait_until_quiet()
        done, _ = ask(daemon.client, f"{message} ({session})", session=session)
        daemon.wait_until_quiet()
        anew = self.bare.first_token_ms(0, done["usage"]["prompt_tokens"]) if compared else None
        turn = Resumed(after, session, done, anew)
        times = "" if turn.ratio is None else f", {turn.ratio:.1f} times sooner"
        click.echo(f"{session} after {after}: {done['usage']['evaluated_tokens']} tokens{times}", err=True)
        return turn


# --- the report --------------------------------------------------------------------------------------------------


def report_of(played: Played, sessions: int, count: int) -> Report:
    """The turns that were compared, and the figures after switches, after the restart and with spoilt files."""
    columns = (
        "after", "session", "prompt", "evaluated", "appended", "first token ms", "window anew ms", "times sooner",
    )  # fmt: skip
    rows = [_row(turn) for turn in played.turns if turn.ratio is not None]
    report = Report(
        "sessions", [Table(f"{count} turns in each of {sessions} sessions, in turns", columns, rows, NOISE)]
    )
    grown = [turn for turn in played.turns if not turn.done["usage"]["compacted"]]
    for after in ("a switch", "a restart"):
        own = [turn for turn in grown if turn.after == after]
        if own:
            ratios = [turn.ratio for turn in own if turn.ratio is not None and turn.done["answered_by"] == "model"]
            report.figures |= {
                f"after {after}, turns": len(own),
                f"after {after}, most tokens evaluated again": max(turn.again for turn in own),
                f"after {after}, first token sooner than the window anew, median times (target >= 5)": _median(ratios),
            }
    report.figures["bytes of the files"] = played.kept_bytes
    spoilt = [turn for turn in played.turns if turn.after in SPOILT]
    if spoilt:
        anew = sum(turn.done["usage"]["compacted"] or turn.again > 0 for turn in spoilt)
        report.figures["spoilt files whose window was evaluated anew"] = f"{anew} of {len(spoilt)}"
        report.figures["spoilt files that the log tells of"] = f"{played.said} of {len(spoilt)}"
    return report


def _row(turn: Resumed) -> Sequence[object]:
    usage = turn.done["usage"]
    return (
        turn.after, turn.session, usage["prompt_tokens"], usage["evaluated_tokens"], usage["appended_tokens"],
        turn.done["timings"]["first_token_ms"], turn.anew_ms, turn.ratio,
    )  # fmt: skip


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0
