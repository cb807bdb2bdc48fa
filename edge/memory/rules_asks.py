"""Patterns of questions, compiled from the tables: what asks for a slot, and what may stand around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from edge.memory.rules_cues import Ask, Cues
from edge.memory.rules_needles import Needles, needles_of
from edge.memory.rules_patterns import TOPIC, known_topics
from edge.memory.rules_regex import LazyPattern, alternatives, expanded, numbered
from edge.memory.rules_signs import NOUN, TAG, WHO, WHOSE
from edge.memory.rules_tables import LANGUAGES, Slot, Tables


class AskPatterns:
    """Everything of the tables by which questions are read. On sentences in plain form (see `rules_signs`)."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.nouns = _noun_slots(tables)
        self.strong = frozenset(noun.lower() for slot in tables.slots.values() for noun in slot.nouns)
        latin = [re.escape(noun).replace(r"\ ", " ") for noun in self.nouns if noun.isascii()]
        other = [re.escape(noun).replace(r"\ ", " ") for noun in self.nouns if not noun.isascii()]
        self.noun = re.compile(rf"(?<![a-z'-]){alternatives(latin)}(?=s?(?![a-z]))|{alternatives(other)}")
        self._parts = {is_ascii: self._parts_for(is_ascii=is_ascii) for is_ascii in (True, False)}
        self._parted = _parted(self.nouns)
        self.prefix = self._repeated("ask_prefixes", r"(?:{}[ ,，:：!！、]*)", 5)
        self.suffix = re.compile(rf"(?:[ ,，]*{self._alternatives('ask_suffixes')}(?<![a-z](?=[a-z])))$", re.IGNORECASE)
        self.frames = [Ask("", *self._lazy(frame, where)) for where, frame in self._lists("ask_frames")]
        self.bare = [Ask("", *self._lazy(frame, where)) for where, frame in self._lists("ask_bare")]
        self.asks = [
            Ask(slot.name, *self._lazy(ask, f"slots.{slot.name}.{where}", slot))
            for slot in tables.slots.values()
            for where, ask in numbered("asks", slot.asks)
        ]
        self.needs = [
            Ask(slot.name, *self._lazy(need, f"slots.{slot.name}.{where}", slot))
            for slot in tables.slots.values()
            for where, need in numbered("needs", slot.needs)
        ]
        self.cues = Cues(
            Ask(slot.name, *self._lazy(cue, f"slots.{slot.name}.{where}", slot))
            for slot in tables.slots.values()
            for where, cue in numbered("cues", slot.cues)
        )
        self.need_frames = [Ask("", *self._lazy(frame, where)) for where, frame in self._lists("need_frames")]
        self.asking = re.compile(self._alternatives("asking"), re.IGNORECASE)
        self.filler = re.compile(self._alternatives("fillers"), re.IGNORECASE)
        self.request = re.compile(self._alternatives("requests"), re.IGNORECASE)

    def joined(self, words: str) -> str:
        """Words with a noun in one piece that is said in two: "the number of my order" is "my order number"."""
        return self._parted.sub(_in_one, words)

    def lazy(self, slots: Collection[str] | None) -> Iterator[LazyPattern]:
        """What asks for these slots, or all."""
        framed = () if slots is not None else (*self.frames, *self.bare, *self.need_frames)
        for ask in (*self.asks, *self.needs, *self.cues.asks, *framed):
            if slots is None or ask.slot in slots:
                yield ask.regex

    def _lists(self, name: str) -> list[tuple[str, str]]:
        return [
            (f"language.{language}.{where}", pattern)
            for language in LANGUAGES
            for where, pattern in numbered(name, self._tables.words[language][name])
        ]

    def _alternatives(self, name: str) -> str:
        return alternatives(self._expanded(pattern, where) for where, pattern in self._lists(name))

    def _repeated(self, name: str, shape: str, times: int) -> re.Pattern[str]:
        patterns = (self._expanded(p, where) + ("(?![a-z'])" if p.isascii() else "") for where, p in self._lists(name))
        return re.compile(shape.replace("{}", alternatives(patterns)) + f"{{0,{times}}}", re.IGNORECASE)

    def _expanded(self, pattern: str, where: str) -> str:
        return expanded(_spaced(pattern), self._parts[pattern.isascii()], where)

    def _lazy(self, pattern: str, where: str, slot: Slot | None = None) -> tuple[LazyPattern, Needles]:
        parts = self._parts[pattern.isascii()]
        if slot is not None and slot.topics:
            parts = {**parts, "known": known_topics(slot).replace("my ", f"(?:my|{WHOSE}) ")}
        return LazyPattern(_spaced(pattern), parts, where), needles_of(pattern)

    def _parts_for(self, *, is_ascii: bool) -> Mapping[str, str]:
        quals = [qual for language in LANGUAGES for qual in self._tables.words[language]["qual"]]
        either = f"(?:[{WHOSE}{WHO}]{TAG}?)"
        return {
            "whose": f"(?:{WHOSE}{TAG}?)" if is_ascii else either,
            "who": f"(?:{WHO}{TAG}?)" if is_ascii else either,
            "anywhose": either,
            "noun": NOUN,
            "qual": alternatives(quals),
            "topic": TOPIC,
        }


def _parted(nouns: Collection[str]) -> re.Pattern[str]:
    """Finds the two pieces of nouns such as "order number" and 订单号."""
    things = alternatives({re.escape(noun[:-7]) for noun in nouns if noun.endswith(" number")})
    zh = alternatives(
        {re.escape(noun.removesuffix("号")) for noun in nouns if re.fullmatch("[\u3400-\u9fff]{2,}号", noun)}
    )
    owner = f"(?P<%s>{WHOSE}{TAG}? ?)"
    return re.compile(
        rf"\b(?:the )?(?:number|no\.?|id) (?:of|for|on) {owner % 'of'}(?P<thing>{things})\b(?! number)"
        rf"|{owner % 'whose'}(?P<thing2>{things})'s (?:number|no\.?|id)\b"
        rf"|\b(?:what|which) (?:number|no\.?|id) (?:is|was|has|do|does|did) {owner % 'has'}"
        rf"(?P<thing3>{things})(?: have)?$"
        rf"|(?P<thing_zh>{zh})的(?:号码|编号|号)"
        rf"|(?P<asked_zh>{zh})(?:到底)?是(?:哪个|什么|哪一个)(?:号码?|编号)$"
    )


def _in_one(found: re.Match[str]) -> str:
    whose = found["of"] or found["whose"]
    if whose:
        return f"{whose}{found['thing'] or found['thing2']} number"
    if found["has"]:
        return f"what is {found['has']}{found['thing3']} number"
    return f"{found['thing_zh']}号" if found["thing_zh"] else f"{found['asked_zh']}号是多少"


def _spaced(pattern: str) -> str:
    return pattern.replace("{whose} ", "{whose} ?").replace(" {whose}", " ?{whose}").replace("{who} ", "{who} ?")


def _noun_slots(tables: Tables) -> Mapping[str, tuple[str, ...]]:
    """Each noun with the slots that answer it: its own, and those beside it."""
    found: dict[str, tuple[str, ...]] = {}
    for slot in tables.slots.values():
        for noun in (*slot.nouns, *slot.ask_nouns):
            found.setdefault(noun.lower(), (slot.name, *slot.also))
    return found
