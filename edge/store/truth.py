"""`SqliteTruth`: the engine's TruthStore in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from edge.engine.ports import Scope
from edge.engine.truth_ports import Contradiction, Provenance
from edge.memory.units import OwnerId, SessionId, TurnId, Unit, UnitId
from edge.store import contradictions, doubles, history
from edge.store.database import Database


class SqliteTruth:
    """See TruthStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def history(self, owner: OwnerId, unit: UnitId) -> list[Unit]:
        return history.read_history(self._db, owner, unit)

    def provenance(self, owner: OwnerId, unit: UnitId) -> Provenance:
        return history.read_provenance(self._db, owner, unit)

    def versions(self, scope: Scope, slots: Sequence[str], subject: str) -> list[Unit]:
        return history.read_versions(self._db, scope, slots, subject)

    def open_contradictions(self, owner: OwnerId, session: SessionId) -> list[Contradiction]:
        return contradictions.read_open(self._db, owner, session)

    def unsettled(self, owner: OwnerId, session: SessionId | None) -> list[Contradiction]:
        return contradictions.read_unsettled(self._db, owner, session)

    def asked_in(self, owner: OwnerId, turn: TurnId) -> Contradiction | None:
        return contradictions.read_asked_in(self._db, owner, turn)

    def note_asked(self, owner: OwnerId, contradiction: int, turn: TurnId) -> None:
        contradictions.write_asked(self._db, owner, contradiction, turn)

    def uncompared(self, limit: int) -> tuple[list[Unit], UnitId]:
        return doubles.read_uncompared(self._db, limit)

    def note_compared(self, through: UnitId) -> None:
        doubles.write_compared(self._db, through)

    def merge_same(self, owner: OwnerId, kept: UnitId, double: UnitId, at: datetime) -> bool:
        with self._db.transaction() as writing:
            return doubles.merge(writing, owner, kept, double, at)
