"""What of clusters goes with a forgotten unit: no word that only it said may live on in what a topic is called.

A description is written from several members, and may tell in other words what one of them said: it goes whenever a
member is forgotten, and is written anew off-peak. A key and tags go where they hold a word that no member says any
more.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from edge.memory.cluster_naming import main_language, word_key
from edge.memory.clusters import NamedBy, Profile
from edge.memory.leftovers import Gone, texts_of
from edge.memory.text import holds, is_identifying, telling_terms
from edge.memory.units import ClusterId

_READ = 200
"""Members that a new key is made from at most: forgetting waits for it."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Words that may stand nowhere any more: terms, and numbers and codes however they are spaced."""

    terms: frozenset[str]
    values: tuple[str, ...] = ()

    def is_in(self, text: str) -> bool:
        """Whether a text holds one of them."""
        return not self.terms.isdisjoint(telling_terms(text)) or any(holds(text, value) for value in self.values)


def lost_words(gone: Sequence[Gone]) -> Lost:
    """All that the forgotten units said."""
    terms = {term for unit in gone for text in (unit.content, unit.value or "") for term in telling_terms(text)}
    return Lost(frozenset(terms), tuple(unit.told for unit in gone if is_identifying(unit.told)))


def still_lost(lost: Lost, texts: Iterable[str], members: Iterable[str]) -> Lost:
    """Of what was lost, what stands in the texts of a topic and is said by none of the members that are left."""
    open_terms = lost.terms & {term for text in texts for term in telling_terms(text)}
    for member in members:
        if not open_terms:
            break
        open_terms -= set(telling_terms(member))
    return Lost(frozenset(open_terms), lost.values)


def holds_lost(profile: Profile, lost: Lost) -> bool:
    """Whether a profile holds one of the words in what stays of it."""
    return any(lost.is_in(text) for text in (profile.key, *profile.tags))


def cleaned(profile: Profile, lost: Lost, key: str) -> Profile:
    """A profile without the words, with another key where its own holds one."""
    tags = tuple(tag for tag in profile.tags if not lost.is_in(tag))
    if not lost.is_in(profile.key):
        return replace(profile, description="", tags=tags)
    return replace(profile, key=key, description="", tags=tags, named_by=NamedBy.WORDS)


def emptied(profile: Profile, cluster: ClusterId) -> Profile:
    """The profile of a cluster of which nothing is left to name it by."""
    return Profile(fallback_key(cluster), coarse=profile.coarse)


def fallback_key(cluster: ClusterId) -> str:
    """A key that says nothing."""
    return f"topic {cluster}"


def new_key(cluster: ClusterId, members: Iterable[str], lost: Lost, taken: Collection[str]) -> str:
    """A key from the words of the members that are left, distinct from those of other clusters."""
    read = list(islice(members, _READ))
    return word_key(read, (), main_language(read), taken, lost.is_in) or fallback_key(cluster)


def texts_in(profile: Profile | None) -> tuple[str, ...]:
    """All words of a profile."""
    return () if profile is None else (profile.key, profile.description, *profile.tags)


def note_without(note: str, lost: Lost) -> str:
    """A run's own state, empty where it holds one of the words."""
    return "{}" if lost.is_in("\n".join(texts_of(json.loads(note)))) else note
