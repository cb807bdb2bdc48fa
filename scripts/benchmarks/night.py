"""A night over conversations: what each step takes and does, how large the daemon gets, and what lies in no cluster."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from edge.client.calls import Client
from edge.client.events import Worked
from edge.clock import SystemClock
from edge.memory.units import Source, Unit
from edge.store.sqlite import SqliteStore, open_store
from edge.wire import NightWire, StepWire
from scripts.benchmarks.conversations import Conversation, Memory
from scripts.benchmarks.daemon import own_daemon
from scripts.benchmarks.memory import ASKED_AT, OWNER, tell_turn
from scripts.benchmarks.report import NOISE, Report, Table

_LOOK_SECONDS = 5.0
_SAY_SECONDS = 60.0
_PAGE = 500


def measure_night(
    conversations: Sequence[Conversation], model: str | None, most: int | None, state: Path | None = None
) -> Report:
    """Tell a daemon the turns of some conversations, at most `most` of each, and let it work through a night. What it
    knows then stays in `state`, where that is given: a folder that does not exist."""
    with tempfile.TemporaryDirectory(prefix="edge-night-") as folder:
        place = state or Path(folder) / "state"
        told = _tell(place, conversations, most)
        with own_daemon(model, EDGE_STATE_DIR=str(place)) as daemon:
            began = time.monotonic()
            with _resident(daemon.client) as sizes:
                night = _work_through(daemon.client)
            seconds = time.monotonic() - began
        homes, clusters = _outcome(place)
    report = Report("night", [_steps_table(night["steps"])])
    report.figures = {
        "conversations": len(conversations),
        "turns": told,
        "night": night["state"],
        "minutes": round(seconds / 60, 1),
        "tokens": sum(step["tokens"] for step in night["steps"]),
        "resident, MB, at most": round(max(sizes) / 1e6),
        "memories": len(homes),
        "placed": sum(home is not None for home in homes),
        "unplaced": sum(home is None for home in homes),
        "clusters": clusters,
    }
    return report


# --- before ----------------------------------------------------------------------------------------------------------


def _tell(state: Path, conversations: Sequence[Conversation], most: int | None) -> int:
    """Store turns as what the person said, each in the session it is of; how many."""
    state.mkdir(mode=0o700, parents=True)
    told = 0
    with closing(open_store(state / "memory.db", SystemClock())) as store:
        for conversation in conversations:
            for turn in conversation.memories[:most]:
                tell_turn(store, _as_own(turn, conversation.name), Source.USER, told)
                told += 1
    return told


def _as_own(turn: Memory, conversation: str) -> Memory:
    """The words alone, as the person's own, in a session that no other conversation has."""
    words = turn.text.removeprefix(f"{turn.speaker}: ")
    return replace(turn, text=words, speaker="", session=f"{conversation}, {turn.session}")


# --- the night -------------------------------------------------------------------------------------------------------


@contextmanager
def _resident(client: Client) -> Iterator[list[int]]:
    """Bytes that the daemon has resident, looked at again and again while the block runs."""
    sizes = [client.status()["memory"]["total"]]
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_SECONDS):
            sizes.append(client.status()["memory"]["total"])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield sizes
    finally:
        ended.set()
        thread.join()
        sizes.append(client.status()["memory"]["total"])


def _work_through(client: Client) -> NightWire:
    """A whole night at once, told of once a minute."""
    said = time.monotonic()
    with client.consolidate(now=True) as running:
        for event in running:
            if isinstance(event, Worked) and time.monotonic() - said >= _SAY_SECONDS:
                said = time.monotonic()
                step = event.data
                click.echo(f"{step['step']}: {step['seconds']:.0f} s, {_counted(step)}", err=True)
    if running.night is None:
        raise click.ClickException("The night did not begin.")
    return running.night


# --- after -----------------------------------------------------------------------------------------------------------


def _outcome(state: Path) -> tuple[list[int | None], int]:
    """The cluster of each memory in force, if it has one, and how many clusters there are."""
    with closing(open_store(state / "memory.db", SystemClock())) as store:
        return [unit.cluster for unit in _memories(store)], len(store.clusters.clusters(OWNER))


def _memories(store: SqliteStore) -> Iterator[Unit]:
    read = partial(store.page, OWNER, session=None, kinds=None, limit=_PAGE, as_of=ASKED_AT, include_past=True)
    page = read(before=None)
    yield from page.units
    while page.next_before is not None:
        page = read(before=page.next_before)
        yield from page.units


def _steps_table(steps: Sequence[StepWire]) -> Table:
    columns = ("step", "state", "seconds", "tokens", "units of work", "counts")
    rows = [
        (step["step"], step["state"], round(step["seconds"], 1), step["tokens"], step["works"], _counted(step))
        for step in steps
    ]
    return Table("A night", columns, rows, NOISE)


def _counted(step: StepWire) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(step["counts"].items())) or "-"
