"""How near a reply comes to the known answer: the F1 of their tokens, as LoCoMo scores it (Maharana et al., 2024)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import snowballstemmer

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_ARTICLES = frozenset({"a", "an", "the", "and"})


def token_f1(reply: str, answer: str) -> float:
    """Harmonic mean of precision and recall of the reply's tokens: words in lower case without articles and
    punctuation, Porter-stemmed; Chinese characters one by one. 0 where they share none."""
    said, wanted = Counter(_tokens(reply)), Counter(_tokens(answer))
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total()) if shared else 0.0


def _tokens(text: str) -> list[str]:
    """LoCoMo removes punctuation without leaving a space: "don't" is one word, "well-known" too."""
    words = _WORD.findall(re.sub(r"[^\w\s]", "", text.lower()))
    return [_stem(word) for word in words if word not in _ARTICLES]


@cache
def _stem(word: str) -> str:
    return str(snowballstemmer.stemmer("porter").stemWord(word))
