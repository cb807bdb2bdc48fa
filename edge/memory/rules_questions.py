"""Which slot a message asks for.

A message is brought into a plain form: whom it is about becomes one sign, a slot's noun another. On that form a few
patterns tell whether a sentence asks for a slot's value and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from edge.memory.rules_facts import topic_slot
from edge.memory.rules_patterns import TOPIC
from edge.memory.rules_tables import LANGUAGES, Slot, Tables, alternatives, compiled, numbered
from edge.memory.rules_text import fold, mask_quoted, sentences, simplify
from edge.memory.units import SELF, SlotQuestion

_WHOSE, _WHO, _NOUN = "\ue001", "\ue002", "\ue003"
_TAG = "[\ue100-\ue17f]"
"""Behind a sign: it stands for another than the person; which one is its place among the others named."""
_FIRST_TAG, _LAST_TAG = 0xE100, 0xE17F
_STATED = re.compile(
    r" ?(?:is|are|'s|是|为|叫|[:：=])(?: (?!valid|right|correct|wrong|what)| ?(?=[\w\u3400-\u9fff]))"
    r"(?!什么|多少|啥|哪|谁|几|不是)",
    re.I,
)
_OWNED = re.compile(rf"[{_WHOSE}{_WHO}]{_TAG}? ?(?:[a-z]+ )?$")
_EDGE = 400
_TAILS = 3
_LONGEST_ASK = 160
_SPACES = re.compile(r" {2,}")
_COMMA = re.compile(r"[,，;；:：]|\b(?:and|but|so)\b(?= (?:what|which|who|when|where|how|do|can)\b)| - ")
_NEEDS_ASKING = re.compile(
    r"[?？]|\b(?:what|which|who|whats|wat|when|where|how|tell|remind|remember|recall|know|forgot|forget"
    r"|forgotten|give|show|say|repeat|my|wonder|wondering)\b"
    r"|[什啥多哪谁几]|记得|记住|知道|忘|告诉|提醒|怎么|如何|贵姓|吗|我的|订单|叫我",
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a sentence asks for; `words` are those of it that ask, in plain form."""

    slots: tuple[str, ...]
    certain: bool
    words: str


class QuestionFinder:
    """The read side of the rules, compiled once from tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._nouns = _noun_slots(tables)
        self._strong = frozenset(noun.lower() for slot in tables.slots.values() for noun in slot.nouns)
        latin = [re.escape(noun).replace(r"\ ", " ") for noun in self._nouns if noun.isascii()]
        other = [re.escape(noun).replace(r"\ ", " ") for noun in self._nouns if not noun.isascii()]
        self._noun = re.compile(rf"(?<![a-z'-]){alternatives(latin)}(?=s?(?![a-z]))|{alternatives(other)}")
        self._about = self._subject_regex(("ask_whose", "ask_who"))
        self._prefix = self._repeated("ask_prefixes", r"(?:{}[ ,，:：!！、]*)", 5)
        self._suffix = re.compile(rf"(?:[ ,，]*{self._alternatives('ask_suffixes')}(?<![a-z](?=[a-z])))$")
        self._frames = [self._compile(frame, where) for where, frame in self._lists("ask_frames")]
        self._bare = [self._compile(frame, where) for where, frame in self._lists("ask_bare")]
        self._asks = [
            (slot, self._compile(ask, f"slots.{slot.name}.{where}"))
            for slot in tables.slots.values()
            for where, ask in numbered("asks", slot.asks)
        ]
        self._asking = re.compile(self._alternatives("asking"))
        self._request = re.compile(self._alternatives("requests"))

    def _lists(self, name: str) -> list[tuple[str, str]]:
        return [pair for language in LANGUAGES for pair in numbered(name, self._tables.words[language][name])]

    def _alternatives(self, name: str) -> str:
        return (
            alternatives(self._filled(pattern, name) for _, pattern in self._lists(name))
            if self._lists(name)
            else "(?!)"
        )

    def _repeated(self, name: str, shape: str, times: int) -> re.Pattern[str]:
        patterns = (self._filled(p, name) + ("(?![a-z'])" if p.isascii() else "") for _, p in self._lists(name))
        return re.compile(shape.replace("{}", alternatives(patterns)) + f"{{0,{times}}}")

    def _filled(self, pattern: str, where: str) -> str:
        return self._compile(pattern, where).pattern

    def _compile(self, pattern: str, where: str) -> re.Pattern[str]:
        quals = [q for language in LANGUAGES for q in self._tables.words[language]["qual"]]
        either = f"(?:[{_WHOSE}{_WHO}]{_TAG}?)"
        parts = {
            "whose": f"(?:{_WHOSE}{_TAG}?)" if pattern.isascii() else either,
            "who": f"(?:{_WHO}{_TAG}?)" if pattern.isascii() else either,
            "anywhose": either,
            "noun": _NOUN,
            "qual": alternatives(quals) if quals else "(?!)",
            "topic": TOPIC,
        }
        return compiled(
            pattern.replace("{whose} ", "{whose} ?").replace(" {whose}", " ?{whose}").replace("{who} ", "{who} ?"),
            parts,
            where,
        )

    def _subject_regex(self, names: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
        parts = {"rel": alternatives(map(re.escape, self._tables.relations))}
        found = []
        listed = [
            (sign, where, pattern)
            for name, sign in zip(names, (_WHOSE, _WHO), strict=True)
            for where, pattern in self._lists(name)
        ]
        # Relations first: "my" alone would take the place of "my sister".
        for sign, where, pattern in sorted(listed, key=lambda entry: "{rel}" not in entry[2]):
            bounded = rf"(?<![\w']){pattern}(?![a-z])" if pattern.isascii() or "(?-i" in pattern else pattern
            found.append((sign, compiled(bounded, parts, where)))
        return found

    # --- a message ---------------------------------------------------------------------------------------------

    def find(self, text: str) -> SlotQuestion | None:
        """The slots that the message asks for; None where it asks for none."""
        if len(text) > 2 * _EDGE:
            text = f"{text[:_EDGE]}\n{text[-_EDGE:]}"
        masked = mask_quoted(simplify(fold(text)))
        if not self._worth_reading(masked):
            return None
        signed, named = self._sign_subjects(masked)
        asked: list[_Asked] = []
        others = False
        for sentence in sentences(signed, 0, len(signed)):
            found = self._read_sentence(signed[sentence.start : sentence.end], asks=sentence.asks)
            if isinstance(found, _Asked):
                asked.append(found)
            else:
                others = others or found
        return _together(asked, named, others=others)

    def _worth_reading(self, masked: str) -> bool:
        lowered = masked.lower()
        return bool(_NEEDS_ASKING.search(lowered)) or (len(lowered) < 40 and bool(self._noun.search(lowered)))

    def _sign_subjects(self, masked: str) -> tuple[str, list[str]]:
        """The text with each mention of the person or of another as a sign, and the others that are named."""
        others: list[str] = []
        for sign, regex in self._about:

            def replace_by_sign(found: re.Match[str], sign: str = sign) -> str:
                subject = self._named(found)
                if subject == SELF:
                    return sign
                if subject not in others:
                    others.append(subject)
                return sign + chr(min(_FIRST_TAG + others.index(subject), _LAST_TAG))

            masked = regex.sub(replace_by_sign, masked)
        return _SPACES.sub(" ", masked.lower()), others

    def _named(self, found: re.Match[str]) -> str:
        groups = found.groupdict()
        name = groups.get("name") or groups.get("name2") or groups.get("relname")
        relation = groups.get("rel")
        key = self._tables.relations.get((relation or "").lower(), SELF)
        return name.lower() if name and (relation is None or key in self._tables.shared_relations) else key

    def _read_sentence(self, sentence: str, *, asks: bool) -> _Asked | bool:
        """What the sentence asks for, or whether it asks for something else."""
        words = sentence.strip(" .!?。！？,，~…")
        found = self._certain(words, asks=asks)
        if found is not None:
            return found
        is_question = asks or self._is_question(words)
        marks = list(_COMMA.finditer(words))
        for mark in [*marks[:1], *marks[1:][-_TAILS:]]:
            head, tail = words[: mark.start()], words[mark.end() :].strip()
            found = self._certain(tail, asks=asks)
            if found is not None:
                return replace(found, certain=not self._is_question(head))
            found = self._certain(head, asks=asks) if self._is_question(head) or asks else None
            if found is not None:
                return replace(found, certain=not self._is_question(tail) and not self._noun.search(tail))
        if not is_question:
            return False
        return self._mentioned(words, asks=asks) or True

    def _is_question(self, words: str) -> bool:
        plain = re.sub(f"[{_WHOSE}{_WHO}{_NOUN}]|{_TAG}", "", words)
        me = ("my", "i") if plain.isascii() else ("我的", "我")
        words = re.sub(_TAG, "", words).replace(_WHOSE, me[0]).replace(_WHO, me[1])
        core = self._prefix.match(words)
        begin = core.end() if core else 0
        return bool(
            self._asking.match(words)
            or self._asking.match(words, begin)
            or self._request.match(words)
            or (begin and self._request.match(words, begin))
            or words.endswith(("吗", "呢", "么"))
        )

    def _certain(self, words: str, *, asks: bool) -> _Asked | None:
        """The slots of a sentence that is a question for slots from its first word to its last."""
        if len(words) > _LONGEST_ASK:
            return None
        prefix = self._prefix.match(words)
        begin = prefix.end() if prefix else 0
        for start, peeled in ((words, False), (words[begin:], begin > 0)):
            for core in self._peeled_behind(start):
                if found := self._whole(core.strip(" ,，"), is_asked=asks or peeled):
                    return _Asked(found, certain=True, words=core)
        return None

    def _peeled_behind(self, words: str) -> Iterator[str]:
        """The words, and again without what may hang on behind ("again", "please", 吗), up to three times."""
        for _ in range(4):
            yield words
            shorter = self._suffix.sub("", words)
            if shorter == words:
                return
            words = shorter

    def _whole(self, core: str, *, is_asked: bool) -> tuple[str, ...]:
        if not core:
            return ()
        slots: list[str] = []

        def note(found: re.Match[str]) -> str:
            slots.extend(self._nouns[found[0]])
            return _NOUN

        signed = self._noun.sub(note, core)
        if slots and any(frame.fullmatch(signed) for frame in self._frames):
            return tuple(dict.fromkeys(slots))
        if slots and is_asked and any(frame.fullmatch(signed) for frame in self._bare):
            strong = self._noun.search(core)
            return tuple(dict.fromkeys(slots)) if strong and strong[0] in self._strong else ()
        return self._own_ask(core)

    def _own_ask(self, core: str) -> tuple[str, ...]:
        for slot, regex in self._asks:
            if match := regex.fullmatch(core):
                topic = match.groupdict().get("topic")
                return (topic_slot(slot, topic), *slot.also)
        return ()

    def _mentioned(self, words: str, *, asks: bool) -> _Asked | None:
        """Slots whose noun stands behind "my", or without it where the slot is `bare`."""
        slots: list[str] = []
        about = ""
        for noun in self._noun.finditer(words):
            if not asks and _STATED.match(words, noun.end()):
                continue
            owned = _OWNED.search(words[max(0, noun.start() - 20) : noun.start()])
            about += owned[0] if owned else ""
            bare = _is_specific(noun[0])
            slots += [name for name in self._nouns[noun[0]] if owned or (bare and self._tables.slots[name].bare)]
        return _Asked(tuple(dict.fromkeys(slots)), certain=False, words=about) if slots else None


def _is_specific(noun: str) -> bool:
    """Whether a noun tells its slot also without "my": "order number", not "order"."""
    return " " in noun or (not noun.isascii() and len(noun) > 2)


def _noun_slots(tables: Tables) -> Mapping[str, tuple[str, ...]]:
    """Each noun with the slots that answer it: its own, and those beside it."""
    found: dict[str, tuple[str, ...]] = {}
    for slot in tables.slots.values():
        for noun in (*slot.nouns, *slot.ask_nouns):
            found.setdefault(noun.lower(), (slot.name, *slot.also))
    return found


def _together(asked: list[_Asked], named: list[str], *, others: bool) -> SlotQuestion | None:
    """One question out of those of a message; of two persons asked about, the first, and then it is not certain."""
    if not asked:
        return None
    words = " ".join(found.words for found in asked)
    tags = list(dict.fromkeys(re.findall(_TAG, words)))
    is_of_both = bool(tags) and re.search(f"{_WHOSE}(?!{_TAG})", words) is not None
    certain = all(found.certain for found in asked) and not others and len(tags) < 2 and not is_of_both
    subject = named[min(ord(tags[0]) - _FIRST_TAG, len(named) - 1)] if tags else SELF
    return SlotQuestion(tuple(dict.fromkeys(name for found in asked for name in found.slots)), subject, certain)


def slot_of(slots: Mapping[str, Slot], name: str) -> Slot:
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
