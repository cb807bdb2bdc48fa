"""A slot's sentence in another language: the value is lifted out of one template and set into the other."""

from __future__ import annotations

import re

from edge.memory.rules_tables import Slot

_WHO = {"en": ("the user", "the user's"), "zh": ("用户", "用户的")}
_VALUE_ONLY = re.compile(r"\{(?:Who|who|Whose|whose|value)\}")


def retold(content: str, slot: Slot, language: str) -> str | None:
    """The sentence of a unit about its owner, in `language` (`en`, `zh`).

    None where it was not made by the slot's own template, or where the template holds words besides the value that
    would stay in their language (a topic, a kind of pet).
    """
    spoken = "zh" if content.startswith(_WHO["zh"][0]) else "en"
    if spoken == language:
        return content
    templates = slot.content[spoken], slot.content[language]
    if any("{" in _VALUE_ONLY.sub("", template) for template in templates):
        return None
    frame = re.escape(_filled(templates[0], "\0", spoken)).replace(re.escape("\0"), "(.+)")
    found = re.fullmatch(frame, content)
    return None if found is None else _filled(templates[1], found[1], language)


def _filled(template: str, value: str, language: str) -> str:
    who, whose = _WHO[language]
    starts = {"Who": who[:1].upper() + who[1:], "Whose": whose[:1].upper() + whose[1:]}
    return template.format(who=who, whose=whose, value=value, **starts)
