"""How a reply sounds that comes from somebody who forgot: it does not remember, asks to be told again, or hedges."""

from __future__ import annotations

from collections.abc import Iterator

from edge.memory.rules_regex import LazyPattern, numbered
from edge.memory.rules_tables import LANGUAGES, Tables
from edge.memory.rules_text import fold, simplify

_LISTS = ("not_remembered", "asks_again", "hedges")
_TRADITIONAL = str.maketrans("憶沒講訴確來時發給關於錄請煩從經應該誤複", "忆没讲诉确来时发给关于录请烦从经应该误复")
"""What of the lists' characters `simplify` leaves as it is: it knows those of a person's statements."""
_READ = 4000
"""Characters of a reply that are looked at: who does not remember says so early."""


class Amnesia:
    """Made once from tables. Patterns are compiled when they are first used, or before, with `lazy`."""

    def __init__(self, tables: Tables) -> None:
        self._signs = [pattern for name in _LISTS for pattern in _patterns(tables, name)]
        self._no_signs = list(_patterns(tables, "no_amnesia"))

    def lazy(self) -> Iterator[LazyPattern]:
        """What is compiled when it is needed."""
        yield from (*self._signs, *self._no_signs)

    def shows_in(self, reply: str) -> bool:
        """Whether a reply sounds so, in English or Chinese. What it quotes does not count."""
        text = simplify(fold(reply[:_READ])).translate(_TRADITIONAL)
        for pattern in self._no_signs:
            text = pattern.get().sub(" ", text)
        return any(pattern.get().search(text) for pattern in self._signs)


def _patterns(tables: Tables, name: str) -> Iterator[LazyPattern]:
    for language in LANGUAGES:
        for where, pattern in numbered(name, tables.words[language][name]):
            yield LazyPattern(pattern, {}, f"language.{language}.{where}")
