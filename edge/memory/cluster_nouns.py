"""Which English words of a talk are things: by how they stand in it, no dictionary.

A topic is a thing, "dreams" or "the studio". As in taggers by context (Brill 1992, "A simple rule-based part of speech
tagger") its neighbours tell a noun: it ends its phrase, before a stop, a preposition or a verb, and is neither what "I"
and "to" do nor what "so" and "is" describe. Its ending speaks where a word stands but once or twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

THING = 0.31
"""From which share on a word is a thing."""
_TOKEN = re.compile(r"[A-Za-z][A-Za-z'’-]*|[.,!?;:()\[\]\"…]|\d+")
_DOING = """
to i you we they he she it who me us them him don't can will would should could i'll we'll you'll let's gonna gotta
so very really too more most is are was were be been being am feel feels feeling felt seem seems how super pretty
i'm it's you're that's we're they're he's she's keep keeps kept stay get got getting not as just i've we've you've
had have has always even still never also all both
"""
_BEFORE_OTHERS = frozenset(_DOING.split())
"""After one of these stands what somebody does, or how something is."""
_JOINING = """
of in on at for to from with by and or but is are was were has have had that which who will would can could should
may might as than then when while because if so too i you we they he she it not be been about into over after
before during like this these those there here where what how also last next today yesterday now again yet
"""
_AFTER_THINGS = frozenset(_JOINING.split())
"""Before one of these a phrase ends."""
_ENDINGS = (
    (re.compile("(?:tion|sion|ment|ness|ship|ity|ism|ist|ance|ence|ers?|ors?)s?$"), 0.8, 4),
    (re.compile("(?:ed|ly|ful|ous|able|ible|ive|less)$"), 0.1, 4),
)
"""What endings tell, and how many places of a word that is worth."""
_ELSE = (0.5, 3)


def things(texts: Iterable[str], asked: Collection[str]) -> Mapping[str, float]:
    """Of each word that is asked for, in which share of its places in the texts it is a thing, be it one or several: 0
    to 1."""
    places, as_thing, numbers = Counter[str](), Counter[str](), frozenset(map(_number, asked))
    for text in texts:
        written = _TOKEN.findall(text)
        words = [token.casefold() for token in written]
        for at, word in enumerate(words):
            own = _number(word)
            if own not in numbers:
                continue
            places[own] += 1
            as_thing[own] += _is_name(written, at) or (
                _ends(words, at) and (at == 0 or words[at - 1] not in _BEFORE_OTHERS)
            )
    return {word: _share(as_thing[_number(word)], places[_number(word)], word) for word in asked}


def _number(word: str) -> str:
    """A word without its plural."""
    return word.rstrip("s")


def _ends(words: list[str], at: int) -> bool:
    """Whether a phrase ends with the word."""
    after = words[at + 1] if at + 1 < len(words) else "."
    return not after[0].isalpha() or after in _AFTER_THINGS


def _is_name(written: list[str], at: int) -> bool:
    """Whether a word has a capital letter inside a sentence: "LGBTQ", "German"."""
    return written[at][0].isupper() and at > 0 and written[at - 1][-1].islower()


def _share(as_thing: int, places: int, word: str) -> float:
    usual, worth = next(((share, count) for ending, share, count in _ENDINGS if ending.search(word)), _ELSE)
    return (as_thing + usual * worth) / (places + worth)
