"""Whom a name means: "my sister" and "Hannah" are one person, where a name was told for the relation.

A name is a unit like any other ("The user's sister's name is Hannah."), and is read anew for every question: it counts
as long as that unit holds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from edge.memory.people import names
from edge.memory.units import NAME, SELF, Draft, Unit

_OF_THE_OWNER = {
    True: r"\b(?:(?:my|our) (?:[a-z]+ )?(?:{words}),? )?{name}(?!\w)",
    False: r"(?:我(?:的|家的?|们)?(?:{words}))?{name}",
}
"""A name with what may stand in front of it, by whether it is written in Latin letters."""


class Aliases:
    """The given names of the relations of one owner. `named` are units or drafts; those that name no relation are
    passed over."""

    def __init__(self, named: Iterable[Unit | Draft], relations: Collection[str]) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for unit in named:
            if unit.slot == NAME and unit.value and unit.value.strip() and unit.subject in relations:
                found[unit.subject].add(unit.value.split()[0])
        self._names = {relation: tuple(sorted(of)) for relation, of in found.items()}

    def asked(self, subject: str) -> frozenset[str]:
        """All subjects that a question for one means: of a relation all that have it, of a name also the relation,
        where nobody else has it."""
        return frozenset({subject, *self._names.get(subject, ()), *self._alone_in(subject)})

    def told(self, subject: str) -> frozenset[str]:
        """All subjects under which the same person is remembered: none but this one where two have a relation."""
        of = self._names.get(subject, ())
        return frozenset({subject, *(of if len(of) == 1 else ()), *self._alone_in(subject)})

    def people_in(self, text: str, relations: Mapping[str, str]) -> dict[str, str]:
        """The subjects that a text mentions, each with a word for it. `relations` are those that it mentions: those who
        have one are added, and those whose name stands in the text, where nobody else has theirs. A relation that is
        mentioned with a name is not all who have it."""
        named = [(relation, name) for relation, of in self._names.items() for name in of if names(text, name)]
        apart = {relation for relation, _ in named if len(self._names[relation]) > 1}
        meant = {relation: word for relation, word in relations.items() if relation not in apart}
        meant |= {relation: relations.get(relation, name) for relation, name in named if relation not in apart}
        of_relations = {name: name for relation in meant for name in self._names.get(relation, ())}
        return meant | of_relations | {name: name for _, name in named}

    def by_relation(self, text: str, words: Mapping[str, Collection[str]]) -> tuple[str, str] | None:
        """A text with the first name in it said by relation, and that name: "Where does my sister work?". `words` are
        those for each relation, in the language of the text, the plainest first. None where it holds no name."""
        for relation, of in self._names.items():
            called = list(words.get(relation, ()))
            for name in of if called else ():
                latin = name.isascii()
                shape = _OF_THE_OWNER[latin].format(words="|".join(map(re.escape, called)), name=re.escape(name))
                mine = f"my {called[0]}" if called[0].isascii() else f"我{called[0]}"
                said, count = re.subn(shape, mine, text, flags=re.IGNORECASE)
                if count:
                    return said, name
        return None

    def _alone_in(self, name: str) -> Iterable[str]:
        return (relation for relation, of in self._names.items() if of == (name,))


NO_ALIASES = Aliases((), ())


def may_have_names(subjects: Iterable[str]) -> bool:
    """Whether there is anybody among the subjects but the owner."""
    return any(subject != SELF for subject in subjects)
