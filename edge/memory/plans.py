"""What recall does for each label: one table. `PLANS` holds what was measured to help; `BENCHMARKS.md` says what not.

A plan never makes a refusal of something that would be told without it, nor the other way round: it decides how much of
what was found is told, and how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from edge.memory.intents import Intent, Label, Move
from edge.memory.questions import asks_of_assistant
from edge.memory.sought import seeks_a_kind, seeks_amount, seeks_several, seeks_time
from edge.memory.units import Kind


class ToldOrder(StrEnum):
    """In which order units are told."""

    BEST = "best first"
    DATE = "earliest first"


class Hint(StrEnum):
    """What is said behind a question of how to answer it."""

    ALL = "all"
    """With a list of all that there are."""
    FEW = "few"
    """In a few words."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is told, and how.

    `search`: whether anything is looked for. `units`: how many are told at most; None leaves it to `recall.limit`.
    `kinds`: of what was searched for only these are told, all where None. `each_talk`: so many units of one talk go
    before those of others, and more of it only where there is room. `order` is that in which they are told.
    `passage`: of each at most so many characters, around the sentence that matches; whole where None. `when`: before
    each stands the day that its words mean, in place of the day they were said. `dated`: where none of what is told
    was said on a day, the best of the rest that was is told too; that is the one heavier plan there is. `versions`:
    of what took the place of something else it is said when it changed. `rules`: the person's standing rules are told
    with it, where they do not stand in the window. `checked`: what is told is checked for statements that are in
    doubt, and one such is named. `hint` is said behind the question.
    """

    search: bool = True
    units: int | None = None
    kinds: frozenset[Kind] | None = None
    each_talk: int | None = None
    order: ToldOrder = ToldOrder.BEST
    passage: int | None = None
    when: bool = False
    dated: bool = False
    versions: bool = False
    rules: bool = True
    checked: bool = False
    hint: Hint | None = None

    def tells(self, kind: Kind) -> bool:
        """Whether units of a kind are told that were searched for."""
        return self.kinds is None or kind in self.kinds

    def most(self, limit: int) -> int:
        """How many units are told at most, where the setting is `limit`."""
        return limit if self.units is None else min(limit, self.units)


PLAIN = Plan()
"""What is done where no label asks for more: for STANDING_RULE, STATE_CHANGE and GENERAL, and for PROFILE but for a
list."""

PLANS: Mapping[Label, Plan] = MappingProxyType(
    {
        Label.FACT: Plan(checked=True, hint=Hint.FEW),
        # A tiny model that is shown several dates takes any of them.
        Label.TEMPORAL: Plan(units=1, when=True, dated=True, order=ToldOrder.DATE, checked=True),
        Label.CURRENT_STATE: Plan(versions=True, checked=True),
        # Of long notes a part, so that more have room; a tiny model names one thing where it is not told to list.
        Label.AGGREGATE: Plan(each_talk=3, passage=400, checked=True, hint=Hint.ALL),
        # The runtime tells a batch's record without the model. Else: what a person is tells of no work's progress.
        Label.PROGRESS: Plan(kinds=frozenset(Kind) - {Kind.USER_PROFILE}),
        Label.SMALL_TALK: Plan(search=False, rules=False),
    }
)


_LISTED = frozenset({Label.FACT, Label.PROFILE})
"""Questions of these labels, too, are answered by a list where they are asked in the plural."""


def plan_of(intent: Intent, message: str) -> Plan:
    """The plan for a message: that of its label, where that is sure. What is only named with a time is no question for
    one; and before something is made of what is known, it is checked."""
    label = intent.leads
    plan = PLANS.get(label, PLAIN)
    if label is Label.TEMPORAL and not seeks_time(message):
        plan = PLAIN
    hint = _hint(plan.hint, label, message) if intent.move is Move.ASK else None
    if hint is not plan.hint:
        plan = replace(plan, hint=hint)
    return replace(plan, checked=True) if intent.move is Move.REQUEST else plan


def _hint(hint: Hint | None, label: Label, message: str) -> Hint | None:
    """What is said of how to answer a question, where its label has `hint`: an amount is no list, nor is the kind of
    one thing; what is asked in the plural is one; and advice that was given once are not a few words."""
    if seeks_amount(message):
        return None if hint is Hint.ALL else hint
    if hint is Hint.ALL:
        return Hint.FEW if seeks_a_kind(message) else hint
    if label in _LISTED and seeks_several(message):
        hint = Hint.ALL
    return None if hint is not None and asks_of_assistant(message) else hint
