"""What a person asks to keep: a wish to remember that stands near a secret, in the same message."""

from __future__ import annotations

import re

_REACH = 200
LONGEST_WISH = 2000
"""Longer messages are pasted: what they say of remembering is nobody's wish."""
_WISH = re.compile(
    r"(?i)\b(?:remember(?! (?:when|how|to|me|what|where|why)\b)|(?:don'?t|never) forget(?! to)|keep in mind|memori[sz]e"
    r"|(?:make|take|keep) (?:a )?(?:note|record)|note (?:down|that|this|it)|write (?:down|this down|it down)|jot down"
    r"|(?:save|store|record) (?:my|this|that|it|the|our)\b)"
    r"|(?:帮我|给我|替我|你)?(?:记住|记下|记一下|记好|记着|牢记|记得(?!吗|要?[改换去带])|存一下|存下来|存起来|备注一下|别忘|不要忘"
    r"|保存(?:一下|下来|好|我的|这个)|(?<=[请我])保存)"
)
_NO_WISH = re.compile(
    r"(?i)\b(?:(?:don'?t|do not|never|not|no|can'?t|cannot|couldn'?t|didn'?t)"
    r"(?: (?:want|need) you to| have to| need to| even)?"
    r"|(?:i|we|he|she|they|always)(?: have to| need to| even)?|(?<!you )to) +$"
    r"|(?:别|不用|不必|不要|不能|没|没有|无法|不|我|他|她|它|总|才|无需)$"
)
_QUESTION = re.compile(r"(?i)\b(?:do|did) you (?:still )?$|(?:还|能不能|是否)$")


def is_wished(text: str, start: int, end: int) -> bool:
    """Whether a wish to remember stands near the characters [start, end) of a text."""
    if len(text) > LONGEST_WISH:
        return False
    begin = max(0, start - _REACH)
    near = text[begin:start] + "\0" + text[end : end + _REACH]
    return any(_wished(near, found.start()) for found in _WISH.finditer(near))


def _wished(near: str, at: int) -> bool:
    before = near[max(0, at - 40) : at]
    return _NO_WISH.search(before) is None and _QUESTION.search(before) is None
