"""How units come to be, follow one another and end: decisions only; `engine.remember` carries them out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from edge.memory.text import content_key
from edge.memory.units import SESSION_KINDS, Change, Confirm, Draft, Insert, Kind, SessionId, Source, Unit, UnitId

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
    """What is remembered already and could be touched: units by key, and units that fill the drafts' slots."""

    keys: Mapping[str, UnitId]
    slots: Sequence[Unit]


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

    `many` names the slots that hold several units at once. Where one message fills a single slot twice, or says a
    thing and its opposite, the last statement stands. What is bound to a session ends nothing that others see. A
    session-bound draft without a session is refused with ValueError.
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
    if draft.slot not in many:
        return draft.slot, draft.subject
    if draft.value is None:
        return key_of(draft)
    return frozenset({draft.slot, _OPPOSITES.get(draft.slot)}), draft.subject, draft.value


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


@dataclass(frozen=True, slots=True)
class _Planner:
    session: SessionId | None
    at: datetime
    known: Known
    many: frozenset[str]
    lifespans: Lifespans

    def decide(self, draft: Draft) -> Change:
        rivals = self._rivals(draft)
        ended = tuple(unit.id for unit in rivals if _AUTHORITY[draft.source] >= _AUTHORITY[unit.source])
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
        return next((unit.id for unit in self._filling(draft, draft.slot) if unit.value == draft.value), None)

    def _rivals(self, draft: Draft) -> list[Unit]:
        """Current units that cannot stand beside the draft."""
        if draft.slot is None:
            return []
        same_slot = self._filling(draft, draft.slot)
        opposite = [unit for unit in self._filling(draft, _OPPOSITES.get(draft.slot)) if unit.value == draft.value]
        if draft.retracts:
            return [unit for unit in same_slot if unit.value == draft.value]
        if draft.slot in self.many:
            others = self._corrected(draft, same_slot)
        else:
            others = [unit for unit in same_slot if unit.value != draft.value or draft.value is None]
        weaker = [unit for unit in same_slot if unit not in others and self._is_weaker(unit, draft)]
        return others + weaker + opposite

    @staticmethod
    def _corrected(draft: Draft, same_slot: Sequence[Unit]) -> list[Unit]:
        """Of several values that stand side by side, the one that the draft says was wrong."""
        if not draft.corrects:
            return []
        wrong = [unit for unit in same_slot if draft.replaces in (None, unit.value) and unit.value != draft.value]
        return wrong[:1]

    @staticmethod
    def _is_weaker(unit: Unit, draft: Draft) -> bool:
        """Whether it says the same with less authority: a guess that the person confirms becomes the person's word."""
        same = unit.value is not None and unit.value == draft.value
        return same and _AUTHORITY[unit.source] < _AUTHORITY[draft.source]

    def _filling(self, draft: Draft, slot: str | None) -> list[Unit]:
        """Units in a slot that the draft may touch: one bound to a session leaves alone what every session sees."""
        return [
            unit
            for unit in self.known.slots
            if slot and unit.slot == slot and unit.subject == draft.subject
            if not self._bound(draft) or unit.session is not None
        ]

    @staticmethod
    def _bound(draft: Draft) -> bool:
        return draft.session_only or draft.kind in SESSION_KINDS

    def _insert(self, draft: Draft, supersedes: tuple[UnitId, ...]) -> Insert:
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
            supersedes=supersedes,
        )
