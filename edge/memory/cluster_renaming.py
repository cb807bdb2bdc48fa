"""Another key for a topic that lost the one it had: made of the words that most of its members say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice, pairwise

from edge.errors import ClusterKeyInvalid
from edge.memory.cluster_runs import same_key
from edge.memory.clusters import check_key
from edge.memory.text import telling_terms

READ = 200
"""Members that are read at most."""
_WORDS_OF_KEY = 3
_SPACED = re.compile(r"[^\W\d_]{3,24}")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")


def key_from_words(members: Iterable[str], is_barred: Callable[[str], bool], taken: Collection[str]) -> str | None:
    """A key of the words that most members say and that are not barred; None where there are too few, or where it
    would be too alike to one that is taken. In Chinese, of pairs of characters. Words that one member alone says are
    taken only where the others are no key."""
    said: Counter[str] = Counter()
    for member in islice(members, READ):
        said.update(dict.fromkeys(_words(member), 1))
    shared = [word for word, count in said.most_common() if count > 1]
    for words in (shared, [word for word, _ in said.most_common()]):
        chosen = list(islice(_distinct(words, is_barred), _WORDS_OF_KEY))
        for count in range(len(chosen), 0, -1):
            key = _joined(chosen[:count])
            if key is not None and not is_barred(key) and not any(same_key(key, other) for other in taken):
                return key
    return None


def _words(text: str) -> Iterator[str]:
    for run in _HAN.findall(text):
        yield from (first + second for first, second in pairwise(run) if telling_terms(first + second))
    for word in _SPACED.findall(_HAN.sub(" ", text)):
        if telling_terms(word):
            yield word.lower()


def _distinct(words: Iterable[str], is_barred: Callable[[str], bool]) -> Iterator[str]:
    """Words that are not barred, without those that say the same as one before (plurals), and pairs of characters
    without those that overlap with one before, also with a barred one: 啡机 in 咖啡机 is no word."""
    seen: set[str] = set()
    for word in words:
        parts = set(word) if _HAN.match(word) else set(telling_terms(word))
        if parts.isdisjoint(seen) and not is_barred(word):
            yield word
            seen |= parts
        elif is_barred(word) and _HAN.match(word):
            seen |= parts


def _joined(words: list[str]) -> str | None:
    key = " ".join(words)
    try:
        return check_key("".join(words) if all(_HAN.match(word) for word in words) else key)
    except ClusterKeyInvalid:
        return None
