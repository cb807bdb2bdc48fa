"""A slot's sentence in another language: the value is lifted out of one template and set into the other."""

from __future__ import annotations

import re

from edge.memory.rules_tables import Slot

_WHO = {"en": ("the user", "the user's"), "zh": ("用户", "用户的")}
_OTHER = {"en": "zh", "zh": "en"}
_BLANK = re.compile(r"\{(\w+)\}")


def retold(content: str, slot: Slot, language: str) -> str | None:
    """The sentence of a unit about its owner, in `language` (`en`, `zh`).

    None where it was not made by the slot's own template, or where the template of the other language holds words
    besides the value that would stay as they are (a topic, a kind of pet).
    """
    if _blanks(content, slot.content[language], language) is not None:
        return content
    filled = _blanks(content, slot.content[_OTHER[language]], _OTHER[language])
    if filled is None or filled.keys() != {"value"}:
        return None
    return slot.content[language].format(**_subject(language), **filled)


def shown_value(content: str, slot: Slot) -> str | None:
    """The value as a unit about its owner shows it; None where the sentence was not made by the slot's own template."""
    for language in _WHO:
        filled = _blanks(content, slot.content[language], language)
        if filled is not None and "value" in filled:
            return filled["value"]
    return None


def _blanks(content: str, template: str, language: str) -> dict[str, str] | None:
    """What fills the blanks of a template where the content is made by it; None where it is not."""
    known = _subject(language)
    pieces = _BLANK.split(template)  # text, blank's name, text, ...
    frame = "".join(
        (re.escape(known[piece]) if piece in known else f"(?P<{piece}>.+)") if number % 2 else re.escape(piece)
        for number, piece in enumerate(pieces)
    )
    found = re.fullmatch(frame, content)
    return None if found is None else found.groupdict()


def _subject(language: str) -> dict[str, str]:
    who, whose = _WHO[language]
    return {"who": who, "whose": whose, "Who": who[:1].upper() + who[1:], "Whose": whose[:1].upper() + whose[1:]}
