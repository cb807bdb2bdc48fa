"""Twenty turns on the real model, and beside each the bare library evaluating as many new tokens."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click

from edge.client.calls import Client
from edge.client.events import Done, Token
from edge.wire import DoneEvent
from scripts.benchmarks.bare import BareLlama, model_file
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.report import NOISE, Report, Table, spread
from scripts.benchmarks.script import turns

TARGET = 1.15
_REPLY_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Played:
    """One turn: what the daemon said of it, when the client saw the first token, and the bare library's two times."""

    number: int
    round: int
    message: str
    done: DoneEvent
    seen_ms: float | None
    bare_ms: tuple[float, float] | None

    @property
    def grew_exactly(self) -> bool | None:
        """Whether the model evaluated what was appended and no more; None where the window was built anew."""
        usage = self.done["usage"]
        if usage["compacted"]:
            return None
        return usage["evaluated_tokens"] == usage["appended_tokens"]

    @property
    def ratio(self) -> float | None:
        """Time to the first token over the bare library's, by the daemon's own clock."""
        first = self.done["timings"]["first_token_ms"]
        return None if first is None or self.bare_ms is None else first / self.bare_ms[0]

    @property
    def seen_ratio(self) -> float | None:
        """The same by the client's clock, with the way over the socket."""
        return None if self.seen_ms is None or self.bare_ms is None else self.seen_ms / self.bare_ms[0]

    @property
    def noise(self) -> float | None:
        """The bare library over itself: what a ratio is worth on this machine now."""
        return None if self.bare_ms is None else self.bare_ms[1] / self.bare_ms[0]


def measure_turns(model: str | None, count: int, rounds: int) -> Report:
    """Play the script in each round on a fresh daemon, where the model words every answer it can."""
    bare = BareLlama(model_file(model))
    played: list[Played] = []
    try:
        for number in range(rounds):
            with own_daemon(model, EDGE_RECALL_FAST_ANSWERS="false") as daemon:
                for turn in enumerate(turns(count)):
                    played.append(_play(daemon, bare, number, *turn))
                    _tell(played[-1])
    finally:
        bare.close()
    return report_of(played, count, rounds)


def _tell(turn: Played) -> None:
    """Progress, on standard error: a run takes minutes."""
    ratio = "answered by the runtime" if turn.ratio is None else f"ratio {turn.ratio:.2f}"
    click.echo(f"round {turn.round}, turn {turn.number}: {ratio}", err=True)


def _play(daemon: OwnDaemon, bare: BareLlama, round_number: int, number: int, message: str) -> Played:
    """The daemon's turn, then at once the bare library's: what disturbs the machine disturbs both."""
    daemon.wait_until_quiet()
    done, seen = ask(daemon.client, message)
    daemon.wait_until_quiet()
    usage = done["usage"]
    evaluated, reused = usage["evaluated_tokens"], usage["reused_tokens"]
    times = None
    if done["answered_by"] == "model":
        times = bare.first_token_ms(reused, evaluated), bare.first_token_ms(reused, evaluated)
    return Played(number + 1, round_number + 1, message, done, seen, times)


def ask(
    client: Client, message: str, reply_tokens: int = _REPLY_TOKENS, session: str = "bench"
) -> tuple[DoneEvent, float | None]:
    """A turn, and the milliseconds until its first text arrived here; None where there was none."""
    started = time.perf_counter()
    seen: float | None = None
    done: DoneEvent | None = None
    with client.turn(session, message, reply_tokens) as events:
        for event in events:
            if isinstance(event, Token) and seen is None:
                seen = (time.perf_counter() - started) * 1000
            if isinstance(event, Done):
                done = event.data
    assert done is not None
    return done, seen


# --- the report --------------------------------------------------------------------------------------------------


def report_of(played: Sequence[Played], count: int, rounds: int) -> Report:
    """The table of the turns, and the figures over all rounds."""
    exact = [turn.grew_exactly for turn in played if turn.grew_exactly is not None]
    ratio = _median(turn.ratio for turn in played)
    report = Report("turns", [_table(played, count, rounds), _rounds(played, rounds)])
    report.figures = {
        "first token edge/bare, median ratio (target <= 1.15)": ratio,
        "the same seen by the client": _median(turn.seen_ratio for turn in played),
        "bare/bare, median ratio (what noise alone makes)": _median(turn.noise for turn in played),
        "turns whose evaluated tokens are the appended ones": f"{sum(exact)} of {len(exact)}",
        "turns that compacted": sum(turn.done["usage"]["compacted"] for turn in played),
        "turns that the runtime answered itself": sum(turn.done["answered_by"] == "runtime" for turn in played),
        "recall, median ms": _median(turn.done["timings"]["recall_ms"] for turn in played),
        "targets held": bool(exact) and all(exact) and ratio <= TARGET,
    }
    return report


def _table(played: Sequence[Played], count: int, rounds: int) -> Table:
    columns = (
        "turn", "prompt", "reused", "evaluated", "appended", "completion", "compacted", "recall ms", "first token ms",
        "total ms", "bare first ms", "ratio",
    )  # fmt: skip
    rows = [_row([turn for turn in played if turn.number == number]) for number in range(1, count + 1)]
    return Table(
        f"{count} turns, {rounds} rounds: tokens of the last round, median times", columns, rows,
        f"Replies are cut at {_REPLY_TOKENS} tokens. {NOISE}",
    )  # fmt: skip


def _row(same: Sequence[Played]) -> Sequence[object]:
    usage = same[-1].done["usage"]
    timings = [turn.done["timings"] for turn in same]
    return (
        same[-1].number, usage["prompt_tokens"], usage["reused_tokens"], usage["evaluated_tokens"],
        usage["appended_tokens"], usage["completion_tokens"], usage["compacted"],
        _median(taken["recall_ms"] for taken in timings), _median(taken["first_token_ms"] for taken in timings),
        _median(taken["total_ms"] for taken in timings),
        _median(None if turn.bare_ms is None else turn.bare_ms[0] for turn in same),
        _median(turn.ratio for turn in same),
    )  # fmt: skip


def _rounds(played: Sequence[Played], rounds: int) -> Table:
    rows = []
    for number in range(1, rounds + 1):
        ratios = [turn.ratio for turn in played if turn.round == number and turn.ratio is not None]
        rows.append((number, len(ratios), *spread(ratios), _median(t.noise for t in played if t.round == number)))
    return Table(
        "Ratio of the first token, edge/bare, by round", ("round", "turns", "median", "p95", "bare/bare"), rows
    )


def _median(values: Iterable[float | None]) -> float:
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else 0.0
