"""Recall: finding units for a turn. Rules first, then search, then filter and rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from edge.clock import Clock
from edge.engine.intentions import Lead
from edge.engine.past import Past, PastAnswer
from edge.engine.ports import MemoryStore, Scope
from edge.engine.refusals import ASKED_BEFORE, NO_LONGER_SO, Refusals, refusals
from edge.engine.search import Search
from edge.engine.vectors import Vectors
from edge.memory.aliases import Aliases
from edge.memory.courtesies import without_courtesies
from edge.memory.enrichment import TURNS_LOOKED_AT, context_of, needs_context
from edge.memory.language import language_of
from edge.memory.lifecycle import newest_answers
from edge.memory.pool import Pool
from edge.memory.questions import (
    asks_for_all,
    asks_of_assistant,
    asks_only_of_assistant,
    asks_what_was_asked,
    asks_what_was_said,
    is_question,
    only_who_knows_them_can_answer,
    wants_a_guess,
)
from edge.memory.ranking import NOTHING_RANKED, Ranker, Ranking, choose
from edge.memory.rules import Rules
from edge.memory.units import NAME, Recalled, SlotQuestion, Stage, Unit, UnitId

_POSSIBLE_HIT_SCORE = 0.9
_OF_ASSISTANT_SCORE, _ONLY_OF_ASSISTANT_SCORE = 0.5, 0.2
"""What the best must score where the assistant's own words are asked for, which a question describes but seldom
repeats; and where nothing else is asked for than what it said."""
_GUESS_SCORE = 0.4
"""And where a guess is wanted: nothing that was told is the answer to "would she like it?", but what comes near it is
what to guess from. On LoCoMo the threshold refuses 14 such questions: all have their evidence in memory, 12 score 0.4.
"""
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
    not there. Times are in seconds. `past` is what answers a question for how things were; `about_people`: it is a
    question that names somebody memory knows, and asks what only those who know them can tell.
    """

    recalled: tuple[Recalled, ...]
    asked: SlotQuestion | None
    about_the_past: bool
    dropped: tuple[tuple[Recalled, str], ...]
    degraded: tuple[str, ...]
    rules_seconds: float
    total_seconds: float
    stages: Mapping[str, float] = field(default_factory=dict)
    past: PastAnswer | None = None
    about_people: bool = False

    @property
    def nothing_to_go_on(self) -> bool:
        """Whether the model must be told that memory has no answer, because only memory could have one.

        Not where a search could not be made, or not whole: failing to look is not finding nothing.
        """
        return not self.recalled and self.about_the_past and not self.degraded

    def or_else(self, archived: Found) -> Found:
        """The same, or where something was found in the archive, that: it is told to the model, and settles nothing."""
        total = self.total_seconds + archived.total_seconds
        if not archived.recalled:
            return replace(self, total_seconds=total)
        asked = None if archived.asked is None else replace(archived.asked, certain=False)
        return replace(archived, asked=asked, total_seconds=total)

    @property
    def empty_slot(self) -> SlotQuestion | None:
        """The slot that was asked for and nothing else, where memory does not hold it."""
        return self.asked if self.asked and self.asked.certain and not self.recalled else None


@dataclass(frozen=True, slots=True)
class _Searched:
    """What became of the search half: nothing of it where it was not made. `people`: somebody is named whose words
    memory holds."""

    ranking: Ranking = NOTHING_RANKED
    degraded: tuple[str, ...] = ()
    people: bool = False
    stages: Mapping[str, float] = field(default_factory=dict)


class Recall:
    """Finds what matters for a turn. Lives on the memory thread."""

    def __init__(
        self,
        store: MemoryStore,
        rules: Rules,
        vectors: Vectors,
        limits: Limits,
        clock: Clock,
        *,
        ranker: Ranker | None = None,
        zone: tzinfo | None = None,
        past: Past | None = None,
    ) -> None:
        """Without `past`, questions for how things were are searched like any other."""
        self._past = past
        self._store = store
        self._rules = rules
        self._newest = frozenset(name for name, slot in rules.slots.items() if slot.newest)
        self._limits = limits
        self._ranker = ranker or Ranker()
        self._search = Search(store, vectors, self._ranker, limits.candidates, clock, zone)
        self._clock = clock

    def find(self, scope: Scope, query: str, limit: int | None = None, lead: Lead | None = None) -> Found:
        """Recall units for a message or a question; a certain hit of the rules ends it.

        Where nothing reliable answers a question, what was archived is looked through as well. With a limit of 0 recall
        is off, and nothing is said about what memory holds. `lead` is the intent of the turn that asks.
        """
        limit = self._limits.units if limit is None else limit
        if limit == 0:
            return Found((), None, False, (), (), 0.0, 0.0)
        query = without_courtesies(query)
        found = self._find(scope, query, limit, lead)
        is_asked = found.about_the_past or is_question(query)
        if found.recalled or scope.archived or not is_asked:
            return found
        behind = replace(scope, archived=True)
        return found.or_else(self._find(behind, query, limit, lead)) if self._store.visible(behind).any() else found

    def _find(self, scope: Scope, query: str, limit: int, lead: Lead | None) -> Found:
        started = self._clock.monotonic()
        for_now = scope.present and not scope.archived
        aliases = self._rules.aliases(self._store.slot_units(scope, [NAME], None))
        past = self._past.find(scope, query, aliases) if self._past is not None and for_now else None
        if past is not None:
            seconds = self._clock.monotonic() - started
            return Found(past.recalled[:limit], past.asked, True, (), (), seconds, seconds, past=past)
        asked = self._rules.find_question_of(query, aliases) or self._rules.find_whether(query)
        filling = self._store.slot_units(scope, asked.slots, None) if asked else []
        hits = self._hits(query, asked, filling, aliases)[:limit]
        asked = self._as_sure_as_it_is(query, asked, hits)
        rules_seconds = self._clock.monotonic() - started
        searched = _Searched()
        if not (hits and asked and asked.certain):
            searched = self._ranked(scope, query, asked, filling, aliases, limit, lead)
        ranking = searched.ranking if asked is None or asked.certain else searched.ranking.with_words_of(hits)
        return Found(
            recalled=_join(hits, ranking.kept, limit, certain=asked is None or asked.certain),
            asked=asked,
            about_the_past=asked is not None or asks_what_was_said(query) or (searched.people and is_question(query)),
            dropped=ranking.dropped,
            degraded=searched.degraded,
            rules_seconds=rules_seconds,
            total_seconds=self._clock.monotonic() - started,
            stages=searched.stages,
            about_people=searched.people and only_who_knows_them_can_answer(query),
        )

    def _as_sure_as_it_is(
        self, query: str, asked: SlotQuestion | None, hits: Sequence[Recalled]
    ) -> SlotQuestion | None:
        """The question; not certain where only what may answer in its place is known ("I like tea", asked for the
        favourite drink), or nothing is, and it may be remembered in other words, or a question is what is sought."""
        if asked is None or any(hit.unit.slot == asked.slots[0] for hit in hits):
            return asked
        is_open = bool(hits) or asks_what_was_asked(query) or any(self._rules.slots[name].open for name in asked.slots)
        return replace(asked, certain=asked.certain and not is_open)

    def _hits(
        self, query: str, asked: SlotQuestion | None, filling: Sequence[Unit], aliases: Aliases
    ) -> list[Recalled]:
        """Of the units that fill the asked slots, for whomever, those that answer."""
        if asked is None:
            return []
        subjects = aliases.asked(asked.subject)
        units = [unit for unit in filling if unit.subject in subjects]
        if not asks_for_all(query):
            units = newest_answers(units, self._newest)
        score = 1.0 if asked.certain else _POSSIBLE_HIT_SCORE
        return [Recalled(unit, score, Stage.RULE, {"rule": score}) for unit in units]

    def _ranked(
        self,
        scope: Scope,
        query: str,
        asked: SlotQuestion | None,
        filling: Sequence[Unit],
        aliases: Aliases,
        limit: int,
        lead: Lead | None,
    ) -> _Searched:
        language = language_of(query)
        query = query[:_SEARCHED_CHARACTERS]
        context = self._context(scope, query)
        relations = aliases.people_in(query, self._rules.relations_in(query))
        searched = self._search.find(scope, query, language, 2 * limit, context, relations)
        started = self._clock.monotonic()
        refused = refusals(self._rules, query, context, language, asked, filling, aliases, searched.pool)
        ranking = self._chosen(searched.pool, query, language, refused, limit, lead)
        ranking = replace(ranking, kept=self._search.with_passages(ranking.kept, searched.pool))
        stages = {**searched.seconds, "rank": self._clock.monotonic() - started}
        return _Searched(ranking, searched.degraded, bool(searched.pool.people), stages)

    def _chosen(
        self, pool: Pool, query: str, language: str, refused: Refusals, limit: int, lead: Lead | None
    ) -> Ranking:
        """What is kept. What was replaced, and what only asks, is not what the others are measured by: where nothing
        is kept beside it, they are weighed as if it were not there."""
        in_the_way: dict[UnitId, tuple[Recalled, str]] = {}
        while True:
            ordered = self._ranker.order(pool.without(in_the_way) if in_the_way else pool, language)
            ranking = choose(
                ordered if lead is None else lead.ordered(ordered),
                refused.why,
                limit=limit,
                threshold=self._threshold(query),
                companions=1.0 if refused.empty else self._limits.companions,
            )
            more = {each.unit.id: (each, why) for each, why in ranking.dropped if why in (NO_LONGER_SO, ASKED_BEFORE)}
            if ranking.kept or not more:
                return replace(ranking, dropped=(*in_the_way.values(), *ranking.dropped))
            in_the_way |= more

    def _threshold(self, query: str) -> float:
        least = 1.0
        if asks_only_of_assistant(query):
            least = _ONLY_OF_ASSISTANT_SCORE
        elif asks_of_assistant(query):
            least = _OF_ASSISTANT_SCORE
        elif wants_a_guess(query):
            least = _GUESS_SCORE
        return min(self._limits.threshold, least)

    def _context(self, scope: Scope, query: str) -> str:
        """What a question means without naming it, from the turns of its session before it."""
        if scope.session is None or not needs_context(query):
            return ""
        turns = self._store.turns(scope.owner, scope.session, last=TURNS_LOOKED_AT)
        return context_of([turn for turn in turns if scope.present or turn.started_at <= scope.as_of])


def _join(hits: Sequence[Recalled], searched: Sequence[Recalled], limit: int, *, certain: bool) -> tuple[Recalled, ...]:
    """What the rules found and what was searched for. Where the rules only guess at what is asked, the search says how
    near each is: "I like tea" is no answer to "do I like coffee?", nor a job to "where does my sister work?"."""
    by_rule = {hit.unit.id: hit for hit in hits}
    if certain:
        found = (*hits, *(recalled for recalled in searched if recalled.unit.id not in by_rule))
        return found[:limit]
    ranked = [by_rule.get(recalled.unit.id, recalled) for recalled in searched]
    guessed = [hit for hit in hits if hit not in ranked]
    return (*ranked[: max(limit // 2, limit - len(guessed))], *guessed)[:limit]
