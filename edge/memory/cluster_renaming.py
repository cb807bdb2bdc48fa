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
    """A key of the words that most members say and that are not barred; None where they have too few in common, or
    where it would be too alike to one that is taken. In Chinese, of pairs of characters."""
    said: Counter[str] = Counter()
    for member in islice(members, READ):
        said.update(dict.fromkeys(_words(member), 1))
    words = [word for word, _ in said.most_common() if not is_barred(word)]
    chosen = list(islice(_distinct(words), _WORDS_OF_KEY))
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


def _distinct(words: Iterable[str]) -> Iterator[str]:
    """Words without those that say the same (plurals), or that overlap with a pair of characters before them."""
    seen: set[str] = set()
    for word in words:
        parts = set(word) if _HAN.match(word) else set(telling_terms(word))
        if parts.isdisjoint(seen):
            seen |= parts
            yield word


def _joined(words: list[str]) -> str | None:
    key = " ".join(words)
    try:
        return check_key("".join(words) if all(_HAN.match(word) for word in words) else key)
    except ClusterKeyInvalid:
        return None
