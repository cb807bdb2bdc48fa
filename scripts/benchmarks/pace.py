"""How many turns begin their reply within the wanted time, in a memory of made-up units, and what that costs them.

Beside each turn the bare library evaluates as many tokens, and what other programs took of the processors is told:
where they take much, a time says more of them than of the turn.
"""

from __future__ import annotations

import os
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
from scripts.benchmarks.bare import BareLlama, model_file
from scripts.benchmarks.conversations import Memory
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.load import CALM, OtherLoad
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
    """One turn under one wanted time, in seconds: what the daemon said of it, the tokens of its words, the share of the
    processors that others took, and the milliseconds that the bare library takes to its first token after as many."""

    target: float
    message: str
    words: int
    done: DoneEvent
    others: float
    bare_ms: float | None

    @property
    def first_seconds(self) -> float | None:
        """Until the first token, by the daemon's clock; None where there was none."""
        first = self.done["timings"]["first_token_ms"]
        return None if first is None else first / 1000

    @property
    def is_in_time(self) -> bool:
        return self.first_seconds is not None and self.first_seconds <= self.target

    @property
    def is_bare_in_time(self) -> bool:
        return self.bare_ms is None or self.bare_ms <= self.target * 1000

    @property
    def is_planned(self) -> bool:
        """Whether the model evaluated no more than it was reckoned to have the time for."""
        planned = self.done["usage"]["in_time_tokens"]
        return planned is None or self.done["usage"]["evaluated_tokens"] <= planned

    @property
    def is_whole(self) -> bool:
        """Whether beside what was recalled there stands as much in the prompt as the words take."""
        usage = self.done["usage"]
        return usage["appended_tokens"] - usage["memory_tokens"] >= self.words


def measure_pace(model: str | None, units: int, count: int, targets: Sequence[float]) -> Report:
    """The same turns on a fresh copy of the same memory for each wanted time; the model words every answer it can."""
    played: list[Paced] = []
    bare = BareLlama(model_file(model))
    try:
        with tempfile.TemporaryDirectory(prefix="edge-bench-") as folder:
            filled = Path(folder) / "filled"
            fill(filled, units)
            for target in targets:
                state = Path(folder) / f"state-{target}"
                shutil.copytree(filled, state)
                wanted = {"EDGE_PROMPT_TARGET_FIRST_TOKEN": str(target), "EDGE_RECALL_FAST_ANSWERS": "false"}
                with own_daemon(model, EDGE_STATE_DIR=str(state), **wanted) as daemon:
                    played += _play(daemon, bare, mixed(count), target)
    finally:
        bare.close()
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


def _play(daemon: OwnDaemon, bare: BareLlama, messages: Sequence[str], target: float) -> list[Paced]:
    daemon.wait_until_indexed()
    load = OtherLoad((os.getpid(), daemon.client.status()["pid"]))
    played = []
    for number, message in enumerate(messages):
        daemon.wait_until_quiet()
        mark = load.mark()
        done = _said(daemon.client, f"bench {number // _SESSION_TURNS}", message)
        others = load.since(mark)
        daemon.wait_until_quiet()
        usage = done["usage"]
        is_worded = done["answered_by"] == "model"
        bare_ms = bare.first_token_ms(usage["reused_tokens"], usage["evaluated_tokens"]) if is_worded else None
        played.append(Paced(target, message, bare.tokens(message), done, others, bare_ms))
        _tell(number, played[-1])
    return played


def _said(client: Client, session: str, message: str) -> DoneEvent:
    with client.turn(session, message, _REPLY_TOKENS) as events:
        [done] = [event.data for event in events if isinstance(event, Done)]
    return done


def _tell(number: int, turn: Paced) -> None:
    """Progress, on standard error: a run takes minutes."""
    usage, timings = turn.done["usage"], turn.done["timings"]
    click.echo(
        f"{turn.target:g} s, turn {number + 1}: {timings['first_token_ms']} ms, recall {timings['recall_ms']:.0f}; "
        f"{usage['evaluated_tokens']} of {usage['in_time_tokens']} tokens; "
        f"bare {turn.bare_ms or 0:.0f}; others {turn.others:.2f}",
        err=True,
    )


# --- the report --------------------------------------------------------------------------------------------------

_OF_TIMES = (
    "target s", "turns", "in time", "by the model", "these in time", "bare in time", "calm turns", "calm in time",
    "others, median", "median s", "p95 s", "bare median s", "bare p95 s",
)  # fmt: skip
_OF_TOKENS = (
    "target s", "time for tokens", "evaluated", "as planned", "words whole", "memory tokens", "memories out",
    "turns out", "built anew",
)  # fmt: skip


def report_of(played: Sequence[Paced], units: int) -> Report:
    """Rows for each wanted time; the figures are of the turns in which a token was made."""
    by_target = [
        (target, [each for each in played if each.target == target])
        for target in sorted({each.target for each in played}, reverse=True)
    ]
    note = f"Replies are cut at {_REPLY_TOKENS} tokens. Calm: others took less than {CALM:g} of the processors. {NOISE}"
    title = f"Turns in a memory of {units:,} made-up units"
    report = Report("pace", [Table(title, _OF_TIMES, [_times(*each) for each in by_target], note)])
    report.tables.append(
        Table(
            "Their tokens, medians, and what gave way to the seconds",
            _OF_TOKENS,
            [_tokens(*each) for each in by_target],
        )
    )
    for target, same in by_target:
        share = _share(each.is_in_time for each in same if each.first_seconds is not None)
        report.figures[f"{target:g} s: share of first tokens in time (target >= {SHARE:g})"] = share
        report.figures[f"{target:g} s: target held"] = share >= SHARE
    return report


def _times(target: float, same: Sequence[Paced]) -> Sequence[object]:
    worded = [each for each in same if each.done["answered_by"] == "model"]
    calm = [each for each in same if each.others < CALM]
    bare = [each.bare_ms / 1000 for each in same if each.bare_ms is not None]
    return (
        target, len(same), _share(each.is_in_time for each in same), len(worded),
        _share(each.is_in_time for each in worded), _share(each.is_bare_in_time for each in same), len(calm),
        _share(each.is_in_time for each in calm), _median(each.others for each in same),
        *spread([each.first_seconds for each in same if each.first_seconds is not None]), *spread(bare),
    )  # fmt: skip


def _tokens(target: float, same: Sequence[Paced]) -> Sequence[object]:
    usages = [each.done["usage"] for each in same]
    lost: Counter[str] = Counter()
    for each in (gone for usage in usages for gone in usage["gave_way"] if gone["because"] == "seconds"):
        lost[each["section"]] += each["count"]
    return (
        target, _median(usage["in_time_tokens"] for usage in usages),
        _median(usage["evaluated_tokens"] for usage in usages), _share(each.is_planned for each in same),
        _share(each.is_whole for each in same), _median(usage["memory_tokens"] for usage in usages), lost["memories"],
        lost["turns"], sum(usage["compacted"] for usage in usages),
    )  # fmt: skip


def _share(held: Iterable[bool]) -> float:
    each = list(held)
    return sum(each) / len(each) if each else 0.0


def _median(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else 0.0
