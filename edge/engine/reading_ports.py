"""What the store keeps of how a model read units."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from edge.engine.ports import Vector
from edge.memory.units import OwnerId, UnitId


class ReadingStore(Protocol):
    """Readings: numbers that a model gave to a unit, by a reader (a model with its prompts). Derived, like embeddings:
    they can be made again, and are gone with their unit."""

    def readings(self, owner: OwnerId, reader: str, ids: Collection[UnitId]) -> dict[UnitId, Vector]:
        """Those of the owner's units that have one by the reader, as float32; kept at half of that precision."""

    def keep_readings(self, owner: OwnerId, reader: str, readings: Mapping[UnitId, Vector]) -> None:
        """Keep readings, in place of any by another reader. Units that are not (or no longer) the owner's are passed
        over."""
