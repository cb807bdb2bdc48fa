"""What a turn tells while it runs: that it waits for the model, where that has to be loaded; recall, then tokens, then
done; or an error."""

from __future__ import annotations

from dataclasses import dataclass

from edge.engine.model_ports import Finish
from edge.engine.recall import Found
from edge.engine.truth import AskBack
from edge.errors import EdgeError
from edge.memory.intents import Intent
from edge.memory.secrets import Labels
from edge.memory.units import SessionId, TurnId, UnitId
from edge.prompt.budget import GaveWay
from edge.prompt.texts import Shift


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a turn. `prompt` = `reused` + `evaluated`.

    `appended` is what the model had not seen of it: the end mark of the last reply, new memories and the person's
    words. A turn that re-evaluates nothing has `evaluated` = `appended`. `in_time` is how many there was time for,
    None where the model's speed is not known; `gave_way` is what had no room.
    """

    prompt: int = 0
    reused: int = 0
    evaluated: int = 0
    completion: int = 0
    memories: int = 0
    appended: int = 0
    in_time: int | None = None
    gave_way: tuple[GaveWay, ...] = ()
    rebuilt: bool = False


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds. `rules` and `recall` are what these took, the others count from when the turn was asked for;
    `first_token` is None where no token was made."""

    rules: float
    recall: float
    first_token: float | None
    total: float


@dataclass(frozen=True, slots=True)
class ModelLoading:
    """The turn waits for the model to be loaded."""


@dataclass(frozen=True, slots=True)
class RecallDone:
    """What was recalled, and that the person's words are stored. `sent`: units that went into the prompt now."""

    turn: TurnId
    found: Found
    sent: frozenset[UnitId]


@dataclass(frozen=True, slots=True)
class TokenMade:
    """The next piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnDone:
    """The turn is stored. `remembered` are the units it added, `intent` is what it was taken for."""

    turn: TurnId
    session: SessionId
    reply: str
    finish: Finish
    told_by_runtime: bool
    found: Found
    sent: frozenset[UnitId]
    remembered: tuple[UnitId, ...]
    usage: Usage
    timings: Timings
    intent: Intent
    redacted: Labels = ()
    asked: AskBack | None = None
    """The question at the reply's end, for two statements that contradict each other."""
    topic: Shift | None = None
    """How the turn changed the subject."""


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The turn ended with an error; nothing follows."""

    error: EdgeError


Event = ModelLoading | RecallDone | TokenMade | TurnDone | TurnFailed
