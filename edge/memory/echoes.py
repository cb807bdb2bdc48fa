"""Whether a reply only says the person's own words back. A tiny model does that, and once it has, does it again. So it
does with what took note of a statement: after a few of "Got it." it answers questions so too.

Compared are words, without case, spaces, marks and emoji, and with "I" and "you", 我 and 你 taken for the same: "You
love coffee!" is an echo of "i love coffee". An echo is the whole message, or whole sentences of it in a row.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from edge.memory.compression import sentences
from edge.memory.language import HAN
from edge.memory.questions import asks, ends_asking
from edge.memory.repetition import is_courtesy, requests, wants_repetition

_WORD = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
_TURNED = (
    ("i", "you", "me", "we", "us"),
    ("my", "your", "our"),
    ("mine", "yours", "ours"),
    ("myself", "yourself", "yourselves", "ourselves"),
    ("am", "are", "m", "re"),
    ("was", "were"),
    ("have", "ve"),
    ("will", "ll"),
    ("我", "你", "您"),
)
"""Words that change between the one who speaks and the one spoken to, and their short forms behind an apostrophe."""
_SAME = {word: group[0] for group in _TURNED for word in group}
_WAYS = {group[0]: group for group in _TURNED}
_ASKED_TO_REMEMBER = re.compile(
    r"(?:(?:please|now|ok|okay|and|also|hey|edge)[\s,]+)*"
    r"(?:remember|note|keep in mind|bear in mind|(?:don['’]?t|never) forget|for the record|by the way|fyi)\b"
    r"(?:,? that\b)?"
    r"|(?:请|麻烦|帮我|给我|替我|你|要|对了，?)*(?:记住|记一下|记下来?|记着|记得|别忘了?|不要忘[记了]?|顺便说一下|对了)",
    re.IGNORECASE,
)
"""What stands before a statement and is left out where it is echoed."""
_TELLING_WORDS = 8
"""So many of the person's words, from a sentence's beginning on, nobody begins a reply of their own with."""

_MARKS = 24
"""Characters, marks and emoji most of all, that a reply may be longer than an echo that it is."""

Words = tuple[str, ...]
Exchange = tuple[str, str]
"""A message and the reply."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message, as words [begin, end) of it. `by_mark`: only its question mark makes it ask."""

    begin: int
    end: int
    asks: bool
    by_mark: bool


@dataclass(frozen=True, slots=True)
class Echo:
    """What would be an echo of one message: its words as they stand and as they are compared, and its sentences.
    `requests`: it wants something done, which may come to one of its sentences; then only all of it is an echo.
    `stock` are replies that only took note of what was said before, and are none to a message that wants one."""

    length: int
    plain: Words
    words: Words
    sentences: Sequence[Sentence]
    requests: bool
    stock: Sequence[Words] = ()

    @property
    def wants_reply(self) -> bool:
        """Whether the message asks or requests something, in any of its sentences."""
        return self.requests or any(sentence.asks for sentence in self.sentences)

    def may_become(self, said: str) -> bool:
        """Whether a reply that has come so far may still end as an echo. Its last word may not be whole yet."""
        if len(said) > 2 * self.length + _MARKS:
            return False
        plain = _plain_words(said)
        whole, begun = (plain[:-1], plain[-1]) if plain and _WORD.match(said[-1]) else (plain, "")
        words = _compared(whole)
        if any(stock[: len(words)] == words and _goes_on(stock, len(words), begun) for stock in self.stock):
            return True
        return any(_goes_on(self.words, begin + len(words), begun) for begin in self._begins(words))

    def is_echoed(self, reply: str, *, cut: bool = False) -> bool:
        """Whether a reply is an echo; one that was cut short also where it broke off inside of one."""
        plain = _plain_words(reply)
        words = _compared(plain)
        if words in self.stock:
            return True
        if not words or is_courtesy(reply):
            return False
        if cut and len(words) > _TELLING_WORDS:
            begins = self._begins(words[:-1])
            return any(begin == 0 or not self.wants_reply for begin in begins)
        return any(self._counts(begin, plain, reply) for begin in self._begins(words))

    def _begins(self, words: Words) -> Iterator[int]:
        """Where sentences begin that begin with these words."""
        for sentence in self.sentences[: 1 if self.requests else None]:
            if self.words[sentence.begin : sentence.begin + len(words)] == words:
                yield sentence.begin

    def _counts(self, begin: int, plain: Words, reply: str) -> bool:
        """Whether these words, which stand in the message, end with a sentence of it and are no answer. What was stated
        beside a question may be one, and so may "You like tea." to "I like tea?"."""
        end = begin + len(plain)
        last = next((sentence for sentence in self.sentences if sentence.end == end), None)
        if last is None or (self.wants_reply and not last.asks and end - begin < len(self.words)):
            return False
        return not (last.by_mark and plain != self.plain[begin:end] and not ends_asking(reply))


def echo_of(message: str, earlier: Sequence[Exchange] = (), noting: Collection[str] = ()) -> Echo | None:
    """What would be an echo of a message; None where its own words are a fitting reply: to a greeting, and where they
    are asked for, also in one of the `earlier` turns. `noting` are replies that only take note of a statement: those
    that stand in these turns are taken for echoes where the message wants a reply."""
    if is_courtesy(message) or wants_repetition(message, [said for said, _ in earlier]):
        return None
    plain: Words = ()
    found: list[Sentence] = []
    for sentence in sentences(message):
        words = _plain_words(sentence)
        if words:
            by_mark = ends_asking(sentence) and not asks(sentence.rstrip("?？ "))
            found.append(Sentence(len(plain), len(plain) + len(words), asks(sentence), by_mark))
            told = _ASKED_TO_REMEMBER.match(sentence)
            behind = _plain_words(sentence[told.end() :]) if told is not None else ()
            if behind:
                found.append(replace(found[-1], begin=len(plain) + len(words) - len(behind)))
            plain += words
    if not plain:
        return None
    echo = Echo(len(message), plain, _compared(plain), tuple(found), requests(message))
    noted = [reply for reply in noting if any(reply == replied for _, replied in earlier)]
    return replace(echo, stock=[_compared(_plain_words(reply)) for reply in noted]) if echo.wants_reply else echo


def _goes_on(words: Words, at: int, begun: str) -> bool:
    """Whether the word at a place may have begun so."""
    word = words[at] if at < len(words) else ""
    return not begun or any(way.startswith(begun) for way in _WAYS.get(word, (word,)))


def _plain_words(text: str) -> Words:
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _compared(plain: Words) -> Words:
    return tuple(_SAME.get(word, word) for word in plain)
