"""How units come to be, follow one another and end: decisions only; `engine.remember` carries them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    `many` names the slots that hold several units at once. Where one message fills a single slot twice, the last
    statement stands. A session-bound draft without a session is refused with ValueError.
    """
    planner = _Planner(session, at, known, many, lifespans)
    return tuple(planner.decide(draft) for draft in _last_of_each(drafts, many))


def _last_of_each(drafts: Sequence[Draft], many: frozenset[str]) -> list[Draft]:
    last: dict[object, Draft] = {}
    for draft in drafts:
        single = draft.slot is not None and draft.slot not in many and not draft.retracts
        identity: object = (draft.slot, draft.subject) if single else key_of(draft)
        last.pop(identity, None)
        last[identity] = draft
    return list(last.values())


@dataclass(frozen=True, slots=True)
class _Planner:
    session: SessionId | None
    at: datetime
    known: Known
    many: frozenset[str]
    lifespans: Lifespans

    def decide(self, draft: Draft) -> Change:
        rivals = self._rivals(draft)
        same = self._same(draft, rivals)
        if same is not None:
            return Confirm(same)
        ended = tuple(unit.id for unit in rivals if _AUTHORITY[draft.source] >= _AUTHORITY[unit.source])
        outranked = bool(rivals) and not ended
        if draft.retracts or outranked:
            # It says what no longer holds, or says it with too little authority: kept, but it fills no slot.
            draft = replace(draft, slot=None)
        return self._insert(draft, ended)

    def _same(self, draft: Draft, rivals: Sequence[Unit]) -> UnitId | None:
        found = self.known.keys.get(key_of(draft))
        if found is not None or draft.retracts or draft.slot is None or draft.value is None:
            return found
        return (
            next((unit.id for unit in self._filling(draft, draft.slot) if unit.value == draft.value), None)
            if not self._opposed(draft, rivals)
            else None
        )

    def _opposed(self, draft: Draft, rivals: Sequence[Unit]) -> bool:
        return any(unit.slot != draft.slot for unit in rivals)

    def _rivals(self, draft: Draft) -> list[Unit]:
        """Current units that cannot stand beside the draft."""
        if draft.slot is None:
            return []
        same_slot = self._filling(draft, draft.slot)
        opposite = [unit for unit in self._filling(draft, _OPPOSITES.get(draft.slot)) if unit.value == draft.value]
        if draft.retracts:
            return [unit for unit in same_slot if unit.value == draft.value]
        if draft.slot in self.many:
            return opposite
        return [unit for unit in same_slot if unit.value != draft.value or draft.value is None] + opposite

    def _filling(self, draft: Draft, slot: str | None) -> list[Unit]:
        return [unit for unit in self.known.slots if slot and unit.slot == slot and unit.subject == draft.subject]

    def _insert(self, draft: Draft, supersedes: tuple[UnitId, ...]) -> Insert:
        bound = draft.session_only or draft.kind in SESSION_KINDS
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
