"""From a place where a slot is stated to what is remembered: whom it is about, its value, the sentence of the unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from edge.memory.compression import LIMIT
from edge.memory.language import language_of
from edge.memory.rules_patterns import Span, Stated
from edge.memory.rules_phrases import split_condition, split_list
from edge.memory.rules_tables import Slot
from edge.memory.rules_values import READERS
from edge.memory.units import SELF, Draft, Kind

_ENTITY = re.compile(r"[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*|[\w-]*\d[\w-]*")
_CUT = re.compile(r"[A-Za-z0-9]{2}")
"""What stands around the end of a value that was too long: it would be cut inside a word."""
CONTACT = ("phone", "email", "address", "code")


@dataclass(frozen=True, slots=True)
class Named:
    """A relation of the person, the word that was used for it, and the name that was given: sister, 姐姐, 思敏."""

    relation: str
    word: str
    name: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a clause is about: the unit's subject, how it was called, and where the words behind it begin. `named` is
    what it was said to be to the person, where that is named beside ("my sister Hannah")."""

    subject: str
    called: str
    end: int
    named: Named | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A draft with what it was made from, so that a correction of its value can be put in its place. `end` is the place
    behind its value in the message, `shown` the value as the sentence has it."""

    draft: Draft
    slot: Slot
    subject: Subject
    words: Mapping[str, str]
    end: int
    shown: str


def make_facts(stated: Stated, subject: Subject, text: str, plain: str, begin: int, *, for_now: bool) -> Iterator[Fact]:
    """The facts of one statement: as many as its value names. `plain` is the folded text, `begin` its quote's."""
    slot, reader = stated.slot, stated.value.reader
    if _CUT.fullmatch(plain, stated.value.end - 1, stated.value.end + 1):
        return
    raw = plain[stated.value.start : stated.value.end]
    quote = text[begin : stated.end].strip()
    for item in split_list(raw) if reader == "list" else [raw]:
        head, condition = split_condition(item) if reader in ("list", "phrase") else (item, "")
        read = READERS[reader].read(head)
        if read is None:
            continue
        draft = _draft(stated, subject, read[0] + condition, read[1], quote, for_now=for_now)
        if draft is not None:
            at = raw.find(read[0])
            end = stated.end if at < 0 or reader not in ("list", "phrase") else stated.value.start + at + len(read[0])
            yield Fact(_replacing(draft, stated, plain), slot, subject, stated.words, end, read[0])


def name_fact(slot: Slot, subject: Subject, beside: Fact) -> Fact | None:
    """That a relation has the name that is given beside it, as a fact like any other; `beside` is what the clause
    states, `slot` that of names."""
    if subject.named is None or beside.slot is slot:
        return None
    named = subject.named
    of = Subject(named.relation, named.word, subject.end)
    stated = Stated(slot, Span(0, 0, slot.reader), {}, subject.end)
    draft = _draft(
        stated, of, named.name, named.name.lower(), beside.draft.quote or "", for_now=beside.draft.session_only
    )
    return None if draft is None else Fact(draft, slot, of, {}, subject.end, named.name)


def _replacing(draft: Draft, stated: Stated, plain: str) -> Draft:
    if stated.replaced is None:
        return draft
    old = READERS[stated.replaced.reader].read(plain[stated.replaced.start : stated.replaced.end])
    return draft if old is None else replace(draft, corrects=True, replaces=old[1])


def _draft(stated: Stated, subject: Subject, shown: str, value: str, quote: str, *, for_now: bool) -> Draft | None:
    slot = stated.slot
    content = _content(slot, subject, shown, stated.words, language_of(quote), retracts=stated.retracts)
    if len(content) > LIMIT:
        return None
    session_only = for_now or slot.kind is Kind.SESSION_STATE
    kind = Kind.SESSION_STATE if session_only else slot.kind if subject.subject == SELF else Kind.FACT_REFERENCE
    entities = [shown] if slot.reader in (*CONTACT, "name", "surname", "date") else _ENTITY.findall(shown)
    return Draft(
        kind=kind,
        content=content,
        subject=subject.subject,
        slot=topic_slot(slot, stated.words.get("topic")),
        value=value,
        entities=tuple(dict.fromkeys([*entities, *([subject.called] if _is_given_name(subject) else [])])),
        quote=quote,
        confidence=stated.weight,
        importance=slot.importance,
        session_only=session_only,
        retracts=stated.retracts,
    )


def topic_slot(slot: Slot, topic: str | None) -> str:
    """The slot's name for a topic: "colour" and "颜色" are both `favorite:color`; an unknown topic is its own."""
    if topic is None:
        return slot.name
    word = topic.strip().lower()
    known = (name for name, names in slot.topics.items() if word in names)
    return f"{slot.name}:{next(known, word)}"


def _content(
    slot: Slot, subject: Subject, shown: str, words: Mapping[str, str], language: str, *, retracts: bool
) -> str:
    template = (slot.no_longer if retracts else slot.content)[language]
    who, whose = _phrased(subject, language)
    values = {"value": shown, "what": slot.labels[language], "topic": "", "label": slot.labels[language], **words}
    told = template.format(Who=_capital(who), who=who, Whose=_capital(whose), whose=whose, **values)
    return told[:-1] if told.endswith("..") else told


def _phrased(subject: Subject, language: str) -> tuple[str, str]:
    is_name = _is_given_name(subject)
    if subject.named is not None and is_name:
        to_them = f"{subject.named.word}{'' if language == 'zh' else ' '}{subject.called}"
        return _phrased(replace(subject, called=to_them, named=None), language)
    if language == "zh":
        who = "用户" if subject.subject == SELF else subject.called if is_name else f"用户的{subject.called}"
        return who, f"{who}的"
    who = "the user" if subject.subject == SELF else subject.called if is_name else f"the user's {subject.called}"
    return who, f"{who}'" if who.endswith("s") else f"{who}'s"


def _is_given_name(subject: Subject) -> bool:
    return subject.subject == subject.called.lower() and (subject.called[:1].isupper() or not subject.called.isascii())


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def skip_spaces(text: str, at: int) -> int:
    """The place of the next character that is no space."""
    while at < len(text) and text[at] == " ":
        at += 1
    return at
