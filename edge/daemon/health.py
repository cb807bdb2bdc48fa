"""How well it serves: memory's quality, of one owner or of all together, and what this process and its board tell."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from edge.clock import Clock
from edge.daemon.board import Board
from edge.daemon.figures import Spread, TurnFigures
from edge.daemon.night_views import offpeak_wire
from edge.daemon.status import Status
from edge.engine.health_ports import HealthStore
from edge.engine.night_ports import NightStore
from edge.errors import EdgeError
from edge.memory.freshness import freshness
from edge.memory.health import ALERT_TURNS, HEALTHY_HIT_RATE, LEAST_RECALLS, WINDOW, Tally
from edge.memory.nights import Seen
from edge.memory.units import OwnerId
from edge.wire import BoardWire, HealthWire, MachineWire, QualityWire, SpreadWire

_log = logging.getLogger(__name__)
_QUALITY_SECONDS = 60.0
"""How long the quality of all owners' memory is taken to be as it was: counting a million units takes a moment, and one
who watches asks every few seconds."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Memory's quality over all owners: how many units are active and valid, how many of the newest recalls served, and
    for how many owners the amnesia alert is on."""

    active: int
    valid: int
    recalls: int
    served: int
    forgetful_owners: int


@dataclass(frozen=True, slots=True)
class Totals:
    """All that may be told to anybody on the machine: sums, without a word or a name of an owner. `quality` is None,
    and `counts` are empty, where the database cannot be asked, or not now."""

    counts: dict[str, int]
    quality: Quality | None
    machine: MachineWire
    states: dict[str, str]
    figures: TurnFigures


class HealthReader:
    """Gathers what health tells. Lives on the event loop."""

    def __init__(
        self,
        status: Status,
        tallies: HealthStore,
        nights: NightStore,
        figures: TurnFigures,
        board: Board,
        clock: Clock,
    ) -> None:
        """`tallies` and `nights` belong to the memory thread."""
        self._status = status
        self._tallies = tallies
        self._nights = nights
        self._figures = figures
        self._board = board
        self._clock = clock
        self._quality: tuple[float, Quality] | None = None

    async def read(self, owner: OwnerId) -> HealthWire:
        """What one owner may see: their memory's quality, and the machine's figures."""
        _, _, machine = await self._machine()
        try:
            seen, tally = await self._status.memory_worker.run(partial(self._of_owner, owner))
        except EdgeError as error:
            return {
                "owner": owner, "is_healthy": None, "needs": [], "quality": None, "error": error.to_wire(),
                "machine": machine,
            }  # fmt: skip
        quality = quality_wire(seen, tally, self._status.settings.offpeak.freshness)
        needs = _needs(quality)
        return {
            "owner": owner, "is_healthy": not needs, "needs": needs, "quality": quality, "error": None,
            "machine": machine,
        }  # fmt: skip

    async def totals(self) -> Totals:
        """What anybody may see."""
        counts, embedder, machine = await self._machine()
        states = {"model": self._status.speech.state.state, "embedder": embedder}
        return Totals(counts, await self._of_all(), machine, states, self._figures)

    async def _of_all(self) -> Quality | None:
        now = self._clock.monotonic()
        if self._quality is not None and now - self._quality[0] < _QUALITY_SECONDS:
            return self._quality[1]
        try:
            quality = await self._status.memory_worker.run(self._count_all)
        except EdgeError as error:
            _log.debug("the quality of memory cannot be counted now: %s", error.message)
            return None
        self._quality = now, quality
        return quality

    # --- on the memory thread ---

    def _of_owner(self, owner: OwnerId) -> tuple[Seen, Tally]:
        return self._nights.count(owner, self._clock.now()), self._tallies.tally(owner)

    def _count_all(self) -> Quality:
        at = self._clock.now()
        seen = [self._nights.count(owner, at) for owner in self._nights.owners()]
        tallies = self._tallies.tallies()
        return Quality(
            active=sum(each.active for each in seen),
            valid=sum(each.valid for each in seen),
            recalls=sum(len(each.recalls) for each in tallies),
            served=sum(each.served for each in tallies),
            forgetful_owners=sum(each.has_amnesia for each in tallies),
        )

    # --- the machine ---

    async def _machine(self) -> tuple[dict[str, int], str, MachineWire]:
        """Counts of all owners together, the embedder's state, and the machine's figures."""
        status, figures = self._status, self._figures
        counts, memory, degraded = await status.of_all()
        error, serves = status.memory.embedder_error, status.memory.vectors.embedder is not None
        embedder = "ready" if serves else "failed" if error is not None else "loading"
        machine: MachineWire = {
            "uptime_seconds": round(self._clock.monotonic() - status.started, 1),
            "turns": dict(figures.turns),
            "by_runtime": figures.by_runtime,
            "tokens": dict(figures.tokens),
            "speed": {"prefill_tokens_s": status.speed.prefill, "generate_tokens_s": status.speed.generate},
            "first_token": spread_wire(figures.first_token),
            "turn": spread_wire(figures.turn),
            "recall": spread_wire(figures.recall),
            "stages": {stage: spread_wire(spread) for stage, spread in figures.stages.items()},
            "queue": {"turns": status.turns.depth, "limit": status.settings.daemon.queue},
            "memory": memory,
            "board": board_wire(self._board),
            "offpeak": offpeak_wire(status.schedule.look_only()),
            "degraded": list(degraded),
        }
        return counts, embedder, machine


def quality_wire(seen: Seen, tally: Tally, fresh_from: float) -> QualityWire:
    """Memory's quality of one owner."""
    share, rate = freshness(seen.valid, seen.active), tally.hit_rate
    return {
        "freshness": {
            "share": round(share, 4),
            "valid": seen.valid,
            "active": seen.active,
            "healthy_from": fresh_from,
            "is_healthy": share >= fresh_from,
        },
        "hit_rate": {
            "share": None if rate is None else round(rate, 4),
            "served": tally.served,
            "recalls": len(tally.recalls),
            "window": WINDOW,
            "healthy_from": HEALTHY_HIT_RATE,
            "is_healthy": None if len(tally.recalls) < LEAST_RECALLS else not tally.is_missing,
        },
        "amnesia": {
            "alert": tally.has_amnesia,
            "turns_in_a_row": tally.forgetful_turns,
            "alert_from": ALERT_TURNS,
        },
    }


def spread_wire(spread: Spread) -> SpreadWire:
    """How long something took."""
    mean = spread.sum / spread.count if spread.count else None
    return {
        "count": spread.count,
        "mean_ms": _ms(mean),
        "p50_ms": _ms(spread.below(0.5)),
        "p95_ms": _ms(spread.below(0.95)),
    }


def board_wire(board: Board) -> BoardWire:
    """What the board tells of itself."""
    supply, memory = board.supply(), board.memory()
    return {
        "temperature_celsius": board.temperature(),
        "throttled": None if supply is None else supply.throttled,
        "under_voltage": None if supply is None else supply.under_voltage,
        "load": board.load(),
        "memory_total": None if memory is None else memory.total,
        "memory_available": None if memory is None else memory.available,
    }


def _needs(quality: QualityWire) -> list[Literal["freshness", "hit_rate", "amnesia"]]:
    unwell: Sequence[tuple[Literal["freshness", "hit_rate", "amnesia"], bool]] = (
        ("freshness", not quality["freshness"]["is_healthy"]),
        ("hit_rate", quality["hit_rate"]["is_healthy"] is False),
        ("amnesia", quality["amnesia"]["alert"]),
    )
    return [name for name, is_so in unwell if is_so]


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 2)
