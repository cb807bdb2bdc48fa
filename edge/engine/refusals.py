"""Why a unit that was found is no answer to what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge.memory.aliases import Aliases
from edge.memory.courtesies import without_courtesies
from edge.memory.people import names
from edge.memory.pool import Pool
from edge.memory.questions import asks_what_was_asked, only_asks
from edge.memory.rules import Rules
from edge.memory.text import normal_form, telling_terms
from edge.memory.units import NAME, SELF, Kind, Recalled, SlotQuestion, Source, Unit

NO_LONGER_SO = "no longer so"
ASKED_BEFORE = "the question itself, asked before"
_EMPTY_SLOT_WORDS = {"en": 0.6, "zh": 0.75}
"""The share of the question's words that a unit must hold to stand in for a slot that the rules know to be empty. A
looser match would answer "my number" with another number."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """What is no answer to one question, and what that depends on: the question's words in normal form, its telling
    terms, whether it wants to know what was asked, its language, the slot question in it, the units that fill the
    asked slots now, for whomever, and the subjects by which the one that is asked about goes; `empty` where the rules
    know that the slot is: then only what holds nearly the question's own words can stand in."""

    rules: Rules
    words: str
    terms: frozenset[str]
    about_asking: bool
    language: str
    asked: SlotQuestion | None
    filling: Sequence[Unit]
    subjects: frozenset[str]
    empty: bool

    def why(self, recalled: Recalled) -> str | None:
        """Why a unit is no answer to the question; None where it may be one."""
        unit, asked = recalled.unit, self.asked
        if unit.kind is Kind.EPISODE and self._only_asks(unit):
            return ASKED_BEFORE
        if asked is None:
            return None
        if self.empty and unit.kind is Kind.EPISODE and only_asks(unit.content):
            return "only asks"
        if self._tells_of_others(unit) or self._is_anothers(unit, asked):
            return "about somebody else"
        if self._tells_other_things(unit, asked):
            return "tells other things"
        if self.empty and recalled.signals["words"] < _EMPTY_SLOT_WORDS[self.language]:
            return "too few of the question's words for a slot that is empty"
        if self.empty and not any(self.rules.may_fill(slot, unit.content) for slot in asked.slots):
            return "holds no such value"
        return NO_LONGER_SO if self._is_outdated(unit, asked) else None

    def _only_asks(self, unit: Unit) -> bool:
        """Whether a turn's words are this very question, asked before, perhaps in fewer of its words or more politely:
        it shares them and answers nothing. A question mark is no part of it: few people type one.
        """
        said = without_courtesies(unit.content)
        if normal_form(said) == self.words or self._asks_no_more(unit, said):
            return True
        if self.asked is None or self.rules.find_question(said) != self.asked:
            return False
        return not self.rules.find_facts(unit.content)

    def _asks_no_more(self, unit: Unit, said: str) -> bool:
        """Whether it is the owner's question, with no word of its own."""
        if self.about_asking or unit.source is Source.ASSISTANT or unit.subject != SELF:
            return False
        return only_asks(said) and self.terms.issuperset(telling_terms(said))

    def _tells_of_others(self, unit: Unit) -> bool:
        """Whether a turn's words fill the asked slot for somebody else: my sister's number is no answer to mine."""
        if unit.kind is not Kind.EPISODE or unit.source_turn is None:
            return False
        if any(names(unit.content, subject) for subject in self.subjects):
            return False
        return any(held.source_turn == unit.source_turn and held.subject not in self.subjects for held in self.filling)

    def _is_anothers(self, unit: Unit, asked: SlotQuestion) -> bool:
        """Whether a unit fills the asked slot for somebody else only, as a fact or in the words of a statement."""
        if unit.slot is not None:
            return unit.slot in asked.slots and unit.subject not in self.subjects
        if unit.kind is not Kind.FACT_REFERENCE:
            return False
        subjects = {fact.subject for fact in self.rules.find_facts(unit.content) if fact.slot in asked.slots}
        return bool(subjects) and self.subjects.isdisjoint(subjects)

    def _tells_other_things(self, unit: Unit, asked: SlotQuestion) -> bool:
        """Whether the rules read a unit, and nothing in it is of the slot that is asked for and no other: where Nate
        lives is no answer to what Nate eats. A turn's words may say more than they read: one that the question shares
        may be about it, if it is not the name of who is asked about."""
        if unit.slot == NAME and unit.subject != SELF and NAME not in asked.slots:
            return True
        if not asked.certain or any(self.rules.slots[slot].open for slot in asked.slots):
            return False
        if unit.slot is not None:
            return unit.slot not in asked.slots
        if unit.kind is not Kind.EPISODE or unit.source is not Source.USER:
            return False
        facts = self.rules.find_facts(unit.content)
        if not facts or any(fact.slot in asked.slots for fact in facts):
            return False
        names_of = {term for subject in self.subjects for term in telling_terms(subject)}
        return self.terms.difference(names_of).isdisjoint(telling_terms(unit.content))

    def _is_outdated(self, unit: Unit, asked: SlotQuestion) -> bool:
        """Whether a turn's words fill the asked slot with what was replaced or taken back since: "I like coffee", and
        then "I no longer drink coffee". What they filled became a unit when they were said, and it holds no more.
        """
        if unit.kind is not Kind.EPISODE or unit.source is not Source.USER:
            return False
        facts = [fact for fact in self.rules.find_facts(unit.content) if fact.slot in asked.slots]
        told = {fact.value for fact in facts if fact.subject in self.subjects and not fact.retracts}
        return bool(told) and not told & {held.value for held in self.filling if held.subject in self.subjects}


def refusals(
    rules: Rules,
    query: str,
    context: str,
    language: str,
    asked: SlotQuestion | None,
    filling: Sequence[Unit],
    aliases: Aliases,
    pool: Pool,
) -> Refusals:
    """What refuses units of a pool as answers to a question; `context` is what it means without naming it."""
    return Refusals(
        rules,
        words=normal_form(query),
        terms=frozenset(telling_terms(f"{query} {context}")),
        about_asking=asks_what_was_asked(query),
        language=language,
        asked=asked,
        filling=filling,
        subjects=frozenset() if asked is None else aliases.asked(asked.subject),
        empty=_is_known_empty(rules, asked, pool),
    )


def _is_known_empty(rules: Rules, asked: SlotQuestion | None, pool: Pool) -> bool:
    """Whether a slot that is asked for, and was not found filled, is empty: the rules learn it where its owner says
    it, but not where somebody else speaks for themselves, as in a talk of two that was imported, nor all that is
    said of somebody by name."""
    if asked is None or not asked.certain:
        return False
    if asked.subject == SELF:
        return True
    units = [candidate.unit for candidate in pool.candidates]
    if any(unit.kind is Kind.EPISODE and unit.subject.casefold() == asked.subject.casefold() for unit in units):
        return False
    return rules.is_relation(asked.subject) or not any(names(unit.content, asked.subject) for unit in units)
