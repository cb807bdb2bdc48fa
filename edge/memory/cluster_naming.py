"""What a cluster is called: checking a name that a model gave, and making one of the members' own words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from edge.errors import ClusterKeyInvalid
from edge.memory.clusters import check_key, key_terms
from edge.memory.language import Language, language_of
from edge.memory.stopwords import CHINESE_FUNCTION_CHARACTERS, CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from edge.memory.text import search_terms, telling_terms
from edge.memory.topic_stopwords import NAME_NOTHING, SAY_NOTHING_CHARACTERS

TAGS = 5
DESCRIPTION = 80
"""Characters of a note that describe its cluster."""
ALIKE = 0.6
"""Share of their telling words that two keys have in common when they are too alike."""
_WRAPPING = " \t\"'“”‘’《》「」*#-:：.。!！,，、;；()（）[]【】"
_LABEL = re.compile(r"^(?:title|topic|name|label|key|标题|主题|名称)\s*[:：]\s*", re.IGNORECASE)
_JOINED = re.compile(r"\s*[:：,，、;；/|()（）]\s*")
_DIGITS = re.compile(r"\d+")
_HAN_RUN = re.compile("[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W\d_](?:[^\W_]|['’-](?=\w))+")
_POSSESSIVE = re.compile("['’]s$")
_SHORTENED = re.compile("['’]")
_CALLS = re.compile(
    r"(?:^|[.!?,]\s*|\b(?:[Hh]ey|[Hh]i|[Tt]hanks|[Ww]ow|[Yy]eah|[Yy]es),?\s+)([A-Z][a-z]+)(?=[,!])|,\s([A-Z][a-z]+)(?=[.!?])"
)
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
    if len(set(key.casefold().split())) < len(key.split()):
        return None
    written = " ".join(notes)
    return key if all(number in written for number in _DIGITS.findall(key)) else None


def telling_words(members: Sequence[str], others: Sequence[str], language: Language) -> list[str]:
    """Words that many of the members and few others have, most telling first, as they are written."""
    texts = [*members, *others]
    words = [set(_words(text, language)) for text in texts]
    called = _called(texts, words) if language == "en" else frozenset[str]()
    inside = [own - called for own in words[: len(members)]]
    outside = Counter(word for own in words[len(members) :] for word in own)
    counts = Counter(word for own in inside for word in own)
    rest = len(others) + 1

    def worth(word: str) -> float:
        return counts[word] * math.log((rest + 1) / (outside[word] + 1))

    ranked = sorted(counts, key=lambda word: (-worth(word), word))
    return _apart(ranked)


def word_key(
    members: Sequence[str],
    others: Sequence[str],
    language: Language,
    taken: Collection[str],
    is_barred: Callable[[str], bool] = lambda _: False,
) -> str | None:
    """A key of the members' own most telling words that is not barred, nor too alike to those taken; None where there
    is none."""
    ranked = telling_words(members, others, language)[:8]
    for second in range(1, len(ranked)):
        for first in range(second):
            key = _checked(as_said(ranked[first], ranked[second], members))
            if key is not None and not is_barred(key) and not any(alike(key, other) for other in taken):
                return key
    return None


def as_said(first: str, second: str, texts: Sequence[str]) -> str:
    """Two words in the order in which more of the texts have them in a row: "mental health", whichever tells more."""
    between = "" if _HAN_RUN.match(first) and _HAN_RUN.match(second) else " "
    folded = [text.casefold() for text in texts]
    forward, backward = (
        sum(f"{one}{between}{other}" in text for text in folded) for one, other in ((first, second), (second, first))
    )
    return f"{second} {first}" if backward > forward else f"{first} {second}"


def coverage(keys: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Of each key the share of texts that have a word of it, taken over its words: 0 to 1."""
    said = Counter(term for text in texts for term in set(search_terms(text)))
    terms = [key_terms(key) for key in keys]
    return [sum(said[term] for term in own) / max(1, len(texts) * len(own)) for own in terms]


def tags_of(members: Sequence[str], others: Sequence[str], language: Language) -> tuple[str, ...]:
    """The most telling words that two members or more have. In English, where those have none, of any: a pair of
    Chinese characters that stands in one note is often no word."""
    said = Counter(word for text in members for word in set(_words(text, language)))
    ranked = telling_words(members, others, language)
    shared = [word for word in ranked if said[word] > 1]
    return tuple((shared or (ranked if language == "en" else []))[:TAGS])


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


def _words(text: str, language: Language) -> Iterator[str]:
    if language == "zh":
        for run in _HAN_RUN.findall(text):
            yield from (pair for pair in (run[at : at + 2] for at in range(len(run) - 1)) if _tells_zh(pair))
        return
    for word in _WORD.findall(text):
        bare = _POSSESSIVE.sub("", word).casefold()
        if len(bare) > 2 and bare.isascii() and not _SHORTENED.search(bare) and _tells_en(bare):
            yield bare


def _called(texts: Iterable[str], words: Iterable[Collection[str]]) -> frozenset[str]:
    """Whom the texts, which have these words, speak to by name, "Thanks, Maria!": such a name stands in talk of any
    subject."""
    spoken_to = Counter(name.casefold() for text in texts for pair in _CALLS.findall(text) for name in pair if name)
    said = Counter(word for own in words for word in own)
    return frozenset(name for name, count in spoken_to.items() if count > 1 and 4 * count >= said[name])


def _tells_zh(pair: str) -> bool:
    silent = CHINESE_FUNCTION_CHARACTERS | SAY_NOTHING_CHARACTERS
    return pair not in CHINESE_STOP_WORDS and not any(char in silent for char in pair)


def _tells_en(word: str) -> bool:
    return word not in ENGLISH_STOP_WORDS and not set(telling_terms(word)) <= NAME_NOTHING


def _apart(ranked: Sequence[str]) -> list[str]:
    """Without what overlaps a better one: 红烧 and 烧肉, tomato and tomatoes."""
    kept: list[str] = []
    terms, firsts, lasts = set[str](), set[str](), set[str]()
    for word in ranked:
        own = search_terms(word)
        is_cut = bool(_HAN_RUN.match(word)) and (word[0] in lasts or word[-1] in firsts)
        if not is_cut and terms.isdisjoint(own):
            kept.append(word)
            terms.update(own)
            firsts.add(word[0])
            lasts.add(word[-1])
    return kept
