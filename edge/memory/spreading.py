"""Takes units from several talks, where one holds many that match: what a list needs is seldom said at one time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from edge.memory.units import Recalled, SessionId, UnitId


def spread(
    found: Sequence[Recalled], talks: Mapping[UnitId, SessionId | None], each: int, most: int
) -> tuple[Recalled, ...]:
    """The first `most` of what was found, best first: `each` of one talk, and more of it only where others leave room.
    What was said in no talk counts for none."""
    taken: Counter[SessionId] = Counter()
    within: list[int] = []
    beyond: list[int] = []
    for row, recalled in enumerate(found):
        talk = talks.get(recalled.unit.id)
        (within if talk is None or taken[talk] < each else beyond).append(row)
        if talk is not None:
            taken[talk] += 1
    return tuple(found[row] for row in sorted([*within, *beyond][:most]))
