"""What the engine needs from the world. `store`, `index` and `models` implement these and those of `model_ports` and
`vector_ports`; fakes in tests do too.

Threads: a `MemoryStore`, a `VectorLog`, a `VectorIndex` and a `TextEmbedder` belong to the memory thread, a
`LanguageModel` to the model thread. A `Tokenizer` may be used from any thread.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from edge.engine.kept_ports import KeptUnits
from edge.memory.places import Place
from edge.memory.units import Change, Kind, OwnerId, SessionId, SessionInfo, Turn, TurnId, TurnState, Unit, UnitId

Vector = npt.NDArray[np.float32]
"""float32, L2-normalised. One vector is (dimension,), several are (n, dimension)."""
Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
"""One truth value a row, or a unit: `mask[unit]` is whether the unit is meant; units beyond its end are not."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, when, and for which kinds: every read of units is inside one.

    A unit is visible when it is the owner's, its session is none or this one, `valid_from <= as_of < valid_until`,
    and it is neither archived nor superseded then. `session` None sees what is bound to none, `kinds` None all kinds.

    `present` says that `as_of` is the clock's now and not a moment in the past that is asked about. A clock can be
    wrong (a board without a battery starts in 1970), so what was valid from the moment it was said is then visible
    whatever that moment was called, and what has a successor never is. `archived`: what only archiving has hidden.
    """

    owner: OwnerId
    session: SessionId | None
    as_of: datetime
    kinds: frozenset[Kind] | None = None
    present: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: ids of new units, of known ones it confirmed, of those it superseded."""

    turn: TurnId | None = None
    added: tuple[UnitId, ...] = ()
    confirmed: tuple[UnitId, ...] = ()
    superseded: tuple[UnitId, ...] = ()


@dataclass(frozen=True, slots=True)
class NewContext:
    """What takes the place of a session's execution context: one JSON object without spaces, None for none, and the
    changes of units that come with it."""

    text: str | None
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingRow:
    """One chunk of a unit, embedded. `codes` are the one-bit token codes: dimension / 8 bytes a token."""

    unit: UnitId
    chunk: int
    vector: Vector
    codes: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """A page of units, newest first, and the cursor that asks for the next, if there is one."""

    units: tuple[Unit, ...]
    next_before: UnitId | None


class MemoryStore(KeptUnits, Protocol):
    """The truth: turns, units, full text and embeddings, in one database. Writes are durable when they return."""

    def begin_turn(
        self,
        owner: OwnerId,
        session: SessionId,
        message: str,
        changes: Sequence[Change],
        at: datetime,
        context: NewContext | None = None,
    ) -> Written:
        """Store an open turn with the person's words and the changes they make, and the execution context that it
        brings, in one transaction. What is told are the changes of the words."""

    def finish_turn(
        self, owner: OwnerId, turn: TurnId, reply: str, state: TurnState, changes: Sequence[Change], at: datetime
    ) -> Written:
        """Store the reply and how the turn ended, with the changes it makes, in one transaction."""

    def apply(self, owner: OwnerId, changes: Sequence[Change], at: datetime) -> Written:
        """Make changes that come from no turn (`edge remember`, the API), in one transaction."""

    def known(self, scope: Scope, keys: Collection[str]) -> dict[str, UnitId]:
        """Visible units by their key (see `Insert.key`), for those of the keys that there are."""

    def forget(self, owner: OwnerId, ids: Collection[UnitId]) -> tuple[UnitId, ...]:
        """Remove units for good: row, full text, embeddings, and the text of the turns they stand in.
        Ids that are not the owner's are left out of the answer, which names what was removed."""

    def tidy(self) -> bool:
        """Remove what forgetting left in the files (nothing finds it any more), where that is quick and was not done
        just now, and keep room on the disk for the next one. True where something is left."""

    def mark_used(self, owner: OwnerId, ids: Collection[UnitId], at: datetime) -> None:
        """Count that the units served a turn. Changes neither relevance nor lifetime; being found alone is no use."""

    def unit(self, owner: OwnerId, unit: UnitId) -> Unit:
        """One unit, also expired or superseded. Raises MemoryNotFound."""

    def units(self, scope: Scope, ids: Collection[UnitId]) -> dict[UnitId, Unit]:
        """Those of the ids that are visible in the scope."""

    def page(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        kinds: frozenset[Kind] | None,
        before: UnitId | None,
        limit: int,
        as_of: datetime,
        include_past: bool,
        present: bool = True,
    ) -> Page:
        """Units of an owner, newest first, of every session where None is named; `include_past` adds those that ended
        or are archived, `present` is that of a Scope."""

    def slot_units(self, scope: Scope, slots: Sequence[str], subject: str | None) -> list[Unit]:
        """Visible units that fill one of the slots for a subject (None: for anyone), newest first."""

    def search_text(self, scope: Scope, query: str, limit: int) -> list[tuple[UnitId, float]]:
        """Full text: visible units by BM25, best first; the score is positive, higher is better. `query` is plain
        text, never syntax; nothing searchable in it gives an empty list."""

    def visible(self, scope: Scope) -> Mask:
        """All visible units, as a mask over unit ids."""

    def places(self, owner: OwnerId, ids: Sequence[UnitId]) -> dict[UnitId, Place]:
        """Where those of the units were said that were said in a turn. Its neighbours are episodes of the same or the
        adjacent turn of the session, in any state: look them up inside a scope."""

    def token_codes(
        self, owner: OwnerId, embedder: str, ids: Sequence[UnitId], limit: int
    ) -> dict[UnitId, tuple[bytes, ...]]:
        """The one-bit token codes of units by an embedder, chunk by chunk: in the order of the ids, of as many as take
        up to `limit` bytes together."""

    def turns(self, owner: OwnerId, session: SessionId, *, last: int) -> list[Turn]:
        """The last finished turns of a session, oldest first."""

    def sessions(self, owner: OwnerId) -> list[SessionInfo]:
        """Sessions of an owner, last used first."""

    def embedder(self) -> str | None:
        """Whose vectors are searched; None before `use_embedder` was called."""

    def use_embedder(self, embedder: str) -> None:
        """From now on this one's vectors are searched. Durable when it returns."""

    def missing_embeddings(self, embedder: str, limit: int) -> list[tuple[UnitId, str]]:
        """Units without an embedding by this embedder, newest first, with their content. An embedder that was never
        named before has none yet; from then on every new unit waits for it too."""

    def count_missing(self, embedder: str) -> int:
        """How many units `missing_embeddings` would name."""

    def save_embeddings(self, embedder: str, rows: Sequence[EmbeddingRow]) -> None:
        """Keep embeddings, all chunks of a unit at once. A unit that was forgotten meanwhile, or has embeddings by
        this embedder already, is skipped."""

    def retired_embedders(self) -> list[str]:
        """Embedders with embeddings or units that wait, other than the one whose vectors are searched."""

    def drop_embedder(self, embedder: str, limit: int) -> bool:
        """Delete up to `limit` embeddings of an embedder, and with the last all that was noted of it; True while some
        are left. Raises ValueError for the one whose vectors are searched."""

    def counts(self, owner: OwnerId | None) -> dict[str, int]:
        """`units`, `turns`, `sessions`, `unembedded`, `bytes` of the owner, or of everyone."""


class Worker(Protocol):
    """A thread that owns what is not thread-safe, seen from the event loop. Work runs in order of arrival."""

    async def run(self, work: Callable[[], T]) -> T:
        """Run it on the thread and give its result or its error. Raises Busy when too much waits."""

    def stream(self, work: Callable[[], Iterator[T]]) -> AsyncGenerator[T]:
        """Iterate on the thread and hand the items over as they come."""
