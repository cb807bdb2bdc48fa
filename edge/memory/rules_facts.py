"""What a person's message states: slots' values, whose they are, and what is taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from edge.memory.language import language_of
from edge.memory.rules_patterns import Pattern, slot_patterns
from edge.memory.rules_phrases import split_condition, split_list
from edge.memory.rules_tables import LANGUAGES, Slot, Tables, alternatives, compiled, numbered
from edge.memory.rules_text import Sentence, fold, mask_quoted, own_spans, sentences, simplify
from edge.memory.rules_values import READERS
from edge.memory.units import SELF, Draft, Kind

_MAX_CONTENT = 150
_MAX_STARTS = 48
_OFFERED = re.compile(
    r"\bif (?:you|anything|something|anyone|needed|necessary|there)\b|(?:如果|要是|万一)(?:你|您|有|需要|方便|联系)",
    re.I,
)
_CLAUSE_MARK = re.compile(r"[,，;；:：()（）—–?？!！]| - ")
_CLAUSE_END = re.compile(r"[,，;；。?？!！\n]|\.(?=\s|$)")
_SPEECH = re.compile(r"[:：]$|(?:[说问道]|\b(?:said|says|asked|asks|wrote)) ?[:：]", re.I)
_CARRIES_ON = re.compile(r"\b(?:and|but) \w?$|[\u3400-\u9fff]$", re.I)
_ENTITY = re.compile(r"[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*|[\w-]*\d[\w-]*")
_CONTACT = ("phone", "email", "address", "code")


@dataclass(frozen=True, slots=True)
class _Subject:
    """Whom a clause is about: the unit's subject, how it was called, and where the words behind it begin."""

    subject: str
    called: str
    end: int


class FactFinder:
    """The write side of the rules, compiled once from tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._relation_words = alternatives(map(re.escape, tables.relations))
        self._own, self._framed = slot_patterns(tables)
        self._subjects = {mode: self._subject_regexes(mode) for mode in ("whose", "who")}
        self._lead_ins = self._words(
            "lead_ins", r"(?:(?:{})(?:[ ,:!，：、！~]+|(?<=[\u3400-\u9fff]))){{0,5}}", bounded=True
        )
        self._joins = self._words("joins", r"(?:(?<![\w'])(?:{})(?![\w'])|(?<=[\u3400-\u9fff])(?:{}))")
        self._asking = self._words("asking", "(?:{})")
        self._tags = self._words("tags", r"[ ,，]*(?:{})[ ?？]*")
        self._veto_before = self._words("veto_before", "{}")
        self._veto_clause = self._words("veto_clause", "{}")
        self._veto_sentence = self._words("veto_sentence", "{}")
        self._veto_message = self._words("veto_message", "{}")
        self._session = self._words("session", "{}")

    def _words(self, name: str, shape: str, *, bounded: bool = False) -> re.Pattern[str]:
        lists = [pattern for language in LANGUAGES for pattern in self._tables.words[language][name]]
        if bounded:
            lists = [pattern + (r"(?![\w'])" if pattern.isascii() else "") for pattern in lists]
        joined = alternatives(lists) if lists else r"(?!)"
        return compiled(shape.replace("{}", joined).replace("{{", "{").replace("}}", "}"), {}, name)

    def _subject_regexes(self, mode: str) -> list[re.Pattern[str]]:
        parts = {"rel": self._relation_words}
        return [
            compiled(pattern, parts, f"language.{language}.{where}")
            for language in LANGUAGES
            for where, pattern in numbered(mode, self._tables.words[language][mode])
        ]

    # --- a message ---------------------------------------------------------------------------------------------

    def find(self, text: str) -> tuple[Draft, ...]:
        """Every fact that the message states, in order; of two values for a slot that holds one, the last."""
        if "<|" in text:
            return ()
        plain = fold(text)
        masked = mask_quoted(simplify(plain))
        found: dict[tuple[str | None, str, str | None], Draft] = {}
        for start, end in own_spans(text):
            introduced = ""
            for sentence in sentences(masked, start, end):
                if self._veto_message.search(masked, sentence.start, sentence.end):
                    return tuple(found.values())
                for draft in self._read_sentence(text, plain, masked, sentence, introduced):
                    _add(found, draft, self._tables.slots)
                words = masked[sentence.start : sentence.end].rstrip()
                introduced = words if _SPEECH.search(words) else ""
        return tuple(found.values())

    def for_this_talk(self, text: str) -> bool:
        """Whether some sentence of the message says that it concerns the talk at hand."""
        return self._session.search(mask_quoted(simplify(fold(text[:4000])))) is not None

    def _read_sentence(
        self, text: str, plain: str, masked: str, sentence: Sentence, introduced: str
    ) -> Iterator[Draft]:
        if self._veto_sentence.search(masked, sentence.start, sentence.end):
            return
        for_now = self._session.search(masked, sentence.start, sentence.end) is not None
        framed = self._framed_here(masked[sentence.start : sentence.end].lower())
        done, carried = sentence.start, None
        for start in self._clause_starts(masked, sentence):
            if start < done:
                continue
            lead = self._lead_ins.match(masked, start, sentence.end)
            begin = lead.end() if lead else start
            for pattern, subject, match in self._matches(masked, begin, sentence.end, framed, carried):
                drafts = list(self._drafts(pattern, subject, match, text, plain, begin, for_now=for_now))
                if drafts and not self._vetoed(pattern, match, masked, sentence, begin, introduced):
                    yield from drafts
                if drafts:
                    done, carried = match.end(), subject
                    break

    def _clause_starts(self, masked: str, sentence: Sentence) -> list[int]:
        starts = {sentence.start}
        starts.update(mark.end() for mark in _CLAUSE_MARK.finditer(masked, sentence.start, sentence.end))
        starts.update(mark.end() for mark in self._joins.finditer(masked, sentence.start, sentence.end))
        return [_skip_spaces(masked, start) for start in sorted(starts)[:_MAX_STARTS]]

    def _framed_here(self, lowered: str) -> list[Pattern]:
        return [p for slot, patterns in self._framed.items() if any(n in lowered for n in slot) for p in patterns]

    def _matches(
        self, masked: str, begin: int, end: int, framed: Sequence[Pattern], carried: _Subject | None
    ) -> Iterator[tuple[Pattern, _Subject, re.Match[str]]]:
        """Patterns that match at a clause's begin, retractions and statements of their own before frames.

        A clause without a subject carries on with that of the fact before it in the sentence ("我叫李雷，住在北京").
        """
        subjects = {mode: self._subject(mode, masked, begin, end) for mode in ("whose", "who")}
        if carried is not None and not subjects["who"] and _CARRIES_ON.search(masked, max(0, begin - 5), begin + 1):
            at = begin - 1 if masked[begin - 1 : begin] == " " else begin
            subjects["who"] = [replace(carried, end=at)]
        nobody = _Subject(SELF, "", begin)
        for pattern in (*self._own, *framed):
            for subject in subjects[pattern.mode] if pattern.mode else (nobody,):
                if match := pattern.regex.match(masked, subject.end, end):
                    yield pattern, subject, match

    def _subject(self, mode: str, masked: str, begin: int, end: int) -> list[_Subject]:
        for regex in self._subjects[mode]:
            if match := regex.match(masked, begin, end):
                after = _skip_spaces(masked, match.end()) if mode == "whose" else match.end()
                return [_subject_of(match, self._tables, after)]
        return []

    def _vetoed(
        self, pattern: Pattern, match: re.Match[str], masked: str, sentence: Sentence, begin: int, introduced: str
    ) -> bool:
        before = introduced + masked[sentence.start : begin]
        if pattern.slot.reader in _CONTACT:
            before = _OFFERED.sub("", before)
        if self._veto_before.search(before):
            return True
        clause_end = _CLAUSE_END.search(masked, match.end(), sentence.end)
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

    # --- a match -----------------------------------------------------------------------------------------------

    def _drafts(
        self,
        pattern: Pattern,
        subject: _Subject,
        match: re.Match[str],
        text: str,
        plain: str,
        begin: int,
        *,
        for_now: bool,
    ) -> Iterator[Draft]:
        group, reader = _value_group(match)
        raw = plain[match.start(group) : match.end(group)]
        quote = text[begin : match.end()].strip()
        words = {key: value for key, value in match.groupdict().items() if key in ("what", "topic") and value}
        for item in split_list(raw) if reader == "list" else [raw]:
            head, condition = split_condition(item) if reader in ("list", "phrase") else (item, "")
            read = READERS[reader].read(head)
            if read is None:
                continue
            draft = self._draft(pattern, subject, read[0] + condition, read[1], quote, words, for_now=for_now)
            if draft is not None:
                yield draft

    def _draft(
        self,
        pattern: Pattern,
        subject: _Subject,
        shown: str,
        value: str,
        quote: str,
        words: Mapping[str, str],
        *,
        for_now: bool,
    ) -> Draft | None:
        slot = pattern.slot
        language = language_of(quote)
        content = _content(slot, subject, shown, words, language, retracts=pattern.retracts)
        if len(content) > _MAX_CONTENT:
            return None
        session_only = for_now or slot.kind is Kind.SESSION_STATE
        kind = Kind.SESSION_STATE if session_only else slot.kind if subject.subject == SELF else Kind.FACT_REFERENCE
        entities = [shown] if slot.reader in (*_CONTACT, "name", "surname", "date") else _ENTITY.findall(shown)
        return Draft(
            kind=kind,
            content=content,
            subject=subject.subject,
            slot=topic_slot(slot, words.get("topic")),
            value=value,
            entities=tuple(dict.fromkeys([*entities, *([subject.called] if _is_given_name(subject) else [])])),
            quote=quote,
            confidence=pattern.weight,
            importance=slot.importance,
            session_only=session_only,
            retracts=pattern.retracts,
        )


def topic_slot(slot: Slot, topic: str | None) -> str:
    """The slot's name for a topic: "colour" and "颜色" are both `favorite:color`; an unknown topic is its own."""
    if topic is None:
        return slot.name
    word = topic.strip().lower()
    known = (name for name, names in slot.topics.items() if word in names)
    return f"{slot.name}:{next(known, word)}"


def _content(
    slot: Slot, subject: _Subject, shown: str, words: Mapping[str, str], language: str, *, retracts: bool
) -> str:
    template = (slot.no_longer if retracts else slot.content)[language]
    who, whose = _phrased(subject, language)
    values = {"value": shown, "what": slot.labels[language], "topic": "", "label": slot.labels[language], **words}
    return template.format(Who=_capital(who), who=who, Whose=_capital(whose), whose=whose, **values)


def _phrased(subject: _Subject, language: str) -> tuple[str, str]:
    is_name = _is_given_name(subject)
    if language == "zh":
        who = "用户" if subject.subject == SELF else subject.called if is_name else f"用户的{subject.called}"
        return who, f"{who}的"
    who = "the user" if subject.subject == SELF else subject.called if is_name else f"the user's {subject.called}"
    return who, f"{who}'" if who.endswith("s") else f"{who}'s"


def _is_given_name(subject: _Subject) -> bool:
    return subject.subject == subject.called.lower() and (subject.called[:1].isupper() or not subject.called.isascii())


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _subject_of(match: re.Match[str], tables: Tables, end: int) -> _Subject:
    groups = match.groupdict()
    name = groups.get("name") or groups.get("relname")
    relation = groups.get("rel")
    if relation is None:
        return _Subject(name.lower(), name, end) if name else _Subject(SELF, "", end)
    key = tables.relations.get(relation.lower(), relation.lower())
    if name and key in tables.shared_relations:
        return _Subject(name.lower(), name, end)
    return _Subject(key, relation.lower(), end)


def _value_group(match: re.Match[str]) -> tuple[str, str]:
    """The group that holds the value, and its reader."""
    for group, value in match.groupdict().items():
        if value is not None and group.startswith("value_"):
            return group, group.removeprefix("value_")
    raise LookupError(match.re.pattern)


def _add(found: dict[tuple[str | None, str, str | None], Draft], draft: Draft, slots: Mapping[str, Slot]) -> None:
    slot = slots[(draft.slot or "").partition(":")[0]]
    key = (draft.slot, draft.subject, draft.value if slot.many or draft.retracts else None)
    found.pop(key, None)
    found[key] = draft


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] == " ":
        at += 1
    return at
