"""`edge status`: how it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from edge.cli.consolidate import in_words
from edge.cli.options import Options, asking, pass_options
from edge.wire import EmbedderStatus, LanguageModelStatus, ModelStatus, StatusWire

BYTES = {"bytes": "of text", "database_bytes": "on disk"}
RATE = "_tokens_s"


@click.command(short_help="Show how the daemon is, and what it takes and holds.")
@asking
@pass_options
def status(options: Options) -> None:
    """Show the models, memory by part, counts, the queue, speed, and the settings that were changed.

    \b
    edge status
    edge status --json | jq .memory
    """
    from edge.cli.terminal import print_json, print_out, table

    found = options.client().status()
    if options.as_json:
        print_json(found)
        return
    for line in table(_rows(found)):
        print_out(line)


def _rows(found: StatusWire) -> Iterator[tuple[str, str]]:
    yield "edge", f"{found['version']}, process {found['pid']}, up {duration(found['uptime_seconds'])}"
    yield "owner", found["owner"]
    yield "model", f"{_model(found['model'])}, for {duration(found['model']['state_seconds'])}"
    yield "embedder", _model(found["embedder"])
    yield from _changing(found["embedder"])
    yield "memory", _memory(found["memory"])
    yield "holds", counts_in_words(found["counts"])
    yield "queue", counts_in_words(found["queue"])
    yield "speed", speed_in_words(found["speed"])
    yield "off-peak", in_words(found["offpeak"])
    if found["degraded"]:
        yield "degraded", ", ".join(found["degraded"])
    yield "socket", found["socket"]
    yield "state", found["state_dir"]
    yield "config", found["config"]
    yield from _changed(found)


def duration(seconds: float) -> str:
    """A time in its two largest units."""
    minutes = int(seconds) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{int(seconds)} s"


def _model(model: ModelStatus | LanguageModelStatus) -> str:
    line = f"{model['state']}: {model['id']}"
    error = model["error"]
    if error is None:
        return line
    return f"{line}: {error.get('message', '')} {error.get('hint', '')}".rstrip()


def _changing(embedder: EmbedderStatus) -> Iterator[tuple[str, str]]:
    if embedder["changing_to"] is None:
        return
    done = "" if embedder["error"] else f", which has embedded {embedder['done']} of {embedder['total']} memories"
    yield "", f"until {embedder['changing_to']} takes over{done}"


def _memory(parts: Mapping[str, int]) -> str:
    from edge.cli.terminal import size

    return ", ".join(f"{_words(name)} {size(count)}" for name, count in parts.items())


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Counts by their names, on one line."""
    from edge.cli.terminal import size

    return ", ".join(
        f"{size(count)} {BYTES[name]}" if name in BYTES else f"{_words(name)} {count}" for name, count in counts.items()
    )


def speed_in_words(speeds: Mapping[str, float | None]) -> str:
    """What of the speeds is known, on one line."""
    known = [_rate(name, value) for name, value in speeds.items() if value is not None]
    return ", ".join(known) or "not measured yet"


def _rate(name: str, value: float) -> str:
    unit = " tokens/s" if name.endswith(RATE) else ""
    return f"{_words(name.removesuffix(RATE))} {value:.3g}{unit}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _changed(found: StatusWire) -> Iterator[tuple[str, str]]:
    title = "settings"
    for name, setting in found["settings"].items():
        if setting["origin"] != "default":
            value = str(setting["value"]).lower() if isinstance(setting["value"], bool) else setting["value"]
            yield title, f"{name} = {value} ({setting['origin']})"
            title = ""
    if title:
        yield title, "all as they come"
