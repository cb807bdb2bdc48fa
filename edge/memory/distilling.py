"""What of a person's own words is worth a line in memory: statements about themselves that no rule has read.

Each line is one of their sentences, told of the user by code (`distilling_en`, `distilling_zh`) and checked against the
words it was made of (`stated`). Which of them tells something lasting is for a model to weigh: it never writes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edge.memory.compression import sentences
from edge.memory.distilling_en import told_in_english
from edge.memory.distilling_zh import told_in_chinese
from edge.memory.language import Language
from edge.memory.questions import asks
from edge.memory.rules_text import MASK, mask_quoted, own_spans
from edge.memory.secrets import find_secrets, redacted
from edge.memory.stated import is_stated, known_language
from edge.memory.units import Draft, Kind

CONFIDENCE = 0.6
"""Of a distilled unit: below that of any rule's."""
_IMPORTANCE = 0.4
_MOST = 6
"""Lines of one message: who tells more of themselves in one pastes."""
_MARKS = ("[redacted ", "［已隐去 ", "<|", "```")
_JEST = re.compile(
    r"\b(?:just (?:kidding|joking)|only joking|jk|as a joke|hypothetical\w*|let's (?:pretend|imagine)|role-?play\w*)\b"
    r"|开玩笑|假装|角色扮演|扮演",
    re.IGNORECASE,
)
"""What it stands in means none of its statements."""
_TOLD = {"en": told_in_english, "zh": told_in_chinese}


@dataclass(frozen=True, slots=True)
class Line:
    """What could be remembered: the line, the words it was made of, and their language."""

    text: str
    quote: str
    language: Language

    def draft(self, *, session_only: bool) -> Draft:
        """The unit that it becomes."""
        return Draft(
            Kind.FACT_REFERENCE,
            self.text,
            quote=self.quote,
            confidence=CONFIDENCE,
            importance=_IMPORTANCE,
            session_only=session_only,
        )


def lines_of(message: str) -> tuple[Line, ...]:
    """The lines that a person's message gives, in its order; none of one that holds a secret, code or marks of a
    prompt, or that is in another language than English and Chinese."""
    if any(mark in message for mark in _MARKS) or _JEST.search(message):
        return ()
    found = (line for start, end in own_spans(message) for line in _lines(message[start:end]))
    return tuple(dict.fromkeys(found))[:_MOST]


def _lines(words: str) -> Iterator[Line]:
    if find_secrets(words) or redacted(words)[0] != words:
        return
    masked, at = mask_quoted(words), 0
    for sentence in sentences(words):
        at = words.index(sentence, at)
        language = known_language(sentence)
        if language is None or asks(sentence) or MASK in masked[at : at + 2]:  # begun inside what is quoted
            continue
        for text, quote in _TOLD[language](sentence):
            if is_stated(text, quote):
                yield Line(text, quote, language)
