"""Clusters: topics that an owner's units are gathered under, and what a run that organises them changes.

A cluster only gathers: a unit that fits nowhere stays unplaced, and nothing is hidden for its cluster's sake.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

import numpy as np
import numpy.typing as npt

from edge.errors import ClusterKeyInvalid
from edge.memory.text import query_terms
from edge.memory.units import ClusterId, OwnerId, UnitId

RunId = NewType("RunId", int)
"""Identity of a run: positive, never used again."""
Vector = npt.NDArray[np.float32]
"""float32, L2-normalised, (dimension,)."""

KEY_WORDS = range(2, 6)
"""Words of a key; two characters of a script without spaces count as one word."""
KEY_CHARACTERS = 60
DESCRIPTION_CHARACTERS = 200
TAGS = 8
TAG_CHARACTERS = 40
PERSON_TRIGGER = "person"
"""The trigger of a run that is an edit of the person's."""
EVOLVE_TRIGGER = "evolve"
"""The trigger of a run that gives grown clusters other words."""


class Coarse(StrEnum):
    """The first, coarse level: what a cluster is about."""

    PERSON = "person"
    TECHNICAL = "technical"
    SMALL_TALK = "small_talk"


class NamedBy(StrEnum):
    """Who gave a cluster its key. What the person named is renamed by nobody else."""

    MODEL = "model"
    WORDS = "words"
    PERSON = "person"


class Why(StrEnum):
    """Why a run placed a unit where it did."""

    BOOTSTRAP = "bootstrap"
    LIKELIHOOD = "likelihood"
    CENTROID = "centroid"
    SPLIT = "split"
    MERGE = "merge"
    PERSON = "person"
    TURN = "turn"
    """It goes where the person's words of its turn go: the assistant's words and results of tools."""
    UNPLACED = "unplaced"
    """Nothing fitted, or its cluster is no more."""


class RunState(StrEnum):
    """`done` is in force. Nothing of a run is before it is done, or after it was abandoned or undone."""

    OPEN = "open"
    DONE = "done"
    ABANDONED = "abandoned"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Profile:
    """What a cluster is called: a key of 2-5 words, a description of one line (may be empty), tags. `coarse` is None
    where it was not decided."""

    key: str
    description: str = ""
    tags: tuple[str, ...] = ()
    named_by: NamedBy = NamedBy.WORDS
    coarse: Coarse | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A topic of an owner. `size` counts its members that are current; `touched_at` is when one was last added or
    used. `centroid` was made with the embedder named; both are None where no member has a vector."""

    id: ClusterId
    owner: OwnerId
    profile: Profile
    centroid: Vector | None = field(compare=False)
    embedder: str | None
    size: int
    made_at: datetime
    touched_at: datetime
    archived_at: datetime | None = None


@dataclass(frozen=True, slots=True, order=True)
class StagedNumber:
    """A cluster that a run creates, by a number of the run's own; it gets its id when the run is applied."""

    number: int


@dataclass(frozen=True, slots=True)
class Create:
    """A new cluster. Where no centroid is given, it is the mean of the members' vectors once it is applied."""

    number: StagedNumber
    profile: Profile
    centroid: Vector | None = field(compare=False)
    why: str


@dataclass(frozen=True, slots=True)
class Reprofile:
    """Another profile and centroid for a cluster; the centroid as for a new one."""

    cluster: ClusterId
    profile: Profile
    centroid: Vector | None = field(compare=False)
    why: str


@dataclass(frozen=True, slots=True)
class Dissolve:
    """A cluster is no more. Members that the run places nowhere else go `into` another, or are unplaced."""

    cluster: ClusterId
    why: str
    into: ClusterId | StagedNumber | None = None


Change = Create | Reprofile | Dissolve
"""What a run does to clusters."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a run puts a unit, None for nowhere. `score` is what decided, in the units of `why`; `checked` is whether
    a second reading confirmed it, None where there was none."""

    unit: UnitId
    to: ClusterId | StagedNumber | None
    why: Why
    score: float = 0.0
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class Staged:
    """What a run has prepared so far: the last that was said of each cluster and of each unit."""

    changes: tuple[Change, ...] = ()
    placements: tuple[Placement, ...] = ()


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What a run does, or did while it was in force. Of those `placed` in a cluster `moved` were in another before;
    `left` were looked at and left unplaced, `skipped` no longer fitted when it was applied, `wrong` are those of the
    checked that the second reading did not confirm."""

    created: int = 0
    reprofiled: int = 0
    dissolved: int = 0
    placed: int = 0
    left: int = 0
    checked: int = 0
    wrong: int = 0
    skipped: int = 0
    moved: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One organising of an owner's clusters, or one edit of the person's. `phase` and `note` are the run's own state
    between units of work; `prompts` is a hash of the prompts it asks with; `why` says why it was abandoned, or what
    the person did. `undoable`: it is the newest in force."""

    id: RunId
    owner: OwnerId
    trigger: str
    seed: int
    attempt: int
    model: str | None
    prompts: str | None
    embedder: str | None
    state: RunState
    phase: str
    note: str
    why: str
    began_at: datetime
    ended_at: datetime | None
    counts: RunCounts = RunCounts()
    undoable: bool = False


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """What a run that was applied did to one cluster: its profile before (None: there was none) and after."""

    cluster: ClusterId
    before: Profile | None
    after: Profile | None
    why: str


# --- keys --------------------------------------------------------------------------------------------------------

_UNSPACED = re.compile("[\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_JOINERS = frozenset(" -'\u2019&+#./_")


def check_key(key: str) -> str:
    """A key with its white space in order, or ClusterKeyInvalid.

    2-5 words of letters and digits, which may hold - ' & + # . / and _. In Chinese and Japanese, which write no
    spaces, two characters count as one word, so 2-10 characters are a key; in a mixed key both count: "Python 脚本".
    """
    cleaned = " ".join(unicodedata.normalize("NFC", key).split())
    if len(cleaned) > KEY_CHARACTERS:
        raise ClusterKeyInvalid(f"A key has at most {KEY_CHARACTERS} characters, this one {len(cleaned)}.", field="key")
    odd = next((char for char in cleaned if not _is_key_character(char)), None)
    if odd is not None:
        raise ClusterKeyInvalid(f"A key is made of words; {odd!r} has no place in one.", field="key")
    if not _has_key_length(cleaned):
        raise ClusterKeyInvalid(f"A key has 2 to 5 words, or 2 to 10 Chinese characters; not {cleaned!r}.", field="key")
    return cleaned


def checked(profile: Profile) -> Profile:
    """A profile as it may be kept: its key checked, its description one line, its tags few; what is too long is cut.
    Raises ClusterKeyInvalid."""
    tags = (" ".join(tag.split())[:TAG_CHARACTERS] for tag in profile.tags)
    return replace(
        profile,
        key=check_key(profile.key),
        description=" ".join(profile.description.split())[:DESCRIPTION_CHARACTERS],
        tags=tuple(dict.fromkeys(tag for tag in tags if tag))[:TAGS],
    )


def key_terms(key: str) -> frozenset[str]:
    """What two keys are compared by: the telling words of a key, inflection and order aside."""
    return frozenset(query_terms(key))


def _is_key_character(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char)[0] in "LMN"


def _has_key_length(key: str) -> bool:
    unspaced = len(_UNSPACED.findall(key))
    words = sum(any(char.isalnum() for char in word) for word in _UNSPACED.sub(" ", key).split())
    if unspaced == 0:
        return words in KEY_WORDS
    return unspaced + words >= 2 and words + (unspaced + 1) // 2 < KEY_WORDS.stop
