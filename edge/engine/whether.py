"""Whether something is so that memory knows: "do I like coffee?", told without the model.

A tiny model repeats such a question, or says yes to it whatever its notes hold.
"""

from __future__ import annotations

from edge.engine.past import sentence_of
from edge.engine.ports import MemoryStore, Scope
from edge.engine.truth_ports import TruthStore
from edge.memory.courtesies import without_courtesies
from edge.memory.language import language_of
from edge.memory.lifecycle import opposite
from edge.memory.normal_values import same_value
from edge.memory.rules import Rules
from edge.memory.units import SELF, Draft, Unit, UnitId
from edge.memory.whether import as_statement
from edge.prompt.replies import from_memory


class Whether:
    """Answers questions whether something is so. Lives on the memory thread."""

    def __init__(self, store: MemoryStore, truth: TruthStore, rules: Rules, *, fast: bool) -> None:
        """With `fast` off the model words what is found."""
        self._store = store
        self._truth = truth
        self._rules = rules
        self._fast = fast

    def told(self, scope: Scope, message: str) -> str | None:
        """What memory knows of it, as the reply; None for another message, and where it knows nothing."""
        unit = self._known(scope, message) if self._fast else None
        if unit is None:
            return None
        language = language_of(message)
        sentence = sentence_of(unit, self._rules, language)
        return from_memory([sentence], language) if language_of(sentence) == language else None

    def _known(self, scope: Scope, message: str) -> Unit | None:
        statement = as_statement(without_courtesies(message))
        facts = () if statement is None else self._rules.find_facts(statement)
        if len(facts) != 1 or facts[0].slot is None or facts[0].subject != SELF or facts[0].retracts:
            return None
        last = self._last(scope, facts[0], facts[0].slot)
        return None if last is None else self._store.units(scope, [last]).get(last)

    def _last(self, scope: Scope, asked: Draft, slot: str) -> UnitId | None:
        """What was said last of the value that is asked about, or in place of it; of a slot that holds one value, what
        it holds."""
        slots = [name for name in (slot, opposite(slot)) if name is not None]
        told = self._truth.versions(scope, slots, SELF)
        meant = [unit for unit in told if same_value(unit.value, asked.value)]
        if not meant and not self._rules.slots[slot].many:
            meant = told
        return self._truth.history(scope.owner, meant[-1].id)[-1].id if meant else None
