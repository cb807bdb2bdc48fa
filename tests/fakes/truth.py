"""A TruthStore over the dictionaries of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from edge.engine.ports import Scope
from edge.engine.truth_ports import MOST_OPEN, Contradiction, Provenance
from edge.memory.archive import BY_TIME
from edge.memory.units import Ending, Insert, Kind, OwnerId, SessionId, Settle, TurnId, Unit, UnitId

if TYPE_CHECKING:
    from tests.fakes.memory_store import FakeMemoryStore


@dataclass(frozen=True)
class Marked:
    """A contradiction as it is kept."""

    owner: OwnerId
    older: UnitId
    newer: UnitId
    asked: TurnId | None = None
    settled: bool = False


class FakeTruth:
    """What a store knows of versions, words and contradictions."""

    def __init__(self, store: FakeMemoryStore) -> None:
        self._store = store
        self._marked: dict[int, Marked] = {}
        self._compared = UnitId(0)

    # --- what the store tells it ---

    def doubted(self, owner: OwnerId, unit: UnitId, change: Insert) -> None:
        for older in change.doubts:
            if self._store._owned(owner, older):
                self._marked[len(self._marked) + 1] = Marked(owner, older, unit)
        restored = None if change.restores is None else self._store._owned(owner, change.restores)
        if restored is not None:
            self._store._confirmed_in.setdefault(unit, set()).update(self._store._turns_of_units(owner, [restored.id]))

    def settled(self, owner: OwnerId, change: Settle) -> None:
        marked = self._marked.get(change.contradiction)
        if marked is not None and marked.owner == owner:
            self._marked[change.contradiction] = replace(marked, settled=True)

    def removed(self, unit: UnitId) -> None:
        gone = [number for number, marked in self._marked.items() if unit in (marked.older, marked.newer)]
        for number in gone:
            self._marked[number] = replace(self._marked[number], settled=True)

    def asked_about(self, unit: UnitId) -> frozenset[TurnId]:
        return frozenset(
            marked.asked
            for marked in self._marked.values()
            if marked.asked is not None and unit in (marked.older, marked.newer)
        )

    def with_doubles(self, owner: OwnerId, ids: Collection[UnitId]) -> set[UnitId]:
        same = {unit for unit in ids if self._store._owned(owner, unit)}
        pairs = [
            {unit.id, unit.superseded_by}
            for unit in self._store._units.values()
            if unit.ended_why is Ending.SAME and unit.superseded_by is not None
        ]
        while any(pair & same and not pair <= same for pair in pairs):
            same |= {unit for pair in pairs if pair & same for unit in pair if unit is not None}
        return same

    # --- the port ---

    def history(self, owner: OwnerId, unit: UnitId) -> list[Unit]:
        chain = {self._store.unit(owner, unit).id}
        while True:
            units = self._store._units.values()
            grown = chain | {each.superseded_by for each in units if each.id in chain and each.superseded_by}
            grown |= {each.id for each in units if each.superseded_by in grown}
            if grown == chain:
                return [self._store._units[each] for each in sorted(chain)]
            chain = grown

    def provenance(self, owner: OwnerId, unit: UnitId) -> Provenance:
        known = self._store.unit(owner, unit)
        turn = None if known.source_turn is None else self._store._turns[known.source_turn]
        confirmed = sorted(self._store._confirmed_in.get(unit, set()) - {known.source_turn})
        quote = self._store._records[unit].quote
        return Provenance(known, quote, turn, tuple(self._store._turns[each] for each in confirmed))

    def versions(self, scope: Scope, slots: Sequence[str], subject: str) -> list[Unit]:
        return [
            unit
            for unit in self._store._units.values()
            if unit.owner == scope.owner and unit.slot in slots and unit.subject == subject
            if unit.session in {None, scope.session} and (unit.archived_at is None or unit.archived_why in BY_TIME)
            if scope.kinds is None or unit.kind in scope.kinds
        ]

    def open_contradictions(self, owner: OwnerId, session: SessionId) -> list[Contradiction]:
        found = [
            self._open(number) for number, marked in self._marked.items() if marked.owner == owner and not marked.asked
        ]
        seen = [each for each in reversed(found) if each is not None and each.newer.session in {None, session}]
        return seen[:MOST_OPEN]

    def unsettled(self, owner: OwnerId, session: SessionId | None) -> list[Contradiction]:
        found = [self._open(number) for number, marked in self._marked.items() if marked.owner == owner]
        seen = [each for each in reversed(found) if each is not None and each.newer.session in {None, session}]
        return seen[:MOST_OPEN]

    def asked_in(self, owner: OwnerId, turn: TurnId) -> Contradiction | None:
        asked = [n for n, marked in self._marked.items() if marked.owner == owner and marked.asked == turn]
        return self._open(asked[0]) if asked else None

    def note_asked(self, owner: OwnerId, contradiction: int, turn: TurnId) -> None:
        marked = self._marked.get(contradiction)
        if marked is not None and marked.owner == owner and marked.asked is None:
            self._marked[contradiction] = replace(marked, asked=turn)

    def uncompared(self, limit: int) -> tuple[list[Unit], UnitId]:
        found = [
            unit
            for unit in self._store._units.values()
            if unit.id > self._compared and unit.slot is None and self._is_current(unit.id)
            if unit.kind not in (Kind.EPISODE, Kind.BATCH_OPERATION)
        ][:limit]
        if len(found) == limit:
            return found, found[-1].id
        return found, max(self._compared, *self._store._units, UnitId(0))

    def note_compared(self, through: UnitId) -> None:
        self._compared = through

    def merge_same(self, owner: OwnerId, kept: UnitId, double: UnitId, at: datetime) -> bool:
        stays, ends = self._store._owned(owner, kept), self._store._owned(owner, double)
        if kept == double or stays is None or ends is None or not (self._is_current(kept) and self._is_current(double)):
            return False
        until = at if ends.valid_until is None else min(at, ends.valid_until)
        self._store._units[double] = replace(ends, superseded_by=kept, valid_until=until, ended_why=Ending.SAME)
        self._store._supersede(double)
        said = self._store._turns_of_units(owner, [double])
        self._store._confirmed_in.setdefault(kept, set()).update(said)
        confidence = 1.0 - (1.0 - stays.confidence) / 2.0
        self._store._units[kept] = replace(
            stays, access_count=stays.access_count + 1, last_accessed=at, confidence=confidence
        )
        return True

    def _is_current(self, unit: UnitId) -> bool:
        return unit in self._store._units and unit not in self._store._superseded

    def _open(self, number: int) -> Contradiction | None:
        marked = self._marked[number]
        if marked.settled or not self._is_current(marked.newer):
            return None
        return Contradiction(number, self._store._units[marked.older], self._store._units[marked.newer])
