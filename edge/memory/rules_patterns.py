"""Every way to state a slot: its own patterns, and the frames of each language filled with its nouns.

Nothing is compiled before it is needed. A slot's own pattern is tried only where one of its needles stands in the
sentence; a frame only around a noun of a slot, and its two halves serve all slots.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from edge.memory.rules_needles import NeedleIndex, needles_of
from edge.memory.rules_regex import LazyPattern, alternatives, numbered
from edge.memory.rules_tables import LANGUAGES, Slot, Tables
from edge.memory.rules_values import READERS

TOPIC = (
    r"(?P<topic>(?!什么|哪|谁|啥|多少|的|是|吃|喝|吗|呢|吧|啊|things?\b|kinds? of things?|sorts? of things?"
    r"|ones?\b|parts?\b|ways?\b|memor(?:y|ies)\b|moments?\b)"
    r"(?:[a-z][a-z-]{1,20}(?: (?:of )?(?!(?:is|are|was|were|do|does|in|for|because)\b)[a-z]{2,15}){0,3}?"
    r"|[\u3400-\u9fff]{1,6}?))"
)
_GUESS = 0.8
_FARTHEST_NOUN = 60
"""Characters between a clause's begin and the noun that a frame is about."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text; `reader` tells how it is read."""

    start: int
    end: int
    reader: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A place where a slot is stated: its value, what the sentence says beside it, and where the statement ends.
    `replaced` is a value that the person says is not it: "not 138..., it's 139..."."""

    slot: Slot
    value: Span
    words: Mapping[str, str]
    end: int
    weight: float = 1.0
    retracts: bool = False
    replaced: Span | None = None


class Way(Protocol):
    """One way to state a slot. `mode` says what stands in front: `whose`, `who`, or nothing (`alone`: at its begin)."""

    @property
    def mode(self) -> str: ...
    def match(self, text: str, at: int, end: int) -> Stated | None:
        """The statement that begins at a place, if there is one."""


class Pattern:
    """A way of the slot's own."""

    def __init__(
        self, slot: Slot, mode: str, regex: LazyPattern, source: str, *, weight: float = 1.0, retracts: bool = False
    ) -> None:
        self.slot = slot
        self.mode = mode
        self.regex = regex
        self.needles = needles_of(source)
        self._weight = weight
        self._retracts = retracts

    def match(self, text: str, at: int, end: int) -> Stated | None:
        found = self.regex.get().match(text, at, end)
        return None if found is None else _stated(self.slot, found, self._weight, retracts=self._retracts)


class Frame:
    """A way to state any slot by its noun: "my NOUN is VALUE". What stands before the noun is one regular expression,
    what follows is one for each reader of values."""

    def __init__(self, mode: str, head: LazyPattern, tails: Mapping[str, LazyPattern], *, bare: bool) -> None:
        self.mode = mode
        self.head = head
        self.tails = tails
        self._bare = bare

    def serves(self, slot: Slot) -> bool:
        """Whether the frame is meant for the slot."""
        return slot.reader in self.tails and (slot.bare or not self._bare)


@dataclass(frozen=True, slots=True)
class FrameAtNoun:
    """A frame about a noun that stands in the text."""

    frame: Frame
    noun: Span
    slot: Slot

    @property
    def mode(self) -> str:
        return self.frame.mode

    def match(self, text: str, at: int, end: int) -> Stated | None:
        if not 0 <= self.noun.start - at <= _FARTHEST_NOUN:
            return None
        if self.frame.head.get().fullmatch(text, at, self.noun.start) is None:
            return None
        found = self.frame.tails[self.slot.reader].get().match(text, self.noun.end, end)
        return None if found is None else _stated(self.slot, found, 1.0, retracts=False)


def _stated(slot: Slot, found: re.Match[str], weight: float, *, retracts: bool) -> Stated:
    groups = {name: text for name, text in found.groupdict().items() if text is not None}
    group = next(name for name in groups if name.startswith("value_"))
    value = Span(found.start(group), found.end(group), group.removeprefix("value_"))
    replaced = Span(found.start("old"), found.end("old"), slot.reader) if "old" in groups else None
    words = {name: text for name, text in groups.items() if name in ("what", "topic")}
    return Stated(slot, value, words, found.end(), weight, retracts, replaced)


class Patterns:
    """All ways to state all slots."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._parts = {name: self._parts_of(slot) for name, slot in tables.slots.items()}
        self._own = list(self._own_patterns())
        self._index = NeedleIndex([pattern.needles for pattern in self._own])
        self._frames: list[Frame] = []
        self._whole_frames: dict[str, list[Pattern]] = {name: [] for name in tables.slots}
        self._read_frames()
        self._slots_of: dict[str, list[Slot]] = {}
        for slot in tables.slots.values():
            for noun in slot.nouns:
                self._slots_of.setdefault(noun.lower(), []).append(slot)
        self._noun = LazyPattern(nouns_pattern(self._slots_of), {}, "the slots' nouns")

    def ways(self, text: str, start: int, end: int) -> list[Way]:
        """The ways that may match in a sentence: retractions and other patterns of the slots, then frames."""
        found: list[Way] = [self._own[number] for number in self._index.possible(text[start:end].lower())]
        for noun in self._noun.get().finditer(text, start, end):
            place = Span(noun.start(), noun.end(), "")
            for slot in self._slots_of[_SPACES.sub(" ", noun[0].lower())]:
                found += [FrameAtNoun(frame, place, slot) for frame in self._frames if frame.serves(slot)]
                found += self._whole_frames[slot.name]
        return found

    def of_slot(self, slot: str) -> list[Pattern]:
        """A slot's own patterns."""
        return [pattern for pattern in self._own if pattern.slot.name == slot]

    def lazy(self, slots: Collection[str] | None) -> Iterator[LazyPattern]:
        """What states these slots, or all."""
        whole = (pattern for patterns in self._whole_frames.values() for pattern in patterns)
        for pattern in (*self._own, *whole):
            if slots is None or pattern.slot.name in slots:
                yield pattern.regex
        if slots is None:
            yield self._noun
        for frame in self._frames if slots is None else ():
            yield from (frame.head, *frame.tails.values())

    # --- from the tables ---

    def _parts_of(self, slot: Slot) -> Mapping[str, str]:
        quals = [qual for language in LANGUAGES for qual in self._tables.words[language]["qual"]]
        return {
            "noun": alternatives(re.escape(noun).replace(r"\ ", " +") for noun in slot.nouns),
            "value": f"(?P<value_{slot.reader}>{READERS[slot.reader].pattern})",
            "qual": alternatives(quals),
            "my": r"(?:my|our|(?:我们?|本人)(?:家)?的?)",
            "topic": TOPIC,
            "known": known_topics(slot),
        }

    def _own_patterns(self) -> Iterator[Pattern]:
        slots = self._tables.slots.values()
        yield from (self._pattern(slot, *entry, retracts=True) for slot in slots for entry in _of(slot, "retracts"))
        yield from (self._pattern(slot, *entry) for slot in slots for entry in _of(slot, "states"))
        yield from (self._pattern(slot, *entry, weight=_GUESS) for slot in slots for entry in _of(slot, "guesses"))

    def _pattern(self, slot: Slot, where: str, pattern: str, *, weight: float = 1.0, retracts: bool = False) -> Pattern:
        mode, rest = _without_mode(pattern)
        regex = LazyPattern(rest, self._parts[slot.name], where)
        return Pattern(slot, mode, regex, rest, weight=weight, retracts=retracts)

    def _read_frames(self) -> None:
        for language in LANGUAGES:
            for name in _FRAMES:
                for where, frame in numbered(name, self._tables.words[language][name]):
                    self._read_frame(name, f"language.{language}.{where}", frame)

    def _read_frame(self, name: str, where: str, frame: str) -> None:
        mode, rest = _without_mode(frame)
        head, noun, tail = rest.partition("{noun}")
        slots = [slot for slot in self._tables.slots.values() if slot.nouns and _takes(slot, name)]
        is_one_piece = head.count("(") == head.count(")")
        if noun and is_one_piece and "{value}" in tail and "{noun}" not in tail:
            parts = {slot.reader: self._parts[slot.name] for slot in slots}
            tails = {reader: LazyPattern(tail, own, where) for reader, own in parts.items()}
            any_parts = next(iter(self._parts.values()), {})
            self._frames.append(Frame(mode, LazyPattern(head, any_parts, where), tails, bare=name == "bare_frames"))
            return
        for slot in slots:
            self._whole_frames[slot.name].append(self._pattern(slot, f"slots.{slot.name} in {where}", frame))


_FRAMES = ("frames", "typed_frames", "bare_frames", "alone_frames")
_ALONE = ("phone", "email", "code", "locator", "plate", "date", "amount", "train_code", "postcode")
"""Readers whose values tell with their noun alone what is meant: "birthday: March 4"."""
_SPACES = re.compile(" +")


def nouns_pattern(nouns: Iterable[str]) -> str:
    """Any of the nouns, the longest at each place; a Latin one begins where a word does."""
    escaped = {noun: re.escape(noun).replace(r"\ ", " ") for noun in nouns}
    latin = alternatives(shape for noun, shape in escaped.items() if noun.isascii())
    other = alternatives(shape for noun, shape in escaped.items() if not noun.isascii())
    return rf"(?:(?<![a-z'-]){latin}|{other})"


def known_topics(slot: Slot) -> str:
    """Any word for one of the slot's topics, as the group `topic`."""
    words = [re.escape(word).replace(r"\ ", " ") for names in slot.topics.values() for word in names]
    return f"(?P<topic>{alternatives(words)})"


def _of(slot: Slot, name: str) -> Iterator[tuple[str, str]]:
    return ((f"slots.{slot.name}.{where}", pattern) for where, pattern in numbered(name, getattr(slot, name)))


def _takes(slot: Slot, frames: str) -> bool:
    if frames == "alone_frames":
        return slot.reader in _ALONE
    if frames == "typed_frames":
        return READERS[slot.reader].typed
    return slot.bare or frames != "bare_frames"


def _without_mode(pattern: str) -> tuple[str, str]:
    mode = next((mode for mode in ("whose", "who", "alone") if pattern.startswith(f"{{{mode}}}")), "")
    rest = pattern.removeprefix(f"{{{mode}}}") if mode else pattern
    return mode, rest.removeprefix(" ?").removeprefix(" ") if mode == "whose" else rest
