"""Which words a pattern cannot do without. Where none of them stands in a text, the pattern need not be tried, and
one that is never tried need not be compiled: compiling all of them takes longer than starting everything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Needles = frozenset[str]
"""Lower-case words of which one stands in every text that the pattern matches; empty where nothing is known."""


class NeedleIndex:
    """Finds in one pass over a text which of many patterns it may match."""

    def __init__(self, needles: Sequence[Needles]) -> None:
        self._always = frozenset(number for number, words in enumerate(needles) if not words)
        self._by_start: dict[str, list[tuple[str, int]]] = {}
        for number, words in enumerate(needles):
            for word in words:
                self._by_start.setdefault(word[:2], []).append((word, number))

    def possible(self, lowered: str) -> list[int]:
        """The places of the patterns that a text in lower case may match, in order."""
        found = set(self._always)
        for at in range(len(lowered)):
            for start in (lowered[at], lowered[at : at + 2]):
                for word, number in self._by_start.get(start, ()):
                    if lowered.startswith(word, at):
                        found.add(number)
        return sorted(found)


_NOTHING: Needles = frozenset()
_TOKEN = re.compile(
    r"(?P<skip>\(\?(?:[=!]|<[=!]))|(?P<open>\((?:\?(?:P<\w+>|-i:|:))?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<count>[*+?]|\{\d+(?:,\d*)?\}\??)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<filled>\{[a-z_:]+\})"
    r"|(?P<other>\\.|[.^$ ])|(?P<letter>.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a sequence: a letter, or what one of its needles must stand in."""

    needles: Needles = _NOTHING
    letter: str = ""


_END = _Part()


def needles_of(pattern: str) -> Needles:
    """The needles of a table's pattern, as it is written there: its placeholders count for nothing."""
    tokens = [(found.lastgroup or "", found[0]) for found in _TOKEN.finditer(pattern)]
    needles, _ = _alternatives(tokens, 0)
    return needles


def _alternatives(tokens: list[tuple[str, str]], at: int) -> tuple[Needles, int]:
    """The needles of `a|b|c` up to the bracket that closes it, and the place behind that."""
    branches: list[Needles] = []
    parts: list[_Part] = []
    while at < len(tokens) and tokens[at][0] != "close":
        name, text = tokens[at]
        at += 1
        if name == "bar":
            branches.append(_best(parts))
            parts = []
        elif name in ("open", "skip"):
            inner, at = _alternatives(tokens, at)
            parts.append(_Part(inner if name == "open" else _NOTHING))
        elif name == "count":
            if text[0] in "*?" or text.startswith("{0"):
                parts[-1:] = []
            parts.append(_END)
        else:
            parts.append(_Part(letter=text.lower()) if name == "letter" else _END)
    branches.append(_best(parts))
    needles = frozenset[str]().union(*branches) if all(branches) else _NOTHING
    return needles, at + 1


def _best(parts: list[_Part]) -> Needles:
    """Of what must stand in a sequence, that which says the most: the longest of its words, or one of its groups."""
    run, best, weight = "", _NOTHING, (1, 0)
    for part in [*parts, _END]:
        if part.letter:
            run += part.letter
            continue
        for needles in (frozenset({run}) if run else _NOTHING, part.needles):
            says = (min(map(_weight, needles)), -len(needles)) if needles else (0, 0)
            if says[0] > 1 and says > weight:
                best, weight = needles, says
        run = ""
    return best


def _weight(word: str) -> int:
    """Letters, of which a Chinese one says as much as three."""
    return len(word) if word.isascii() else 3 * len(word)
