"""How units come to be, follow one another and end: decisions only; `engine.remember` carries them out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from edge.memory.aliases import NO_ALIASES, Aliases
from edge.memory.normal_values import same_value
from edge.memory.text import content_key
from edge.memory.units import (
    NAME,
    SELF,
    SESSION_KINDS,
    Change,
    Confirm,
    Draft,
    Ending,
    Insert,
    Kind,
    SessionId,
    Source,
    Unit,
    UnitId,
)

_AUTHORITY = {Source.ASSISTANT: 0, Source.TOOL: 1, Source.USER: 2, Source.IMPORT: 2}

_OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}
"""What one of these slots holds, the other cannot: "I hate coffee" ends "I like coffee"."""


@dataclass(frozen=True, slots=True)
class Lifespans:
    """How long kinds live; None lives on. batch_operation gets its end when it is done, not when it is made."""

    session_state: timedelta | None = timedelta(hours=24)
    tool_result: timedelta | None = timedelta(hours=24)

    def of(self, kind: Kind) -> timedelta | None:
        """The life of a fresh unit of that kind."""
        return {Kind.SESSION_STATE: self.session_state, Kind.TOOL_RESULT: self.tool_result}.get(kind)


@dataclass(frozen=True, slots=True)
class Known:
    """What is remembered already and could be touched: units by key, and units that fill the drafts' slots. `aliases`
    say who of their subjects are one person."""

    keys: Mapping[str, UnitId]
    slots: Sequence[Unit]
    aliases: Aliases = NO_ALIASES


def key_of(draft: Draft) -> str:
    """Equal for two drafts that say the same of the same subject."""
    return content_key(draft.kind, draft.subject, draft.source, draft.content)


def slots_touched(drafts: Sequence[Draft]) -> tuple[str, ...]:
    """The slots whose current units must be known before the drafts are decided."""
    named = {draft.slot for draft in drafts if draft.slot}
    return tuple(sorted(named | {_OPPOSITES[slot] for slot in named if slot in _OPPOSITES}))


def plan_changes(
    drafts: Sequence[Draft],
    session: SessionId | None,
    at: datetime,
    known: Known,
    many: frozenset[str],
    lifespans: Lifespans,
) -> tuple[Change, ...]:
    """Decide for each draft: a new unit, one that follows an older, or a confirmation of what is known.

    `many` names the slots that hold several units at once, for anyone or for one subject (`name(sister)`). Where one
    message fills a single slot twice, or says a thing and its opposite, the last statement stands. What is bound to a
    session ends nothing that others see. A session-bound draft without a session is refused with ValueError.
    """
    planner = _Planner(session, at, known, many, lifespans)
    return tuple(planner.decide(draft) for draft in _last_of_each(drafts, many))


def _last_of_each(drafts: Sequence[Draft], many: frozenset[str]) -> list[Draft]:
    last: dict[object, Draft] = {}
    for draft in drafts:
        identity = _identity(draft, many)
        last.pop(identity, None)
        last[identity] = draft
    return list(last.values())


def _identity(draft: Draft, many: frozenset[str]) -> object:
    """Equal for two drafts of one message of which only the later can stand."""
    if draft.slot is None or draft.retracts:
        return key_of(draft)
    if not _holds_several(draft, many):
        return draft.slot, draft.subject
    if draft.value is None:
        return key_of(draft)
    return frozenset({draft.slot, _OPPOSITES.get(draft.slot)}), draft.subject, draft.value


def _holds_several(draft: Draft, many: Collection[str]) -> bool:
    return draft.slot in many or f"{draft.slot}({draft.subject})" in many


def _says_as_much(unit: Unit, draft: Draft) -> bool:
    """Whether a unit has the draft's value; of a relation's name, "my wife Anna" does not end "Anna Maria"."""
    if same_value(unit.value, draft.value):
        return True
    of_another = draft.slot == NAME and draft.subject != SELF and not draft.corrects
    return of_another and (unit.value or "").startswith(f"{draft.value} ")


def opposite(slot: str) -> str | None:
    """The slot in which a value of this one cannot stand as well: `dislikes` of `likes`."""
    return _OPPOSITES.get(slot)


def newest_answers(units: Sequence[Unit], newest: Collection[str]) -> list[Unit]:
    """Of units that are ordered newest first, those that answer: of a slot in `newest`, only the first of a subject."""
    answered: set[tuple[str | None, str]] = set()
    kept = []
    for unit in units:
        place = (unit.slot, unit.subject)
        if unit.slot not in newest or place not in answered:
            kept.append(unit)
        answered.add(place)
    return kept


def outranks(one: Source, other: Source) -> bool:
    """Whether what one source says stands against what the other says, whichever came later."""
    return _AUTHORITY[one] > _AUTHORITY[other]


@dataclass(frozen=True, slots=True)
class _Rival:
    """A unit that cannot stand beside a draft, and why it ends where the draft has the authority."""

    unit: Unit
    why: Ending


@dataclass(frozen=True, slots=True)
class _Planner:
    session: SessionId | None
    at: datetime
    known: Known
    many: frozenset[str]
    lifespans: Lifespans

    def decide(self, draft: Draft) -> Change:
        rivals = self._rivals(draft)
        ended = [rival for rival in rivals if not outranks(rival.unit.source, draft.source)]
        same = None if ended else self._same(draft)
        if same is not None:
            return Confirm(same)
        outranked = bool(rivals) and not ended
        if draft.retracts or outranked:
            # It says what no longer holds, or says it with too little authority: kept, but it fills no slot.
            draft = replace(draft, slot=None)
        return self._insert(draft, ended)

    def _same(self, draft: Draft) -> UnitId | None:
        """The unit that says it already: in the same words, or with the same value of the same slot."""
        found = self.known.keys.get(key_of(draft))
        if found is not None or draft.retracts or draft.slot is None or draft.value is None:
            return found
        return next((unit.id for unit in self._filling(draft, draft.slot) if _says_as_much(unit, draft)), None)

    def _rivals(self, draft: Draft) -> list[_Rival]:
        """Current units that cannot stand beside the draft, and why each of them would end."""
        if draft.slot is None:
            return []
        same_slot = self._filling(draft, draft.slot)
        opposite = self._filling(draft, _OPPOSITES.get(draft.slot))
        against = [_Rival(unit, Ending.OPPOSITE) for unit in opposite if same_value(unit.value, draft.value)]
        if draft.retracts:
            return [_Rival(unit, Ending.TAKEN_BACK) for unit in same_slot if same_value(unit.value, draft.value)]
        if _holds_several(draft, self.many):
            others = self._corrected(draft, same_slot)
        else:
            others = [unit for unit in same_slot if draft.value is None or not _says_as_much(unit, draft)]
        weaker = [unit for unit in same_slot if unit not in others and self._is_weaker(unit, draft)]
        replaced = [_Rival(unit, self._why_replaced(unit, draft)) for unit in others]
        return replaced + [_Rival(unit, Ending.CONFIRMED) for unit in weaker] + against

    @staticmethod
    def _why_replaced(unit: Unit, draft: Draft) -> Ending:
        if outranks(draft.source, unit.source):
            return Ending.OUTRANKED
        return Ending.CORRECTED if draft.corrects else Ending.NEWER

    @staticmethod
    def _corrected(draft: Draft, same_slot: Sequence[Unit]) -> list[Unit]:
        """Of several values that stand side by side, the one that the draft says was wrong."""
        if not draft.corrects:
            return []
        wrong = [
            unit
            for unit in same_slot
            if draft.replaces is None or same_value(draft.replaces, unit.value)
            if not same_value(unit.value, draft.value)
        ]
        return wrong[:1]

    @staticmethod
    def _is_weaker(unit: Unit, draft: Draft) -> bool:
        """Whether it says the same with less authority: a guess that the person confirms becomes the person's word."""
        same = unit.value is not None and same_value(unit.value, draft.value)
        return same and outranks(draft.source, unit.source)

    def _filling(self, draft: Draft, slot: str | None) -> list[Unit]:
        """Units in a slot that the draft may touch: one bound to a session leaves alone what every session sees."""
        subjects = self.known.aliases.told(draft.subject)
        return [
            unit
            for unit in self.known.slots
            if slot and unit.slot == slot and unit.subject in subjects
            if not self._bound(draft) or unit.session is not None
        ]

    @staticmethod
    def _bound(draft: Draft) -> bool:
        return draft.session_only or draft.kind in SESSION_KINDS

    def _insert(self, draft: Draft, ended: Sequence[_Rival]) -> Insert:
        bound = self._bound(draft)
        if bound and self.session is None:
            raise ValueError(f"{draft.kind} belongs to a session, and none was named")
        start = draft.valid_from or self.at
        life = self.lifespans.of(draft.kind)
        end = draft.valid_until or (start + life if life is not None else None)
        return Insert(
            draft=draft,
            session=self.session if bound else None,
            key=key_of(draft),
            valid_from=start,
            valid_until=end,
            supersedes=tuple(rival.unit.id for rival in ended),
            endings=tuple(rival.why for rival in ended),
        )
