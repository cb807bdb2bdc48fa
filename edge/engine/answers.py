"""Replies that need no model: what a slot holds, and that a slot is empty. A small model only reads along."""

from __future__ import annotations

from edge.engine.past import past_words
from edge.engine.recall import Found
from edge.memory.courtesies import without_courtesies
from edge.memory.language import language_of
from edge.memory.questions import only_memory_can_answer
from edge.memory.retelling import retold
from edge.memory.rules import Rules
from edge.memory.units import SELF, Stage, Unit
from edge.prompt.replies import from_memory, nothing_known, unknown_slot

_MOST_UNITS = 5
"""More are a list to be told in the model's words, not an answer."""


class Answers:
    """Words the replies that recall alone decides. With `fast` off, only that memory has no answer."""

    def __init__(self, rules: Rules, *, fast: bool) -> None:
        self._rules = rules
        self._fast = fast

    def reply(self, message: str, found: Found, in_doubt: str | None = None) -> str | None:
        """The reply to a message; None where the model must find it. `in_doubt` is what is told in place of a value
        of which nobody said whether it holds."""
        message = without_courtesies(message)
        language = language_of(message)
        if found.past is not None:
            return past_words(found.past, self._rules, language) if self._fast else None
        empty = found.empty_slot
        if empty is not None:
            return unknown_slot(self._rules.called_in(message, empty.slots[0]), language, own=empty.subject == SELF)
        if found.nothing_to_go_on and (found.about_people or only_memory_can_answer(message)):
            return nothing_known(language)
        held = self._held(found, language) if self._fast else None
        return held if held is None else in_doubt or held

    def _held(self, found: Found, language: str) -> str | None:
        """What the asked slot holds, where that is certain and can be said in the language of the question.

        A slot that only may answer in its place ("I like tea", asked for the favourite colour) is evidence for the
        model, not an answer; and beside a list it belongs to what the model tells.
        """
        asked = found.asked
        if asked is None or not asked.certain or any(unit.stage is not Stage.RULE for unit in found.recalled):
            return None
        units = [recalled.unit for recalled in found.recalled if recalled.unit.slot == asked.slots[0]]
        whole = len(units) == len(found.recalled) or not self._rules.slots[asked.slots[0]].many
        if not whole or not 0 < len(units) <= _MOST_UNITS:
            return None
        sentences = [self._sentence(unit, language) for unit in units]
        told = [sentence for sentence in sentences if sentence is not None]
        return from_memory(told, language) if len(told) == len(units) else None

    def _sentence(self, unit: Unit, language: str) -> str | None:
        if unit.slot is None:
            return None
        if unit.subject != SELF:
            return unit.content if language_of(unit.content) == language else None
        return retold(unit.content, self._rules.slots[unit.slot], language)
