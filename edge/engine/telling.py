"""What a window is told beside what recall found: what follows units that hold no more, a subject that comes back."""

from __future__ import annotations

from collections.abc import Collection

from edge.engine.ports import MemoryStore, Scope
from edge.errors import MemoryNotFound
from edge.memory.units import Kind, OwnerId, Source, Unit, UnitId
from edge.prompt.window import Window

_TOLD_AGAIN = 3
"""Units of a subject that are told when the person comes back to it, whatever they ask."""


def replacements(store: MemoryStore, scope: Scope, window: Window) -> list[Unit]:
    """Units that follow one that stands in the window and holds no more, unless their own turn stands there."""
    visible = store.units(scope, window.units)
    successors = (_successor(store, scope.owner, unit) for unit in sorted(window.units - visible.keys()))
    found = store.units(scope, [unit for unit in successors if unit is not None])
    return [unit for unit in found.values() if unit.source_turn not in window.turns]


def told_again(store: MemoryStore, scope: Scope, back: Collection[UnitId]) -> list[Unit]:
    """What was said last of the subject that comes back; not the words as well from which it was distilled."""
    units = store.units(scope, back).values()
    states = [unit for unit in units if unit.kind is Kind.SESSION_STATE]
    distilled = {unit.source_turn for unit in states}
    said = [unit for unit in units if unit.kind is Kind.EPISODE and unit.source is Source.USER]
    told = states + [unit for unit in said if unit.source_turn not in distilled]
    return sorted(told, key=lambda unit: -unit.id)[:_TOLD_AGAIN]


def _successor(store: MemoryStore, owner: OwnerId, unit: UnitId) -> UnitId | None:
    """The unit at the end of a chain of versions; None where the unit only expired or is gone."""
    successor = None
    try:
        following = store.unit(owner, unit).superseded_by
        while following is not None:
            successor, following = following, store.unit(owner, following).superseded_by
    except MemoryNotFound:
        return None
    return successor
