"""Questions whether something is so, as the statements that they ask about: "Do I like tea?" is "I like tea."."""

from __future__ import annotations

import re

_LONGEST = 120
_OPENERS = r"(?:(?:and|but|so|ok|okay|well|hey|sorry|tell me|do you (?:know|remember)(?: if| whether)?)\b[\s,]*)*"
_STILL = r"(?:(?:still|really|actually|now|currently)\s+)?"
_DO = re.compile(rf"{_OPENERS}do i (?!not\b|no\b|have to\b|need\b|owe\b){_STILL}(?P<rest>[^?]+)\??", re.IGNORECASE)
_AM = re.compile(rf"{_OPENERS}am i (?!not\b|no\b){_STILL}(?P<rest>[^?]+)\??", re.IGNORECASE)
_ZH = re.compile(
    r"(?:请问|那么|那|你(?:还)?(?:知道|记得))?[，, ]*我(?!没|不|可以|能|要|该|需要)(?:还|现在|真的|是不是|是否)?"
    r"(?P<rest>[^？?，,。]+?)(?:吗|么|嘛)?[？?]"
)
_SEEKS_A_VALUE = re.compile(r"\b(?:what|which|who|whom|whose|when|where|how|or)\b|[什谁哪几多怎]|还是", re.IGNORECASE)


def as_statement(question: str) -> str | None:
    """What a short question of a person about themselves asks the truth of; None for any other text."""
    text = question.strip()
    if len(text) > _LONGEST or _SEEKS_A_VALUE.search(text):
        return None
    if found := _DO.fullmatch(text):
        return f"I {found['rest'].strip()}."
    if found := _AM.fullmatch(text):
        return f"I am {found['rest'].strip()}."
    found = _ZH.fullmatch(text)
    return None if found is None else f"我{found['rest'].strip()}。"
