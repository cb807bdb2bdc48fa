"""Which of the two languages a text is in."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "zh"]

HAN = r"\u3400-\u9fff\uf900-\ufaff"
"""Chinese characters, for use in a set of a pattern."""
_HAN = re.compile(f"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+")
_ENOUGH = 4000


def language_of(text: str) -> Language:
    """`zh` where a text has at least as many Chinese characters as Latin words, else `en`.

    One Chinese character weighs as much as one Latin word, so that "我的 order number 是 ABC123" is Chinese. A long
    text is judged by its first 4,000 characters.
    """
    head = text[:_ENOUGH]
    han = len(_HAN.findall(head))
    return "zh" if han and han >= len(_LATIN_WORD.findall(head)) else "en"
