"""Questions for slots over a daemon's socket: how often the reply is right, and how soon it comes.

Each case is told, corrected and confirmed in a session of its own, then asked for; what it left is forgotten before the
next.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from edge.memory.text import squeezed
from edge.wire import DoneEvent
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.load import CALM, OtherLoad
from scripts.benchmarks.report import NOISE, Report, Table, spread
from scripts.benchmarks.turns import ask

RIGHT, SECONDS = 0.97, 0.03
"""The targets: the share of right replies, and within which time they are to come, from socket to socket."""
_UNWORDED_TOKENS = 1
"""Of replies to what is told: what the model says to it does not matter."""
_REPLY_TOKENS = 64


@dataclass(frozen=True, slots=True)
class SlotCase:
    """What is told, how it is corrected and confirmed, how it is asked for, what the reply must hold and must not."""

    table: str
    told: str
    corrected: str
    confirmed: str
    asked: str
    answer: str
    gone: str


@dataclass(frozen=True, slots=True)
class Replied:
    """The turn of a question, the seconds until its first text arrived at the client, and the share of the processors
    that others took."""

    case: SlotCase
    done: DoneEvent
    seconds: float | None
    others: float

    @property
    def is_right(self) -> bool:
        reply = self.done["reply"]
        return squeezed(self.case.answer) in squeezed(reply) and self.case.gone not in reply

    @property
    def is_fast(self) -> bool:
        return self.seconds is not None and self.seconds < SECONDS


def read_cases(paths: Sequence[Path]) -> list[SlotCase]:
    """The rows `talks` of TOML tables: told, the turn of the correction, corrected, confirmed, asked, answer, gone.
    Raises UsageError for a table that has none."""
    cases = []
    for path in paths:
        try:
            rows = tomllib.loads(path.read_text(encoding="utf-8"))["talks"]
            cases += [SlotCase(path.stem, told, *rest) for told, _, *rest in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise click.UsageError(f"{path} is no table of talks: {error}") from error
    return cases


def measure_slots(model: str | None, cases: Sequence[SlotCase]) -> Report:
    """Play all cases on one daemon with its default settings."""
    replied: list[Replied] = []
    with own_daemon(model) as daemon:
        load = OtherLoad((os.getpid(), daemon.client.status()["pid"]))
        for number, case in enumerate(cases):
            replied.append(_play(daemon, load, case, f"case {number}"))
            _tell(number + 1, len(cases), replied[-1])
    return report_of(replied)


def _play(daemon: OwnDaemon, load: OtherLoad, case: SlotCase, session: str) -> Replied:
    for said in (case.told, case.corrected, case.confirmed):
        ask(daemon.client, said, _UNWORDED_TOKENS, session)
    daemon.wait_until_quiet()
    mark = load.mark()
    done, seen_ms = ask(daemon.client, case.asked, _REPLY_TOKENS, session)
    others = load.since(mark)
    daemon.client.forget_selected(session=session, facts=True)
    return Replied(case, done, None if seen_ms is None else seen_ms / 1000, others)


def _tell(number: int, count: int, replied: Replied) -> None:
    """Progress, on standard error."""
    found = "right" if replied.is_right else f"wrong: {replied.done['reply']!r}"
    click.echo(f"{number} of {count}, {replied.case.asked} {found}, {replied.done['answered_by']}", err=True)


# --- the report --------------------------------------------------------------------------------------------------


def report_of(replied: Sequence[Replied]) -> Report:
    """By table; the times are of the replies that the runtime gave."""
    columns = (
        "table", "questions", "right", "by the runtime", "these right", "median ms", "p95 ms", "under 30 ms",
        "calm", "calm under 30 ms",
    )  # fmt: skip
    tables = dict.fromkeys(each.case.table for each in replied)
    rows = [_row(table, [each for each in replied if each.case.table == table]) for table in tables]
    note = f"Calm: others took less than {CALM:g} of the processors. {NOISE}"
    report = Report(
        "slots", [Table("Slots told, corrected, confirmed, asked", columns, [*rows, _row("all", replied)], note)]
    )
    right = _share([each.is_right for each in replied])
    fast = _share([each.is_fast for each in _told(replied)])
    report.figures = {
        f"right (target >= {RIGHT:g})": right,
        f"of the runtime's own replies under {SECONDS * 1000:g} ms from socket to socket": fast,
        "targets held": right >= RIGHT and fast >= RIGHT,
    }
    return report


def _row(table: str, replied: Sequence[Replied]) -> Sequence[object]:
    told = _told(replied)
    calm = [each for each in told if each.others < CALM]
    times = spread([each.seconds * 1000 for each in told if each.seconds is not None])
    return (
        table, len(replied), _share([each.is_right for each in replied]), len(told),
        _share([each.is_right for each in told]), *times, _share([each.is_fast for each in told]), len(calm),
        _share([each.is_fast for each in calm]),
    )  # fmt: skip


def _told(replied: Sequence[Replied]) -> list[Replied]:
    return [each for each in replied if each.done["answered_by"] == "runtime"]


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else 0.0
