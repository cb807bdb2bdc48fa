"""A MemoryStore and VectorLog in dictionaries: the rules of the ports written plainly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np

from edge.engine.ports import EmbeddingRow, Mask, NewContext, Page, Scope, Written
from edge.engine.vector_ports import VectorLog
from edge.errors import MemoryNotFound, TurnNotOpen
from edge.memory.agreement import Signposts, signposts
from edge.memory.batches import reports_on
from edge.memory.erasure import Statement, Words, erasure
from edge.memory.leftovers import Gone
from edge.memory.places import Place
from edge.memory.text import draft_terms, is_prefix, query_terms, text_terms
from edge.memory.units import (
    Change,
    Confirm,
    Ending,
    Insert,
    Kind,
    OwnerId,
    SessionId,
    SessionInfo,
    Settle,
    Turn,
    TurnId,
    TurnState,
    Unit,
    UnitId,
)
from tests.fakes.archive import FakeArchive
from tests.fakes.batches import FakeBatches
from tests.fakes.clusters import FakeClusters
from tests.fakes.cold import FakeCold
from tests.fakes.contexts import FakeContexts
from tests.fakes.distilling import FakeDistilling
from tests.fakes.embeddings import FakeEmbeddings
from tests.fakes.evolving import FakeEvolving
from tests.fakes.intents import FakeIntents
from tests.fakes.merging import FakeMerging
from tests.fakes.readings import FakeReadings
from tests.fakes.topics import FakeTopics
from tests.fakes.truth import FakeTruth


@dataclass(frozen=True)
class Record:
    """What is kept of a unit beside what a reader of it sees."""

    key: str
    quote: str | None
    terms: Counter[str]


class FakeMemoryStore(FakeEmbeddings):
    """One owner's, or several owners', memory for the length of a test."""

    def __init__(self) -> None:
        super().__init__()
        self._ties: set[tuple[UnitId, UnitId]] = set()
        self.contexts = FakeContexts(self)
        self.batches = FakeBatches(self)
        self._turns: dict[TurnId, Turn] = {}
        self._units: dict[UnitId, Unit] = {}
        self._records: dict[UnitId, Record] = {}
        self._confirmed_in: dict[UnitId, set[TurnId]] = {}
        self._searched: str | None = None
        self._named: list[str] = []
        self._last_unit = 0
        self.archive = FakeArchive(self._units, lambda unit: unit in self._superseded)
        self.topics = FakeTopics(self._units, lambda unit: unit in self._superseded)
        self.intents = FakeIntents(self._units, self.topics, lambda: self._last_unit)
        self.truth = FakeTruth(self)
        self.clusters = FakeClusters(self)
        self.cold = FakeCold(self)
        self.evolving = FakeEvolving(self)
        self.merging = FakeMerging(self)
        self.readings = FakeReadings(self._units)
        self.distilling = FakeDistilling(
            self._units, self._confirmed_in, lambda unit: unit in self._superseded, self._change
        )

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
        if context is not None:
            self.contexts.save_context(owner, session, context, at)
        turn = TurnId(len(self._turns) + 1)
        self._turns[turn] = Turn(turn, owner, session, message, "", TurnState.OPEN, at, None)
        return self._change(owner, turn, changes, at)

    def finish_turn(
        self, owner: OwnerId, turn: TurnId, reply: str, state: TurnState, changes: Sequence[Change], at: datetime
    ) -> Written:
        known = self._turns.get(turn)
        if known is None or known.owner != owner or known.state is not TurnState.OPEN:
            raise TurnNotOpen(f"There is no open turn {turn}.", turn=turn)
        self._turns[turn] = replace(known, reply=reply, state=state, ended_at=at)
        return self._change(owner, turn, changes, at)

    def apply(self, owner: OwnerId, changes: Sequence[Change], at: datetime) -> Written:
        return self._change(owner, None, changes, at)

    def _change(self, owner: OwnerId, turn: TurnId | None, changes: Sequence[Change], at: datetime) -> Written:
        added: list[UnitId] = []
        confirmed: list[UnitId] = []
        superseded: list[UnitId] = []
        told: list[tuple[UnitId, Insert]] = []
        for change in changes:
            if isinstance(change, Insert):
                unit = self._insert(owner, turn, change, at)
                added.append(unit)
                whys = {
                    **dict.fromkeys(change.supersedes, Ending.NEWER),
                    **dict(zip(change.supersedes, change.endings, strict=False)),
                }
                superseded += [old for old, why in whys.items() if self._end(owner, old, unit, change.valid_from, why)]
                for words in [w for fact, w in self._ties if whys.get(fact, Ending.CONFIRMED) is not Ending.CONFIRMED]:
                    if words in self._units and self._units[words].superseded_by is None:
                        whys[words] = next(whys[fact] for fact, w in self._ties if w == words and fact in whys)
                        superseded += [words] if self._end(owner, words, unit, change.valid_from, whys[words]) else []
                told.append((unit, change))
                self.truth.doubted(owner, unit, change)
            elif isinstance(change, Settle):
                self.truth.settled(owner, change)
            elif self._confirm(owner, turn, change, at):
                confirmed.append(change.unit)
        for words, change in told:
            for fact in (*added, *confirmed):
                if fact != words and (self._units[fact].slot, self._units[fact].subject) in change.draft.ties:
                    self._ties.add((fact, words))
        return Written(turn, tuple(added), tuple(confirmed), tuple(superseded))

    def _insert(self, owner: OwnerId, turn: TurnId | None, change: Insert, at: datetime) -> UnitId:
        self._last_unit += 1
        unit, draft = UnitId(self._last_unit), change.draft
        self._units[unit] = Unit(
            id=unit,
            owner=owner,
            session=change.session,
            kind=draft.kind,
            content=draft.content,
            subject=draft.subject,
            slot=draft.slot,
            value=draft.value,
            entities=draft.entities,
            source=draft.source,
            source_turn=turn,
            confidence=draft.confidence,
            importance=draft.importance,
            task_type=draft.task_type,
            created_at=at,
            valid_from=change.valid_from,
            valid_until=change.valid_until,
        )
        self._records[unit] = Record(change.key, draft.quote, Counter(draft_terms(draft)))
        return unit

    def _end(self, owner: OwnerId, old: UnitId, by: UnitId, at: datetime, why: Ending) -> bool:
        unit = self._owned(owner, old)
        if unit is None or old == by:
            return False
        until = at if unit.valid_until is None else min(at, unit.valid_until)
        self._units[old] = replace(unit, superseded_by=by, valid_until=until, ended_why=why)
        self._supersede(old)
        return True

    def _confirm(self, owner: OwnerId, turn: TurnId | None, change: Confirm, at: datetime) -> bool:
        unit = self._owned(owner, change.unit)
        if unit is None:
            return False
        confidence = 1.0 - (1.0 - unit.confidence) / 2.0
        self._units[unit.id] = replace(
            unit, access_count=unit.access_count + 1, last_accessed=at, confidence=confidence
        )
        if turn is not None:
            self._confirmed_in.setdefault(unit.id, set()).add(turn)
        return True

    def mark_used(self, owner: OwnerId, ids: Collection[UnitId], at: datetime) -> None:
        for unit in ids:
            if known := self._owned(owner, unit):
                self._units[unit] = replace(known, access_count=known.access_count + 1, last_accessed=at)

    def forget(self, owner: OwnerId, ids: Collection[UnitId]) -> tuple[UnitId, ...]:
        statements = {unit.id: self._statement(unit) for unit in self._units.values() if unit.owner == owner}
        named = [
            statements[unit]
            for unit in sorted(self._with_told(self.truth.with_doubles(owner, ids)) & statements.keys())
        ]
        if not named:
            return ()
        words = [Words(turn.id, turn.message, turn.reply) for turn in self._turns.values() if turn.owner == owner]
        gone = erasure(named, list(statements.values()), words)
        self._clear_leftovers(owner, [self._units[unit] for unit in sorted(gone.units)])
        self.topics.clear(owner, gone.messages)
        self.intents.clear(owner, gone.messages | gone.turns, self._turns)
        shrunk = self.clusters.clear(owner, [self._units[unit] for unit in sorted(gone.units)])
        self._erase(gone.units)
        for unit in gone.units:
            self._remove(unit)
        for cluster in shrunk:
            self.clusters.recentre(cluster)
        for unit in gone.quotes:
            self._records[unit] = replace(self._records[unit], quote=None)
        for turn in gone.messages:
            self._turns[turn] = replace(self._turns[turn], message="")
        for turn in gone.replies:
            self._turns[turn] = replace(self._turns[turn], reply="")
        return tuple(sorted(gone.units))

    def _with_told(self, ids: set[UnitId]) -> set[UnitId]:
        words = {words for fact, words in self._ties if fact in ids}
        return ids | words | {fact for fact, words in self._ties if words in ids}

    def tidy(self) -> bool:
        return False

    def _clear_leftovers(self, owner: OwnerId, units: Sequence[Unit]) -> None:
        gone = [Gone(unit.kind, unit.content, unit.value) for unit in units]
        self.contexts.clear_leftovers(owner, gone)
        self.batches.clear_leftovers(owner, gone)
        for unit in units:
            for turn in self._turns.values():
                told_in = (turn.owner, turn.session) == (owner, unit.session)
                if unit.kind is Kind.BATCH_OPERATION and told_in and reports_on(turn.reply, unit.content):
                    self._turns[turn.id] = replace(turn, reply="")

    def end_unit(self, unit: UnitId, until: datetime | None) -> None:
        """As the store of batches does."""
        self._units[unit] = replace(self._units[unit], valid_until=until)

    def find(self, unit: UnitId) -> Unit | None:
        """A unit of anybody's, in any state."""
        return self._units.get(unit)

    def _remove(self, unit: UnitId) -> None:
        del self._units[unit], self._records[unit]
        self._confirmed_in.pop(unit, None)
        self.truth.removed(unit)
        self.clusters.removed(unit)
        for other in list(self._units.values()):
            if other.superseded_by == unit:
                self._units[other.id] = replace(other, superseded_by=None)

    def _statement(self, unit: Unit) -> Statement:
        quote = self._records[unit.id].quote
        turns = self._turns_of_units(unit.owner, [unit.id])
        asked = self.truth.asked_about(unit.id)
        return Statement(
            unit.id, unit.kind, unit.source, unit.content, unit.value, quote, unit.source_turn, turns, asked
        )

    # --- reading units ---

    def _owned(self, owner: OwnerId, unit: UnitId) -> Unit | None:
        known = self._units.get(unit)
        return known if known is not None and known.owner == owner else None

    def _visible(self, scope: Scope) -> list[Unit]:
        return [
            unit
            for unit in self._units.values()
            if unit.owner == scope.owner
            and unit.session in {None, scope.session}
            and self._is_on_its_side(unit, scope)
            and (scope.kinds is None or unit.kind in scope.kinds)
        ]

    def _is_on_its_side(self, unit: Unit, scope: Scope) -> bool:
        """Whether it lives, or would but for having been archived."""
        lives = self._lives_now if scope.present else _lives
        if not scope.archived:
            return lives(unit, scope.as_of)
        is_archived = unit.archived_at is not None and (scope.present or unit.archived_at <= scope.as_of)
        return is_archived and lives(replace(unit, archived_at=None), scope.as_of)

    def _lives_now(self, unit: Unit, as_of: datetime) -> bool:
        return (
            (unit.valid_from <= as_of or unit.valid_from == unit.created_at)
            and (unit.valid_until is None or unit.valid_until > as_of)
            and unit.id not in self._superseded
            and unit.archived_at is None
        )

    def known(self, scope: Scope, keys: Collection[str]) -> dict[str, UnitId]:
        return {
            self._records[unit.id].key: unit.id
            for unit in self._visible(scope)
            if self._records[unit.id].key in set(keys)
        }

    def unit(self, owner: OwnerId, unit: UnitId) -> Unit:
        known = self._owned(owner, unit)
        if known is None:
            raise MemoryNotFound(f"There is no memory {unit}.", id=unit)
        return known

    def units(self, scope: Scope, ids: Collection[UnitId]) -> dict[UnitId, Unit]:
        return {unit.id: unit for unit in self._visible(scope) if unit.id in set(ids)}

    def terms(self, units: Collection[Unit]) -> dict[UnitId, frozenset[str]]:
        return {unit.id: text_terms(unit.content) for unit in units}

    def signposts(self, owner: OwnerId, embedder: str | None) -> Signposts:
        return signposts(self.clusters.clusters(owner), embedder)

    def read_ahead(self, limit: int) -> bool:
        return False

    def kept_bytes(self) -> int:
        return 0

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
        found = [
            unit
            for unit in reversed(self._units.values())
            if unit.owner == owner
            and (session is None or unit.session in {None, session})
            and (kinds is None or unit.kind in kinds)
            and (before is None or unit.id < before)
            and (include_past or (self._lives_now if present else _lives)(unit, as_of))
        ]
        units = tuple(found[:limit])
        return Page(units, units[-1].id if units and len(found) > limit else None)

    def slot_units(self, scope: Scope, slots: Sequence[str], subject: str | None) -> list[Unit]:
        return [
            unit
            for unit in reversed(self._visible(scope))
            if unit.slot is not None and unit.slot in slots and subject in {None, unit.subject}
        ]

    def visible(self, scope: Scope) -> Mask:
        ids = [unit.id for unit in self._visible(scope)]
        mask = np.zeros(max(ids, default=-1) + 1, dtype=np.bool_)
        mask[ids] = True
        mask.flags.writeable = False
        return mask

    def places(self, owner: OwnerId, ids: Sequence[UnitId]) -> dict[UnitId, Place]:
        said = [unit for unit in map(partial(self._owned, owner), ids) if unit is not None]
        return {unit.id: self._place_of(unit, unit.source_turn) for unit in said if unit.source_turn is not None}

    def _place_of(self, unit: Unit, turn: TurnId) -> Place:
        session = self._turns[turn].session
        turns = [known.id for known in self._turns.values() if (known.owner, known.session) == (unit.owner, session)]
        place = turns.index(turn)
        before, after = turns[max(0, place - 1) : place], turns[place + 1 : place + 2]
        earlier = [known for known in self._words(turn) if known < unit.id] or [
            known for other in before for known in self._words(other)
        ]
        later = [known for known in self._words(turn) if known > unit.id] or [
            known for other in after for known in self._words(other)
        ]
        return Place(session, max(earlier, default=None), min(later, default=None))

    def _words(self, turn: TurnId) -> list[UnitId]:
        return [unit.id for unit in self._units.values() if unit.source_turn == turn and unit.kind is Kind.EPISODE]

    def token_codes(
        self, owner: OwnerId, embedder: str, ids: Sequence[UnitId], limit: int
    ) -> dict[UnitId, tuple[bytes, ...]]:
        codes: dict[UnitId, tuple[bytes, ...]] = {}
        for unit in ids:
            own = self._codes(embedder, unit) if self._owned(owner, unit) else ()
            limit -= sum(map(len, own))
            if limit < 0:
                break
            codes.update({unit: own} if own else {})
        return codes

    def search_text(self, scope: Scope, query: str, limit: int) -> list[tuple[UnitId, float]]:
        """BM25 with FTS5's constants: k1 1.2, b 0.75, and no word worth less than a millionth."""
        terms = query_terms(query)
        scores = {unit.id: self._bm25(unit.id, terms) for unit in self._visible(scope)}
        found = [(unit, score) for unit, score in scores.items() if score > 0]
        return sorted(found, key=lambda match: (-match[1], -match[0]))[:limit]

    def _bm25(self, unit: UnitId, terms: Sequence[str]) -> float:
        score, records = 0.0, self._records.values()
        average = sum(record.terms.total() for record in records) / len(records)
        for term in terms:
            containing = sum(_frequency(record.terms, term) > 0 for record in records)
            rarity = max(math.log((len(records) - containing + 0.5) / (containing + 0.5)), 1e-6)
            count = _frequency(self._records[unit].terms, term)
            length = self._records[unit].terms.total() / average if average else 0.0
            score += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length)) if count else 0.0
        return score

    # --- reading turns ---

    def turns(self, owner: OwnerId, session: SessionId, *, last: int) -> list[Turn]:
        found = [
            turn
            for turn in self._turns.values()
            if turn.owner == owner and turn.session == session and turn.state is not TurnState.OPEN
        ]
        return found[max(0, len(found) - last) :]

    def _turns_of_units(self, owner: OwnerId, ids: Collection[UnitId]) -> frozenset[TurnId]:
        turns: set[TurnId] = set()
        for unit in ids:
            if known := self._owned(owner, unit):
                turns |= self._confirmed_in.get(unit, set())
                turns |= set() if known.source_turn is None else {known.source_turn}
        return frozenset(turns)

    def sessions(self, owner: OwnerId) -> list[SessionInfo]:
        by_session: dict[SessionId, list[Turn]] = {}
        for turn in self._turns.values():
            if turn.owner == owner:
                by_session.setdefault(turn.session, []).append(turn)
        last_used = sorted(by_session.items(), key=lambda entry: -entry[1][-1].id)
        return [
            SessionInfo(session, len(turns), turns[0].started_at, turns[-1].started_at) for session, turns in last_used
        ]

    # --- embeddings ---

    def embedder(self) -> str | None:
        return self._searched

    def use_embedder(self, embedder: str) -> None:
        self._name(embedder)
        self._searched = embedder

    def _name(self, embedder: str) -> None:
        if embedder not in self._named:
            self._named.append(embedder)

    def missing_embeddings(self, embedder: str, limit: int) -> list[tuple[UnitId, str]]:
        self._name(embedder)
        return [(unit.id, unit.content) for unit in reversed(self._waiting(embedder))][:limit]

    def count_missing(self, embedder: str) -> int:
        return len(self._waiting(embedder))

    def _waiting(self, embedder: str | None) -> list[Unit]:
        embedded = {unit for unit, known in self._embedded() if known == embedder}
        return [unit for unit in self._units.values() if unit.id not in embedded]

    def save_embeddings(self, embedder: str, rows: Sequence[EmbeddingRow]) -> None:
        self._name(embedder)
        self._append(embedder, [row for row in rows if row.unit in self._units])

    @property
    def vector_log(self) -> VectorLog:
        """The same store as a VectorLog."""
        return self

    def keep_mark(self, embedder: str, mark: str) -> None:
        self._name(embedder)
        super().keep_mark(embedder, mark)

    def retired_embedders(self) -> list[str]:
        with_something = {embedder for _, embedder in self._embedded()} | (set(self._named) if self._units else set())
        return [embedder for embedder in self._named if embedder in with_something - {self._searched}]

    def drop_embedder(self, embedder: str, limit: int) -> bool:
        if embedder == self._searched:
            raise ValueError(f"the vectors of {embedder} are searched")
        if embedder not in self._named or self._delete_some(embedder, limit):
            return embedder in self._named
        self._named.remove(embedder)
        self._dimensions.pop(embedder, None)
        return False

    # --- the whole ---

    def counts(self, owner: OwnerId | None) -> dict[str, int]:
        units = [unit for unit in self._units.values() if owner in {None, unit.owner}]
        turns = [turn for turn in self._turns.values() if owner in {None, turn.owner}]
        texts = [unit.content for unit in units] + [turn.message + turn.reply for turn in turns]
        return {
            "units": len(units),
            "turns": len(turns),
            "sessions": len({(turn.owner, turn.session) for turn in turns}),
            "unembedded": sum(owner in {None, unit.owner} for unit in self._waiting(self._searched)),
            "bytes": sum(len(text.encode()) for text in texts),
        }

    def recover(self, at: datetime) -> int:
        abandoned = [turn for turn in self._turns.values() if turn.state is TurnState.OPEN]
        for turn in abandoned:
            self._turns[turn.id] = replace(turn, state=TurnState.INTERRUPTED, ended_at=at)
        return len(abandoned)


def _lives(unit: Unit, as_of: datetime) -> bool:
    return (
        unit.valid_from <= as_of
        and (unit.valid_until is None or unit.valid_until > as_of)
        and (unit.archived_at is None or unit.archived_at > as_of)
    )


def _frequency(terms: Counter[str], term: str) -> int:
    if is_prefix(term):
        return sum(count for known, count in terms.items() if known.startswith(term))
    return terms[term]
