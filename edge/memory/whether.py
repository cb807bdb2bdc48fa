"""Questions whether something is so, as the statements that they ask about: "Do I like tea?" is "I like tea."."""

from __future__ import annotations

import re

from edge.memory.courtesies import without_courtesies

_LONGEST = 120
_OPENERS = r"(?:(?:and|but|so|ok|okay|well|hey|sorry|tell me|do you (?:know|remember)(?: if| whether)?)\b[\s,]*)*"
_NOW = r"(?:(?:still|really|actually|now|currently)\s+)"
_FORMS = (
    (
        re.compile(rf"{_OPENERS}(?:do|don't) i (?!not\b|no\b|have to\b|need\b|owe\b){_NOW}?(?P<rest>[^?]+)\??", re.I),
        "I {rest}.",
    ),
    (re.compile(rf"{_OPENERS}(?:am|aren't) i (?!not\b|no\b){_NOW}?(?P<rest>[^?]+)\??", re.I), "I am {rest}."),
    (
        re.compile(rf"{_OPENERS}(?P<verb>is|are) my (?P<thing>[^?]+?) {_NOW}(?P<rest>[^?]+)\??", re.I),
        "My {thing} {verb} {rest}.",
    ),
    (
        re.compile(
            rf"{_OPENERS}(?P<verb>is|are) (?!(?:this|that|it|there|he|she|they)\b)(?P<rest>[^?]+?) "
            rf"{_NOW}?my (?P<thing>[^?]+)\??",
            re.I,
        ),
        "My {thing} {verb} {rest}.",
    ),
    (
        re.compile(
            r"(?P<rest>[^?]{3,}?),? (?:right|correct|is(?:n't| that) (?:it|so|right|correct)|don't i|aren't i)\?", re.I
        ),
        "{rest}.",
    ),
)
_NOW_ZH = "(?:还|现在|目前|真的|是不是|是否|仍然?|依然)"
_FORMS_ZH = (
    (re.compile(r"(?P<rest>[^？?。]{3,}?)[，, ]*(?:对吧|对吗|是吧|是吗|对不对|是不是|没错吧)[？?]?"), "{rest}。"),
    (
        re.compile(
            rf"(?:请问|那么|那|你(?:还)?(?:知道|记得)|现在)*[，, ]*我(?!没|不|可以|能|要|该|需要){_NOW_ZH}*"
            r"(?P<rest>[^？?，,。]+?)(?:吗|么|嘛)?[？?]"
        ),
        "我{rest}。",
    ),
)
_SEEKS_A_VALUE = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|how|or)\b|[什谁哪几多怎]|还是(?!.*(?:吗|[对是]吧|对不对))", re.I
)
_STILL = re.compile(rf"(?<=\bi ){_NOW}", re.IGNORECASE)
_STILL_ZH = re.compile(f"(?<=我){_NOW_ZH}+|{_NOW_ZH}+(?=[是叫住])")


def as_statement(question: str) -> str | None:
    """What a short question of a person about themselves or theirs asks the truth of; None for any other text."""
    text = without_courtesies(question.strip()).replace("’", "'")
    if len(text) > _LONGEST or _SEEKS_A_VALUE.search(text):
        return None
    for form, statement in (*_FORMS, *_FORMS_ZH):
        found = form.fullmatch(text)
        if found is not None:
            parts = {name: part.strip() for name, part in found.groupdict().items()}
            said = statement.format_map(parts | {"verb": parts.get("verb", "").lower()})
            return _STILL_ZH.sub("", _STILL.sub("", said))
    return None
