"""Every way to state a slot: its own patterns, and the frames of each language filled with its nouns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edge.memory.rules_tables import LANGUAGES, Slot, Tables, alternatives, compiled, numbered
from edge.memory.rules_values import READERS

TOPIC = (
    r"(?P<topic>(?!什么|哪|谁|啥|多少|的|是|吃|喝|吗|呢|吧|啊|things?\b|kinds? of things?|sorts? of things?)"
    r"(?:[a-z][a-z-]{1,20}(?: (?:of )?(?!(?:is|are|was|were|do|does|in|for|because)\b)[a-z]{2,15}){0,3}?"
    r"|[\u3400-\u9fff]{1,6}?))"
)
_GUESS = 0.8


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to state a slot. `mode` says what stands in front: `whose`, `who`, or nothing."""

    slot: Slot
    regex: re.Pattern[str]
    mode: str
    weight: float = 1.0
    retracts: bool = False


def slot_patterns(tables: Tables) -> tuple[list[Pattern], dict[tuple[str, ...], list[Pattern]]]:
    """Slots' own patterns (retractions first), and by a slot's nouns the frames filled with them."""
    own = [
        _pattern(slot, f"slots.{slot.name}.{where}", pattern, tables, weight=weight, retracts=retracts)
        for slot, name, patterns, weight, retracts in _own_lists(tables)
        for where, pattern in numbered(name, patterns)
    ]
    framed = {
        tuple(noun.lower() for noun in slot.nouns): [
            _pattern(slot, f"slots.{slot.name} in language.{language}.{where}", frame, tables)
            for language in LANGUAGES
            for name in _frame_lists(slot)
            for where, frame in numbered(name, tables.words[language][name])
        ]
        for slot in tables.slots.values()
        if slot.nouns
    }
    return own, framed


def _own_lists(tables: Tables) -> Iterator[tuple[Slot, str, tuple[str, ...], float, bool]]:
    slots = tables.slots.values()
    yield from ((slot, "retracts", slot.retracts, 1.0, True) for slot in slots)
    yield from ((slot, "states", slot.states, 1.0, False) for slot in slots)
    yield from ((slot, "guesses", slot.guesses, _GUESS, False) for slot in slots)


def _frame_lists(slot: Slot) -> tuple[str, ...]:
    typed = ("typed_frames",) if READERS[slot.reader].typed else ()
    return ("frames", *typed, *(("bare_frames",) if slot.bare else ()))


def _pattern(
    slot: Slot, where: str, pattern: str, tables: Tables, *, weight: float = 1.0, retracts: bool = False
) -> Pattern:
    mode = next((mode for mode in ("whose", "who") if pattern.startswith(f"{{{mode}}}")), "")
    rest = pattern.removeprefix(f"{{{mode}}}") if mode else pattern
    if mode == "whose":
        rest = rest.removeprefix(" ?").removeprefix(" ")
    parts = {
        "noun": alternatives(re.escape(noun).replace(r"\ ", " +") for noun in slot.nouns) if slot.nouns else r"(?!)",
        "value": f"(?P<value_{slot.reader}>{READERS[slot.reader].pattern})",
        "qual": alternatives(q for language in LANGUAGES for q in tables.words[language]["qual"])
        if tables.words["en"]["qual"]
        else "(?!)",
        "my": r"(?:my|our|(?:我们?|本人)(?:家)?的?)",
        "topic": TOPIC,
    }
    return Pattern(slot, compiled(rest, parts, where), mode, weight, retracts)
