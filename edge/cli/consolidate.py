"""`edge consolidate`: off-peak work, asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from edge.cli.options import Options, asking, pass_options
from edge.wire import NightWire, OffPeakWire, StepWire, WaitsEvent

STEPS = ("backlog", "distil", "cluster", "merge", "evolve", "clean", "cold", "seal", "text", "checkpoint", "backup")
BYTES = "bytes"


@click.command(short_help="Organise what is remembered, now or off-peak.")
@click.option("--now", is_flag=True, help="Do not wait until it is off-peak; only turns, and heat, go first.")
@click.option("--only", type=click.Choice(STEPS), help="One step instead of all.")
@asking
@pass_options
def consolidate(options: Options, now: bool, only: str | None) -> None:
    """Organise what is remembered: embed, distil, cluster, merge, rename, clean, archive, keep house, back up.

    It happens by itself off-peak, when enough is new. Without --now it is asked for at the next off-peak moment, new or
    not. With --now it begins at once; Ctrl-C stops it, and what is left is done off-peak.

    \b
    edge consolidate --now
    edge consolidate --now --only backup
    """
    from edge.cli.terminal import on_one_line, print_err, print_json, print_out
    from edge.client.events import Waits

    with options.client().consolidate(now=now, only=only) as running, _Lines() as lines:
        try:
            for event in running:
                if isinstance(event, Waits):
                    lines.waits_for(event.data)
                else:
                    lines.show(event.data)
        except KeyboardInterrupt:
            lines.end()
            print_err("Stopped; what is left is done off-peak.")
            raise
    if options.as_json:
        print_json({"night": running.night, "waits": lines.waits})
    elif running.night is None:
        waits = "" if lines.waits is None else f": {lines.waits['words']}"
        print_out(f"It is done at the next off-peak moment{waits}.")
    else:
        for line in _summary(running.night):
            print_out(on_one_line(line))


class _Lines:
    """A line for each step that ended, and on a terminal one for the step that is worked on."""

    def __init__(self) -> None:
        from edge.cli.terminal import has_cursor

        self.waits: WaitsEvent | None = None
        self._rewrites = has_cursor(sys.stderr)
        self._open = False

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def waits_for(self, waits: WaitsEvent) -> None:
        """It waits."""
        self.waits = waits
        self._line(f"waits: {waits['words']}")

    def show(self, step: StepWire) -> None:
        """A unit of work was done."""
        if step["state"] != "waiting":
            self._line(_step(step))
        elif self._rewrites:
            self._draw(_step(step))

    def end(self) -> None:
        """End a line that was left open."""
        from edge.cli.terminal import print_err

        if self._open:
            print_err("\r\x1b[K", end="")
            self._open = False

    def _line(self, text: str) -> None:
        from edge.cli.terminal import on_one_line, print_err

        self.end()
        print_err(on_one_line(text))

    def _draw(self, text: str) -> None:
        from edge.cli.terminal import on_one_line, print_err

        print_err(f"\r\x1b[K{on_one_line(text)}", end="")
        self._open = True


def _step(step: StepWire) -> str:
    told = [_counted(name, count) for name, count in step["counts"].items() if count]
    failed = f"waits for the next night: {step['failure']}" if step["failure"] is not None else None
    return f"{step['step']}: {failed or ', '.join(told) or 'nothing to do'} ({_seconds(step['seconds'])})"


def _counted(name: str, count: int) -> str:
    from edge.cli.terminal import size

    return size(count) if name == BYTES else f"{name.replace('_', ' ')} {count}"


def _seconds(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.1f} s"


def _summary(night: NightWire) -> Iterator[str]:
    steps = night["steps"]
    worked = _seconds(sum(step["seconds"] for step in steps))
    failed = [step for step in steps if step["state"] == "failed"]
    left = [step["step"] for step in steps if step["state"] == "waiting"]
    if night["state"] == "open":
        yield f"Stopped after {worked}; what is left is done off-peak: {', '.join(left)}."
    elif left:
        yield f"The budget was spent after {worked}; left for the next night: {', '.join(left)}."
    else:
        yield f"Done in {worked}, {sum(step['tokens'] for step in steps):,} tokens evaluated."
    for step in failed:
        yield _step(step)


def in_words(offpeak: OffPeakWire) -> str:
    """What `edge status` says of it."""
    if offpeak["state"] == "works":
        return "works" if offpeak["step"] is None else f"works: {offpeak['step']}"
    return "rests: nothing is due" if offpeak["state"] == "rests" else f"waits: {offpeak['words']}"
