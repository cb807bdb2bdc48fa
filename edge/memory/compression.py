"""Distilled content in at most 150 characters that keeps the skeleton of what was said.

Names, numbers, codes, negations and conditions carry a statement; fillers do not. A text that fits stays as it is.
From a longer one whole pieces are chosen - clauses, or stretches of a long clause - by what they carry, and told in
their order; a piece is taken whole or not at all, so no word, number or code is cut and no negation is lost from what
stays. A condition stays with what hangs on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edge.memory.language import HAN

LIMIT = 150
"""Characters of distilled content."""
GAP = "…"
"""What stands for a text of which nothing fits: one word or code longer than the limit."""

_TOKEN = re.compile(rf"[{HAN}]|[^\s{HAN}]+")
_ABBREVIATED = r"(?<!\b[A-Z])(?<!\b(?:Mr|Ms|Dr|St|No|vs))(?<!\b(?:Mrs|etc))(?<!\bProf)(?<!\b[ei]\.[ge])"
_CLAUSE_END = re.compile(
    rf"""{_ABBREVIATED}[.!?]+["'”’)\]]*(?=\s|$)|[,;:](?=\s|$)"""
    r"""|[。！？；，：、…]+["'”’」』）】]*|[\n\r\u2028\u2029]+|\s[–—-]{1,2}(?=\s)"""
)
_SENTENCE_END = re.compile(r"""(?:[.!?。！？…]+["'”’」』）】)\]]*|[\n\r])\s*$""")
_FILLER = re.compile(
    r"(?i)(?:(?<=^)|(?<=[\s,.!?;:]))(?:(?:well|so|oh|okay|ok|anyway|basically|actually|you know|i mean|as i said"
    r"|to be honest|honestly|as you can see|needless to say|by the way),[ \t]+(?=\w)|(?:um+|uh+|erm|please note that"
    r"|note that|it should be noted that|sort of|kind of|basically|just|really|very|quite|literally)\b,?[ \t]+(?=\w))"
    r"|嗯+，?|呃+，?|啊，|哦，?|那个，|这个嘛，?|怎么说呢，?|你知道的?，|其实呢?，?|说实话，?|总的来说，?|众所周知，?"
    r"|需要注意的是，?|请注意，?|顺便说一下，?"
)
_NOT_FILLER = re.compile(r"(?i)\b(?:not|n't|no|never)\s*$|[不没无别未]$")
_NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|fail(?:s|ed|ure|ing)?)\b|n['’]t\b"
    r"|[不没无别未勿非]"
)
_CONDITION = re.compile(
    r"(?i)^(?:and |but |or )?(?:if|when|whenever|once|as soon as|because|since|after|before|while|although|provided)\b"
    r"|^(?:但|而|或)?(?:如果|若|要是|假如|只要|一旦|因为|由于|当|虽然|即使)"
)
_BOUND_BACK = re.compile(
    r"(?i)^(?:unless|until|only if|except|otherwise|or else|so that|in case|because|if)\b"
    r"|^(?:除非|否则|不然|以免|直到|才)"
)
_NUMBER_OR_CODE = re.compile(
    r"[A-Za-z0-9_.#/@:,-]*\d[A-Za-z0-9_.#/@:,-]*|[A-Z]{2,}[\w-]*|\S+@\S+\.\w+|[零〇一二三四五六七八九十百千万两]{2,}[年月日号点元块个天次]?"
)
_NAME = re.compile(r"(?<=[a-z0-9,;] )[A-Z][\w'’-]+|《[^》]+》|[“「『\"][^”」』\"]{1,40}[”」』\"]")
_EVENT = re.compile(
    r"(?i)\b(?:error|fault|refund|order|paid|pay|cancel|deliver|ship|deadline|must|confirm|agree|change|return|broken"
    r"|retry)\w*"
    r"|错误|故障|失败|退款|订单|付款|取消|发货|配送|截止|必须|确认|同意|更改|修改|退货|损坏|重试|异常"
)
_SMALL = (
    "a an the of to in on at for by with and or but is are was were be been am do does did have has had not no never "
    "if my your his her its our their this that these those very so as from mr mr. mrs. ms. dr."
)
_SMALL_WORDS = frozenset(_SMALL.split())
_OPENING = {"and", "but", "or", "which", "who", "that", "because", "so", "while", "where", *"但而并又还也"}
_BINDING_ZH = frozenset("不没无别未的和与或在从向把被给很更最第比")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters [start, end) of the text, what they carry, and whether a sentence ends with them."""

    start: int
    end: int
    weight: float


def compress(text: str, limit: int = LIMIT) -> str:
    """The text in at most `limit` characters, as whole clauses that carry most, in their order, on one line.

    What fits is only put on one line. Raises ValueError for a limit under 1.
    """
    if limit < 1:
        raise ValueError(f"a limit of {limit} characters leaves nothing")
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    text = without_fillers(text)
    if len(text) <= limit:
        return text
    pieces = [_Piece(start, end, _weight(text, start, end)) for start, end in _pieces(text, limit)]
    return _told(text, _best(pieces, limit), limit) or GAP


def without_fillers(text: str) -> str:
    """The text without words that say nothing. One behind a negation stays: "not really" is not "not"."""

    def dropped(found: re.Match[str]) -> str:
        before, after = text[max(0, found.start() - 8) : found.start()], text[found.end() : found.end() + 1]
        if _NOT_FILLER.search(before):
            return found[0]
        parted = before[-1:] + after
        return " " if len(parted) == 2 and parted.isascii() and parted.isalnum() else ""  # two numbers stay two

    return " ".join(_FILLER.sub(dropped, text).split())


def skeleton_weight(text: str) -> float:
    """What a sentence carries: names, numbers, codes, negations, conditions, what happened, and its other words."""
    telling = sum(1 for word in _TOKEN.findall(text) if word.lower().strip(".,;:!?") not in _SMALL_WORDS)
    signs = sum(weight * len(pattern.findall(text)) for pattern, weight in _SIGNS)
    return telling / 4 + signs


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space around them."""
    found, begin = [], 0
    for mark in _CLAUSE_END.finditer(text):
        if _SENTENCE_END.search(mark[0]):
            found.append(text[begin : mark.end()].strip())
            begin = mark.end()
    return [sentence for sentence in (*found, text[begin:].strip()) if sentence]


_SIGNS = ((_NUMBER_OR_CODE, 5.0), (_NAME, 3.0), (_NEGATION, 3.0), (_EVENT, 2.0))


def _weight(text: str, start: int, end: int) -> float:
    """What a piece carries, for its length; the beginning says what the text is about."""
    words = text[start:end]
    weight = skeleton_weight(words) + (2.0 if _CONDITION.match(words.lstrip()) else 0.0) + (3.0 if start == 0 else 0.0)
    return weight / (len(words) + 12)


# --- pieces -------------------------------------------------------------------------------------------------------


def _pieces(text: str, limit: int) -> list[tuple[int, int]]:
    """Clauses, each with what it cannot be told without, and what is longer than the limit in stretches."""
    joined: list[tuple[int, int]] = []
    last = ""
    for start, end in _clauses(text):
        clause = text[start:end].strip()
        if joined and _belong(last, clause) and end - joined[-1][0] <= limit:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        last = clause
    return [piece for start, end in joined for piece in _stretches(text, start, end, limit)]


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for mark in _CLAUSE_END.finditer(text):
        if text[begin : mark.end()].strip():
            yield begin, mark.end()
            begin = mark.end()
    if text[begin:].strip():
        yield begin, len(text)


def _belong(first: str, second: str) -> bool:
    """Whether a clause and the next of its sentence lose their sense apart: a condition and what it is for."""
    if _SENTENCE_END.search(first):
        return False
    return _CONDITION.match(first) is not None or _BOUND_BACK.match(second) is not None


def _stretches(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """A clause in stretches that fit, cut where two words part, and not behind a word that binds the next."""
    tokens = [found.span() for found in _TOKEN.finditer(text, start, end)]
    first = 0
    while first < len(tokens):
        last = first
        while last < len(tokens) and tokens[last][1] - tokens[first][0] <= limit:
            last += 1
        last = last if last == len(tokens) else _cut(text, tokens, first, last)
        if last > first:
            yield tokens[first][0], tokens[last - 1][1]
        first = max(last, first + 1)


def _cut(text: str, tokens: Sequence[tuple[int, int]], first: int, last: int) -> int:
    """The last place for a cut from `last` back: before a word that begins another thought, where one stands in the
    last third, else where no word before it binds what follows."""
    words = [text[slice(*span)].lower() for span in tokens[first : last + 1]]
    for cut in range(last, last - (last - first) // 3, -1):
        if words[cut - first] in _OPENING:
            return cut
    for cut in range(last, first, -1):
        word = words[cut - first - 1]
        if word not in _SMALL_WORDS and word not in _BINDING_ZH and not _NEGATION.search(word):
            return cut
    return last


# --- what is told -------------------------------------------------------------------------------------------------


def _best(pieces: Sequence[_Piece], limit: int) -> list[_Piece]:
    """Those that carry most and fit together, in their order."""
    room, taken = limit, []
    for piece in sorted(pieces, key=lambda piece: (-piece.weight, piece.start)):
        size = piece.end - piece.start + 1
        if size <= room + 1:
            taken.append(piece)
            room -= size
    return sorted(taken, key=lambda piece: piece.start)


def _told(text: str, pieces: Sequence[_Piece], limit: int) -> str:
    told = ""
    for piece in pieces:
        words = text[piece.start : piece.end].strip()
        gap = "" if not told or not (told[-1].isascii() or words[0].isascii()) else " "
        if len(told) + len(gap) + len(words) <= limit:
            told += gap + words
    return told.rstrip(" ,;，；、:：")
