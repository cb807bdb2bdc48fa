"""`edge health`: how well memory serves, and what the machine takes for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping

import click

from edge.cli.consolidate import in_words
from edge.cli.options import Options, asking, pass_options
from edge.cli.status import counts_in_words, duration, speed_in_words
from edge.errors import EdgeError
from edge.wire import BoardWire, HealthWire, MachineWire, QualityWire, SpreadWire

NEEDS = {
    "freshness": "too much of it holds no more; a cleaning run comes off-peak, or now with `edge consolidate --now`",
    "hit_rate": "what is recalled is seldom used; `edge recall TEXT --explain` shows why something is found",
    "amnesia": "it seems to have forgotten; `edge status` tells whether a part does not serve",
}
_CLEAR = "\x1b[H\x1b[J"


@click.command(short_help="Show how well memory serves, and watch it.")
@click.option("--watch", is_flag=True, help="Show it again and again, until Ctrl-C.")
@click.option(
    "--every",
    type=click.FloatRange(0.2, 3600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Between two looks, with --watch.",
)
@asking
@pass_options
def health(options: Options, watch: bool, every: float) -> None:
    """Show how fresh memory is, how often what is recalled serves, whether it seems to forget; and speed, times, board.

    The first part is about your own memory, the rest about the machine, for all users together, since the daemon began.

    \b
    edge health
    edge health --watch
    edge health --json | jq .quality
    """
    if not watch:
        _show(options, options.client().health())
        return
    try:
        while True:
            _look(options)
            time.sleep(every)
    except KeyboardInterrupt:
        return


def _look(options: Options) -> None:
    """One look of many: a daemon that is away for a while is waited for."""
    from edge.cli.report import report
    from edge.cli.terminal import has_cursor, print_out

    try:
        found = options.client().health()
    except EdgeError as error:
        report(error, as_json=options.as_json)
        return
    if has_cursor(sys.stdout) and not options.as_json:
        print_out(_CLEAR, end="")
    _show(options, found)
    if not has_cursor(sys.stdout) and not options.as_json:
        print_out("")


def _show(options: Options, found: HealthWire) -> None:
    from edge.cli.terminal import print_json, print_out, table

    if options.as_json:
        print_json(found)
        return
    for line in table(_rows(found)):
        print_out(line)


def _rows(found: HealthWire) -> Iterator[tuple[str, str]]:
    quality, error = found["quality"], found["error"]
    if quality is None:
        told = {} if error is None else error
        yield "memory", f"not known: {told.get('message', '')} {told.get('hint', '')}".rstrip()
    else:
        yield from _quality(found, quality)
    yield from _machine(found["machine"])


def _quality(found: HealthWire, quality: QualityWire) -> Iterator[tuple[str, str]]:
    yield "memory", f"of {found['owner']}: " + ("healthy" if found["is_healthy"] else "needs attention")
    fresh, hits, amnesia = quality["freshness"], quality["hit_rate"], quality["amnesia"]
    held = f"{fresh['valid']} of {fresh['active']} hold now"
    yield "freshness", f"{_percent(fresh['share'])}: {held}, healthy from {_percent(fresh['healthy_from'])}"
    yield "hit rate", _hit_rate(quality)
    row = amnesia["turns_in_a_row"]
    turns = f"{row} turn{'' if row == 1 else 's'} in a row, alert from {amnesia['alert_from']}"
    yield "amnesia", f"{'ALERT' if amnesia['alert'] else 'none'}: {turns}"
    for need in found["needs"]:
        yield "", f"{need.replace('_', ' ')}: {NEEDS.get(need, '')}".rstrip(": ")
    if hits["is_healthy"] is None:
        yield "", "hit rate: too few recalls yet to tell"


def _hit_rate(quality: QualityWire) -> str:
    hits = quality["hit_rate"]
    if hits["share"] is None:
        return f"no recalls yet, healthy from {_percent(hits['healthy_from'])}"
    served = f"{hits['served']} of the last {hits['recalls']} recalls served"
    return f"{_percent(hits['share'])}: {served}, healthy from {_percent(hits['healthy_from'])}"


def _machine(machine: MachineWire) -> Iterator[tuple[str, str]]:
    from edge.cli.terminal import size

    yield "since", f"{duration(machine['uptime_seconds'])}, all users together"
    yield "turns", f"{counts_in_words(machine['turns'])}, by the runtime {machine['by_runtime']}"
    yield "tokens", counts_in_words(machine["tokens"])
    yield "speed", speed_in_words(machine["speed"])
    yield "first token", _spread(machine["first_token"])
    yield "turn", _spread(machine["turn"])
    yield "recall", _spread(machine["recall"])
    yield from _stages(machine["stages"])
    yield "queue", counts_in_words(machine["queue"])
    yield "takes", ", ".join(f"{part.replace('_', ' ')} {size(count)}" for part, count in machine["memory"].items())
    yield "board", _board(machine["board"])
    yield "off-peak", in_words(machine["offpeak"])
    if machine["degraded"]:
        yield "degraded", ", ".join(machine["degraded"])


def _stages(stages: Mapping[str, SpreadWire]) -> Iterator[tuple[str, str]]:
    told = [f"{stage} {_ms(spread['mean_ms'])}" for stage, spread in stages.items() if spread["count"]]
    if told:
        yield "", "on average: " + ", ".join(told)


def _spread(spread: SpreadWire) -> str:
    if not spread["count"]:
        return "not measured yet"
    return f"half under {_ms(spread['p50_ms'])}, 95% under {_ms(spread['p95_ms'])} ({spread['count']} times)"


def _board(board: BoardWire) -> str:
    from edge.cli.terminal import size

    told = []
    if board["temperature_celsius"] is not None:
        told.append(f"{board['temperature_celsius']:.0f} °C")
    if board["throttled"] is not None:
        told.append("throttled" if board["throttled"] else "not throttled")
    if board["under_voltage"] is not None:
        told.append("UNDER-VOLTAGE" if board["under_voltage"] else "supply is good")
    if board["load"] is not None:
        told.append(f"load {board['load']:.2f} for each core")
    if board["memory_available"] is not None and board["memory_total"] is not None:
        told.append(f"{size(board['memory_available'])} of {size(board['memory_total'])} available")
    return ", ".join(told) or "tells nothing"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value / 1000:.3g} s" if value >= 1000 else f"{value:.3g} ms"
