"""`SqliteStore`: the engine's MemoryStore in one SQLite database, and the way to the other stores in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path

from edge.clock import Clock
from edge.engine.ports import EmbeddingRow, Mask, NewContext, Page, Scope, Written
from edge.memory.agreement import Signposts
from edge.memory.places import Place
from edge.memory.units import (
    Change,
    Kind,
    OwnerId,
    SessionId,
    SessionInfo,
    Turn,
    TurnId,
    TurnState,
    Unit,
    UnitId,
)
from edge.store import embeddings, nearby, reads, turns
from edge.store.archive import SqliteArchive
from edge.store.batches import SqliteBatches
from edge.store.changes import apply_changes
from edge.store.clusters import SqliteClusters
from edge.store.cold import SqliteCold
from edge.store.contexts import SqliteContexts, write_context
from edge.store.counting import read_counts
from edge.store.database import Database, open_database
from edge.store.distilling import SqliteDistilling
from edge.store.evolving import SqliteEvolving
from edge.store.forgetting import Remover
from edge.store.full_text import merge_some
from edge.store.health import SqliteHealth
from edge.store.importing import SqliteTransfer
from edge.store.intents import SqliteIntents
from edge.store.masks import Masks
from edge.store.merging import SqliteMerging
from edge.store.nights import SqliteNights
from edge.store.owners import SqliteOwners
from edge.store.readings import SqliteReadings
from edge.store.reserve import Reserve
from edge.store.rows import micros
from edge.store.search import search_units
from edge.store.selections import SqliteForgetting
from edge.store.signposts import KeptSignposts
from edge.store.topics import SqliteTopics
from edge.store.traces import Traces
from edge.store.truth import SqliteTruth
from edge.store.vector_log import SqliteVectorLog
from edge.store.warm import Warm

_WORTH_A_MASK = 16
"""Units from which on asking for all that is visible costs less than asking of each."""


def open_store(path: Path, clock: Clock) -> SqliteStore:
    """Open the memory at a path, made if there is none. One process at a time, and one thread: the one that opened it.

    Raises DaemonRunning, StoreDamaged, StoreNewer, StoreReadOnly, DiskFull or StoreFailed; a database that is damaged
    or newer is left byte for byte.
    """
    return SqliteStore(open_database(path, clock), path, clock)


class SqliteStore:
    """See MemoryStore for what each method means. `archive`, `batches` and so on are the same database as ArchiveStore,
    BatchStore and the other ports of their own.

    All raise DiskFull, StoreReadOnly, StoreDamaged or StoreFailed when the database does, RequestInvalid for text with
    lone surrogates; nothing of the failed call is kept then.
    """

    def __init__(self, db: Database, path: Path, clock: Clock) -> None:
        self._db = db
        self._traces = Traces(db, clock)
        self._reserve = Reserve(db, path.absolute())
        self._reserve.keep()
        self._remover = Remover(db, self._traces, self._reserve)
        self._masks = Masks(db)
        self._warm = Warm(db)
        self.archive = SqliteArchive(db)
        self.batches = SqliteBatches(db)
        self.clusters = SqliteClusters(db)
        self.cold = SqliteCold(db)
        self.contexts = SqliteContexts(db)
        self.distilling = SqliteDistilling(db)
        self.evolving = SqliteEvolving(db)
        self.forgetting = SqliteForgetting(self._remover)
        self.health = SqliteHealth(db)
        self.intents = SqliteIntents(db)
        self.merging = SqliteMerging(db)
        self.nights = SqliteNights(db)
        self.owners = SqliteOwners(self._remover)
        self.readings = SqliteReadings(db)
        self.topics = SqliteTopics(db)
        self.transfer = SqliteTransfer(db)
        self.truth = SqliteTruth(db)
        self.vector_log = SqliteVectorLog(db)
        self._signposts = KeptSignposts(db, self.clusters)

    # --- writing ---

    def begin_turn(
        self,
        owner: OwnerId,
        session: SessionId,
        message: str,
        changes: Sequence[Change],
        at: datetime,
        context: NewContext | None = None,
    ) -> Written:
        with self._db.transaction() as db:
            if context is not None:
                write_context(db, owner, session, context, at)
            turn = turns.insert_turn(db, owner, session, message, at)
            return apply_changes(db, owner, turn, changes, at)

    def finish_turn(
        self, owner: OwnerId, turn: TurnId, reply: str, state: TurnState, changes: Sequence[Change], at: datetime
    ) -> Written:
        """Raises TurnNotOpen for a turn that is not the owner's or ended already."""
        with self._db.transaction() as db:
            turns.end_turn(db, owner, turn, reply, state, at)
            return apply_changes(db, owner, turn, changes, at)

    def apply(self, owner: OwnerId, changes: Sequence[Change], at: datetime) -> Written:
        with self._db.transaction() as db:
            return apply_changes(db, owner, None, changes, at)

    def forget(self, owner: OwnerId, ids: Collection[UnitId]) -> tuple[UnitId, ...]:
        """Ascending ids of all that was removed: those named and what repeats them (see `edge.memory.erasure`)."""
        return self._remover.forget(owner, ids)

    def mark_used(self, owner: OwnerId, ids: Collection[UnitId], at: datetime) -> None:
        """A count that a power cut may take back; no wait for the disk."""
        with self._db.relaxed_transaction() as db:
            db.executemany(
                "UPDATE units SET access_count = access_count + 1, last_accessed = ? WHERE id = ? AND owner = ?",
                [(micros(at), unit, owner) for unit in ids],
            )

    # --- reading units and turns ---

    def known(self, scope: Scope, keys: Collection[str]) -> dict[str, UnitId]:
        return reads.read_known(self._db, scope, keys)

    def unit(self, owner: OwnerId, unit: UnitId) -> Unit:
        return reads.read_unit(self._db, owner, unit)

    def units(self, scope: Scope, ids: Collection[UnitId]) -> dict[UnitId, Unit]:
        if not scope.present or scope.archived or len(ids) < _WORTH_A_MASK:
            return reads.read_units(self._db, scope, ids)
        return self._warm.units(ids, self._masks.visible(scope))

    def terms(self, units: Collection[Unit]) -> dict[UnitId, frozenset[str]]:
        return self._warm.terms(units)

    def signposts(self, owner: OwnerId, embedder: str | None) -> Signposts:
        return self._signposts.of(owner, embedder)

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
        """With a session: what that session sees, its own units and those bound to none."""
        return reads.read_page(
            self._db,
            owner,
            session=session,
            kinds=kinds,
            before=before,
            limit=limit,
            as_of=as_of,
            include_past=include_past,
            present=present,
        )

    def slot_units(self, scope: Scope, slots: Sequence[str], subject: str | None) -> list[Unit]:
        return reads.read_slot_units(self._db, scope, slots, subject)

    def search_text(self, scope: Scope, query: str, limit: int) -> list[tuple[UnitId, float]]:
        return search_units(self._db, scope, query, limit)

    def visible(self, scope: Scope) -> Mask:
        """Read-only; its length is the greatest visible id + 1, or 0."""
        return self._masks.visible(scope)

    def places(self, owner: OwnerId, ids: Sequence[UnitId]) -> dict[UnitId, Place]:
        return nearby.read_places(self._db, owner, ids)

    def token_codes(
        self, owner: OwnerId, embedder: str, ids: Sequence[UnitId], limit: int
    ) -> dict[UnitId, tuple[bytes, ...]]:
        return self._warm.codes(owner, embedder, ids, limit)

    def turns(self, owner: OwnerId, session: SessionId, *, last: int) -> list[Turn]:
        """Words that were forgotten are empty in them."""
        return turns.read_turns(self._db, owner, session, last)

    def sessions(self, owner: OwnerId) -> list[SessionInfo]:
        return turns.read_sessions(self._db, owner)

    # --- embeddings ---

    def embedder(self) -> str | None:
        return embeddings.read_embedder(self._db)

    def use_embedder(self, embedder: str) -> None:
        embeddings.write_embedder(self._db, embedder)

    def missing_embeddings(self, embedder: str, limit: int) -> list[tuple[UnitId, str]]:
        return embeddings.read_backlog(self._db, embedder, limit)

    def count_missing(self, embedder: str) -> int:
        return embeddings.count_backlog(self._db, embedder)

    def save_embeddings(self, embedder: str, rows: Sequence[EmbeddingRow]) -> None:
        """A power cut may take the newest back; no wait for the disk. Raises ValueError for vectors of another
        dimension than the embedder's others."""
        embeddings.write_embeddings(self._db, embedder, rows)

    def retired_embedders(self) -> list[str]:
        """In the order in which they were named."""
        return embeddings.read_retired(self._db)

    def drop_embedder(self, embedder: str, limit: int) -> bool:
        return embeddings.drop_some(self._db, embedder, limit)

    # --- the whole ---

    def counts(self, owner: OwnerId | None) -> dict[str, int]:
        """`unembedded` by the embedder whose vectors are searched, all units while there is none. `bytes` are of an
        owner's words, or, for everyone, of the files."""
        return read_counts(self._db, owner)

    def recover(self, at: datetime) -> int:
        """Mark turns that an earlier process left open as interrupted; how many there were. Called once, at start. What
        a process that was killed had forgotten leaves its last traces."""
        self._traces.remove_in_time()
        return turns.end_abandoned(self._db, at)

    def read_ahead(self, limit: int) -> bool:
        """Bring up to `limit` units of the last day and of profiles into memory; True while some are left. After the
        start, when nobody waits."""
        return self._warm.read_ahead(self.embedder(), limit)

    def kept_bytes(self) -> int:
        """Memory that units, masks and clusters take which are kept ready for recall."""
        return self._warm.size + self._masks.size + self._signposts.size

    def let_go(self) -> None:
        """Keep no units ready any more of those that were read so far: recall reads them anew, as after a start."""
        self._warm.let_go()
        self._signposts.let_go()

    def merge_text(self) -> bool:
        """Merge some of the full text's segments: some milliseconds; True while more may be to do. A power cut may take
        it back."""
        with self._db.relaxed_transaction() as db:
            return merge_some(db)

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database: when idle."""
        self._db.checkpoint()

    def tidy(self) -> bool:
        self._reserve.keep()
        return self._traces.remove_in_time()

    def remove_traces(self) -> bool:
        """Remove all of it, also from a large database; whether there was any. For off-peak: about 2 seconds for
        100 MB, and as much room on the disk again."""
        return self._traces.remove()

    def close(self) -> None:
        """Checkpoint, close and unlock."""
        self._db.close()
