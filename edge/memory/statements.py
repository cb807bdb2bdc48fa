"""What a person's statement says beside the facts that were found in it.

A sentence that fills slots and says nothing else is remembered by these facts alone: kept in its own words too, it
would go on being current when they are not. One that says more is kept beside them, bound to their lives; what states
no fact is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from edge.memory.compression import sentences
from edge.memory.secrets import find_secrets
from edge.memory.text import search_terms, telling_terms
from edge.memory.units import Draft

_FILLING = re.compile(
    r"(?i)(?:\bplease\s+)?\b(?:remember|keep in mind|(?:don'?t|never) forget|note)\b(?:\s+that\b)?"
    r"|\b(?:now|currently|at the moment|these days|by the way|actually)\b"
    r"|(?:请|麻烦)?(?:帮我|给我|替我|你)?(?:记住|记下来?|记一下|记好|记着|记得|牢记|别忘了?|不要忘记?)"
    r"|现在|目前|如今|其实|对了|顺便说一下"
)
"""Says nothing of its own: that it is to be remembered, and that it holds at present."""


@dataclass(slots=True)
class Rest:
    """Words to be kept beside the facts. `ties` are slots and subjects of facts that the same words state."""

    text: str
    ties: tuple[tuple[str, str], ...] = ()
    begin: int = field(default=0, compare=False)

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


def rest_of(text: str, facts: Sequence[Draft]) -> list[Rest]:
    """The parts of a statement that its facts do not say. `facts` are those that are kept, from its own words; where
    one of them cannot be placed, all of it is one part, which says more."""
    slots = [fact for fact in facts if fact.slot is not None]
    if not slots:
        return [Rest(text)]
    if any(not fact.quote or fact.quote not in text for fact in slots):
        return [Rest(text, _ties(slots))]
    return list(_joined(text, _parts(text, slots)))


def _parts(text: str, facts: Sequence[Draft]) -> Iterator[Rest]:
    """What is left of each sentence, with its place in the text."""
    at = 0
    for sentence in sentences(text):
        at = text.index(sentence, at)
        stated = [fact for fact in facts if (fact.quote or "") in sentence]
        if find_secrets(sentence) or not stated:
            yield Rest(sentence, begin=at)
        elif _says_more(sentence, stated):
            yield Rest(sentence, _ties(stated), at)
        at += len(sentence)


def _joined(text: str, parts: Iterator[Rest]) -> Iterator[Rest]:
    """Sentences that follow on one another, and state no fact, are one part."""
    last: Rest | None = None
    for part in parts:
        if last is not None and not (last.ties or part.ties or text[last.end : part.begin].strip()):
            last = Rest(text[last.begin : part.end], begin=last.begin)
            continue
        if last is not None:
            yield last
        last = part
    if last is not None:
        yield last


def _ties(facts: Sequence[Draft]) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys((fact.slot, fact.subject) for fact in facts if fact.slot is not None))


def _says_more(sentence: str, facts: Sequence[Draft]) -> bool:
    """Whether it holds words outside the facts' quotes, or behind what they say of their quotes."""
    said = {term for fact in facts for term in search_terms(fact.content)}
    left = sentence
    for fact in sorted(facts, key=lambda fact: -len(fact.quote or "")):
        left = left.replace(fact.quote or "", " \n ")
    if set(telling_terms(_FILLING.sub(" ", left))) - said:
        return True
    stated = [fact.quote or "" for fact in facts if not fact.retracts]
    return any(set(telling_terms(_FILLING.sub(" ", _behind(quote, said)))) - said for quote in stated)


def _behind(quote: str, said: set[str]) -> str:
    """What stands in a quote after the last words that the fact says itself."""
    words = re.findall(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", quote)
    for count in range(len(words)):
        if words[-1 - count] and set(search_terms(words[-1 - count])) & said:
            return " ".join(words[len(words) - count :])
    return ""
