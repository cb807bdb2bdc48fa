"""The best units out of several parts, each of which gives its best rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from edge.engine.ports import Ids, Vector
from edge.index.parts import Part
from edge.memory.units import UnitId

_SPARE = 8
"""Rows that are asked for beyond a part's share."""


@dataclass(frozen=True, slots=True)
class Source:
    """A part that can be asked for its best `wanted` rows, and how many vectors are in it."""

    size: int
    ask: Callable[[int], Part]


def gather(sources: Sequence[Source], limit: int) -> list[tuple[UnitId, float]]:
    """The best `limit` units, best first, each once with its best row.

    Each source is asked for twice its share of them. One whose last row would still be among the best is asked again
    for more, so that nothing is missed where all that is near lies in one.
    """
    total = max(1, sum(source.size for source in sources))
    wanted = [min(limit, ceil(2 * limit * source.size / total)) + _SPARE for source in sources]
    parts = [source.ask(count) for source, count in zip(sources, wanted, strict=True)]
    while True:
        units, cosines = _merge(parts, limit)
        cutoff = float(cosines[-1]) if len(units) == limit else -2.0
        again = [number for number, part in enumerate(parts) if part.more and part.cosines[-1] > cutoff]
        if not again:
            found = zip(units.tolist(), cosines.tolist(), strict=True)
            return [(UnitId(unit), cosine) for unit, cosine in found]
        for number in again:
            wanted[number] *= 2
            parts[number] = sources[number].ask(wanted[number])


def _merge(parts: Sequence[Part], limit: int) -> tuple[Ids, Vector]:
    units = np.concatenate([part.units for part in parts])
    cosines = np.concatenate([part.cosines for part in parts])
    order = np.argsort(-cosines, kind="stable")
    _, firsts = np.unique(units[order], return_index=True)
    best = order[np.sort(firsts)[:limit]]
    return units[best], cosines[best]
