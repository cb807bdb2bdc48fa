"""How a window begins: the role text, and core facts of the person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from edge.engine.ports import MemoryStore, Scope
from edge.memory.language import language_of
from edge.memory.lifecycle import newest_answers
from edge.memory.units import SELF, Turn
from edge.prompt.composition import Composer
from edge.prompt.texts import LANGUAGES
from edge.prompt.window import Marks, Window


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """What shapes a prompt beside its content. `role` and `language` override the built-in texts where set.

    `zone` is the person's time zone for spoken dates; None is the machine's own. `core_slots` are in the anchor,
    of `newest_slots` only the newest unit.
    """

    marks: Marks
    memory_tokens: int
    anchor_tokens: int
    core_slots: tuple[str, ...]
    newest_slots: frozenset[str] = frozenset()
    role: str = ""
    language: str = "auto"
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """Makes the beginnings of windows, as they are planned."""

    store: MemoryStore
    composer: Composer
    plan: PromptPlan

    def window(self, scope: Scope, language: str, beside: int) -> Window:
        """Role text and core facts; the facts stay away where the tokens of what must stand `beside` them leave no
        room."""
        role = self.role(language)
        core = newest_answers(
            self.store.slot_units(replace(scope, session=None), self.plan.core_slots, SELF), self.plan.newest_slots
        )
        plain = len(self.composer.head(role, ()))
        room = min(self.plan.anchor_tokens, self.plan.marks.room - plain - beside)
        lines: list[str] = []
        for unit in core:
            if len(self.composer.head(role, [*lines, unit.content])) - plain > room:
                break
            lines.append(unit.content)
        anchored = frozenset(unit.id for unit in core[: len(lines)])
        head = self.composer.head(role, lines)
        return Window((), language=language, head=len(head)).append(head, anchored)

    def role(self, language: str) -> str:
        """The role text."""
        return self.plan.role or LANGUAGES[language].role

    def language(self, message: str, earlier: Sequence[Turn]) -> str:
        """The language of a window: that of the person's last words where none is set."""
        if self.plan.language != "auto":
            return self.plan.language
        return language_of(earlier[-1].message if earlier else message)
