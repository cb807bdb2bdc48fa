"""What the engine needs from a store to know how things were, where a unit comes from, and what contradicts what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.engine.ports import Scope
from edge.memory.units import OwnerId, SessionId, Turn, TurnId, Unit, UnitId

MOST_OPEN = 16
"""Contradictions that are looked at in a turn, which asks about one."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of equal standing, the newer of which took the place of the older without saying that anything
    changed. `older` has ended, `newer` is current."""

    id: int
    older: Unit
    newer: Unit


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a unit comes from: the words it was drawn from as they stand in `turn`, and the turns in which it was said
    again, oldest first. `turn` is None where it was told outside a turn. Forgotten words are empty."""

    unit: Unit
    quote: str | None
    turn: Turn | None
    confirmed_in: tuple[Turn, ...]


class TruthStore(Protocol):
    """Versions, provenance, contradictions and doubles in the store. Belongs to the memory thread."""

    def history(self, owner: OwnerId, unit: UnitId) -> list[Unit]:
        """All units that took one another's place with it, oldest first; ended ones say why. Raises MemoryNotFound."""

    def provenance(self, owner: OwnerId, unit: UnitId) -> Provenance:
        """Where a unit comes from. Raises MemoryNotFound."""

    def versions(self, scope: Scope, slots: Sequence[str], subject: str) -> list[Unit]:
        """What fills or ever filled one of the slots for a subject, as far as the scope's session may see it, also
        where time alone archived it, oldest first. `as_of` and `present` have no say."""

    def open_contradictions(self, owner: OwnerId, session: SessionId) -> list[Contradiction]:
        """Those nobody was asked about and whose newer unit is still current, the newest mark first; MOST_OPEN of
        them."""

    def unsettled(self, owner: OwnerId, session: SessionId | None) -> list[Contradiction]:
        """Those nobody settled, asked about or not, while their newer unit is current and the session may see it, the
        newest mark first; MOST_OPEN of them."""

    def asked_in(self, owner: OwnerId, turn: TurnId) -> Contradiction | None:
        """The one that was asked about in a turn and is not settled, while its newer unit is current."""

    def note_asked(self, owner: OwnerId, contradiction: int, turn: TurnId) -> None:
        """The person was asked in that turn: it will not be asked again."""

    def uncompared(self, limit: int) -> tuple[list[Unit], UnitId]:
        """Of current, distilled units that fill no slot the next ones that were not compared with others yet, oldest
        first, and up to which unit that is all of them."""

    def note_compared(self, through: UnitId) -> None:
        """Units up to this one were compared. A power cut may take it back."""

    def merge_same(self, owner: OwnerId, kept: UnitId, double: UnitId, at: datetime) -> bool:
        """End a unit that says the same as one that stays: it gets that one as `superseded_by`, the words that said it
        confirm that one, whose count and confidence rise. False where either is not current any more."""
