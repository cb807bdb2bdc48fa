"""What a person's message states: slots' values, whose they are, and what is taken back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge.memory.rules_assent import Assent
from edge.memory.rules_corrections import Corrections, Mention, as_correction
from edge.memory.rules_drafts import CONTACT, Fact, Subject, make_facts, name_fact, skip_spaces
from edge.memory.rules_patterns import Patterns, Stated, Way
from edge.memory.rules_regex import LazyPattern, alternatives, bounded, compiled
from edge.memory.rules_subjects import Dropped, Subjects
from edge.memory.rules_tables import Slot, Tables
from edge.memory.rules_text import Sentence, fold, mask_quoted, own_spans, sentences, simplify
from edge.memory.units import NAME, SELF, Draft

_MAX_STARTS = 48
_LONGEST_FRAGMENT = 200
"""Characters of a message that may leave out its subject: "moved to Leeds last week"."""
_OFFERED = re.compile(
    r"\bif (?:you|anything|something|anyone|needed|necessary|there)\b|(?:如果|要是|万一)(?:你|您|有|需要|方便|联系)",
    re.I,
)
_CLAUSE_MARK = re.compile(r"[,，;；:：()（）—–?？!！]| - ")
_CLAUSE_END = re.compile(r"[,，;；。?？!！\n]|\.(?=\s|$)")
_SPEECH = re.compile(r"[:：]$|(?:[说问道]|\b(?:said|says|asked|asks|wrote)) ?[:：]", re.I)
_CARRIES_ON = re.compile(r"\b(?:and|but) \w?$|[\u3400-\u9fff]$", re.I)


@dataclass(slots=True)
class _Reading:
    """A message while it is read, sentence by sentence."""

    text: str
    plain: str
    masked: str
    mentions: list[Mention]
    facts: list[Fact] = field(default_factory=list)
    introduced: str = ""
    """Words that introduce what follows as somebody's speech."""
    marked: bool = False
    """Whether the sentence before said only that something is to be corrected."""
    added: int = 0
    """Characters in front that are not the person's: the subject that was left out."""


class FactFinder:
    """The write side of the rules, made once from tables."""

    def __init__(self, tables: Tables, assent: Assent) -> None:
        self._tables = tables
        self._patterns = Patterns(tables)
        self._subjects = Subjects(tables)
        self._corrections = Corrections(tables, self._patterns, assent)
        self._dropped = Dropped(tables)
        self._lead_ins = self._words(
            "lead_ins", r"(?:(?:{})(?:[ ,:!，：、！~]+|(?<=[\u3400-\u9fff]))){{0,5}}", whole=True
        )
        self._joins = self._words("joins", r"(?:(?<![\w'])(?:{})(?![\w'])|(?<=[\u3400-\u9fff])(?:{}))")
        self._asking = self._words("asking", "(?:{})")
        self._tags = self._words("tags", r"[ ,，]*(?:{})[ ?？]*")
        self._veto_before = self._words("veto_before", "{}")
        self._veto_clause = self._words("veto_clause", "{}")
        self._veto_sentence = self._words("veto_sentence", "{}")
        self._veto_message = self._words("veto_message", "{}")
        self._session = self._words("session", "{}")

    def _words(self, name: str, shape: str, *, whole: bool = False) -> re.Pattern[str]:
        lists = self._tables.patterns(name)
        if whole:
            lists = [bounded(pattern) for pattern in lists]
        return compiled(shape.replace("{}", alternatives(lists)).replace("{{", "{").replace("}}", "}"), {}, name)

    def lazy(self, slots: Collection[str] | None) -> Iterator[LazyPattern]:
        """What is compiled when it is needed: of these slots, or all."""
        yield from self._patterns.lazy(slots)
        yield from self._corrections.lazy()

    # --- a message ---------------------------------------------------------------------------------------------

    def find(self, text: str, mentions: Sequence[Mention] = ()) -> tuple[Draft, ...]:
        """Every fact that the message states, in order; of two values for a slot that holds one, the last."""
        found: dict[tuple[str | None, str, str | None], Draft] = {}
        for fact in self.read(text, mentions):
            _add(found, fact.draft, fact.slot)
        return tuple(found.values())

    def read(self, text: str, mentions: Sequence[Mention]) -> list[Fact]:
        """The facts of a message that follows on others, in which something was mentioned (the last one last)."""
        if "<|" in text:
            return []
        facts = self._read(text, mentions, 0)
        if facts or len(text) > _LONGEST_FRAGMENT:
            return facts
        subject = self._dropped.of(text)
        return self._read(subject + text, mentions, len(subject)) if subject else []

    def _read(self, text: str, mentions: Sequence[Mention], added: int) -> list[Fact]:
        plain = fold(text)
        reading = _Reading(text, plain, mask_quoted(simplify(plain)), list(mentions), added=added)
        for start, end in own_spans(text):
            reading.introduced = ""
            for sentence in sentences(reading.masked, start, end):
                if self._veto_message.search(reading.masked, sentence.start, sentence.end):
                    return reading.facts
                self._read_sentence(reading, sentence)
        return reading.facts

    def mentions(self, message: str, earlier: Sequence[Mention]) -> list[Mention] | None:
        """What a message mentions that follows on others; None where it tells nothing of its own."""
        if self._corrections.only_agrees(message):
            return list(earlier)
        facts = self.read(message, earlier)
        return [Mention.of(fact) for fact in facts] or None

    def may_correct(self, text: str) -> bool:
        """Whether a message has words with which something said before is corrected."""
        return self._corrections.may_be_one(simplify(fold(text)))

    def subject(self, subject: str, language: str) -> Subject:
        """A subject by its name, with a word for it in the language."""
        return self._subjects.named(subject, language)

    def relations_in(self, text: str) -> dict[str, str]:
        """See `Subjects.mentioned`."""
        return self._subjects.mentioned(text)

    def for_this_talk(self, text: str) -> bool:
        """Whether some sentence of the message says that it concerns the talk at hand."""
        return self._session.search(mask_quoted(simplify(fold(text[:4000])))) is not None

    def _read_sentence(self, reading: _Reading, sentence: Sentence) -> None:
        masked = reading.masked
        begin = self._corrections.marks_end(masked, sentence.start, sentence.end)
        marked, reading.marked = reading.marked or begin > sentence.start, False
        if not self._veto_sentence.search(masked, sentence.start, sentence.end):
            if not masked[begin : sentence.end].strip(" .!。！"):
                reading.marked = True
                return
            facts = self._corrected(reading, sentence, begin, marked=marked) or list(self._stated(reading, sentence))
            if marked:
                facts = [as_correction(fact, reading.mentions) for fact in facts]
            reading.facts += facts
            reading.mentions += map(Mention.of, facts)
        words = masked[sentence.start : sentence.end].rstrip()
        reading.introduced = words if _SPEECH.search(words) else ""

    def _corrected(self, reading: _Reading, sentence: Sentence, begin: int, *, marked: bool) -> list[Fact]:
        """The fact that a sentence makes of one that was mentioned."""
        if sentence.asks or not reading.mentions or reading.introduced:
            return []
        begin = skip_spaces(reading.masked, begin)
        found = self._corrections.read(reading.masked, begin, sentence.end, reading.mentions, marked=marked)
        if found is None:
            part = self._corrections.of_a_part(reading.plain, begin, sentence.end, reading.mentions)
            return [] if part is None else [part]
        stated, mention = found
        made = make_facts(
            stated,
            mention.subject,
            reading.text,
            reading.plain,
            max(sentence.start, reading.added),
            for_now=mention.session_only,
        )
        return [replace(fact, draft=replace(fact.draft, corrects=True, replaces=mention.value)) for fact in made]

    def _stated(self, reading: _Reading, sentence: Sentence) -> Iterator[Fact]:
        """The facts that a sentence states by itself."""
        masked = reading.masked
        for_now = self._session.search(masked, sentence.start, sentence.end) is not None
        ways = self._patterns.ways(masked, sentence.start, sentence.end)
        done, carried = sentence.start, None
        for start in self._clause_starts(masked, sentence) if ways else ():
            if start < done:
                continue
            lead = self._lead_ins.match(masked, start, sentence.end)
            begin = lead.end() if lead else start
            quoted = max(begin, reading.added)
            alone = not masked[sentence.start : start].strip()
            for stated, subject in self._matches(masked, begin, sentence, ways, carried, alone=alone):
                facts = list(make_facts(stated, subject, reading.text, reading.plain, quoted, for_now=for_now))
                if facts and not self._vetoed(stated, masked, sentence, begin, reading.introduced):
                    yield from self._with_name(subject, facts)
                if facts:
                    done, carried = max(fact.end for fact in facts), None if stated.slot.of_another else subject
                    break

    def _with_name(self, subject: Subject, facts: Sequence[Fact]) -> Iterator[Fact]:
        """The facts behind the name that their subject is given ("my sister Hannah"), if it is."""
        slot = self._tables.slots.get(NAME)
        named = name_fact(slot, subject, facts[0]) if slot is not None else None
        yield from ([] if named is None else [named])
        yield from facts

    def _clause_starts(self, masked: str, sentence: Sentence) -> list[int]:
        starts = {sentence.start}
        starts.update(mark.end() for mark in _CLAUSE_MARK.finditer(masked, sentence.start, sentence.end))
        starts.update(mark.end() for mark in self._joins.finditer(masked, sentence.start, sentence.end))
        return [skip_spaces(masked, start) for start in sorted(starts)[:_MAX_STARTS]]

    def _matches(
        self, masked: str, begin: int, sentence: Sentence, ways: Sequence[Way], carried: Subject | None, *, alone: bool
    ) -> Iterator[tuple[Stated, Subject]]:
        """What may be stated at a clause's begin, by whom; `alone` where that is the sentence's.

        A clause without a subject carries on with that of the fact before it in the sentence ("我叫李雷，住在北京").
        """
        end = sentence.end
        nobody = Subject(SELF, "", begin)
        read = {
            mode: self._subjects.read(mode, masked, begin, end)
            or self._subjects.meant(mode, masked, sentence.start, begin, end)
            for mode in ("whose", "who")
        }
        subjects: Mapping[str, Subject | None] = {
            "": nobody,
            "alone": nobody if alone else None,
            "whose": read["whose"],
            "who": read["who"] or _carried_on(carried, masked, begin),
        }
        for way in ways:
            subject = subjects[way.mode]
            if subject is not None and (stated := way.match(masked, subject.end, end)):
                yield stated, subject

    # --- what is not the person's own, or not so ---------------------------------------------------------------

    def _vetoed(self, stated: Stated, masked: str, sentence: Sentence, begin: int, introduced: str) -> bool:
        before = introduced + masked[sentence.start : begin]
        if stated.slot.reader in CONTACT:
            before = _OFFERED.sub("", before)
        if self._veto_before.search(before):
            return True
        clause_end = _CLAUSE_END.search(masked, stated.end, sentence.end)
        stop = clause_end.start() if clause_end else sentence.end
        if self._veto_clause.search(masked, begin, stop):
            return True
        return sentence.asks and self._is_asked(masked, sentence, begin, stop)

    def _is_asked(self, masked: str, sentence: Sentence, begin: int, stop: int) -> bool:
        """Whether a sentence's question mark also belongs to the clause from `begin` to `stop`."""
        rest = masked[stop : sentence.end].strip(" ,，?？!.;；")
        if not rest or self._tags.fullmatch(rest):
            return True
        starts = self._clause_starts(masked, sentence)
        asked = [start for start in starts if self._asking.match(masked, start, sentence.end)]
        return bool(asked) and max(asked) < begin


def _carried_on(carried: Subject | None, masked: str, begin: int) -> Subject | None:
    if carried is None or not _CARRIES_ON.search(masked, max(0, begin - 5), begin + 1):
        return None
    return replace(carried, end=begin - 1 if masked[begin - 1 : begin] == " " else begin)


def _add(found: dict[tuple[str | None, str, str | None], Draft], draft: Draft, slot: Slot) -> None:
    if slot.many and draft.replaces is not None:
        found.pop((draft.slot, draft.subject, draft.replaces), None)
    key = (draft.slot, draft.subject, draft.value if slot.many or draft.retracts else None)
    found.pop(key, None)
    found[key] = draft
