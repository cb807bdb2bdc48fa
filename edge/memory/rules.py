"""Slots and fixed patterns: what a message states, and what it asks for, without a model. Pure and immutable.

The patterns are data (`tables/*.toml`, described in `tables/README.md`); any number of tables are merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from edge.memory.rules_facts import FactFinder
from edge.memory.rules_questions import QuestionFinder, slot_of
from edge.memory.rules_tables import Slot, read_tables
from edge.memory.rules_values import READERS
from edge.memory.units import Draft, SlotQuestion

__all__ = ["Rules", "Slot", "parse_rules"]


class Slots(Mapping[str, Slot]):
    """The declared slots by name. `favorite:color` and its like are also found, by the slot they belong to."""

    def __init__(self, declared: Mapping[str, Slot]) -> None:
        self._declared = dict(declared)

    def __getitem__(self, name: str) -> Slot:
        return slot_of(self._declared, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)


class Rules:
    """All rules, compiled. Calls take text of any size and content and never raise."""

    def __init__(self, slots: Slots, facts: FactFinder, questions: QuestionFinder) -> None:
        self._slots = slots
        self._facts = facts
        self._questions = questions

    @property
    def slots(self) -> Mapping[str, Slot]:
        """Every slot there is."""
        return self._slots

    def find_facts(self, text: str) -> tuple[Draft, ...]:
        """What a person's message states, in its order. Of a long message (over 4,000 characters: a paste) only the
        first and the last paragraph are read as the person's own words."""
        return self._facts.find(text)

    def find_question(self, text: str) -> SlotQuestion | None:
        """Which slots a message asks for; certain where it asks for nothing else."""
        return self._questions.find(text)

    def may_fill(self, slot: str, text: str) -> bool:
        """Whether a text holds anything of the shape that the slot's values have: digits for a phone number. True for
        slots whose values have no shape of their own, such as names."""
        reader = READERS[self._slots[slot].reader]
        if not reader.typed:
            return True
        return any(reader.read(found[0]) is not None for found in re.finditer(reader.pattern, text, re.IGNORECASE))

    def session_only(self, text: str) -> bool:
        """Whether the message as a whole concerns the talk at hand only: the cart, the step, "for now"."""
        drafts = self._facts.find(text)
        if drafts:
            return all(draft.session_only for draft in drafts)
        return self._facts.for_this_talk(text)


def parse_rules(tables: Iterable[str]) -> Rules:
    """Rules from the texts of TOML tables, merged in order.

    Raises SettingsInvalid naming the table, the entry, and what is wrong with it.
    """
    read = read_tables(tables)
    return Rules(Slots(read.slots), FactFinder(read), QuestionFinder(read))
