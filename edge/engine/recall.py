"""Recall: finding units for a turn. Rules first, then search, then filter and rank."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from edge.clock import Clock
from edge.engine.ports import MemoryStore, Scope
from edge.engine.vectors import Vectors
from edge.errors import EmbedderFailed
from edge.memory.language import language_of
from edge.memory.lifecycle import newest_answers
from edge.memory.questions import asks_for_all, asks_what_was_said
from edge.memory.ranking import READ_LIMIT, Candidate, Ranking, choose, order, shortlist
from edge.memory.rules import Rules
from edge.memory.text import normal_form, query_terms
from edge.memory.units import Kind, Recalled, SlotQuestion, Source, Stage, Unit, UnitId

_log = logging.getLogger(__name__)

_EMPTY_SLOT_THRESHOLD = {"en": 0.6, "zh": 0.75}
"""What a search result must score to stand in for a slot that the rules know to be empty: nearly the question's own
words. A looser match would answer "my number" with another number."""
_POSSIBLE_HIT_SCORE = 0.9
_SEARCHED_CHARACTERS = 4000
"""What is searched for is in the beginning of a long message: full text takes its first 64 terms, the embedder its
first 256 tokens. Reading all of a pasted megabyte for them takes seconds."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates each search proposes, how many units recall returns, and from which score on."""

    candidates: int
    units: int
    threshold: float
    companions: float


@dataclass(frozen=True, slots=True)
class Found:
    """What recall found, best first. Empty `recalled` means: nothing reliable.

    `asked` is the slot question the rules saw, `about_the_past` whether only memory could answer. `degraded` names
    searches that were not made, or not whole (see `Vectors.degraded`), `dropped` says of other candidates why they are
    not there. Times are in seconds.
    """

    recalled: tuple[Recalled, ...]
    asked: SlotQuestion | None
    about_the_past: bool
    dropped: tuple[tuple[Recalled, str], ...]
    degraded: tuple[str, ...]
    rules_seconds: float
    total_seconds: float

    @property
    def nothing_to_go_on(self) -> bool:
        """Whether the model must be told that memory has no answer, because only memory could have one.

        Not where a search could not be made, or not whole: failing to look is not finding nothing.
        """
        return not self.recalled and self.about_the_past and not self.degraded

    @property
    def empty_slot(self) -> SlotQuestion | None:
        """The slot that was asked for and nothing else, where memory does not hold it."""
        return self.asked if self.asked and self.asked.certain and not self.recalled else None


class Recall:
    """Finds what matters for a turn. Lives on the memory thread."""

    def __init__(
        self,
        store: MemoryStore,
        rules: Rules,
        vectors: Vectors,
        limits: Limits,
        clock: Clock,
    ) -> None:
        self._store = store
        self._rules = rules
        self._newest = frozenset(name for name, slot in rules.slots.items() if slot.newest)
        self._vectors = vectors
        self._limits = limits
        self._clock = clock

    def find(self, scope: Scope, query: str, limit: int | None = None) -> Found:
        """Recall units for a message or a question; a certain hit of the rules ends it.

        With a limit of 0 recall is off, and nothing is said about what memory holds.
        """
        started = self._clock.monotonic()
        limit = self._limits.units if limit is None else limit
        if limit == 0:
            return Found((), None, False, (), (), 0.0, 0.0)
        asked = self._rules.find_question(query)
        filling = self._store.slot_units(scope, asked.slots, None) if asked else []
        hits = self._hits(query, asked, filling)[:limit]
        rules_seconds = self._clock.monotonic() - started
        ranking = Ranking((), ())
        degraded: tuple[str, ...] = ()
        if not (hits and asked and asked.certain):
            ranking, degraded = self._search(scope, query, asked, filling, limit)
        return Found(
            recalled=_join(hits, ranking.kept)[:limit],
            asked=asked,
            about_the_past=asked is not None or asks_what_was_said(query),
            dropped=ranking.dropped,
            degraded=degraded,
            rules_seconds=rules_seconds,
            total_seconds=self._clock.monotonic() - started,
        )

    def _hits(self, query: str, asked: SlotQuestion | None, filling: Sequence[Unit]) -> list[Recalled]:
        """Of the units that fill the asked slots, for whomever, those that answer."""
        if asked is None:
            return []
        units = [unit for unit in filling if unit.subject == asked.subject]
        if not asks_for_all(query):
            units = newest_answers(units, self._newest)
        score = 1.0 if asked.certain else _POSSIBLE_HIT_SCORE
        return [Recalled(unit, score, Stage.RULE, {"rule": score}) for unit in units]

    def _search(
        self, scope: Scope, query: str, asked: SlotQuestion | None, filling: Sequence[Unit], limit: int
    ) -> tuple[Ranking, tuple[str, ...]]:
        searched = query[:_SEARCHED_CHARACTERS]
        by_text = dict(self._store.search_text(scope, searched, self._limits.candidates))
        by_vector, degraded = self._search_vectors(scope, searched)
        language = language_of(query)
        proposed = shortlist(by_text, by_vector, language, limit=max(READ_LIMIT, 2 * limit))
        units = self._store.units(scope, proposed.keys())
        candidates = [Candidate(unit, proposed[unit.id]) for unit in units.values()]
        threshold, companions = self._limits.threshold, self._limits.companions
        if asked is not None and asked.certain:
            threshold, companions = max(threshold, _EMPTY_SLOT_THRESHOLD[language]), 1.0
        ranking = choose(
            order(candidates, query_terms(searched), language),
            partial(self._refusal, normal_form(query), asked, filling),
            limit=limit,
            threshold=threshold,
            companions=companions,
        )
        return ranking, degraded

    def _search_vectors(self, scope: Scope, query: str) -> tuple[dict[UnitId, float], tuple[str, ...]]:
        if self._vectors.index is None:
            return {}, ("vectors",)
        allowed = self._store.visible(scope)
        try:
            return self._vectors.search(query, self._limits.candidates, allowed), self._vectors.degraded
        except EmbedderFailed as failure:
            _log.warning("recall goes on without vectors: %s", failure.message)
            return {}, ("vectors",)

    def _refusal(self, words: str, asked: SlotQuestion | None, filling: Sequence[Unit], unit: Unit) -> str | None:
        """Why a unit is no answer to a question, whose words in normal form are `words`; None where it may be one.
        `filling` are the units that fill the asked slots now, for whomever."""
        if unit.kind is Kind.EPISODE and self._only_asks(unit, words, asked):
            return "the question itself, asked before"
        if asked is None:
            return None
        if _tells_of_others(unit, asked, filling) or self._is_anothers(unit, asked):
            return "about somebody else"
        if asked.certain and not any(self._rules.may_fill(slot, unit.content) for slot in asked.slots):
            return "holds no such value"
        return "no longer so" if self._is_outdated(unit, asked, filling) else None

    def _is_outdated(self, unit: Unit, asked: SlotQuestion, filling: Sequence[Unit]) -> bool:
        """Whether a turn's words fill the asked slot with what was replaced or taken back since: "I like coffee", and
        then "I no longer drink coffee". What they filled became a unit when they were said, and it holds no more.
        """
        if unit.kind is not Kind.EPISODE or unit.source is not Source.USER:
            return False
        facts = [fact for fact in self._rules.find_facts(unit.content) if fact.slot in asked.slots]
        told = {fact.value for fact in facts if fact.subject == asked.subject and not fact.retracts}
        return bool(told) and not told & {held.value for held in filling if held.subject == asked.subject}

    def _only_asks(self, unit: Unit, words: str, asked: SlotQuestion | None) -> bool:
        """Whether a turn's words are this very question (`words` in normal form), asked before: it shares every word
        and answers nothing. A question mark is no part of it: few people type one.
        """
        if normal_form(unit.content) == words:
            return True
        if asked is None or self._rules.find_question(unit.content) != asked:
            return False
        return not self._rules.find_facts(unit.content)

    def _is_anothers(self, unit: Unit, asked: SlotQuestion) -> bool:
        """Whether a unit fills the asked slot for somebody else only, as a fact or in the words of a statement."""
        if unit.slot is not None:
            return unit.slot in asked.slots and unit.subject != asked.subject
        if unit.kind is not Kind.FACT_REFERENCE:
            return False
        subjects = {fact.subject for fact in self._rules.find_facts(unit.content) if fact.slot in asked.slots}
        return bool(subjects) and asked.subject not in subjects


def _tells_of_others(unit: Unit, asked: SlotQuestion, filling: Sequence[Unit]) -> bool:
    """Whether a turn's words fill the asked slot for somebody else: my sister's number is no answer to mine."""
    if unit.kind is not Kind.EPISODE or unit.source_turn is None:
        return False
    return any(held.source_turn == unit.source_turn and held.subject != asked.subject for held in filling)


def _join(hits: Sequence[Recalled], searched: Sequence[Recalled]) -> tuple[Recalled, ...]:
    known = {hit.unit.id for hit in hits}
    return tuple(hits) + tuple(recalled for recalled in searched if recalled.unit.id not in known)
