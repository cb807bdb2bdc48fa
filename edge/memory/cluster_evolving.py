"""What a cluster is called once it has other members than when it was named.

After the evolution of memories in A-MEM (Xu et al. 2025, arXiv 2502.12110, section 3.3), where a model writes the
context, keywords and tags of a new memory's nearest neighbours anew. Here no model writes, and no unit changes: what
neighbours have in common is kept once, with their cluster, as its key, tags and line; those are made again of the
members' own words, and only where they fit the members clearly better. Tags of units themselves would be read by
nothing: a unit is found by its own words, and names in `Unit.entities` are what its speaker named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from edge.memory.cluster_naming import TAGS, best_lead, line_of, main_language, tags_of, untaken, word_key
from edge.memory.cluster_words import TellingWords, said_by
from edge.memory.clusters import Coarse, NamedBy, Profile
from edge.memory.language import Language, language_of
from edge.memory.small_talk import is_small_talk, is_small_talk_name, small_talk_names
from edge.memory.text import query_terms, telling_terms

CLEARLY = 0.2
"""By how much more the new key, or the new tags, must set the members apart than the old: as the share of them that say
one of its words, less the share of other notes. By two members at the least, if any say one of the old."""
_CENTRAL = 40
"""Members nearest the centroid of whose words a key and tags are made."""
_OTHER_TAGS = 2
_OTHER_SHARE = 0.2
"""Share of members in the other language from which on there are tags in it too."""
Terms = Sequence[frozenset[str]]
"""Of each of some notes."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What members say, and other notes."""

    members: Terms
    others: Terms

    def lead(self, words: Collection[str]) -> float:
        """How much oftener the members say one of the words than others do, as shares of them."""
        beside = _named(words, self.others) / len(self.others) if self.others else 0.0
        return _named(words, self.members) / len(self.members) - beside

    def why_better(self, what: str, old: Collection[str], new: Collection[str]) -> str:
        """In how many members the new words are, if they are clearly better; empty if not."""
        before, now = _named(old, self.members), _named(new, self.members)
        better = now - before >= (2 if before else 1) and self.lead(new) - self.lead(old) >= CLEARLY
        return (
            f"{now} of {len(self.members)} members say a word of the {what}, {before} one of the old" if better else ""
        )


@dataclass(frozen=True, slots=True)
class Evolution:
    """A profile, and why it is another; the same one and no reason where it stays."""

    profile: Profile
    why: str = ""


def evolved(profile: Profile, members: Sequence[str], others: Sequence[str], taken: Collection[str]) -> Evolution:
    """The profile of a cluster with these members, nearest its centroid first; `others` are notes of other clusters,
    `taken` their keys. A key that a model or the person gave stays, for it may say what no member does; but what has
    become small talk is called so, unless the person named it."""
    if not members:
        return Evolution(profile)
    said = _Said(_terms(members), _terms(others))
    if profile.named_by is not NamedBy.PERSON and is_small_talk(members, best_lead(_words(members, others))):
        return _small_talk(profile, members, taken)
    word = word_key(members[:_CENTRAL], others, main_language(members), taken)
    key, key_why = _better_key(profile, said, word)
    tags, tags_why = _better_tags(profile, said, _tags(key, members, said.members, others))
    why = [reason for reason in (key_why, tags_why) if reason]
    if profile.description not in {line_of(member) for member in members}:
        why.append("no member says its line" if profile.description else "it had no line")
    if not why:
        return Evolution(profile)
    coarse = Coarse.PERSON if key_why and profile.coarse is Coarse.SMALL_TALK else profile.coarse
    after = replace(profile, key=key, tags=tags, description=line_of(members[0]), coarse=coarse)
    return Evolution(after, "; ".join(why))


def _small_talk(profile: Profile, members: Sequence[str], taken: Collection[str]) -> Evolution:
    """The profile of a cluster that is about nothing: no words name it."""
    if profile.coarse is Coarse.SMALL_TALK and is_small_talk_name(profile.key):
        return Evolution(profile)
    key = next(untaken(small_talk_names(members, main_language(members)), taken), None)
    if key is None:
        return Evolution(profile)
    after = Profile(key, line_of(members[0]), named_by=NamedBy.WORDS, coarse=Coarse.SMALL_TALK)
    return Evolution(after, "most members thank, praise or greet, and no words are theirs alone")


def _words(members: Sequence[str], others: Sequence[str]) -> TellingWords:
    return said_by(members, others, main_language(members))


def _better_key(profile: Profile, said: _Said, key: str | None) -> tuple[str, str]:
    if key is None or profile.named_by is not NamedBy.WORDS:
        return profile.key, ""
    if all(
        _named([word], said.members) < 2 for word in key.split()
    ):  # each of one note, even of a pair that is no word
        return profile.key, ""
    why = said.why_better("key", [profile.key], [key])
    return (key, why) if why else (profile.key, "")


def _better_tags(profile: Profile, said: _Said, fresh: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The name of the cluster in the other language stays the first tag."""
    name = profile.tags[:1] if _is_other_name(profile) else ()
    why = said.why_better("tags", profile.tags[len(name) :], fresh)
    return ((*name, *(tag for tag in fresh if tag not in name)), why) if why else (profile.tags, "")


def _is_other_name(profile: Profile) -> bool:
    by_model = profile.named_by is NamedBy.MODEL
    return by_model and any(language_of(tag) != language_of(profile.key) for tag in profile.tags[:1])


def _terms(notes: Sequence[str]) -> Terms:
    return [frozenset(telling_terms(note)) for note in notes]


def _named(words: Iterable[str], terms: Terms) -> int:
    """How many notes say one of the words."""
    asked = {term for word in words for term in query_terms(word)}
    return sum(not asked.isdisjoint(each) for each in terms)


def _tags(key: str, members: Sequence[str], terms: Terms, others: Sequence[str]) -> list[str]:
    """Words of two members or more: in the language of the key first, and in another that many members are in, for by
    words alone Chinese is found."""
    main = main_language(members)
    said: dict[Language, int] = {"en": 0, "zh": 0}
    for member in members:
        said[language_of(member)] += 1
    found: list[str] = []
    for language in sorted(said, key=lambda language: language != language_of(key)):
        if said[language] >= _OTHER_SHARE * len(members):
            tags = tags_of(said_by(members[:_CENTRAL], others, language), language)
            found += tags[: TAGS if language == main else _OTHER_TAGS]
    return [tag for tag in found if _named([tag], terms) > 1]
