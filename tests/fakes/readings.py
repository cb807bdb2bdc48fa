"""A ReadingStore over the units of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from edge.engine.ports import Vector
from edge.memory.units import OwnerId, Unit, UnitId


class FakeReadings:
    """See ReadingStore."""

    def __init__(self, units: dict[UnitId, Unit]) -> None:
        self._units = units
        self._kept: dict[UnitId, tuple[str, Vector]] = {}

    def readings(self, owner: OwnerId, reader: str, ids: Collection[UnitId]) -> dict[UnitId, Vector]:
        found = {unit: self._kept[unit] for unit in ids if unit in self._kept and self._owned(owner, unit)}
        return {unit: numbers for unit, (by, numbers) in found.items() if by == reader}

    def keep_readings(self, owner: OwnerId, reader: str, readings: Mapping[UnitId, Vector]) -> None:
        for unit, numbers in readings.items():
            if self._owned(owner, unit):
                self._kept[unit] = (reader, numbers.astype(np.float16).astype(np.float32))

    def _owned(self, owner: OwnerId, unit: UnitId) -> bool:
        return unit in self._units and self._units[unit].owner == owner
