"""Where in a talk something was said."""

from __future__ import annotations

from dataclasses import dataclass

from edge.memory.units import SessionId, UnitId


@dataclass(frozen=True, slots=True)
class Place:
    """The session of a unit's turn, and the words said before and after it there, as far as they are known."""

    session: SessionId | None = None
    before: UnitId | None = None
    after: UnitId | None = None

    def beside(self, unit: UnitId) -> dict[UnitId, Place]:
        """The places of the words before and after a unit that was said here."""
        before = {} if self.before is None else {self.before: Place(self.session, after=unit)}
        after = {} if self.after is None else {self.after: Place(self.session, before=unit)}
        return before | after


NOWHERE = Place()
"""Of what was said in no turn."""
