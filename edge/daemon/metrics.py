"""The figures in the text format of Prometheus, by its official client.

The client is imported when it is first asked for: a board that nobody watches keeps the memory. Every family is made
anew from the totals, in a registry of its own; the client's global one is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edge import __version__
from edge.daemon.figures import Spread
from edge.daemon.health import HealthReader, Quality, Totals
from edge.wire import BoardWire

if TYPE_CHECKING:
    from prometheus_client.metrics_core import HistogramMetricFamily, Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(totals: Totals) -> bytes:
    """All figures as Prometheus reads them."""
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(totals))
    return generate_latest(registry)


async def figures_of(health: HealthReader) -> bytes:
    """All figures as they are now."""
    return exposition(await health.totals())


@dataclass(frozen=True, eq=False)
class _Collector:
    """Gives the families of one moment's totals. The registry takes collectors by their identity."""

    totals: Totals

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.metrics_core import InfoMetricFamily

        yield InfoMetricFamily("edge_build", "The version that runs.", value={"version": __version__})
        yield from _of_turns(self.totals)
        yield from _of_memory(self.totals)
        yield from _of_the_process(self.totals)
        yield from _of_the_board(self.totals.machine["board"])


def _of_turns(totals: Totals) -> Iterator[Metric]:
    figures, machine = totals.figures, totals.machine
    yield _counter("edge_turns", "Turns since the start, by how they ended.", "outcome", figures.turns)
    yield _plain_counter("edge_turns_by_runtime", "Replies made without the model.", figures.by_runtime)
    yield _counter(
        "edge_tokens",
        "Tokens of prompts, reused from the cache or evaluated, of replies generated, and of memories in prompts.",
        "kind",
        figures.tokens,
    )
    yield from _known("edge_prefill_tokens_per_second", "Prompt speed.", machine["speed"]["prefill_tokens_s"])
    yield from _known("edge_generation_tokens_per_second", "Reply speed.", machine["speed"]["generate_tokens_s"])
    yield _histogram("edge_first_token_seconds", "Time to the first token.", {"": figures.first_token})
    yield _histogram("edge_turn_seconds", "Time that whole turns took.", {"": figures.turn})
    yield _histogram("edge_recall_seconds", "Time that recall took.", {"": figures.recall})
    yield _histogram("edge_recall_stage_seconds", "Time that each stage of recall took.", figures.stages, "stage")
    yield from _known("edge_queue_turns", "Turns that run or wait.", machine["queue"]["turns"])
    yield from _known("edge_queue_limit_turns", "Turns that may wait.", machine["queue"]["limit"])


def _of_memory(totals: Totals) -> Iterator[Metric]:
    is_readable = "database" not in totals.machine["degraded"]
    yield from _known("edge_store_readable", "Whether the database can be asked.", is_readable)
    for name, what in (
        ("units", "Memories."),
        ("turns", "Turns that are kept."),
        ("sessions", "Sessions."),
        ("unembedded", "Memories that wait for their embedding."),
    ):
        yield from _known(f"edge_stored_{name}", what, totals.counts.get(name))
    yield from _known("edge_database_bytes", "Size of the database.", totals.counts.get("database_bytes"))
    if totals.quality is not None:
        yield from _of_quality(totals.quality)


def _of_quality(quality: Quality) -> Iterator[Metric]:
    fresh = quality.valid / quality.active if quality.active else 1.0
    hits = quality.served / quality.recalls if quality.recalls else None
    yield from _known("edge_memory_freshness_ratio", "Active memories that hold now.", fresh)
    yield from _known("edge_memory_active_units", "Memories that are not archived.", quality.active)
    yield from _known("edge_memory_valid_units", "Those of them that hold now.", quality.valid)
    yield from _known("edge_memory_hit_ratio", "Newest recalls that served.", hits)
    yield from _known("edge_memory_window_recalls", "Recalls that the hit ratio is made of.", quality.recalls)
    yield from _known("edge_memory_amnesia_owners", "Owners with an amnesia alert.", quality.forgetful_owners)


def _of_the_process(totals: Totals) -> Iterator[Metric]:
    machine = totals.machine
    yield from _known("edge_uptime_seconds", "Since the daemon began.", machine["uptime_seconds"])
    yield _gauge("edge_resident_bytes", "Resident memory by part.", "part", _parts(machine["memory"]))
    for part, state in totals.states.items():
        states = {each: float(each == state) for each in ("loading", "ready", "failed", "unloaded")}
        yield _gauge(f"edge_{part}_state", f"1 for the state of the {part}.", "state", states)
    yield from _known("edge_degraded_parts", "Parts that do not serve, or not whole.", len(machine["degraded"]))
    yield from _known("edge_offpeak_working", "Whether a night is worked on.", machine["offpeak"]["state"] == "works")


def _of_the_board(board: BoardWire) -> Iterator[Metric]:
    yield from _known("edge_board_temperature_celsius", "The hottest zone.", board["temperature_celsius"])
    yield from _known("edge_board_throttled", "Whether the board slows itself down.", board["throttled"])
    yield from _known("edge_board_under_voltage", "Whether its supply is too weak.", board["under_voltage"])
    yield from _known("edge_board_load_ratio", "Load for each core.", board["load"])
    yield from _known("edge_board_memory_bytes", "The machine's memory.", board["memory_total"])
    yield from _known("edge_board_memory_available_bytes", "What of it is available.", board["memory_available"])


def _parts(memory: Mapping[str, int]) -> dict[str, int]:
    """Without the total, which is their sum."""
    return {part: count for part, count in memory.items() if part != "total"}


def _known(name: str, what: str, value: float | None) -> Iterator[Metric]:
    """A gauge, or nothing where its value is not known."""
    from prometheus_client.metrics_core import GaugeMetricFamily

    if value is not None:
        yield GaugeMetricFamily(name, what, value=float(value))


def _gauge(name: str, what: str, label: str, values: Mapping[str, float]) -> Metric:
    from prometheus_client.metrics_core import GaugeMetricFamily

    family = GaugeMetricFamily(name, what, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _plain_counter(name: str, what: str, value: int) -> Metric:
    from prometheus_client.metrics_core import CounterMetricFamily

    return CounterMetricFamily(name, what, value=value)


def _counter(name: str, what: str, label: str, values: Mapping[str, int]) -> Metric:
    from prometheus_client.metrics_core import CounterMetricFamily

    family = CounterMetricFamily(name, what, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _histogram(name: str, what: str, spreads: Mapping[str, Spread], label: str | None = None) -> HistogramMetricFamily:
    from prometheus_client.metrics_core import HistogramMetricFamily

    family = HistogramMetricFamily(name, what, labels=[label] if label else [])
    for key, spread in spreads.items():
        family.add_metric([key] if label else [], _buckets(spread), spread.sum)
    return family


def _buckets(spread: Spread) -> list[tuple[str, float]]:
    """Each bound with how many took at most that long."""
    seen, buckets = 0, []
    for bound, count in zip((*map(str, spread.bounds), "+Inf"), spread.counts, strict=True):
        seen += count
        buckets.append((bound, float(seen)))
    return buckets
