"""What was so at a time that is asked about: "where did I live in March?", answered from the versions of a slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from edge.engine.ports import Scope
from edge.engine.truth_ports import TruthStore
from edge.memory.aliases import NO_ALIASES, Aliases
from edge.memory.past import (
    HAVE_TIMES,
    PastQuestion,
    Version,
    past_question,
    true_versions,
    versions_before,
    versions_in,
)
from edge.memory.questions import asks_for_all
from edge.memory.retelling import retold
from edge.memory.rules import Rules
from edge.memory.units import SELF, Recalled, SlotQuestion, Stage, Unit
from edge.prompt.truth_words import Told, none_earlier, not_known_then, past_reply

_MOST_VERSIONS = 5


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """What memory knows of the time that was asked for, in the order in which it is told. Where that is nothing,
    `instead` is what it knows first after it, or knows now."""

    asked: SlotQuestion
    question: PastQuestion
    versions: tuple[Version, ...]
    instead: Version | None
    scope: Scope
    zone: tzinfo | None

    @property
    def recalled(self) -> tuple[Recalled, ...]:
        """What the answer rests on."""
        versions = self.versions or ((self.instead,) if self.instead else ())
        return tuple(Recalled(version.unit, 1.0, Stage.RULE, {"rule": 1.0}) for version in versions)


class Past:
    """Answers questions for how things were. Lives on the memory thread."""

    def __init__(self, truth: TruthStore, rules: Rules, zone: tzinfo | None = None) -> None:
        self._truth = truth
        self._rules = rules
        self._zone = zone

    def find(self, scope: Scope, message: str, aliases: Aliases = NO_ALIASES) -> PastAnswer | None:
        """What was so; None where a message asks for nothing past, or for what no rule knows of. `aliases` say who is
        one person."""
        question = past_question(message, scope.as_of.astimezone(self._zone).date())
        asked = None if question is None else self._rules.find_question_of(question.now, aliases)
        if question is None or asked is None or asked.slots[0].partition(":")[0] in HAVE_TIMES:
            return None
        versions = self._versions(scope, asked, aliases)
        if not versions:
            return None
        told, instead = self._told(question, versions, scope, every=asks_for_all(message))
        return PastAnswer(asked, question, tuple(told[:_MOST_VERSIONS]), instead, scope, self._zone)

    def _versions(self, scope: Scope, asked: SlotQuestion, aliases: Aliases) -> list[Version]:
        """Those of the first of the asked slots that was ever filled."""
        for slot in asked.slots:
            of_each = (self._truth.versions(scope, [slot], subject) for subject in sorted(aliases.told(asked.subject)))
            units = sorted((unit for units in of_each for unit in units), key=lambda unit: unit.valid_from)
            versions = true_versions(units)
            if versions:
                return versions
        return []

    def _told(
        self, question: PastQuestion, versions: Sequence[Version], scope: Scope, *, every: bool
    ) -> tuple[Sequence[Version], Version | None]:
        if question.period is not None:
            told = versions_in(versions, question.period, self._zone)
            return told, None if told else self._instead(versions, question)
        before = versions_before(versions, scope.as_of)
        return (before if every else before[:1]), versions[-1] if not before else None

    def _instead(self, versions: Sequence[Version], question: PastQuestion) -> Version:
        """The first that is known after the time; the last before it where there is none."""
        assert question.period is not None
        later = (each for each in versions if each.since.astimezone(self._zone).date() > question.period.last)
        return next(later, versions[-1])


def past_words(answer: PastAnswer, rules: Rules, language: str) -> str:
    """The reply to a question for how things were."""
    now = answer.scope.as_of
    told = [_told(version, rules, language) for version in answer.versions]
    question = answer.question
    if told:
        first = None if question.period is None else question.period.first
        return past_reply(told, question.when, first, language, now, answer.zone)
    assert answer.instead is not None
    instead = _told(answer.instead, rules, language)
    if question.period is None:
        return none_earlier(instead.sentence, language)
    return not_known_then(instead, question.when, language, now, answer.zone)


def _told(version: Version, rules: Rules, language: str) -> Told:
    return Told(sentence_of(version.unit, rules, language), version.since, version.until)


def sentence_of(unit: Unit, rules: Rules, language: str) -> str:
    """A unit's sentence in the language, where it can be put in it."""
    if unit.slot is None or unit.subject != SELF or unit.slot.partition(":")[0] not in rules.slots:
        return unit.content
    return retold(unit.content, rules.slots[unit.slot], language) or unit.content
