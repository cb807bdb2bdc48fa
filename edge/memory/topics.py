"""Topics of a session: what a message does to the one at hand.

People say it when they change the subject, or the words alone show it. Measured with MiniLM: a message and the
smoothed vector of its session have a cosine of 0.39 or more in 95 of 100 turns of LoCoMo, and of 0.17 in 90 of
MemoryBank's English talks; a message from another session has 0.33 and 0.20 in the middle. So only a very low cosine
says something. In Chinese it never does, and words alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NewType

import numpy as np
import numpy.typing as npt

from edge.memory.intent_vectors import IntentVector
from edge.memory.language import language_of
from edge.memory.stopwords import CHINESE_FUNCTION_CHARACTERS
from edge.memory.text import is_prefix, telling_terms
from edge.memory.topic_phrases import Cue, listen
from edge.memory.topic_stopwords import SAY_NOTHING, SAY_NOTHING_CHARACTERS
from edge.memory.units import Kind

TopicId = NewType("TopicId", int)
Vector = npt.NDArray[np.float32]

FROZEN_KINDS = frozenset({Kind.SESSION_STATE, Kind.EPISODE})
"""What belongs to a topic, where it is bound to the session: what the person said of the talk at hand. What tools
returned and work under way belong to the agent."""
TERM_COUNT = 60
"""Terms that are kept of a topic. A Chinese sentence has some ten."""
FAR = 0.1
"""Cosine to the smoothed vector under which an English message that shares no word with its topic begins another."""
_INFORMATIVE = 3
_ENOUGH = 2
_ELSE = 5
_SEARCHED_CHARACTERS = 2000
_SAME_BEGINNING = 5
_SMOOTHING = 0.5


@dataclass(frozen=True, slots=True)
class Topic:
    """What a session spoke of. `terms` are words of the person, each with how often it came up; those that opened the
    topic count twice. `vector` is the smoothed one of its messages, a unit vector; `intent` what its last turns were
    for and about."""

    id: TopicId
    terms: Mapping[str, int] = field(default_factory=dict)
    vector: Vector | None = None
    intent: IntentVector | None = None


@dataclass(frozen=True, slots=True)
class Stay:
    """The topic goes on."""


@dataclass(frozen=True, slots=True)
class New:
    """Another topic begins."""


@dataclass(frozen=True, slots=True)
class Return:
    """The person comes back to a topic that they had left."""

    topic: Topic


Move = Stay | New | Return


def move(message: str, current: Topic | None, earlier: Sequence[Topic], near: Callable[[], float | None]) -> Move:
    """What a message does to the topic. `earlier` are those that were left, the last left first; `near` gives the
    cosine of the message and the current topic's vector, None where there is none, and is asked only if it matters."""
    if current is None:
        return Stay()
    language = language_of(message)
    heard = listen(message, language)
    if heard.cue is Cue.ASIDE:
        return Stay()
    compared = _Compared(content_terms(heard.rest), content_terms(heard.object), current, earlier)
    if heard.cue is Cue.NEW:
        return compared.leaving()
    if heard.cue is Cue.BACK:
        return compared.returning(unnamed=heard.earlier)
    return compared.drifting(near if language == "en" else lambda: None)


@dataclass(frozen=True, slots=True)
class _Compared:
    """The words of a message beside those of all topics of its session. `object`: those right behind a phrase."""

    words: frozenset[str]
    object: frozenset[str]
    current: Topic
    earlier: Sequence[Topic]

    def leaving(self) -> Move:
        """The person says that something else comes: perhaps something that was spoken of before."""
        best = self._best(self.words, self.earlier)
        mostly = best is not None and 2 * len(self._own(self.words, best)) >= len(self.words)
        return Return(best) if best is not None and (mostly or self._fits(best)) else New()

    def returning(self, *, unnamed: bool) -> Move:
        """The person says that something comes again. A name may fit the topic at hand better: then it goes on."""
        for words in (self.object, self.words):
            mine, best = _shared(words, self.current), self._best(words, self.earlier)
            if best is None and mine:
                best = next((topic for topic in self.earlier if _speaks_more(topic, self.current, mine)), None)
                return Stay() if best is None else Return(best)
            if best is not None:
                return Return(best) if len(self._own(words, best)) >= len(mine) else Stay()
        return Return(self.earlier[0]) if unnamed and self.earlier and not self.object else Stay()

    def drifting(self, near: Callable[[], float | None]) -> Move:
        """The person says nothing of it; their words may."""
        mine = _shared(self.words, self.current)
        best = self._best(self.words, self.earlier)
        if best is not None and mine <= _shared(self.words, best) and self._fits(best):
            return Return(best)
        if mine or not is_informative(self.words) or not self.current.terms:
            return Stay()
        cosine = near()
        return New() if cosine is not None and cosine < FAR else Stay()

    def _fits(self, topic: Topic) -> bool:
        """Whether words name enough of a topic, or one word that it is made of, and speak of little else."""
        own = self._own(self.words, topic)
        enough = len(own) >= _ENOUGH or any(topic.terms[term] > 1 for term in own)
        return enough and len(own) * _ELSE >= len(self.words)

    def _best(self, words: frozenset[str], topics: Sequence[Topic]) -> Topic | None:
        """The topic with which the words share most that no other has; the first of equals."""
        best = max(topics, key=lambda topic: len(self._own(words, topic)), default=None)
        return best if best is not None and self._own(words, best) else None

    def _own(self, words: frozenset[str], topic: Topic) -> frozenset[str]:
        """Terms of the topic that the words name and the topic at hand does not have."""
        return frozenset(term for term in _shared(words, topic) if not _holds(self.current, term))


def _shared(words: frozenset[str], topic: Topic) -> frozenset[str]:
    """The topic's terms that the words name."""
    return frozenset(term for term in topic.terms if any(_same(term, word) for word in words))


def _speaks_more(topic: Topic, other: Topic, terms: frozenset[str]) -> bool:
    """Whether a topic spoke of all these terms of another at least as much as that one did."""
    return all(topic.terms.get(term, 0) >= other.terms[term] for term in terms)


def _holds(topic: Topic, term: str) -> bool:
    return any(_same(known, term) for known in topic.terms)


def _same(one: str, other: str) -> bool:
    """Equal, or one the beginning of the other: to complain is about a complaint."""
    if one == other:
        return True
    if min(len(one), len(other)) < _SAME_BEGINNING or not (one.isalpha() and other.isalpha()):
        return False
    return one.startswith(other) or other.startswith(one)


def content_terms(text: str) -> frozenset[str]:
    """The terms of a text that tell what it is about: no small words, times, or courtesies."""
    return frozenset(term for term in telling_terms(text[:_SEARCHED_CHARACTERS]) if _tells(term))


def is_informative(terms: frozenset[str]) -> bool:
    """Whether a message with these terms says enough to tell a subject by."""
    return len(terms) >= _INFORMATIVE


def _tells(term: str) -> bool:
    if term.isascii():
        return len(term) > 1 and term not in SAY_NOTHING and not (term.isdigit() and len(term) < 3)
    if is_prefix(term) or term in SAY_NOTHING:
        return False
    return not any(char in SAY_NOTHING_CHARACTERS or char in CHINESE_FUNCTION_CHARACTERS for char in term)


def grown(terms: Mapping[str, int], message: str) -> dict[str, int]:
    """A topic's terms with those of another of its messages. What came up most stays, of equals the newest."""
    opening = 1 if terms else 2
    words = content_terms(listen(message, language_of(message)).rest)
    more = {term: terms.get(term, 0) + (1 if term in terms else opening) for term in sorted(words)}
    ordered = [*((term, count) for term, count in terms.items() if term not in more), *more.items()]
    if len(ordered) > TERM_COUNT:
        least = sorted(range(len(ordered)), key=lambda place: (ordered[place][1], place))[: len(ordered) - TERM_COUNT]
        dropped = set(least)
        ordered = [pair for place, pair in enumerate(ordered) if place not in dropped]
    return dict(ordered)


def smoothed(vector: Vector | None, message: Vector) -> Vector:
    """The vector of a topic with another of its messages, (dimension,), length 1."""
    if vector is None or vector.shape != message.shape:
        return message
    mean = _SMOOTHING * vector + (1 - _SMOOTHING) * message
    length = float(np.linalg.norm(mean))
    return message if length == 0 else np.asarray(mean / length, dtype=np.float32)
