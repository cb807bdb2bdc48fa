"""The words of the domain as types: owners, sessions, memory units, and what rules draft."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

OwnerId = NewType("OwnerId", str)
"""Whose memory it is; `uid:1000` for the Unix user behind a connection."""
SessionId = NewType("SessionId", str)
"""One thread of conversation of an owner; unique only together with the owner."""
UnitId = NewType("UnitId", int)
"""Identity of a unit: positive, never used again, not even after the unit is forgotten."""
TurnId = NewType("TurnId", int)
ClusterId = NewType("ClusterId", int)
"""Identity of a cluster: positive, never used again."""

SELF = "self"
"""The subject of a unit that is about its owner."""

NAME = "name"
"""The slot of what somebody is called. Of a relation ("sister") it is another name of the same person."""


class Kind(StrEnum):
    """What a unit is, which decides how long it lives and where it is seen."""

    USER_PROFILE = "user_profile"
    SESSION_STATE = "session_state"
    TOOL_RESULT = "tool_result"
    FACT_REFERENCE = "fact_reference"
    BATCH_OPERATION = "batch_operation"
    EPISODE = "episode"


SESSION_KINDS = frozenset({Kind.SESSION_STATE, Kind.TOOL_RESULT})
"""Kinds that belong to the session they come from and are never seen in another."""


class Source(StrEnum):
    """Who said it. In order of authority: user, tool, assistant; an import has the authority of the user."""

    USER = "user"
    TOOL = "tool"
    ASSISTANT = "assistant"
    IMPORT = "import"


class Ending(StrEnum):
    """Why a unit holds no more, where another took its place: the words that its history shows."""

    NEWER = "newer"
    """A later statement of the same authority."""
    CORRECTED = "corrected"
    """It was wrong when it was said."""
    OPPOSITE = "opposite"
    """"I hate coffee" after "I like coffee"."""
    TAKEN_BACK = "taken back"
    """It was said to hold no more."""
    OUTRANKED = "outranked"
    """Somebody with more authority said otherwise."""
    CONFIRMED = "confirmed by the person"
    """Somebody with more authority said the same."""
    SETTLED = "settled"
    """The person was asked which of two statements holds, and it was not this one."""
    SAME = "the same"
    """It says what another unit says."""


class Outcome(StrEnum):
    """What came of a contradiction that the person was asked about: which of the two holds, or something else."""

    NEWER = "newer"
    OLDER = "older"
    ANOTHER = "another"


class TurnState(StrEnum):
    """How a turn ended. `open` while it runs; `interrupted` when the daemon died in it."""

    OPEN = "open"
    DONE = "done"
    CUT = "cut"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Draft:
    """A unit before it has an identity: what rules, a person or a tool propose to remember.

    `session_only` marks what concerns the talk at hand only. `value` is the normal form of a slot's value by which
    two statements are compared ("13800138000"); `quote` is the part of the source's words it was drawn from.
    """

    kind: Kind
    content: str
    source: Source = Source.USER
    subject: str = SELF
    slot: str | None = None
    value: str | None = None
    entities: tuple[str, ...] = ()
    quote: str | None = None
    confidence: float = 1.0
    importance: float = 0.5
    task_type: str | None = None
    session_only: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    retracts: bool = False
    """True for "I don't like coffee any more": supersedes what has the same slot, subject and value."""
    corrects: bool = False
    """True for "no, it's A-2": in a slot that holds several, it also ends the one that it corrects."""
    replaces: str | None = None
    """The value that is corrected; None for the newest."""
    ties: tuple[tuple[str, str], ...] = ()
    """Slots with their subjects, of facts that are written with it and were drawn from its words: when one of these
    ends, it ends too."""


@dataclass(frozen=True, slots=True)
class Insert:
    """Add a unit. `key` is equal for two units that say the same (kind, subject, source's side and normal form).

    `session` is None for what every session may see. What is in `supersedes` ends where this begins: it gets this
    unit as `superseded_by` and its `valid_until` is brought forward to `valid_from`. `endings` says why, one for each;
    what has none is `newer`. `doubts` are those among them of which it is not clear whether they changed or one of the
    two was a slip: they are marked, to be asked about. `restores` is the ended unit whose words hold again.
    """

    draft: Draft
    session: SessionId | None
    key: str
    valid_from: datetime
    valid_until: datetime | None = None
    supersedes: tuple[UnitId, ...] = ()
    endings: tuple[Ending, ...] = ()
    doubts: tuple[UnitId, ...] = ()
    restores: UnitId | None = None


@dataclass(frozen=True, slots=True)
class Confirm:
    """The same was said again: access_count and confidence of a known unit rise, its life stays as it is."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class Settle:
    """The person said which of two statements holds."""

    contradiction: int
    outcome: Outcome


Change = Insert | Confirm | Settle
"""What a write does to the units, decided by `edge.memory.lifecycle`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One remembered thing. `session` is None for what every session of the owner may see."""

    id: UnitId
    owner: OwnerId
    session: SessionId | None
    kind: Kind
    content: str
    subject: str
    slot: str | None
    value: str | None
    entities: tuple[str, ...]
    source: Source
    source_turn: TurnId | None
    confidence: float
    importance: float
    task_type: str | None
    created_at: datetime
    valid_from: datetime
    valid_until: datetime | None
    relevance: float = 1.0
    cluster: ClusterId | None = None
    access_count: int = 0
    last_accessed: datetime | None = None
    superseded_by: UnitId | None = None
    archived_at: datetime | None = None
    archived_why: str | None = None
    ended_why: Ending | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A person's message and the reply, word for word. `reply` is what was sent, whole or as far as it came."""

    id: TurnId
    owner: OwnerId
    session: SessionId
    message: str
    reply: str
    state: TurnState
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as a list of sessions shows it."""

    id: SessionId
    turns: int
    first_turn_at: datetime
    last_turn_at: datetime


class Stage(StrEnum):
    """Which stage of recall found a unit."""

    RULE = "rule"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Recalled:
    """A unit that recall found, its score from 0 to 1, the stage, and the signals behind the score. `passage` is the
    part of a long unit that matched."""

    unit: Unit
    score: float
    stage: Stage
    signals: dict[str, float] = field(default_factory=dict)
    passage: str | None = None

    @property
    def told(self) -> Unit:
        """The unit as a prompt shows it: of a long one, the passage that matched."""
        return self.unit if self.passage is None else replace(self.unit, content=self.passage)


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """What a question asks for: slots in order of preference, of whom, and whether it asks for nothing else."""

    slots: tuple[str, ...]
    subject: str = SELF
    certain: bool = True
