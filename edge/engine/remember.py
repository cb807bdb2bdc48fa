"""Remember: the only writer. SQLite first; vectors are derived from it and follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from edge.engine.ports import MemoryStore, NewContext, Scope, Written
from edge.engine.truth import AskBack, Doubts
from edge.engine.vectors import Vectors
from edge.memory.aliases import NO_ALIASES, may_have_names
from edge.memory.lifecycle import Known, Lifespans, key_of, plan_changes, slots_touched
from edge.memory.novelty import adds_something
from edge.memory.rules import Exchange, Reading, Rules
from edge.memory.secret_facts import secret_facts, statement_of
from edge.memory.statements import rest_of
from edge.memory.units import NAME, Change, Draft, Kind, OwnerId, SessionId, Source, TurnId, TurnState

_TURNS_ANSWERED = 6
"""How far back a question may lie that a message still answers. Later "it's Kiel" may be about anything."""
_TURNS_REFERRED_TO = 3
"""What was told, a confirmation or another correction in between, and what is corrected now."""


class Remember:
    """Turns and statements become changes in the store. Lives on the memory thread."""

    def __init__(
        self,
        store: MemoryStore,
        rules: Rules,
        vectors: Vectors,
        lifespans: Lifespans,
        doubts: Doubts | None = None,
    ) -> None:
        """Without `doubts` nothing is asked back: of two statements the newer holds."""
        self._store = store
        self._rules = rules
        self._vectors = vectors
        self._lifespans = lifespans
        self._doubts = doubts
        self._many = rules.hold_several

    def read(self, owner: OwnerId, session: SessionId, message: str) -> Reading:
        """A message as the rules read it, once, for both ends of its turn."""
        return self._rules.read(message, self._before(owner, session, message))

    def begin_turn(
        self,
        owner: OwnerId,
        session: SessionId,
        message: str,
        at: datetime,
        reading: Reading | None = None,
        context: NewContext | None = None,
    ) -> Written:
        """Store the person's words and the facts the rules find in them, with the execution context that the turn
        brings, in one step. Durable when it returns. `reading` is what `read` made of the message, where it did."""
        reading = self.read(owner, session, message) if reading is None else reading
        words = Draft(Kind.EPISODE, message, session_only=reading.session_only)
        drafts = [words, *secret_facts(message, session_only=reading.session_only), *reading.facts]
        changes = self._changes(owner, session, drafts, at, message)
        if self._doubts is not None:
            before = [turn.id for turn in self._store.turns(owner, session, last=_TURNS_ANSWERED)]
            changes = self._doubts.settled(owner, session, before, message, changes, at)
        return self._store.begin_turn(owner, session, message, changes, at, context)

    def question(self, owner: OwnerId, session: SessionId, message: str, written: Written) -> AskBack | None:
        """What the runtime is to ask behind the reply of a turn whose words are written, if anything."""
        return None if self._doubts is None else self._doubts.question(owner, session, message, written)

    def _before(self, owner: OwnerId, session: SessionId, message: str) -> list[Exchange]:
        """The turns that a message may refer back to, as "no, it's 139..." does."""
        if not self._rules.may_refer_back(message):
            return []
        return [(turn.message, turn.reply) for turn in self._store.turns(owner, session, last=_TURNS_REFERRED_TO)]

    def finish_turn(
        self,
        owner: OwnerId,
        session: SessionId,
        turn: TurnId,
        reply: str,
        state: TurnState,
        heard: Sequence[str],
        at: datetime,
        asked: AskBack | None = None,
        *,
        session_only: bool,
    ) -> Written:
        """Store the reply and how the turn ended. `heard`: the person's words, then what the reply was given; `asked`
        is what the runtime asked at the reply's end; `session_only` as the message was read.

        A whole reply that says anything of its own becomes an episode; one that restates does not.
        """
        drafts = []
        own = reply if asked is None else reply.removesuffix(asked.words).rstrip()
        if state in (TurnState.DONE, TurnState.CUT) and adds_something(own, heard):
            drafts.append(Draft(Kind.EPISODE, own, source=Source.ASSISTANT, session_only=session_only))
        changes = self._changes(owner, session, drafts, at)
        written = self._store.finish_turn(owner, turn, reply, state, changes, at)
        if asked is not None and self._doubts is not None:
            self._doubts.asked(owner, asked, turn)
        return written

    def statement(self, owner: OwnerId, session: SessionId | None, text: str, at: datetime) -> Written:
        """Store what a person asks to remember, outside a turn: the facts in the words, and as facts of their own those
        words that say something else or more."""
        found = self._rules.read(text)
        facts = [fact for fact in found.facts if session is not None or not fact.session_only]
        bound = session is not None and found.session_only
        rest = [replace(statement_of(part.text, session_only=bound), ties=part.ties) for part in rest_of(text, facts)]
        drafts = [*rest, *facts]
        return self._store.apply(owner, self._changes(owner, session, drafts, at, text), at)

    def drafts(self, owner: OwnerId, session: SessionId | None, drafts: Sequence[Draft], at: datetime) -> Written:
        """Store units as they are given."""
        return self._store.apply(owner, self._changes(owner, session, drafts, at), at)

    def planned(
        self, owner: OwnerId, session: SessionId | None, drafts: Sequence[Draft], at: datetime
    ) -> tuple[Change, ...]:
        """What storing units as they are given would change, for who writes it together with something else."""
        return self._changes(owner, session, drafts, at)

    def embed_backlog(self, limit: int) -> bool:
        """Embed up to `limit` chunks of what has no vector yet; True while work is left. Raises EmbedderFailed."""
        return self._vectors.embed_backlog(self._store, limit)

    def _changes(
        self, owner: OwnerId, session: SessionId | None, drafts: Sequence[Draft], at: datetime, words: str = ""
    ) -> tuple[Change, ...]:
        """What the drafts change; `words` are those in which they were said."""
        scope = Scope(owner, session, at, present=True)
        slots = slots_touched(drafts)
        of_others = may_have_names(draft.subject for draft in drafts if draft.slot)
        filling = self._store.slot_units(scope, [*slots, *([NAME] if of_others else [])], None) if slots else []
        known = Known(
            keys=self._store.known(scope, [key_of(draft) for draft in drafts]),
            slots=filling,
            aliases=self._rules.aliases([*filling, *drafts]) if of_others else NO_ALIASES,
        )
        changes = plan_changes(drafts, session, at, known, self._many, self._lifespans)
        return changes if self._doubts is None else self._doubts.doubted(changes, known.slots, words)
