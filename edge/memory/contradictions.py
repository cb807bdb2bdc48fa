"""When a new statement leaves it open whether something changed or one of the two was a slip; and what settles it.

"I live in Berlin" and, without a word of a move, "I live in Hamburg": the newer holds, and the person is asked once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from edge.memory.questions import may_ask
from edge.memory.rules_assent import Assent
from edge.memory.text import squeezed
from edge.memory.units import SESSION_KINDS, Change, Ending, Insert, Outcome, Source, Unit, UnitId

_CHANGES_BY_ITSELF = frozenset(
    {"step", "offer", "later", "cart", "age", "weight", "routine", "appointment", "trip", "flight", "train", "plan"}
    | {"budget", "usual_order", "reply_language", "reply_style", "instruction", "learning"}
)
"""Slots of which a new value is the next one or a new wish, never a slip that is worth a question."""

_SIGNS = re.compile(
    r"\b(?:now(?:adays)?|currently|presently|these days|at the moment|new(?:ly)?|mov(?:e|ed|ing)|relocat\w+|chang\w+"
    r"|switch\w+|updat\w+|became|become|since|as of|from now on|start(?:ed|ing)?|instead|actually|correct(?:ion|ed)?"
    r"|no longer|any ?more|any longer|not|n't|used to|previously|formerly|before|wrong|sorry|mistake|misspoke|i meant"
    r"|just got|just bought|again|back|finally|recently|lately|today|tomorrow|yesterday|turned|renamed|replaced?"
    r"|(?:this|last|next) (?:week|month|year|summer|winter|spring|autumn|fall)|rather than|got (?:a|an)|married)\b"
    r"|\b(?:no|nope|nah|wait|oops)\b(?=[,.!: ])"
    r"|现在|目前|如今|眼下|新|换|改|搬|变|不对|不是|更正|纠正|其实|不再|已经|刚|最近|近来|今年|今天|昨天|明天|上周|上个?月|去年"
    r"|开始|以后|今后|错|之前|以前|原来|转到|跳槽|升|回到|重新|又|才是|不好意思|抱歉|等等|了[。！!，, ]*$|了[。！!，,]",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")

_JOINED = re.compile(r"[A-Za-z0-9@.+/_-]{2}")
_LONGEST_ANSWER = 120
_FEW_WORDS = 6
_LATIN_WORD = re.compile(r"[A-Za-z0-9'-]+")
_HAN = re.compile("[\u3400-\u9fff]")
_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't|\bno longer|\bfrom|不是|不在|不叫|不再(?:是|住在)?|并非)(?: (?:in|at))? ?$", re.IGNORECASE
)
_PAST_BEFORE = re.compile(r"(?:\bwas|\bused to be|以前是|之前是|原来是)(?: (?:in|at))? ?$", re.IGNORECASE)


def with_doubts(
    changes: Iterable[Change], known: Collection[Unit], words: str, many: Collection[str]
) -> tuple[Change, ...]:
    """The changes, each new unit with those among what it replaces that it contradicts.

    `known` are the units that the changes may replace, `words` what the person said: a statement of change or of
    correction contradicts nothing.
    """
    units = {unit.id: unit for unit in known}
    return tuple(_doubting(change, units, words, many) if isinstance(change, Insert) else change for change in changes)


def _doubting(change: Insert, known: Mapping[UnitId, Unit], words: str, many: Collection[str]) -> Insert:
    draft = change.draft
    base = (draft.slot or "").partition(":")[0]
    if not base or base in many or base in _CHANGES_BY_ITSELF or change.session is not None:
        return change
    if draft.source is not Source.USER or draft.kind in SESSION_KINDS or draft.corrects or draft.value is None:
        return change
    if signals_change(_said_around(words, draft.quote or draft.content)):
        return change
    doubts = tuple(
        unit
        for unit, why in zip(change.supersedes, change.endings, strict=False)
        if why is Ending.NEWER and unit in known and known[unit].slot == draft.slot and known[unit].value is not None
    )
    return replace(change, doubts=doubts)


def signals_change(words: str) -> bool:
    """Whether words say that something changed, or that something was wrong."""
    return _SIGNS.search(words) is not None


def _said_around(words: str, quote: str) -> str:
    """The sentence in which a quote stands, with the one before it; the quote alone where it stands in none."""
    at = words.find(quote)
    if at < 0:
        return quote
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(words, 0, at))]
    following = _SENTENCE_END.search(words, max(at, at + len(quote) - 1))
    return words[ends[max(0, len(ends) - 2)] : following.end() if following else len(words)]


def differing(older: str, newer: str) -> str | None:
    """What stands in the newer of two sentences of one form where the older has something else, in whole words; None
    where they do not even begin alike."""
    begin = next((at for at, (one, other) in enumerate(zip(older, newer, strict=False)) if one != other), None)
    if begin is None:
        return None
    end = next((at for at, (one, other) in enumerate(zip(older[::-1], newer[::-1], strict=False)) if one != other), 0)
    end = min(end, len(older) - begin, len(newer) - begin)
    while begin and _inside_word(newer, begin):
        begin -= 1
    while end and _inside_word(newer, len(newer) - end):
        end -= 1
    return newer[begin : len(newer) - end].strip(" .。") or None if begin else None


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and bool(_JOINED.fullmatch(text[at - 1 : at + 1]))


# --- what settles it ---


def read_answer(message: str, older: Collection[str], newer: Collection[str], assent: Assent) -> Outcome | None:
    """Which of two statements a message says to hold, right after the question for it; None where it says neither.

    `older` and `newer` are ways to say the two values. "Yes", "right, since May" and the newer value itself mean the
    newer; "no", "no, Berlin" and 还是柏林 the older.
    """
    text = " ".join(message.split())
    if len(text) > _LONGEST_ANSWER:
        return None
    agreed = Outcome.NEWER if assent.agrees(text) else Outcome.OLDER if assent.denies(text) else None
    holds_older, holds_newer = _affirms(text, older), _affirms(text, newer)
    if holds_older is holds_newer:
        return agreed
    if agreed is None and (may_ask(text) or _words(text) > _FEW_WORDS):
        return None  # it speaks of the place, not of where the person lives
    if holds_newer or holds_older is False:
        return Outcome.NEWER
    return Outcome.NEWER if agreed is Outcome.NEWER and holds_newer is None else Outcome.OLDER


def _words(text: str) -> int:
    """Words of a Latin script, and every two characters of a Chinese one."""
    return len(_LATIN_WORD.findall(text)) + len(_HAN.findall(text)) // 2


def _affirms(text: str, values: Collection[str]) -> bool | None:
    """Whether a text says that a value holds (True) or not (False); None where it does not name it."""
    for value in sorted(values, key=len, reverse=True):
        found = value_in(text, value)
        if found is None:
            continue
        before = text[: found.start()]
        after = text[found.end() :].lstrip(" ,，")
        ended = after.lower().startswith(("any more", "anymore", "no longer", "was before", "before", "以前", "了吗"))
        return not (_DENIED_BEFORE.search(before) or _PAST_BEFORE.search(before) or ended)
    return None


def value_in(text: str, value: str) -> re.Match[str] | None:
    """Where a value stands in a text, however it is spaced and punctuated."""
    signs = squeezed(value)
    if not signs:
        return None
    spaced = r"[\s().\-/]*".join(map(re.escape, signs))
    edges = (r"(?<![a-z0-9])" if signs[0].isascii() else "", r"(?![a-z0-9])" if signs[-1].isascii() else "")
    return re.search(edges[0] + spaced + edges[1], text, re.IGNORECASE)
