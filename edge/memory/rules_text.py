"""Reading a message: what in it is the person's own statement, its sentences, its clauses.

Every step keeps the length of the text, so that a match can be shown in the person's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MASK = "\ue000"
"""Stands for each character of quoted text and code: no pattern and no value matches it."""

_KEPT_WIDE = "，！？；：（）"
_FOLD = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in _KEPT_WIDE}
    | dict.fromkeys("\t\u3000\u00a0\u2009\u202f", " ")
    | dict.fromkeys("’‘ʼ", "'")
    | dict.fromkeys("‐‑‒−", "-")
)
_SIMPLIFY = str.maketrans(
    "電話號碼訂單編郵箱歡嗎麼裡這車現個為對討厭愛過敏養貓寵職業歲誰幾點們嗎號買邊聯繫絡機語說會還記問題報價購實綠顏",
    "电话号码订单编邮箱欢吗么里这车现个为对讨厌爱过敏养猫宠职业岁谁几点们吗号买边联系络机语说会还记问题报价购实绿颜",
)
_QUOTED = re.compile(
    r"```[^`]*(?:```|\Z)|`(?P<a>[^`\n]{1,300})`|\"(?P<b>[^\"\n]{1,600})\"|“(?P<c>[^”]{1,600})”|「(?P<d>[^」]{1,600})」"
    r"|『(?P<e>[^』]{1,600})』|(?<!\w)'(?P<f>(?:[^'\n]|'(?=\w)){1,300})'(?!\w)|(?m:^[ ]{0,4}>[^\n]*)"
)
_NAMING = re.compile(r"(?:\b(?:is|called|named|me|like|love|number|id)|[:：=#叫是号名字]|喜欢)[ ]*$", re.I)
_PLAIN_VALUE = re.compile(r"[\w#@.+·-]{1,30}(?: [\w#@.+·-]{1,30}){0,2}")
_SENTENCE_END = re.compile(
    r"[。！？\n]+|[!?]+|(?<!\bno)(?<!\bst)(?<!\bnr)(?<!\b[dmj]r)(?<!\bmrs)(?<![ .][a-z])\.+(?=[\s)]|$|[\u3400-\u9fff])",
    re.I,
)
_LONG = 4000
_OWN_PARAGRAPH = 1500


def fold(text: str) -> str:
    """Full-width letters and digits, odd spaces, hyphens and apostrophes as ASCII; the length stays."""
    return text.translate(_FOLD)


def simplify(text: str) -> str:
    """The traditional characters that the tables' words need, as simplified ones; the length stays."""
    return text.translate(_SIMPLIFY)


_SPELLINGS = {
    "u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "im": "i'm", "ive": "i've", "dont": "don't",
    "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "wat": "what", "whats": "what's", "wheres": "where's",
    "whens": "when's", "whos": "who's", "hows": "how's", "mums": "mum's", "moms": "mom's", "dads": "dad's",
    "fav": "favorite", "fave": "favorite", "rember": "remember", "remeber": "remember", "adress": "address",
}  # fmt: skip
_SPELLED = re.compile(rf"(?<![\w'@.-])(?:{'|'.join(_SPELLINGS)})(?![\w'@-])", re.I)


def spelled_out(text: str) -> str:
    """What people type in haste, in full: "whats ur name" is "what's your name". The length changes."""
    return _SPELLED.sub(lambda found: _SPELLINGS[found[0].lower()], text)


def mask_quoted(text: str) -> str:
    """Hide code, quotations and quoted mail. A name or number in quotes after "is", "叫" and the like stays."""
    return _QUOTED.sub(_mask, text)


def _mask(found: re.Match[str]) -> str:
    inner = found[found.lastgroup] if found.lastgroup else ""
    before = found.string[max(0, found.start() - 12) : found.start()]
    if inner and len(inner) + 2 == len(found[0]) and _PLAIN_VALUE.fullmatch(inner) and _NAMING.search(before):
        return f" {inner} "
    return MASK * len(found[0])


def own_spans(text: str) -> list[tuple[int, int]]:
    """The parts of a message that are read as the person's own words: all of it, or of a long one (a paste) the
    first and the last paragraph where these are short."""
    if len(text) <= _LONG:
        return [(0, len(text))]
    first = text.find("\n", 0, _OWN_PARAGRAPH)
    last = text.rfind("\n", max(0, len(text) - _OWN_PARAGRAPH))
    spans = [(0, first)] if first > 0 else []
    return [*spans, (last + 1, len(text))] if last > first else spans


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence by its place in the message, with its end mark; `asks` where that is a question mark."""

    start: int
    end: int
    asks: bool


def sentences(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Sentences of a span, in order; none is empty. A period ends one only before a space or a Chinese character."""
    at = start
    for mark in _SENTENCE_END.finditer(text, start, end):
        if text[at : mark.start()].strip():
            yield Sentence(at, mark.end(), "?" in mark[0] or "？" in mark[0])
        at = mark.end()
    if text[at:end].strip():
        yield Sentence(at, end, asks=False)
