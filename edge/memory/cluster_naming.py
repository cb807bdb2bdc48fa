"""What a cluster is called: checking a name that a model gave, and making one of the members' own words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations

from edge.errors import ClusterKeyInvalid
from edge.memory.cluster_nouns import THING
from edge.memory.cluster_words import HAN_RUN, TellingWords, as_said, in_a_row, said_by
from edge.memory.clusters import check_key, key_terms
from edge.memory.language import Language, language_of
from edge.memory.text import search_terms

TAGS = 5
DESCRIPTION = 80
"""Characters of a note that describe its cluster."""
ALIKE = 0.6
"""Share of their telling words that two keys have in common when they are too alike."""
CLEARLY = 0.2
"""By how much more another key must set the members apart to take the place of one that is known."""
_SEVERAL = 0.15
"""Share of the members that have a word of a key, and two at the least."""
_CHOSEN = 10
"""Words that keys are made of."""
_IN_A_ROW = 0.5
"""What it is worth that all members have the two words of a key in a row, beside that all have one of them."""
_EACH = 0.5
"""What it is worth that all members have each word of a key, beside that all have one of them."""
_BEST = 1.0
"""What it is worth that all members have the same one of them."""
_WIDER = 0.05
"""By how much more another word must set the members apart."""
_ADDS = 0.15
_MUCH = 0.5
"""A second Chinese word is in so many more members, or in so many at all, or it goes."""
_PHRASE = 0.6
"""Share of the members with a word that have another right beside it, and they are said as one."""
_FITTED = 3
_BELONGS = 0.25
"""Share of the members with a word in which it stands right before the other, and describes it."""
_SURELY = 0.5
"""The share of its places from which on a word is surely a thing."""
_TOLD = 0.15
"""How far two words must set a group apart that is about something, besides as far as chance does: of n notes drawn
blindly from a talk, the best two words set apart the root of 1/n of them in the mean (n from 12 to 150)."""
_WRAPPING = " \t\"'“”‘’《》「」*#-:：.。!！,，、;；()（）[]【】"
_LABEL = re.compile(r"^(?:title|topic|name|label|key|标题|主题|名称)\s*[:：]\s*", re.IGNORECASE)
_JOINED = re.compile(r"\s*[:：,，、;；/|()（）]\s*")
_DIGITS = re.compile(r"\d+")
_OWN_SCRIPTS = re.compile(r"[\sA-Za-zÀ-ɏ0-9\u3400-\u9fff'&+#./_’-]*")
_ASKING = frozenset(
    term
    for word in ("title note notes topic group name answer word words person user", "标题 笔记 主题 回答 概括 几个字")
    for term in search_terms(word)
)
"""Words of the question itself: a name made of them says nothing."""


def clean_key(line: str, notes: Sequence[str], language: Language) -> str | None:
    """The key in a line that a model wrote about some notes, or None where there is none in it.

    It has 2-5 words, in the language of the notes and no other script, says more than the question did, and every
    number in it stands in the notes. A longer line is not cut: what is left would be half a thought.
    """
    bare = _LABEL.sub("", line.strip().strip(_WRAPPING)).strip(_WRAPPING)
    spaced = " ".join(_JOINED.sub(" ", bare).split())
    try:
        key = check_key(spaced)
    except ClusterKeyInvalid:
        return None
    told = key_terms(key) - _ASKING
    if not told or language_of(key) != language or not _OWN_SCRIPTS.fullmatch(key):
        return None
    words = key.casefold().split()
    if len(set(words)) < len(words):
        return None
    written = " ".join(notes)
    return key if all(number in written for number in _DIGITS.findall(key)) else None


def word_key(
    members: Sequence[str],
    others: Sequence[str],
    language: Language,
    taken: Collection[str],
    is_barred: Callable[[str], bool] = lambda _: False,
) -> str | None:
    """The best key of the members' own words that is not barred, nor too alike to those taken; None where there is
    none."""
    keys = word_keys(said_by(members, others, language), members)
    return next((key for key in untaken(keys, taken) if not is_barred(key)), None)


def untaken(keys: Iterable[str], taken: Collection[str]) -> Iterator[str]:
    """Those of the keys that are not too alike to one that is taken."""
    return (key for key in keys if not any(alike(key, other) for other in taken))


def word_keys(said: TellingWords, members: Sequence[str]) -> list[str]:
    """Keys of two or three words that members have, in Chinese of one to three, best first: by how many members the
    words set apart, and how often they stand in a row, "dance studio". Last come keys of words that tell little."""
    best, rest = _nameable(said), list(said.words[:_CHOSEN])
    pairs = _pairs(said, best, members)
    fitted = [_fitted(key, said, best, members) for key in pairs[:_FITTED]]
    keys = [*fitted, *pairs, *_alone(said, best), *_pairs(said, rest, members)]
    return [key for key in dict.fromkeys(keys) if _checked(key) is not None]


def _alone(said: TellingWords, words: Sequence[str]) -> list[str]:
    """Keys of one word, which in English takes others to be a key."""
    return [word if HAN_RUN.match(word) else f"talk of {word}" for word in words if said.thing(word) >= THING]


def _pairs(said: TellingWords, words: Sequence[str], members: Sequence[str]) -> list[str]:
    """Two of some words, best first, as they are said."""
    worth: dict[str, float] = {}
    for first, second in combinations(words, 2):
        in_row = max(in_a_row(first, second, members), in_a_row(second, first, members))
        key = as_said(first, second, members)
        told = [word for word in (first, second) if not _describes(word, key, said, in_row)]
        if min(map(said.thing, told)) >= THING and not _share_a_character(first, second):
            worth[key] = _worth(said, (first, second), told) + _IN_A_ROW * in_row / max(1, len(members))
    return sorted(worth, key=lambda key: -worth[key])


def _describes(word: str, key: str, said: TellingWords, in_row: int) -> bool:
    """Whether the word belongs to the next one of a key: "dairy-free recipe"."""
    return key.split(maxsplit=1)[0] == word and in_row > 1 and in_row >= _BELONGS * said.count((word,))


def _share_a_character(first: str, second: str) -> bool:
    """Whether two Chinese words say nearly the same: 旅游 and 旅行."""
    return HAN_RUN.match(first) is not None and not set(first).isdisjoint(second)


def _worth(said: TellingWords, words: Sequence[str], told: Sequence[str] = ()) -> float:
    """How far the words together set the members apart, and each of them does; less of words that are not surely
    things."""
    things = sum(min(1.0, said.thing(word) / _SURELY) for word in told or words) / len(told or words)
    each = [said.lead((word,)) for word in words]
    return things * (said.lead(words) + _EACH * sum(each) / len(each) + _BEST * max(each))


def best_lead(said: TellingWords) -> float:
    """How far the best word or two set the members apart: what a group is worth that is named by its words."""
    words = _nameable(said)
    return max(map(said.lead, (*combinations(words, 1), *combinations(words, 2))), default=0.0)


def key_lead(said: TellingWords, key: str) -> float:
    """How far the words of a key, whoever gave it, set the members apart."""
    own = [word for word in said.words if not key_terms(word).isdisjoint(key_terms(key))]
    return said.lead(own) if own else 0.0


def is_told(lead: float, members: int) -> bool:
    """Whether the best two words set some members apart that are about something."""
    return lead >= _TOLD + 1 / math.sqrt(max(1, members))


def _nameable(said: TellingWords) -> list[str]:
    """The words of several members that others have half as often at most; where there are none, any."""
    least = max(2, math.ceil(_SEVERAL * said.members))
    shared = [word for word in said.words if said.count((word,)) >= least]
    own = [word for word in shared if 2 * said.lead((word,)) * said.members >= said.count((word,))]
    is_enough = len(own) > 1 or (own and _checked(own[0]) is not None)
    return (own if is_enough else list(dict.fromkeys([*own, *shared, *said.words])))[:_CHOSEN]


def _fitted(key: str, said: TellingWords, words: Sequence[str], members: Sequence[str]) -> str:
    """A key with one word more: one that mostly stands beside a word of it, "mental health support", or the one by
    which it sets most members more apart, if they are several. In Chinese, where one word may be a key, a second that
    adds next to nothing goes."""
    own = key.split()
    alone, other = sorted(own, key=lambda word: -said.lead((word,)))
    if _checked(alone) is not None and _adds_little(said, alone, other):
        other = max(words, key=lambda word: said.lead((alone, word)))
        wider = said.lead((alone, other)) - said.lead((alone,)) >= _ADDS
        return f"{alone} {other}" if wider and not _share_a_character(alone, other) else alone
    left = [word for word in words if word not in own]
    for at, word in enumerate(own):
        for other in left:
            if _is_phrase(word, other, said, members):
                return " ".join([*own[:at], as_said(word, other, members), *own[at + 1 :]])
    left = [word for word in left if said.thing(word) >= THING]
    third = max(left, key=lambda word: _worth(said, (*own, word)), default=None)
    if third is None or said.lead((*own, third)) - said.lead(own) < _WIDER:
        return key
    return f"{key} {third}" if said.count((*own, third)) - said.count(own) > 1 else key


def _adds_little(said: TellingWords, word: str, other: str) -> bool:
    """Whether a second word is in few more members, and in few at all; of those that only the model reads in them, in
    fewer than the first."""
    leads = said.lead((word,)), said.lead((other,))
    few = leads[1] < _MUCH or (said.is_heard(other) and leads[0] - leads[1] > _WIDER)
    return few and said.lead((word, other)) - leads[0] < _ADDS


def _is_phrase(word: str, other: str, said: TellingWords, members: Sequence[str]) -> bool:
    """Whether a word mostly has the other right beside it."""
    beside = max(in_a_row(word, other, members), in_a_row(other, word, members))
    return beside > 1 and beside >= _PHRASE * said.count((word,))


def set_apart(keys: Sequence[str], members: Sequence[str], others: Sequence[str]) -> list[float]:
    """Of each key, whoever made it, how far its words together set the members apart, and each of them does: as
    `word_keys` weighs them."""
    inside, outside = ([frozenset(search_terms(text)) for text in texts] for texts in (members, others))

    def lead(terms: Collection[str]) -> float:
        shares = (sum(not own.isdisjoint(terms) for own in part) / max(1, len(part)) for part in (inside, outside))
        return next(shares) - next(shares)

    told = [key_terms(key) for key in keys]
    return [lead(terms) + _EACH * sum(lead({term}) for term in terms) / max(1, len(terms)) for terms in told]


def tags_of(said: TellingWords, language: Language) -> tuple[str, ...]:
    """The most telling words that two members or more have. In English, where those have none, of any: a pair of
    Chinese characters that stands in one note is often no word."""
    shared = [word for word in said.words if said.count((word,)) > 1]
    return tuple((shared or (list(said.words) if language == "en" else []))[:TAGS])


def line_of(text: str) -> str:
    """The line by which a note describes its cluster: what it begins with."""
    return " ".join(text.split())[:DESCRIPTION].rstrip()


def alike(key: str, other: str) -> bool:
    """Whether two keys say nearly the same, in their words."""
    one, two = key_terms(key), key_terms(other)
    return bool(one and two) and len(one & two) / min(len(one), len(two)) > ALIKE


def main_language(texts: Sequence[str]) -> Language:
    """The language of most texts; of as many, English."""
    chinese = sum(language_of(text) == "zh" for text in texts)
    return "zh" if 2 * chinese > len(texts) else "en"


def _checked(key: str) -> str | None:
    try:
        return check_key(key)
    except ClusterKeyInvalid:
        return None
