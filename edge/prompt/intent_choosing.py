"""What a tiny model is asked of a message that no rule is sure of: which of a few descriptions is the likeliest.

The likelihoods of given texts are compared, less those after an empty message: a tiny model that is asked for a number
or a yes takes the same one every time.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from edge.prompt.composition import Encoder, Tokens

_SHOWN = 200
"""Characters of a message that the model sees."""
_BEFORE, _AFTER = "A message and its kind in two or three words.\nMessage: ", "\nKind:"
_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "profile": " Personal information",
        "fact": " Remembered fact",
        "temporal": " Date or time",
        "current_state": " Current status",
        "aggregate": " List or count",
        "standing_rule": " Permanent rule",
        "state_change": " Change or event",
        "progress": " Task progress",
        "small_talk": " Small talk",
        "general": " General request",
    }
)


class IntentChoosing:
    """Writes the question as token ids. A message is always plain text, whatever it looks like."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def asked(self, message: str) -> Tokens:
        """What is asked of a message; an empty one tells what is usual."""
        words = " ".join(message[: 4 * _SHOWN].split())[:_SHOWN]
        parts = (_BEFORE, words, _AFTER)
        return tuple(token for part in parts if part for token in self._encoder.encode(part))

    def answer(self, label: str) -> Tokens:
        """A label, by its name, as it follows the question."""
        return tuple(self._encoder.encode(_KINDS[label]))
