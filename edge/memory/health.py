"""How well memory serves: how often what recall finds is used, and whether replies sound like those of one who forgets.

How much of what is held still holds is `freshness`.
"""

from __future__ import annotations

from dataclasses import dataclass

HEALTHY_HIT_RATE = 0.7
WINDOW = 100
"""Recalls that the hit rate is made of: the newest."""
LEAST_RECALLS = 10
"""Fewer say nothing yet: three questions, of which two were never told, are no illness."""
ALERT_TURNS = 3
_MOST_TURNS = 1_000_000
_SERVED, _MISSED = "1", "0"


@dataclass(frozen=True, slots=True)
class TurnSign:
    """What a turn says of memory. `served`: whether what recall found served the reply, None where the turn asked
    nothing of memory. `is_forgetful`: nothing was recalled, and the reply does not remember, asks again, or hedges."""

    served: bool | None
    is_forgetful: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """The newest recalls of an owner, a character each, oldest first; and how many of the last turns, in a row, were
    forgetful. There is no word of anybody in it."""

    recalls: str = ""
    forgetful_turns: int = 0

    def after(self, outcome: TurnSign) -> Tally:
        """With one more turn."""
        recalls = self.recalls
        if outcome.served is not None:
            recalls = (recalls + (_SERVED if outcome.served else _MISSED))[-WINDOW:]
        in_a_row = min(self.forgetful_turns + 1, _MOST_TURNS) if outcome.is_forgetful else 0
        return Tally(recalls, in_a_row)

    @property
    def served(self) -> int:
        """Recalls that served."""
        return self.recalls.count(_SERVED)

    @property
    def hit_rate(self) -> float | None:
        """Recalls that served / recalls, from 0 to 1; None before the first."""
        return self.served / len(self.recalls) if self.recalls else None

    @property
    def is_missing(self) -> bool:
        """Whether too few recalls serve. Not before there were enough of them to say so."""
        rate = self.hit_rate
        return rate is not None and len(self.recalls) >= LEAST_RECALLS and rate < HEALTHY_HIT_RATE

    @property
    def has_amnesia(self) -> bool:
        """Whether the amnesia alert is on. The next turn that is not forgetful ends it."""
        return self.forgetful_turns >= ALERT_TURNS

    @property
    def text(self) -> str:
        """As it is kept."""
        return f"{self.forgetful_turns} {self.recalls}"

    @staticmethod
    def read(text: str) -> Tally:
        """From how it is kept. Raises ValueError for another text."""
        turns, _, recalls = text.partition(" ")
        known = turns.isascii() and turns.isdigit() and len(turns) <= len(str(_MOST_TURNS))
        if not known or len(recalls) > WINDOW or not set(recalls) <= {_SERVED, _MISSED}:
            raise ValueError("this is no tally")
        return Tally(recalls, int(turns))
