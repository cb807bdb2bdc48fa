"""Which of two statements holds: contradictions are marked, asked about once, and settled by the answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from edge.engine.past import sentence_of
from edge.engine.ports import Written
from edge.engine.truth_ports import Contradiction, TruthStore
from edge.memory.contradictions import differing, read_answer, signals_change, with_doubts
from edge.memory.language import language_of
from edge.memory.late_answers import read_late_answer
from edge.memory.lifecycle import key_of
from edge.memory.normal_values import same_value
from edge.memory.retelling import shown_value
from edge.memory.rules import Rules
from edge.memory.units import (
    Change,
    Confirm,
    Draft,
    Ending,
    Insert,
    Outcome,
    OwnerId,
    SessionId,
    Settle,
    SlotQuestion,
    Source,
    TurnId,
    Unit,
    UnitId,
)
from edge.prompt.truth_words import doubt_question, joined


@dataclass(frozen=True, slots=True)
class AskBack:
    """A question for one of two statements, as it follows on a reply."""

    contradiction: int
    older: UnitId
    newer: UnitId
    words: str
    language: str

    def after(self, reply: str) -> str:
        """The words that follow on the reply."""
        return joined(reply, self.words, self.language)


class Doubts:
    """Marks what contradicts what was said before, asks about it once, and reads the answer. Memory thread."""

    def __init__(self, truth: TruthStore, rules: Rules) -> None:
        self._truth = truth
        self._rules = rules
        self._many = frozenset(name for name, slot in rules.slots.items() if slot.many)

    def doubted(self, changes: Sequence[Change], known: Collection[Unit], words: str) -> tuple[Change, ...]:
        """The changes with what contradicts earlier statements marked."""
        return with_doubts(changes, known, words, self._many)

    def settled(
        self,
        owner: OwnerId,
        session: SessionId,
        before: Sequence[TurnId],
        message: str,
        changes: Sequence[Change],
        at: datetime,
    ) -> tuple[Change, ...]:
        """The changes of a message, with what it settles; `before` are the turns before it in its session, oldest
        first: the last of them may have asked what it answers, or one before, where it clearly says which holds."""
        for turn in reversed(before):
            asked = self._truth.asked_in(owner, turn)
            settled = None if asked is None else self._settling(asked, message, changes, at, late=turn != before[-1])
            if settled is not None:
                return settled
        return (*changes, *self._said_to_have_changed(owner, session, message, changes))

    def _said_to_have_changed(
        self, owner: OwnerId, session: SessionId, message: str, changes: Sequence[Change]
    ) -> list[Settle]:
        """What is settled by the newer statement once more, as something that changed: "My rent is 950 now"."""
        again = {change.unit for change in changes if isinstance(change, Confirm)}
        if not again or not signals_change(message):
            return []
        waiting = self._truth.unsettled(owner, session)
        return [Settle(each.id, Outcome.NEWER) for each in waiting if each.newer.id in again]

    def _settling(
        self, asked: Contradiction, message: str, changes: Sequence[Change], at: datetime, *, late: bool
    ) -> tuple[Change, ...] | None:
        """The changes where the message answers what was asked."""
        stated = _stated(asked, changes)
        if stated is not None:
            return stated
        older, newer = self._ways(asked.older), self._ways(asked.newer)
        if late:
            outcome = read_late_answer(message, older, newer)
        else:
            outcome = read_answer(message, older, newer, self._rules.assent)
        if outcome is None:
            return None
        follows: Change = Confirm(asked.newer.id) if outcome is Outcome.NEWER else _restoring(asked, at)
        return (*changes, follows, Settle(asked.id, outcome))

    def question(self, owner: OwnerId, session: SessionId, message: str, written: Written) -> AskBack | None:
        """What is to be asked in a turn whose words are written: about these first, then about what the message asks
        for, then about the latest."""
        waiting = self._truth.open_contradictions(owner, session)
        if not waiting:
            return None
        asked = self._rules.find_question(message)
        chosen = next((each for each in waiting if each.newer.id in written.added), None)
        chosen = chosen or next((each for each in waiting if _is_asked(each.newer, asked)), waiting[0])
        return self._question(chosen, language_of(message))

    def asked(self, owner: OwnerId, question: AskBack, turn: TurnId) -> None:
        """Note that the person was asked."""
        self._truth.note_asked(owner, question.contradiction, turn)

    def _question(self, doubt: Contradiction, language: str) -> AskBack:
        older = sentence_of(doubt.older, self._rules, language)
        newer = self._shown(doubt.newer) or differing(older, sentence_of(doubt.newer, self._rules, language))
        words = doubt_question(older, newer, language)
        return AskBack(doubt.id, doubt.older.id, doubt.newer.id, words, language)

    def _ways(self, unit: Unit) -> list[str]:
        """Ways to say what a unit holds."""
        return [way for way in (self._shown(unit), unit.value) if way]

    def _shown(self, unit: Unit) -> str | None:
        if unit.slot is None or unit.slot.partition(":")[0] not in self._rules.slots:
            return None
        return shown_value(unit.content, self._rules.slots[unit.slot])


def _is_asked(unit: Unit, asked: SlotQuestion | None) -> bool:
    return asked is not None and unit.slot in asked.slots and unit.subject == asked.subject


def _stated(asked: Contradiction, changes: Sequence[Change]) -> tuple[Change, ...] | None:
    """The changes where one of them says by itself which holds; None where none does."""
    for at, change in enumerate(changes):
        if isinstance(change, Confirm) and change.unit == asked.newer.id:
            return (*changes, Settle(asked.id, Outcome.NEWER))
        if isinstance(change, Insert) and asked.newer.id in change.supersedes:
            back = same_value(change.draft.value, asked.older.value)
            outcome = Outcome.OLDER if back else Outcome.ANOTHER
            stands = _back(change, asked) if back else replace(change, doubts=())
            return (*changes[:at], stands, *changes[at + 1 :], Settle(asked.id, outcome))
    return None


def _back(change: Insert, asked: Contradiction) -> Insert:
    """A change that says the older value once more, as what settles it."""
    endings = tuple(
        Ending.SETTLED if unit == asked.newer.id else why
        for unit, why in zip(change.supersedes, change.endings, strict=True)
    )
    return replace(change, endings=endings, doubts=(), restores=asked.older.id)


def _restoring(asked: Contradiction, at: datetime) -> Insert:
    """The older statement once more, in the place of the newer."""
    older = asked.older
    draft = Draft(
        kind=older.kind,
        content=older.content,
        source=Source.USER,
        subject=older.subject,
        slot=older.slot,
        value=older.value,
        entities=older.entities,
        confidence=older.confidence,
        importance=older.importance,
        task_type=older.task_type,
    )
    return Insert(
        draft=draft,
        session=older.session,
        key=key_of(draft),
        valid_from=at,
        supersedes=(asked.newer.id,),
        endings=(Ending.SETTLED,),
        restores=older.id,
    )
