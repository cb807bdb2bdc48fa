"""From nights to the shapes on the wire: an owner sees the steps of their own and those of the whole store."""

from __future__ import annotations

from edge.daemon.hindrances import Hindrance
from edge.daemon.offpeak import Standing
from edge.daemon.views import optional_time, time_wire
from edge.engine.night_ports import Night, Part
from edge.memory.units import OwnerId
from edge.wire import NightWire, OffPeakWire, StepWire, WaitsEvent


def offpeak_wire(standing: Standing) -> OffPeakWire:
    """What off-peak does."""
    hindrance = standing.hindrance
    return {
        "state": "works" if standing.is_working else "rests" if hindrance is None else "waits",
        "step": None if standing.part is None else standing.part.step.value,
        "cause": None if hindrance is None else hindrance.cause.value,
        "words": None if hindrance is None else hindrance.words,
    }


def night_wire(night: Night, owner: OwnerId) -> NightWire:
    """A night, as an owner may see it."""
    return {
        "id": night.id,
        "trigger": night.trigger.value,
        "began_at": time_wire(night.began_at),
        "ended_at": optional_time(night.ended_at),
        "state": night.state.value,
        "steps": [step_wire(part) for part in night.parts if part.owner in (None, owner)],
    }


def step_wire(part: Part) -> StepWire:
    """A step of a night."""
    return {
        "step": part.step.value,
        "state": part.state.value,
        "seconds": round(part.seconds, 3),
        "tokens": part.tokens,
        "works": part.works,
        "counts": dict(part.counts),
        "failure": part.failure,
    }


def waits_wire(hindrance: Hindrance) -> WaitsEvent:
    """What a consolidation waits for."""
    return {"cause": hindrance.cause.value, "words": hindrance.words}
