"""A turn that arrives in the middle of off-peak work: its first token beside that of a turn on an idle daemon."""

from __future__ import annotations

import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from edge.client.calls import Client
from edge.client.events import Token, Worked
from edge.errors import EdgeError
from edge.memory.nights import StepName
from edge.memory.units import Source
from scripts.benchmarks import made_up
from scripts.benchmarks.cluster_recall import place_by_centroids
from scripts.benchmarks.conversations import Memory
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.memory import bench_memory, real_embedder
from scripts.benchmarks.report import NOISE, Report, Table

TARGET_MS = 300.0
_REPLY_TOKENS = 4
_TOLD = 1500
"""Turns that are there from the start."""
_PLACED = 600
"""Of them, those that are in clusters."""
_NEW = 25
"""Memories that are new in each trial of a step that would soon have nothing to do else."""
_NEEDS_NEW = frozenset({StepName.BACKLOG, StepName.SEAL, StepName.TEXT, StepName.CHECKPOINT})
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_LONG = frozenset({StepName.DISTIL, StepName.CLUSTER})
_INTO_MS = 120
"""A turn arrives up to so long after a long step has begun; with a short one it arrives at once."""
_MESSAGE = "Good evening! Say any word you like, please."
"""Calls for no memory, in a session of its own each time: all turns evaluate as many tokens, and no window fills up."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Milliseconds to the first token, idle and during a step, and whether the step was still under way then."""

    step: StepName
    idle_ms: float
    during_ms: float
    under_way: bool

    @property
    def later_ms(self) -> float:
        return self.during_ms - self.idle_ms


def measure_offpeak(model: str | None, trials: int, steps: Sequence[StepName]) -> Report:
    """Trials of each step on one daemon, each beside a turn of the same size without it."""
    chance = random.Random(1)
    made: list[Trial] = []
    with tempfile.TemporaryDirectory(prefix="edge-bench-") as folder:
        state = Path(folder) / "state"
        _live(state)
        settings = {"EDGE_STATE_DIR": str(state), "EDGE_RECALL_FAST_ANSWERS": "false", "EDGE_INDEX_HEAD": "128"}
        with own_daemon(model, **settings) as daemon:
            daemon.wait_until_quiet()
            _first_token_ms(daemon.client, chance)
            for step in steps:
                for number in range(trials):
                    made.append(_trial(daemon, step, chance))
                    click.echo(f"{step}, trial {number}: {made[-1].later_ms:+.0f} ms", err=True)
    return report_of(made)


def _live(state: Path) -> None:
    """A memory that every step finds work in: told in turns, and partly in clusters."""
    state.mkdir(mode=0o700)
    told = [
        Memory(str(number), text, _BEGAN + number * timedelta(minutes=1))
        for number, text in enumerate(made_up.own_doings(_TOLD, 1))
    ]
    with bench_memory(state, real_embedder()) as memory:
        place_by_centroids(memory, memory.tell(told, Source.USER)[:_PLACED])


def _trial(daemon: OwnDaemon, step: StepName, chance: random.Random) -> Trial:
    if step in _NEEDS_NEW:
        _add(daemon.client, _NEW, chance)
    if step is not StepName.BACKLOG:
        daemon.wait_until_quiet()
    idle = _first_token_ms(daemon.client, chance)
    work = _Work(daemon.client, step)
    if step in _LONG:
        time.sleep(chance.uniform(0, _INTO_MS) / 1000)
    under_way = work.is_under_way
    during = _first_token_ms(daemon.client, chance)
    work.end()
    return Trial(step, idle, during, under_way)


class _Work:
    """One step, worked on by a thread of its own until it ends or is to end."""

    def __init__(self, client: Client, step: StepName) -> None:
        self._begun = threading.Event()
        self._ended = threading.Event()
        self._is_to_end = False
        self._thread = threading.Thread(target=self._follow, args=(client, step))
        self._thread.start()
        self._begun.wait(5)

    @property
    def is_under_way(self) -> bool:
        return not self._ended.is_set()

    def end(self) -> None:
        """What is left of the step is done in the next trial."""
        self._is_to_end = True
        self._thread.join()

    def _follow(self, client: Client, step: StepName) -> None:
        try:
            with client.consolidate(now=True, only=step.value) as running:
                self._begun.set()
                for event in running:
                    if self._is_to_end or (isinstance(event, Worked) and event.data["state"] != "waiting"):
                        break
        except EdgeError as error:
            click.echo(f"{step}: {error.message}", err=True)
        finally:
            self._ended.set()
            self._begun.set()


def _add(client: Client, count: int, chance: random.Random) -> None:
    for _ in range(count):
        box, shelf = chance.randrange(10**6), chance.randrange(100)
        client.remember(f"Box {box} with the winter coats is on shelf {shelf}. 第{box}箱。", kind="fact_reference")


def _first_token_ms(client: Client, chance: random.Random) -> float:
    started = time.perf_counter()
    first: float | None = None
    with client.turn(f"bench {chance.randrange(10**9)}", _MESSAGE, _REPLY_TOKENS) as running:
        for event in running:
            if first is None and isinstance(event, Token):
                first = (time.perf_counter() - started) * 1000
    if first is None:
        raise click.ClickException("A turn made no token.")
    return first


def report_of(trials: Sequence[Trial]) -> Report:
    """A row for each step."""
    columns = (
        "step",
        "trials",
        "under way",
        "idle, median ms",
        "during, median ms",
        "later, median ms",
        "later, most ms",
    )
    return Report(
        "offpeak",
        [Table("First token of a turn that arrives during a step", columns, list(_rows(trials)), NOISE)],
        {
            "trials": len(trials),
            f"at most {TARGET_MS:.0f} ms later": sum(trial.later_ms <= TARGET_MS for trial in trials),
        },
    )


def _rows(trials: Sequence[Trial]) -> Iterator[tuple[str | int | float, ...]]:
    for step in dict.fromkeys(trial.step for trial in trials):
        own = [trial for trial in trials if trial.step is step]
        yield (
            step.value,
            len(own),
            sum(trial.under_way for trial in own),
            round(statistics.median(trial.idle_ms for trial in own)),
            round(statistics.median(trial.during_ms for trial in own)),
            round(statistics.median(trial.later_ms for trial in own)),
            round(max(trial.later_ms for trial in own)),
        )
