"""Groups of notes that are about nothing: thanks, praise, good wishes, greetings; and what such a group is called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from edge.memory.cluster_naming import is_told
from edge.memory.cluster_words import called_by_name, own_words, without_speaker, words_of
from edge.memory.language import Language, language_of
from edge.memory.text import search_terms

_MOST_WORDS: dict[Language, int] = {"en": 3, "zh": 3}
"""Words that tell something in a courtesy: a note with more tells something itself. Of Chinese, pairs of characters."""
_SHARE = 0.5
_TELLS = 0.55
"""How far two words set a few members apart that are about something, though as far as chance may do."""
_MANY = 0.4
"""Share of the members that a kind of courtesies must be in, that small talk is called by it."""
_LONG_ENOUGH = re.compile(r"[A-Za-z]+\W+[A-Za-z]+\W+[A-Za-z]+|[\u3400-\u9fff]{3}")
_FIGURES = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a kind of courtesies is called in each language, and what stands in them: stems of English words, and
    Chinese words."""

    names: dict[Language, str]
    stems: frozenset[str]
    chinese: re.Pattern[str]


_PRAISE = "amaz appreci awesom congrat congratul cool glad grate great impress nice proud thank thanks woah wow"
_ENCOURAGEMENT = "absolut believ cheer definit encourag hope inspir keep luck motiv support worri"
_GREETINGS = "bye cheer goodby hello hey hi ok okay sorri sure welcom yeah yep yes yup"
_KINDS = (
    _Kind(
        {"en": "thanks and praise", "zh": "感谢夸奖"},
        frozenset(_PRAISE.split()),
        re.compile("谢|感激|多亏|太棒|真棒|很棒|厉害|恭喜|祝贺|佩服|了不起|夸"),
    ),
    _Kind(
        {"en": "words of encouragement", "zh": "鼓励的话"},
        frozenset(_ENCOURAGEMENT.split()),
        re.compile("加油|鼓励|支持|相信你|坚持|别担心|没关系|祝你|说得对|有道理"),
    ),
    _Kind(
        {"en": "greetings and goodbyes", "zh": "问候告别"},
        frozenset(_GREETINGS.split()),
        re.compile("你好|您好|再见|拜拜|晚安|早安|早上好|认识你|不客气|好的|嗯|哈哈|当然|对[呀啊]|是[啊的]"),
    ),
)
_COURTEOUS = frozenset(stem for kind in _KINDS for stem in kind.stems)
_NAMES: dict[Language, str] = {"en": "small talk", "zh": "闲聊"}
_MORE: dict[Language, str] = {"en": "everyday chat", "zh": "日常闲谈"}
_SILENT = 0.3
"""How far the best two words set those apart that are about nothing at all."""


def is_courtesy(note: str) -> bool:
    """Whether a note thanks, praises, wishes well or greets, and tells next to nothing; or has no word at all that
    tells something: "So what have you been up to?"."""
    note = without_speaker(own_words(note))
    language, terms = language_of(note), frozenset(search_terms(note))
    words = {word for word in words_of(note, language) if not _COURTEOUS.issuperset(search_terms(word))}
    words -= called_by_name(note)
    if any(_is_of(kind, note, terms) for kind in _KINDS):
        return len(words) <= _MOST_WORDS[language]
    return not words and _LONG_ENOUGH.search(note) is not None and not _FIGURES.search(note)


def is_small_talk(members: Sequence[str], lead: float) -> bool:
    """Whether most members are courtesies, and no two words set more of them apart than chance would; `lead` is how far
    the best two do (see `best_lead`)."""
    if not members or is_told(lead, len(members)) or lead > _TELLS:
        return False
    return sum(map(is_courtesy, members)) >= _SHARE * len(members)


def small_talk_names(members: Sequence[str], language: Language, lead: float = 1.0) -> list[str]:
    """What small talk may be called, the best first: small talk, what many members do in it, and where next to no words
    are theirs alone, which `lead` says, another word for it."""
    found = Counter[str]()
    for member in members:
        terms = frozenset(search_terms(own_words(member)))
        found.update(kind.names[language] for kind in _KINDS if _is_of(kind, member, terms))
    many = [name for name, count in found.most_common() if count >= _MANY * len(members)]
    return [_NAMES[language], *many, *([_MORE[language]] if lead < _SILENT else [])]


def is_small_talk_name(key: str) -> bool:
    """Whether a key is one of those."""
    return any(key in names.values() for names in (_NAMES, _MORE, *(kind.names for kind in _KINDS)))


def _is_of(kind: _Kind, note: str, terms: Collection[str]) -> bool:
    return not kind.stems.isdisjoint(terms) or kind.chinese.search(note) is not None
