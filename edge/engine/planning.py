"""Recall by what a turn is for: how much of what was found is told to the model, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from edge.engine.happened import happened
from edge.engine.intentions import Lead
from edge.engine.past import sentence_of
from edge.engine.ports import MemoryStore, Scope
from edge.engine.recall import Found, Recall
from edge.engine.truth_ports import Contradiction, TruthStore
from edge.memory.courtesies import without_courtesies
from edge.memory.intents import Intent
from edge.memory.language import language_of
from edge.memory.passages import passage, worth
from edge.memory.past import true_versions
from edge.memory.plans import Plan, ToldOrder, plan_of
from edge.memory.questions import sums_up
from edge.memory.rules import Rules
from edge.memory.spreading import spread
from edge.memory.units import SELF, Recalled, Stage, Unit, UnitId
from edge.prompt.dated_words import Time
from edge.prompt.manner import Doubt, Manner
from edge.prompt.texts import is_said
from edge.prompt.truth_words import both_told

STANDING_RULES = ("instruction", "reply_style", "reply_language")
"""The slots of what the person wants done always, or never."""
_MOST_RULES = 5
_WIDER = 2
"""Times as many units are found, where they are to be of several talks."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What a turn is for, the plan for it, all that was found, what of it is told, best first, and how. `in_doubt`: of
    the answer that rules found there are two versions, which are both told."""

    intent: Intent
    plan: Plan
    found: Found
    told: tuple[Recalled, ...]
    manner: Manner
    in_doubt: str | None = None


class Planning:
    """Makes recall serve what a turn is for. Lives on the memory thread."""

    def __init__(
        self,
        recall: Recall,
        store: MemoryStore,
        truth: TruthStore,
        rules: Rules,
        limit: int,
        zone: tzinfo | None = None,
    ) -> None:
        """`limit` is how many units a turn is given at most where its plan says nothing else; `zone` the person's."""
        self._recall = recall
        self._store = store
        self._truth = truth
        self._rules = rules
        self._limit = limit
        self._zone = zone

    def find(self, scope: Scope, message: str, lead: Lead | None = None) -> Planned:
        """Recall for a message, as it is planned for what it is for: as `lead` has it, else as the rules say.

        What a plan changes is what is told: not what is found to answer for certain, nor whether anything is reliable.
        """
        intent = self._rules.intent_of(message) if lead is None else lead.intent
        message = without_courtesies(message)
        plan = plan_of(intent, message)
        found = self._found(scope, message, plan, lead)
        terms = worth(message, [each.told for each in found.recalled]) if plan.passage is not None or plan.when else {}
        times = self._times(found, terms) if plan.when else {}
        told = self._told(found, plan, terms, times)
        changed = self._changed(scope, told) if plan.versions else frozenset()
        told = tuple(sorted(told, key=lambda each: each.unit.id not in changed))  # best, so that it is told in any case
        standing = self._standing_rules(scope) if plan.rules else []
        manner = Manner(
            happened=times,
            changed=changed,
            doubt=self._doubt(scope, told, message) if plan.checked else None,
            hint=plan.hint if told else None,
            standing=frozenset(each.unit.id for each in standing).difference(each.unit.id for each in told),
        )
        in_doubt = self._in_doubt(scope, message, found, manner.doubt)
        return Planned(intent, plan, found, (*told, *standing), manner, in_doubt)

    # --- how much --------------------------------------------------------------------------------------------------

    def _found(self, scope: Scope, message: str, plan: Plan, lead: Lead | None) -> Found:
        limit = self._limit if plan.search else 0
        if plan.each_talk is None or not limit:
            return self._recall.find(scope, message, limit, lead)
        found = self._recall.find(scope, message, _WIDER * limit, lead)
        places = self._store.places(scope.owner, [each.unit.id for each in found.recalled])
        talks = {unit: place.session for unit, place in places.items()}
        return replace(found, recalled=spread(found.recalled, talks, plan.each_talk, limit))

    def _told(
        self, found: Found, plan: Plan, terms: dict[str, float], times: Mapping[UnitId, Time]
    ) -> tuple[Recalled, ...]:
        """What the rules found, and the best of what was searched for."""
        by_rule = [each for each in found.recalled if each.stage is Stage.RULE]
        searched = [each for each in found.recalled if each.stage is not Stage.RULE and plan.tells(each.unit.kind)]
        best = searched[: max(0, plan.most(self._limit) - len(by_rule))]
        told = [each for each in found.recalled if each in by_rule or each in best]
        if plan.dated and not any(is_said(each.unit) for each in told):
            told += [each for each in searched if each.unit.id in times][:1]
        if plan.order is ToldOrder.DATE:
            told.sort(key=lambda each: each.unit.valid_from)
        return tuple(told if plan.passage is None else (_cut(each, terms, plan.passage) for each in told))

    def _times(self, found: Found, terms: dict[str, float]) -> dict[UnitId, Time]:
        """When that was what words tell of, where they say it by counting from the day they were said."""
        units = [each.told for each in found.recalled if is_said(each.unit)]
        dated = {unit.id: happened(unit, terms, unit.valid_from.astimezone(self._zone).date()) for unit in units}
        return {unit: time for unit, time in dated.items() if time is not None}

    # --- what else is told -----------------------------------------------------------------------------------------

    def _standing_rules(self, scope: Scope) -> list[Recalled]:
        units = self._store.slot_units(scope, STANDING_RULES, SELF)[:_MOST_RULES]
        return [Recalled(unit, 1.0, Stage.RULE, {"rule": 1.0}) for unit in units]

    def _changed(self, scope: Scope, told: Sequence[Recalled]) -> frozenset[UnitId]:
        """Those that took the place of something that was so before."""
        return frozenset(each.unit.id for each in told if self._has_earlier(scope, each.unit))

    def _has_earlier(self, scope: Scope, unit: Unit) -> bool:
        if unit.slot is None:
            return False
        slot = self._rules.slots.get(unit.slot.partition(":")[0])
        if slot is None or slot.many:
            return False
        return len(true_versions(self._truth.versions(scope, [unit.slot], unit.subject))) > 1

    def _doubt(self, scope: Scope, told: Sequence[Recalled], message: str) -> Doubt | None:
        """Of what is told, or was drawn from words that are told, the newest of which nobody said whether it holds, or
        what was said before; for a summary any, since what is known of the person stands in the window."""
        units = {each.unit.id for each in told}
        turns = {each.unit.source_turn for each in told} - {None}
        every = sums_up(message)
        for doubt in self._truth.unsettled(scope.owner, scope.session):
            if every or doubt.newer.id in units or {doubt.older.source_turn, doubt.newer.source_turn} & turns:
                return self._named(doubt, language_of(message))
        return None

    def _in_doubt(self, scope: Scope, message: str, found: Found, doubt: Doubt | None) -> str | None:
        answers = {each.unit.id for each in found.recalled if each.stage is Stage.RULE}
        if doubt is None or answers.isdisjoint(doubt.units):
            return None
        return both_told(doubt, language_of(message), scope.as_of.astimezone(self._zone).date())

    def _named(self, doubt: Contradiction, language: str) -> Doubt:
        older, newer = (sentence_of(unit, self._rules, language) for unit in (doubt.older, doubt.newer))
        said, again = (unit.valid_from.astimezone(self._zone).date() for unit in (doubt.older, doubt.newer))
        return Doubt(older, newer, said, again, {doubt.older.id, doubt.newer.id})


def _cut(recalled: Recalled, terms: dict[str, float], most: int) -> Recalled:
    """A unit as its passage; a distilled sentence is whole."""
    told = recalled.told
    return replace(recalled, passage=passage(told, terms, most)) if is_said(told) else recalled
