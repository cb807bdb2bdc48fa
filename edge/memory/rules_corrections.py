"""Corrections that name no slot: "No, it's 139...", "Sorry, March 4", "不对，是3月4号".

They are about what was told or asked for last, and are read as that slot's values are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from edge.memory.rules_assent import Assent
from edge.memory.rules_drafts import Fact, Subject, topic_slot
from edge.memory.rules_needles import NeedleIndex, needles_of
from edge.memory.rules_patterns import Patterns, Span, Stated
from edge.memory.rules_regex import LazyPattern, alternatives, bounded, compiled, numbered
from edge.memory.rules_tables import LANGUAGES, Slot, Tables
from edge.memory.rules_values import READERS

_CAPITALISED = {"name": "capital_name", "self_name": "capital_name", "full_name": "capital_name"}
"""Readers of names where nothing but "no" stands in front: "No, thanks" names nobody."""
_SENTENCE_START = re.compile(r"^|[.!?。！？\n] *")
_PAUSE = r"(?:[ ,.!:;，。！、：；~—-]+|$|(?<=[\u3400-\u9fff]))"
_NOT_ALONE = ("line",)
"""Readers whose values are any words at all, which a bare "no, ..." cannot tell from other talk."""
_PART = re.compile(
    r"(?:不是|没有|not |isn't |it's not )(?P<old>[A-Za-z0-9-]{1,10})(?:号|室)?"
    r"(?:[，,]? ?(?:而?是|but|it's|its|应该是)|[，,]) ?(?P<new>[A-Za-z0-9-]{1,10})(?:号|室)?",
    re.I,
)
_OF_PARTS = ("address", "phone", "code", "email", "plate")
_AFTER = " .!。！~～…"


@dataclass(frozen=True, slots=True)
class Mention:
    """A slot that was told or asked for. `value` is what was told; `asks_back` marks one that the reply asked for."""

    slot: Slot
    subject: Subject
    words: Mapping[str, str]
    value: str | None = None
    session_only: bool = False
    asks_back: bool = False
    fact: Fact | None = None

    @staticmethod
    def of(fact: Fact) -> Mention:
        """The mention that a fact is."""
        return Mention(fact.slot, fact.subject, fact.words, fact.draft.value, fact.draft.session_only, fact=fact)

    @staticmethod
    def asked(slot: Slot, topic: str, subject: Subject, language: str, *, asks_back: bool) -> Mention:
        """The mention that a question for a slot is, or for one of its topics, by its word in the language."""
        words = slot.topics.get(topic, (topic,))
        word = next((word for word in words if word.isascii() is (language == "en")), topic)
        return Mention(slot, subject, {"topic": word} if topic else {}, asks_back=asks_back)

    @property
    def name(self) -> str:
        """The name of the slot, with its topic."""
        return topic_slot(self.slot, self.words.get("topic"))


class Corrections:
    """How values are corrected, compiled from tables."""

    def __init__(self, tables: Tables, patterns: Patterns, assent: Assent) -> None:
        self._tables = tables
        self._assent = assent
        self._patterns = patterns
        self._shapes: dict[tuple[str, str], list[LazyPattern]] = {}
        hesitations = alternatives(map(bounded, tables.patterns("hesitations")))
        marks = alternatives(map(bounded, (*tables.patterns("no"), *tables.patterns("correction_marks"))))
        self._marks = compiled(
            rf"(?:{hesitations}{_PAUSE}){{0,3}}{marks}{_PAUSE}(?:(?:{marks}|{hesitations}){_PAUSE}){{0,5}}", {}, "marks"
        )
        self._opening = compiled(r"(?:it's|i said|i meant|应该是|我说的?是|是)? *", {}, "opening")
        alone = [shape for name in ("corrections_alone", "corrections_typed") for shape in tables.patterns(name)]
        alone += [shape for slot in tables.slots.values() for shape in slot.corrections]
        self._index = NeedleIndex([needles_of(shape) for shape in alone])
        self._of_slot = {slot.name: list(_slots_own(slot)) for slot in tables.slots.values()}
        self._no_value = compiled(alternatives(tables.patterns("no_values")), {}, "no_values")

    def marks_end(self, text: str, start: int, end: int) -> int:
        """Where "no, sorry," ends that a sentence begins with; its start where it begins with no such words."""
        found = self._marks.match(text, start, end)
        return found.end() if found else start

    def may_be_one(self, text: str) -> bool:
        """Whether a text has the words of a correction: quick, and more often true than a correction is there."""
        marked = any(self._marks.match(text, at.end()) for at in _SENTENCE_START.finditer(text))
        return marked or bool(self._index.possible(text.lower()))

    def only_agrees(self, text: str) -> bool:
        """Whether a message only confirms, or only says that something is to be corrected."""
        words = text.strip()
        return self._assent.only_agrees(words) or self._marks.fullmatch(words) is not None

    def read(
        self, text: str, begin: int, end: int, mentions: Sequence[Mention], *, marked: bool
    ) -> tuple[Stated, Mention] | None:
        """The value that a sentence puts in the place of one that was mentioned, the last mentioned first.

        `begin` is behind the words that mark a correction, of which there were some if `marked`.
        """
        stop = begin + len(text[begin:end].rstrip(_AFTER))
        for mention in reversed(mentions):
            for stated in self._stated(text, begin, stop, mention, marked=marked):
                read = READERS[stated.value.reader].read(text[stated.value.start : stated.value.end])
                if read is not None and read[1] != mention.value:
                    return replace(stated, words={**mention.words, **stated.words}), mention
        return None

    def of_a_part(self, text: str, begin: int, stop: int, mentions: Sequence[Mention]) -> Fact | None:
        """The fact that was told last with a part of its value corrected: "not 502, 503" in an address."""
        said = _PART.fullmatch(text[begin:stop].strip(_AFTER + ","))
        fact = mentions[-1].fact if mentions else None
        if said is None or fact is None or fact.slot.reader not in _OF_PARTS:
            return None
        told = fact.shown
        if len(re.findall(_whole_part(said["old"]), told)) != 1:
            return None
        read = READERS[fact.slot.reader].read(re.sub(_whole_part(said["old"]), said["new"], told))
        if read is None:
            return None
        draft = replace(
            fact.draft,
            content=fact.draft.content.replace(told, read[0]),
            value=read[1],
            entities=tuple(read[0] if entity == told else entity for entity in fact.draft.entities),
            quote=text[begin:stop].strip(),
            corrects=True,
            replaces=fact.draft.value,
        )
        return replace(fact, draft=draft, shown=read[0])

    def _stated(self, text: str, begin: int, stop: int, mention: Mention, *, marked: bool) -> Iterator[Stated]:
        slot = mention.slot
        if marked:
            yield from self._repeated(text, begin, stop, slot)
        is_typed = READERS[slot.reader].typed
        lists = {"corrections_alone": True, "corrections_typed": is_typed, "corrections": marked}
        names = [name for name, fits in {**lists, "answers": mention.asks_back}.items() if fits]
        shapes = [self._shaped(name, slot.reader) for name in names if slot.reader not in _NOT_ALONE]
        for regexes in (*shapes, self._of_slot[slot.name]):
            for regex in regexes:
                if found := regex.get().fullmatch(text, begin, stop):
                    group = next(name for name, said in found.groupdict().items() if name[:6] == "value_" and said)
                    value = Span(found.start(group), found.end(group), group.removeprefix("value_"))
                    if value.reader == "name" and slot.reader not in _CAPITALISED:
                        continue
                    said = is_typed or not self._no_value.fullmatch(found[group].strip())
                    if said and _denies(found, mention):
                        yield Stated(slot, value, {}, found.end())

    def _repeated(self, text: str, begin: int, stop: int, slot: Slot) -> Iterator[Stated]:
        """The slot's own ways to be stated, without the subject: "不对，姓伍", "sorry, never call me madam"."""
        bare = self._opening.match(text, begin, stop)
        after = {"who": begin - 1 if text[begin - 1 : begin] == " " else begin, "": bare.end() if bare else begin}
        for pattern in self._patterns.of_slot(slot.name):
            if pattern.mode in after:
                stated = pattern.match(text, after[pattern.mode], stop)
                if stated is not None and stated.end == stop and not stated.retracts:
                    yield stated

    def _shaped(self, name: str, reader: str) -> list[LazyPattern]:
        if (name, reader) not in self._shapes:
            reader_here = _CAPITALISED.get(reader, reader)
            parts = {"value": f"(?P<value_{reader_here}>{READERS[reader_here].pattern})"}
            self._shapes[name, reader] = [
                LazyPattern(shape, parts, f"language.{language}.{where}")
                for language in LANGUAGES
                for where, shape in numbered(name, self._tables.words[language][name])
            ]
        return self._shapes[name, reader]

    def lazy(self) -> Iterator[LazyPattern]:
        """What is compiled when it is needed."""
        for name in ("corrections", "corrections_alone", "corrections_typed", "answers"):
            yield from self._shaped(name, "name")
        for regexes in self._of_slot.values():
            yield from regexes


def _whole_part(part: str) -> str:
    return rf"(?<![A-Za-z0-9]){re.escape(part)}(?![A-Za-z0-9])"


def _slots_own(slot: Slot) -> Iterator[LazyPattern]:
    parts = {"value": f"(?P<value_{slot.reader}>{READERS[slot.reader].pattern})"}
    for where, shape in numbered("corrections", slot.corrections):
        yield LazyPattern(shape, parts, f"slots.{slot.name}.{where}")


def _denies(found: re.Match[str], mention: Mention) -> bool:
    """Whether what a shape says not to be it, if anything, is the value that was mentioned."""
    denied = found.groupdict().get("old")
    read = None if denied is None else READERS[mention.slot.reader].read(denied)
    return denied is None or (read is not None and read[1] == mention.value)


def as_correction(fact: Fact, mentions: Sequence[Mention]) -> Fact:
    """A fact after "no, sorry": it takes the place of the value that was told of the same slot and subject."""
    same = (
        mention.value
        for mention in reversed(mentions)
        if mention.name == fact.draft.slot and mention.subject.subject == fact.draft.subject
    )
    old = next(same, None)
    if old is None or old == fact.draft.value or fact.draft.retracts or fact.draft.replaces:
        return fact
    return replace(fact, draft=replace(fact.draft, corrects=True, replaces=old))
