"""What rule tables hold: slots, relations and the words of each language. `rules_reading` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from edge.memory.intents_tables import IntentTable
from edge.memory.units import Kind

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Slot:
    """What one slot is. `many`: several values stand side by side; with `newest`, the newest answers a question for
    one. `core`: belongs to the anchor of core facts.

    `labels` and `content` are by language (`en`, `zh`); content is a sentence with {Whose}, {whose}, {Who}, {who},
    {value} and, in a slot of topics, {topic}. `also` are slots that answer the same question where this one is empty.
    """

    name: str
    reader: str
    labels: Mapping[str, str]
    content: Mapping[str, str]
    kind: Kind = Kind.USER_PROFILE
    many: bool = False
    newest: bool = False
    core: bool = False
    importance: float = 0.5
    bare: bool = False
    """True where "the order number is ..." without "my" is the person's own."""
    also: tuple[str, ...] = ()
    no_longer: Mapping[str, str] = field(default_factory=dict)
    """Content of a retraction, by language."""
    nouns: tuple[str, ...] = ()
    ask_nouns: tuple[str, ...] = ()
    """Nouns that only ask: "my order?"."""
    states: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    """Statements on weaker evidence; their drafts have confidence 0.8."""
    retracts: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    """Ways to correct it, right after it was told, that mean nothing for other slots: "we renamed him Waffles"."""
    cues: tuple[str, ...] = ()
    """Words that in a question of the person about themselves make it likely that this slot is asked for."""
    needs: tuple[str, ...] = ()
    """Requests that can only be met by who knows it: "pay as last time"."""
    open: bool = False
    """True where the same may be remembered under other words: an empty slot does not mean that it was not told."""
    of_another: bool = False
    """True where what is told is about another than its subject: "we have a dog called Rex", whose age may follow."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """How what is asked for is called where it is not known, by a pattern of the question: "dog's name" for a pet, with
    the pattern's groups as placeholders, and {topic}. Else it is the label."""
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For `favorite`: a topic's name and the words for it; its slot is then `favorite:<topic>`."""


WORD_LISTS = (
    "lead_ins",
    "joins",
    "veto_before",
    "veto_clause",
    "veto_sentence",
    "veto_message",
    "asking",
    "tags",
    "session",
    "frames",
    "typed_frames",
    "bare_frames",
    "alone_frames",
    "ask_prefixes",
    "ask_suffixes",
    "ask_frames",
    "ask_bare",
    "need_frames",
    "requests",
    "whose",
    "who",
    "dropped",
    "dropped_am",
    "pronoun_whose",
    "pronoun_who",
    "fillers",
    "ask_whose",
    "ask_who",
    "qual",
    "hesitations",
    "correction_marks",
    "corrections",
    "corrections_alone",
    "corrections_typed",
    "answers",
    "confirmations",
    "no_values",
    "yes",
    "no",
    "right",
    "wrong",
    "changed",
    "unchanged",
    "no_denial",
    "judged_right",
    "judged_wrong",
    "not_to_use",
    "not_remembered",
    "asks_again",
    "hedges",
    "no_amnesia",
)
"""The lists of words that a language has, all of which `read_tables` gives, empty where a table has none."""


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables together. `words` is language -> list's name -> patterns; `relations` word -> relation."""

    slots: Mapping[str, Slot]
    words: Mapping[str, Mapping[str, tuple[str, ...]]]
    relations: Mapping[str, str]
    shared_relations: frozenset[str]
    """Relations of which one has several (friend, colleague): a given name tells them apart."""
    intents: IntentTable

    def patterns(self, name: str) -> list[str]:
        """A list's patterns in all languages."""
        return [pattern for language in LANGUAGES for pattern in self.words[language][name]]
