"""What a turn is for: its label, which decides what recall needs, and its move, which is what the words do.

`Rules.intent_of(message, language)` tells it, by the patterns of `tables/intents.toml`, where the labels are defined.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SURE = 0.6
"""From this confidence on a label is acted on; below it a turn is treated as `Label.GENERAL`."""


class Label(StrEnum):
    """What a turn needs of memory. `tables/intents.toml` says which turn has which."""

    PROFILE = "profile"
    FACT = "fact"
    TEMPORAL = "temporal"
    CURRENT_STATE = "current_state"
    AGGREGATE = "aggregate"
    STANDING_RULE = "standing_rule"
    STATE_CHANGE = "state_change"
    PROGRESS = "progress"
    SMALL_TALK = "small_talk"
    GENERAL = "general"


class Move(StrEnum):
    """What a message does in the talk."""

    ASK = "ask"
    TELL = "tell"
    CONFIRM = "confirm"
    CORRECT = "correct"
    REQUEST = "request"
    GREET = "greet"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message is for. `confidence` is 0 to 1: about the share of messages like it that have this label; `why`
    names what decided it, for a person to read."""

    label: Label
    confidence: float
    why: str
    move: Move

    @property
    def sure(self) -> bool:
        """Whether the label is to be acted on."""
        return self.confidence >= SURE

    @property
    def leads(self) -> Label:
        """The label to act on: `GENERAL` where it is not sure."""
        return self.label if self.sure else Label.GENERAL
