"""Which slot a message asks for.

A message is brought into a plain form: whom it is about becomes one sign, a slot's noun another. On that form a few
patterns tell whether a sentence asks for a slot's value and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial

from edge.memory.questions import ASKED, ASKED_ZH
from edge.memory.rules_asks import AskPatterns
from edge.memory.rules_drafts import topic_slot
from edge.memory.rules_regex import LazyPattern
from edge.memory.rules_signs import FIRST_TAG, NOUN, TAG, WHO, WHOSE, Signs
from edge.memory.rules_tables import Slot, Tables
from edge.memory.rules_text import fold, mask_quoted, sentences, simplify, spelled_out
from edge.memory.units import SELF, SlotQuestion

_STATED = re.compile(
    r" ?(?:is|are|'s|是|为|叫|[:：=])(?: (?!valid|right|correct|wrong|what)| ?(?=[\w\u3400-\u9fff]))"
    r"(?!什么|多少|啥|哪|谁|几|不是)",
    re.I,
)
_OWNED = {
    True: re.compile(rf"{WHOSE}{TAG}? ?(?:[a-z]+ )?$"),
    False: re.compile(rf"[{WHOSE}{WHO}]{TAG}? ?$"),
}
"""What makes a noun behind it the person's, or another's that is named; by whether the noun is a Latin word."""
_POINTED_AT = re.compile(r"(?:\b(?:the|this|that) |[这那](?:个|笔|张)?|上次的?|查(?:一下|询)?|我要)$")
"""What makes a noun behind it the one that is talked about."""
_ASKS_ITSELF = re.compile(rf"{ASKED_ZH}|^(?:{ASKED})\b")
"""Words that make a question without its mark."""
_EDGE = 400
_TAILS = 3
_LONGEST_ASK = 160
_COMMA = re.compile(r"[,，;；:：]| / |\b(?:and|but|so)\b(?= (?:what|which|who|when|where|how|do|can)\b)| - ")
_NEEDS_ASKING = re.compile(
    rf"[?？]|\b(?:{ASKED}|whats|wat|how|tell|remind|remember|recall|know|forgot|forget"
    r"|forgotten|give|show|say|repeat|my|wonder|wondering|usual|same|last)\b"
    r"|[什啥多哪谁几]|上[次回]|老样子|平时|记得|记住|知道|忘|告诉|提醒|怎么|怎样|如何|贵姓|吗|嘛|还是|我的|订单|叫我",
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a sentence asks for; `words` are those of it that ask, in plain form."""

    slots: tuple[str, ...]
    certain: bool
    words: str


class QuestionFinder:
    """The read side of the rules."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._signs = Signs(tables)
        self._patterns = AskPatterns(tables)

    def lazy(self, slots: Collection[str] | None) -> Iterator[LazyPattern]:
        """What asks for these slots, or all."""
        return self._patterns.lazy(slots)

    def find(self, text: str) -> SlotQuestion | None:
        """The slots that the message asks for; None where it asks for none."""
        if len(text) > 2 * _EDGE:
            text = f"{text[:_EDGE]}\n{text[-_EDGE:]}"
        masked = mask_quoted(spelled_out(simplify(fold(text))))
        if not self._worth_reading(masked):
            return None
        signed, named = self._signs.put(masked)
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
        return bool(_NEEDS_ASKING.search(lowered)) or (len(lowered) < 40 and bool(self._patterns.noun.search(lowered)))

    def _read_sentence(self, sentence: str, *, asks: bool) -> _Asked | bool:
        """What the sentence asks for, or whether it asks for something else."""
        words = self._patterns.joined(sentence.strip(" .!?。！？,，~…"))
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
                return replace(found, certain=not self._is_question(tail) and not self._patterns.noun.search(tail))
        if needed := self._needed(words):
            return _Asked(needed, certain=False, words=words)
        if is_question and (mentioned := self._mentioned(words, asks=asks)):
            return mentioned
        asks_itself = is_question or _ASKS_ITSELF.search(words) is not None
        if asks_itself and (cued := self._patterns.cues.find(words, self._tables.slots)):
            return _Asked(cued, certain=False, words=words)
        return is_question

    def _is_question(self, words: str) -> bool:
        plain = re.sub(f"[{WHOSE}{WHO}{NOUN}]|{TAG}", "", words)
        me = ("my", "i") if plain.isascii() else ("我的", "我")
        words = re.sub(TAG, "", words).replace(WHOSE, me[0]).replace(WHO, me[1])
        core = self._patterns.prefix.match(words)
        begin = core.end() if core else 0
        return bool(
            self._patterns.asking.match(words)
            or self._patterns.asking.match(words, begin)
            or self._patterns.request.match(words)
            or (begin and self._patterns.request.match(words, begin))
            or words.endswith(("吗", "呢", "么"))
        )

    def _certain(self, words: str, *, asks: bool) -> _Asked | None:
        """The slots of a sentence that is a question for slots from its first word to its last."""
        if len(words) > _LONGEST_ASK:
            return None
        prefix = self._patterns.prefix.match(words)
        begin = prefix.end() if prefix else 0
        for start, peeled in ((words, False), (words[begin:], begin > 0)):
            for core in self._cores(start):
                is_asked = asks or peeled or _ASKS_ITSELF.search(core) is not None
                if found := self._whole(core, is_asked=is_asked):
                    return _Asked(found, certain=True, words=core)
        return None

    def _cores(self, words: str) -> Iterator[str]:
        """The words with less and less around what is asked, and then without the small words within it."""
        peeled = [core.strip(" ,，") for core in self._peeled_behind(words)]
        yield from peeled
        for core in peeled:
            bare = self._patterns.filler.sub("", core).strip()
            if bare != core:
                yield bare

    def _peeled_behind(self, words: str) -> Iterator[str]:
        """The words, and again without what may hang on behind ("again", "please", 吗), up to three times."""
        for _ in range(4):
            yield words
            shorter = self._patterns.suffix.sub("", words)
            if shorter == words:
                return
            words = shorter

    def _whole(self, core: str, *, is_asked: bool) -> tuple[str, ...]:
        if not core:
            return ()
        slots: list[str] = []
        signed = self._patterns.noun.sub(partial(self._note, slots), core)
        if slots and any(frame.asks(signed) for frame in self._patterns.frames):
            return tuple(dict.fromkeys(slots))
        if slots and is_asked and any(frame.asks(signed) for frame in self._patterns.bare):
            strong = self._patterns.noun.search(core)
            return tuple(dict.fromkeys(slots)) if strong and strong[0] in self._patterns.strong else ()
        return self._own_ask(core)

    def _own_ask(self, core: str) -> tuple[str, ...]:
        for ask in self._patterns.asks:
            if match := ask.asks(core):
                slot, topic = self._tables.slots[ask.slot], match.groupdict().get("topic")
                topic = topic and topic.replace(WHOSE, "my")
                return tuple(dict.fromkeys((topic_slot(slot, topic), *self._beside(slot, topic))))
        return ()

    def _beside(self, slot: Slot, topic: str | None) -> Iterator[str]:
        """The slots beside one; what ends with a colon takes the topic on."""
        for name in slot.also:
            base, colon, _ = name.partition(":")
            if not colon:
                yield name
            elif topic is not None:
                yield topic_slot(self._tables.slots[base], topic)

    def _needed(self, words: str) -> tuple[str, ...]:
        """The slots without which a request cannot be met: "pay as last time", "send it to the same address"."""
        prefix = self._patterns.prefix.match(words)
        for core in (words, words[prefix.end() :] if prefix else words):
            for need in self._patterns.needs:
                if need.asks(core):
                    return (need.slot, *self._tables.slots[need.slot].also)
            slots: list[str] = []
            signed = self._patterns.noun.sub(partial(self._note, slots), core)
            if slots and any(frame.asks(signed) for frame in self._patterns.need_frames):
                return tuple(dict.fromkeys(slots))
        return ()

    def _note(self, slots: list[str], found: re.Match[str]) -> str:
        slots.extend(self._patterns.nouns[found[0]])
        return NOUN

    def _mentioned(self, words: str, *, asks: bool) -> _Asked | None:
        """Slots whose noun stands behind "my", or without it where the slot is `bare`."""
        slots: list[str] = []
        about = ""
        for noun in self._patterns.noun.finditer(words):
            if not asks and _STATED.match(words, noun.end()):
                continue
            before = words[max(0, noun.start() - 20) : noun.start()]
            owned = _OWNED[noun[0].isascii()].search(before)
            about += owned[0] if owned else ""
            bare = _is_specific(noun[0]) and _POINTED_AT.search(before) is not None
            slots += [
                name for name in self._patterns.nouns[noun[0]] if owned or (bare and self._tables.slots[name].bare)
            ]
        return _Asked(tuple(dict.fromkeys(slots)), certain=False, words=about) if slots else None


def _is_specific(noun: str) -> bool:
    """Whether a noun tells its slot also without "my": "order number", not "order"."""
    return " " in noun or (not noun.isascii() and len(noun) > 2)


def _together(asked: list[_Asked], named: list[str], *, others: bool) -> SlotQuestion | None:
    """One question out of those of a message; of two persons asked about, the first, and then it is not certain."""
    if not asked:
        return None
    words = " ".join(found.words for found in asked)
    tags = list(dict.fromkeys(re.findall(TAG, words)))
    is_of_both = bool(tags) and re.search(f"{WHOSE}(?!{TAG})", words) is not None
    certain = all(found.certain for found in asked) and not others and len(tags) < 2 and not is_of_both
    subject = named[min(ord(tags[0]) - FIRST_TAG, len(named) - 1)] if tags else SELF
    return SlotQuestion(tuple(dict.fromkeys(name for found in asked for name in found.slots)), subject, certain)
