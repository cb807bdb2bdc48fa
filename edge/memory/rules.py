"""Slots and fixed patterns: what a message states, and what it asks for, without a model. Pure and immutable.

The patterns are data (`tables/*.toml`, described in `tables/README.md`); any number of tables are merged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from edge.errors import SettingsInvalid
from edge.memory.aliases import Aliases
from edge.memory.courtesies import says_little, without_courtesies
from edge.memory.intents import Intent, Label, Move
from edge.memory.intents_reading import Intents
from edge.memory.intents_signs import Signs
from edge.memory.intents_tables import IntentTable
from edge.memory.language import Language, language_of
from edge.memory.progress_questions import ProgressQuestions
from edge.memory.questions import ends_asking
from edge.memory.rules_amnesia import Amnesia
from edge.memory.rules_assent import Assent
from edge.memory.rules_corrections import Mention
from edge.memory.rules_facts import FactFinder
from edge.memory.rules_questions import QuestionFinder
from edge.memory.rules_reading import check_patterns, load_table, read_tables
from edge.memory.rules_subjects import Relations
from edge.memory.rules_tables import Slot, Tables
from edge.memory.rules_text import fold, simplify
from edge.memory.rules_values import READERS
from edge.memory.units import NAME, SELF, Draft, SlotQuestion, Unit
from edge.memory.whether import as_statement

Exchange = tuple[str, str]
"""A person's message, and the reply to it."""

_LONGEST_CORRECTION = 200
_HINT = "Correct the named entry, or move the file away; edge/memory/tables/README.md documents every entry."

__all__ = ["Exchange", "OwnTable", "Rules", "Slot", "parse_rules"]


class Slots(Mapping[str, Slot]):
    """The declared slots by name. `favorite:color` and its like are also found, by the slot they belong to."""

    def __init__(self, declared: Mapping[str, Slot]) -> None:
        self._declared = dict(declared)

    def __getitem__(self, name: str) -> Slot:
        return _slot_of(self._declared, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table that is not the package's: its name, for errors, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as the rules read it: what it states, and whether as a whole it concerns the talk at hand only."""

    facts: tuple[Draft, ...]
    session_only: bool


class Rules:
    """All rules. Calls take text of any size and content and never raise."""

    def __init__(
        self,
        slots: Slots,
        facts: FactFinder,
        questions: QuestionFinder,
        assent: Assent,
        relations: Relations,
        intents: IntentTable,
        amnesia: Amnesia,
    ) -> None:
        self._slots = slots
        self._relations = relations
        self._facts = facts
        self._questions = questions
        self._assent = assent
        self._progress = ProgressQuestions()
        self._amnesia = amnesia
        signs = Signs(questions.find, partial(facts.find, mentions=[]), facts.relations_in, assent, self._progress)
        self._intents = Intents(intents, signs)

    @property
    def assent(self) -> Assent:
        """How a person agrees and disagrees."""
        return self._assent

    @property
    def amnesia(self) -> Amnesia:
        """How a reply sounds that comes from somebody who forgot."""
        return self._amnesia

    @property
    def progress(self) -> ProgressQuestions:
        """What asks how far the work at hand is."""
        return self._progress

    def intent_of(self, message: str, language: Language | None = None) -> Intent:
        """What a message is for; its language is told from it where it is not given. Courtesies around what is asked
        change nothing."""
        whole, bare = self._intents.of(message, language), without_courtesies(message)
        if bare == message:
            return whole
        rest = self._intents.of(bare, language)
        is_chat = whole.label is Label.SMALL_TALK and rest.move not in (Move.ASK, Move.REQUEST)
        return whole if is_chat and (rest.label is Label.SMALL_TALK or says_little(bare)) else rest

    @property
    def slots(self) -> Mapping[str, Slot]:
        """Every slot there is."""
        return self._slots

    @property
    def hold_several(self) -> frozenset[str]:
        """The slots that hold several values at once, and those that do for some subjects: `name(sister)`, as one may
        have two."""
        for_anyone = {name for name, slot in self._slots.items() if slot.many}
        return frozenset(for_anyone | {f"{NAME}({relation})" for relation in self._relations.shared})

    def find_facts(self, text: str, before: Sequence[Exchange] = ()) -> tuple[Draft, ...]:
        """What a person's message states, in its order. Of a long message (over 4,000 characters: a paste) only the
        first and the last paragraph are read as the person's own words.

        `before` are the last turns, oldest first, each a message and its reply: "no, it's 139..." corrects what was
        told or asked for there.
        """
        return self._facts.find(text, self._told_before(text, before))

    def read(self, text: str, before: Sequence[Exchange] = ()) -> Reading:
        """All that is to be known of a message, which is looked through once."""
        mentions = self._told_before(text, before)
        facts = self._facts.find(text, mentions)
        return Reading(facts, self.session_only(text, None if mentions else facts))

    def _told_before(self, text: str, before: Sequence[Exchange]) -> list[Mention]:
        mentions: list[Mention] = []
        for message, reply in before if self._refers_back(text, before) else ():
            mentions = self._mentioned(message, reply, mentions)
        return mentions

    def may_refer_back(self, text: str) -> bool:
        """Whether a message may be about what was said before it: a correction, or the answer to a question."""
        return len(text) <= _LONGEST_CORRECTION

    def _refers_back(self, text: str, before: Sequence[Exchange]) -> bool:
        if not before or not self.may_refer_back(text):
            return False
        return ends_asking(before[-1][1]) or self._facts.may_correct(text)

    def _mentioned(self, message: str, reply: str, earlier: Sequence[Mention]) -> list[Mention]:
        """What a turn told or asked for, after what was before it where it only confirms or corrects."""
        told = self._facts.mentions(message, earlier)
        asked = self._questions.find(message)
        if asked is None:
            return told if told is not None and not ends_asking(message) else []
        mentions = told or []
        language = language_of(message)
        subject = self._facts.subject(asked.subject, language)
        for base, _, topic in (name.partition(":") for name in reversed(asked.slots)):
            slot = self._slots[base]
            if bool(topic) == bool(slot.topics):
                mentions.append(Mention.asked(slot, topic, subject, language, asks_back=ends_asking(reply)))
        return mentions

    def find_question(self, text: str) -> SlotQuestion | None:
        """Which slots a message asks for; certain where it asks for nothing else."""
        return self._questions.find(text)

    def compile(self, slots: Collection[str] | None) -> None:
        """Compile the patterns of these slots, or all, before they are needed. Raises SettingsInvalid."""
        for _ in self.compiling(slots):
            pass

    def compiling(self, slots: Collection[str] | None = None) -> Iterator[None]:
        """The same, one pattern with each item, so that it can be done in the background. First those that every
        message is read with; of the others a message needs few."""
        every = (self._intents, self._progress, self._assent, self._amnesia) if slots is None else ()
        first = [pattern for each in every for pattern in each.lazy()]
        for pattern in (*first, *self._facts.lazy(slots), *self._questions.lazy(slots)):
            pattern.get()
            yield

    def compile_intents(self) -> None:
        """Compile what tells intents. Raises SettingsInvalid."""
        for pattern in self._intents.lazy():
            pattern.get()

    def is_relation(self, subject: str) -> bool:
        """Whether a subject is named by what it is to the person ("sister"), not by a name."""
        return subject in self._relations.words

    def aliases(self, named: Iterable[Unit | Draft]) -> Aliases:
        """Who of the subjects are one person, by the units or drafts that name relations."""
        return Aliases(named, self._relations.words)

    def find_question_of(self, text: str, aliases: Aliases) -> SlotQuestion | None:
        """The same as `find_question`, also where somebody is asked about by a name that only memory knows for one:
        思敏在哪里工作？ asks what 我姐姐在哪里工作？ does."""
        asked = self.find_question(text)
        if asked is not None and asked.subject != SELF and not self.is_relation(asked.subject):
            return asked
        said = aliases.by_relation(text, self._relations.in_language(language_of(text)))
        by_relation = None if said is None else self.find_question(said[0])
        if said is None or by_relation is None or by_relation.subject == SELF:
            return asked
        return replace(by_relation, subject=said[1])

    def find_whether(self, text: str) -> SlotQuestion | None:
        """The slot that a message asks about by naming a value: "Do I still live in Bonn?", 我还住在成都吗？ Only one
        that holds a single value, which is then the answer."""
        statement = as_statement(text)
        facts = () if statement is None else self.find_facts(statement)
        if len(facts) != 1 or facts[0].slot is None or facts[0].retracts or self._slots[facts[0].slot].many:
            return None
        return SlotQuestion((facts[0].slot,), facts[0].subject, certain=False)

    def relations_in(self, text: str) -> dict[str, str]:
        """The relations of the person that a text mentions, each with its word for it: {"sister": "妹妹"}."""
        return self._facts.relations_in(text)

    def may_fill(self, slot: str, text: str) -> bool:
        """Whether a text holds anything of the shape that the slot's values have: digits for a phone number. True for
        slots whose values have no shape of their own, such as names."""
        reader = READERS[self._slots[slot].reader]
        if not reader.typed:
            return True
        return any(reader.read(found[0]) is not None for found in re.finditer(reader.pattern, text, re.IGNORECASE))

    def called_in(self, question: str, slot: str) -> str:
        """What a question asks for, in its language, as it is called where it is not known: "dog's name"."""
        language = language_of(question)
        declared, topic = self._slots[slot], slot.partition(":")[2]
        plain = simplify(fold(question)).lower()
        words = declared.topics.get(topic, ())
        of_topic = next((word for word in words if not word.isascii() and language == "zh"), topic.replace("_", " "))
        for pattern, called in declared.unknown.items():
            if found := re.search(pattern, plain):
                return called.format(topic=of_topic, **found.groupdict(""))
        return declared.labels[language]

    def session_only(self, text: str, facts: Sequence[Draft] | None = None) -> bool:
        """Whether the message as a whole concerns the talk at hand only: the cart, the step, "for now". `facts` are
        what it states by itself, where that was found already."""
        drafts = self._facts.find(text) if facts is None else facts
        if drafts:
            return all(draft.session_only for draft in drafts)
        return self._facts.for_this_talk(text)


def parse_rules(tables: Iterable[str], own: OwnTable | None = None) -> Rules:
    """Rules from the texts of TOML tables, merged in order, and a person's own table last.

    What is in the tables is compiled when it is first needed; what a person's own table adds to is compiled at once, so
    that its errors are told now. Raises SettingsInvalid naming the table, the entry, and what is wrong with it.
    """
    named = [(f"table {number} of the rules", text) for number, text in enumerate(tables, 1)]
    if own is None:
        return _made(read_tables(named))
    try:
        table = load_table(own.name, own.text)
        check_patterns(own.name, table)
        rules = _made(read_tables([*named, (own.name, own.text)]))
        rules.compile(None if "language" in table else table.get("slots", {}).keys())
        if table.keys() & {"intents", "intent_words"}:
            rules.compile_intents()
    except SettingsInvalid as error:
        message = error.message if error.message.startswith(own.name) else f"{own.name}: {error.message}"
        raise SettingsInvalid(message, hint=_HINT) from error
    return rules


def _made(tables: Tables) -> Rules:
    relations = Relations(tables.relations, tables.shared_relations)
    assent = Assent(tables)
    return Rules(
        Slots(tables.slots),
        FactFinder(tables, assent),
        QuestionFinder(tables),
        assent,
        relations,
        tables.intents,
        Amnesia(tables),
    )


def _slot_of(slots: Mapping[str, Slot], name: str) -> Slot:
    """The slot of a name, also of a topic: `favorite:color` is `favorite` with that label. Raises KeyError."""
    base, _, topic = name.partition(":")
    slot = slots[base]
    if not topic:
        return slot
    if not slot.topics:
        raise KeyError(name)
    return _with_topic(slot, name, topic)


def _with_topic(slot: Slot, name: str, topic: str) -> Slot:
    words = slot.topics.get(topic, (topic,))
    zh = next((word for word in words if not word.isascii()), topic)
    return replace(slot, name=name, labels={"en": f"{slot.labels['en']} {topic}", "zh": f"{slot.labels['zh']}{zh}"})
