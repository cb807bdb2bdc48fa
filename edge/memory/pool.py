"""Gathers the evidence for the candidates of one question, in as many steps as they are found in."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from itertools import accumulate, compress

import numpy as np

from edge.memory.courtesies import without_courtesies
from edge.memory.enrichment import points_at_a_person
from edge.memory.interaction import Floats, best_by_unit, best_matches, token_weights, weighted
from edge.memory.neighbours import neighbours
from edge.memory.people import About, asked_people, name_spans, names, whom
from edge.memory.periods import nearness
from edge.memory.places import NOWHERE, Place
from edge.memory.questions import asks_of_assistant, asks_what_was_asked, is_question, only_asks
from edge.memory.scoring import Evidence, Flags, Ints, Weights, content
from edge.memory.sought import what_is_sought
from edge.memory.text import LONG_TEXT, is_prefix, query_terms, search_terms, telling_terms, text_terms
from edge.memory.times import Order, order_in, times_in
from edge.memory.units import SELF, ClusterId, Kind, Source, Unit, UnitId

_REMARK = re.compile(r"\s*\[[^\[\]]*\]\s*$")
"""What an import adds to someone's words: "[shares a photo]"."""
_LENT = 0.5
"""What a word counts that a question means without saying it."""
_EMPTY = 0.1
"""And what one of its own that is about nothing ("and when was that")."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the searches say of a unit: 0 where full text did not find it."""

    bm25: float = 0.0
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit that may answer, with the signals it brought, its token codes chunk by chunk, its place, and the terms of
    its text (see `text_terms`), which are found out where they are not given."""

    unit: Unit
    signals: Signals
    codes: tuple[bytes, ...] = ()
    place: Place = NOWHERE
    terms: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: its text, the unit vectors of its tokens (n, dimension) and their characters in `searched`, and
    when it is. `context` are words that it means without saying them (see `edge.memory.enrichment`); `relations` are
    those of the owner that it mentions, each with the question's word for it: {"sister": "妹妹"}. `clusters` are
    those that it agrees with, from 0 to 1 (see `edge.memory.agreement`)."""

    text: str
    tokens: Floats
    spans: tuple[tuple[int, int], ...]
    now: datetime
    zone: tzinfo | None = None
    context: str = ""
    relations: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[ClusterId, float] = field(default_factory=dict)

    @property
    def searched(self) -> str:
        """All that is searched for: the text, then the context."""
        return f"{self.text} {self.context}" if self.context else self.text

    @property
    def today(self) -> date:
        """The person's day; without a zone, the machine's."""
        return self.now.astimezone(self.zone).date()


class Pool:
    """The candidates of a question and what speaks for each. The first that are added set what a token is worth."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._terms = query_terms(question.searched)
        self._lent = (
            frozenset(self._terms).difference(telling_terms(question.text)) if question.context else frozenset()
        )
        self._seeks = what_is_sought(question.text)
        self._sought: list[bool] = []
        self._about_asking = asks_what_was_asked(question.text)
        self._candidates: list[Candidate] = []
        self._held: list[frozenset[str]] = []
        self._ends_asking: list[bool] = []
        self._asks: list[bool] = []
        self._matches = np.zeros((len(question.tokens), 0), dtype=np.float32)
        self._owners: list[int] = []
        self._token_weights: Floats | None = None

    def __len__(self) -> int:
        return len(self._candidates)

    @property
    def candidates(self) -> Sequence[Candidate]:
        """In the order in which they were added."""
        return self._candidates

    @property
    def people(self) -> frozenset[str]:
        """Those among the candidates' subjects whom the question names."""
        return self._asked([candidate.unit for candidate in self._candidates]) - {SELF}

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Take in candidates that are not there yet."""
        for candidate in candidates:
            self._owners += [len(self._candidates)] * len(candidate.codes)
            self._candidates.append(candidate)
            terms = text_terms(candidate.unit.content) if candidate.terms is None else candidate.terms
            self._held.append(_held(self._terms, terms, candidate.unit.content))
            self._sought.append(self._seeks is not None and self._seeks(terms))
            self._ends_asking.append(_ends_asking(candidate.unit))
            self._asks.append(_is_owners_question(candidate.unit))
        added = best_matches(self._question.tokens, [code for given in candidates for code in given.codes])
        self._matches = np.concatenate([self._matches, added], axis=1)
        if self._token_weights is None and self._matches.size:
            self._token_weights = token_weights(self._matches)

    def without(self, units: Collection[UnitId]) -> Pool:
        """The pool as if these were not among the candidates; it takes in no more."""
        kept = [candidate.unit.id not in units for candidate in self._candidates]
        other = Pool(self._question)
        other._candidates = list(compress(self._candidates, kept))
        other._held = list(compress(self._held, kept))
        other._sought = list(compress(self._sought, kept))
        other._ends_asking = list(compress(self._ends_asking, kept))
        other._asks = list(compress(self._asks, kept))
        places = list(accumulate(kept, initial=0))
        other._owners = [places[owner] for owner in self._owners if kept[owner]]
        other._matches = self._matches[:, [kept[owner] for owner in self._owners]]
        if other._matches.size:
            other._token_weights = token_weights(other._matches)
        return other

    def promising(self, weights: Weights, count: int) -> list[Candidate]:
        """The best so far by their own text."""
        sums = content(self.evidence(), weights)
        return [self._candidates[row] for row in np.argsort(-sums, kind="stable")[:count]]

    def chunks(self) -> Ints:
        """For each candidate the chunk whose tokens match best, -1 where it has no codes."""
        return self._late(frozenset())[1]

    def evidence(self) -> Evidence:
        """All that is known of the candidates now, in their order."""
        units = [candidate.unit for candidate in self._candidates]
        asked = self._asked(units)
        own, others = _sides(units, asked)
        before, after, talk = neighbours(units, [candidate.place for candidate in self._candidates])
        assistants = np.array([unit.source is Source.ASSISTANT for unit in units], dtype=np.bool_)
        of_assistant = asks_of_assistant(self._question.text)
        bm25 = np.array([candidate.signals.bm25 for candidate in self._candidates], dtype=np.float32)
        return Evidence(
            late=self._late(frozenset())[0],
            bm25=bm25 / max(float(bm25.max(initial=0.0)), 1e-9),
            words=self._words(frozenset()),
            dense=np.array([candidate.signals.cosine for candidate in self._candidates], dtype=np.float32),
            before=before,
            after=after,
            talk=talk,
            subject=assistants.astype(np.float32) if of_assistant else self._subjects(units, asked),
            time=self._times(units),
            order=self._order(units),
            cluster=self._clusters(units),
            home=np.array([-1 if unit.cluster is None else unit.cluster for unit in units], dtype=np.int64),
            sought=np.array(self._sought, dtype=np.float32),
            question=self._unless_asked_for(self._ends_asking),
            asks=self._unless_asked_for(self._asks),
            assistant=assistants & (not of_assistant),
            replies=assistants & of_assistant,
            own=own,
            others=others,
            match_late=self._late(asked)[0],
            match_words=self._words(asked),
        )

    # --- what the text shares with the question ---

    def _late(self, without: frozenset[str]) -> tuple[Floats, Ints]:
        """Late interaction for each candidate, and its best chunk; tokens of some names count nothing."""
        values = np.zeros(0, dtype=np.float32)
        if self._token_weights is not None:
            names = [span for name in without for span in name_spans(self._question.text, name)]
            named = [any(start < end and first < last for start, last in names) for first, end in self._question.spans]
            weights = self._token_weights * self._shares()
            values = weighted(self._matches, np.where(named, 0, weights).astype(np.float32))
        return best_by_unit(values, np.array(self._owners[: len(values)], dtype=np.int64), len(self))

    def _shares(self) -> Floats:
        """What each token counts: in a question that means more than it says, its words about nothing count little."""
        text, spans = self._question.searched, self._question.spans
        if not self._question.context:
            return np.ones(len(spans), dtype=np.float32)
        own = len(self._question.text)
        shares = [_LENT if first >= own else 1 if telling_terms(text[first:end]) else _EMPTY for first, end in spans]
        return np.array(shares, dtype=np.float32)

    def _words(self, without: frozenset[str]) -> Floats:
        """The share of the question's words that each candidate holds, weighed by how few candidates hold them."""
        names = {term for name in without for term in search_terms(name)}
        terms = [term for term in self._terms if term not in names]
        found = Counter(term for held in self._held for term in held)
        rarity = {
            term: math.log(1 + (len(self) + 1) / (found[term] + 0.5)) * (_LENT if term in self._lent else 1)
            for term in terms
        }
        total = sum(rarity.values())
        shares = [sum(rarity.get(term, 0.0) for term in held) / total if total else 0.0 for held in self._held]
        return np.array(shares, dtype=np.float32)

    # --- whose words, when, and where ---

    def _asked(self, units: Sequence[Unit]) -> frozenset[str]:
        known, text = {unit.subject for unit in units}, self._question.text
        related = {name for pair in self._question.relations.items() if pair[0] in known for name in pair}
        asked = asked_people(text, known) | related
        if related:
            asked -= {SELF}
        if self._question.context and asked <= {SELF} and points_at_a_person(text):
            return (asked_people(self._question.context, known) - {SELF}) or asked
        return asked

    def _subjects(self, units: Sequence[Unit], asked: frozenset[str]) -> Floats:
        mine = [unit.source is not Source.ASSISTANT and _is_about(unit, asked) for unit in units]
        return np.array(mine, dtype=np.float32)

    def _times(self, units: Sequence[Unit]) -> Floats:
        times = times_in(self._question.text, self._question.today)
        if not times:
            return np.zeros(len(units), dtype=np.float32)
        days = [unit.valid_from.astimezone(self._question.zone).date() for unit in units]
        return np.array([nearness(times, day) for day in days], dtype=np.float32)

    def _order(self, units: Sequence[Unit]) -> Floats:
        """The place of each in the order that is asked for, the first at 1; 0 for all where none is."""
        order = order_in(self._question.text)
        if order is None:
            return np.zeros(len(units), dtype=np.float32)
        said = np.array([unit.valid_from.timestamp() for unit in units])
        places = np.argsort(np.argsort(-said if order is Order.EARLIEST else said, kind="stable"))
        return ((places + 1) / max(len(units), 1)).astype(np.float32)

    def _clusters(self, units: Sequence[Unit]) -> Floats:
        agreed = self._question.clusters
        return np.array([0.0 if unit.cluster is None else agreed.get(unit.cluster, 0.0) for unit in units], np.float32)

    def _unless_asked_for(self, flags: Sequence[bool]) -> Flags:
        """What asks answers nothing, unless somebody wants to know what they asked."""
        return np.array(flags, dtype=np.bool_) & (not self._about_asking)


def _held(asked: Sequence[str], terms: frozenset[str], text: str) -> frozenset[str]:
    """Which of the question's terms a text holds; `terms` as `text_terms` gives them."""
    if len(text) > LONG_TEXT:
        folded = text.casefold()
        return frozenset(term for term in asked if term in folded)
    return frozenset(term for term in asked if term in terms or (is_prefix(term) and term in text))


def _ends_asking(unit: Unit) -> bool:
    """A question that was asked before repeats the words of this one, not its answer."""
    return unit.kind is Kind.EPISODE and is_question(without_courtesies(_REMARK.sub("", unit.content)))


def _is_owners_question(unit: Unit) -> bool:
    """Whether a unit is what its owner asked here, and nothing else: what the answer was, it does not tell."""
    return unit.kind is Kind.EPISODE and unit.source is Source.USER and unit.subject == SELF and only_asks(unit.content)


def _is_about(unit: Unit, asked: frozenset[str]) -> bool:
    """Whether it is of who is asked about, or its owner says something of somebody who is."""
    of_others = asked - {SELF}
    return unit.subject in asked or (unit.subject == SELF and any(names(unit.content, name) for name in of_others))


def _sides(units: Sequence[Unit], asked: frozenset[str]) -> tuple[Flags, Flags]:
    """Which units are about who is asked about and which about others; none where nobody else speaks, or nobody but the
    owner: what the owner tells of a sister and of the garden is nobody's word against another's."""
    speak = {unit.subject for unit in units if unit.kind is Kind.EPISODE and unit.source is not Source.ASSISTANT}
    if not asked or speak <= asked or speak == {SELF}:
        return np.zeros(len(units), dtype=np.bool_), np.zeros(len(units), dtype=np.bool_)
    sides = [whom(unit, asked) for unit in units]
    own = np.array([side is About.ASKED for side in sides], dtype=np.bool_)
    others = np.array([side is About.OTHERS for side in sides], dtype=np.bool_)
    return own, others
