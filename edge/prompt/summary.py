"""What earlier turns said, in a few of their own sentences: an extractive summary by LexRank.

Sentences vote for those they are alike to (Erkan and Radev, "LexRank: Graph-based lexical centrality as salience in
text summarization", JAIR 22, 2004, section 3: cosine of weighted terms, power method); names, order numbers, amounts
and dates weigh five times as much as other terms, both in what makes two sentences alike and in where a vote goes that
no likeness decides. No sentence is taken that holds a secret or anything of a tool's.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edge.memory.compression import compress, sentences
from edge.memory.questions import ends_asking
from edge.memory.secrets import redacted
from edge.memory.time_words import MONTHS, WEEK_ZH, WEEKDAYS, WEEKDAYS_ZH
from edge.memory.units import Turn
from edge.prompt.structured import EXECUTION_FIELDS
from edge.prompt.texts import Texts

LIMIT = 120
"""Characters of a summary, with the line that says what it is."""
_TURNS = 10
_WEIGHT = 5.0
"""Of names, order numbers, amounts and dates; of other terms it is 1."""
_DAMPING = 0.15
_ROUNDS = 12
_WORTH_TELLING = 0.3
"""Of the best sentence's rank: what ranks lower says nothing, such as a greeting."""
_ALIKE = 0.6
"""Two sentences that are more alike say the same."""
_QUESTION = 0.4
_REPLY = 0.6
"""What a question, and what the assistant said, is worth beside a person's statement."""
_PASTED = 4000
_BESIDE_PASTED = 600
_MOST_SENTENCES = 6
_SHORTEST = 4
_HAN = "\u3400-\u9fff"
_OWN_WORDS = re.compile(rf"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'’-]*|[{_HAN}]+")
_KEY = re.compile(
    r"[#A-Za-z0-9][A-Za-z0-9_./:@-]*\d(?:[A-Za-z0-9_./:@-]*[A-Za-z0-9])?"
    r"|\d+(?:[.,:]\d+)*[ ]?(?:EUR|USD|CNY|€|\$|元|块|年|月|日|号|点|%)|\d+(?:[.,:]\d+)+|\d{2,}"
    r"|[A-Z]{2,}[A-Z0-9-]*|[零〇一二三四五六七八九十百千两]+(?:年|月|日|号|点|元|块)"
    rf"|\b(?:{'|'.join([*WEEKDAYS, *(name for name in MONTHS if name != 'may')])})\b"
    rf"|(?:{WEEK_ZH})[{''.join(WEEKDAYS_ZH)}]|[\w.+-]+@[\w-]+\.\w+"
)
_NAME = re.compile(
    rf"(?<![.!?]\s)(?<=\s)[A-ZÀ-Þ][a-zà-þ][a-zà-þ'’-]*|《[^》]{{1,30}}》|[{_HAN}]{{1,8}}(?:公司|先生|女士|老师|医生|路|市|区|店)"
    rf"|(?<=我叫)[{_HAN}]{{2,4}}|(?<=名字是)[{_HAN}]{{2,4}}"
)
_NOT_TOLD = re.compile(
    r"[{}]|<\||\"[\w ]{1,40}\"\s*:|\[redacted |［已隐去 |\S{41,}|" + "|".join(map(re.escape, sorted(EXECUTION_FIELDS)))
)
"""Marks of secrets, JSON, marks of the prompt, names of tool fields, and what is no word."""
_COMMON_WORDS = (
    "the and for that this with you your are was were have has had not but what when where which who how can could "
    "would will please about there from they them then than it's i'm our out his her she him all any some just very "
    "hello thanks thank okay yes yeah welcome haha sorry noted"
)
_COMMON = frozenset(_COMMON_WORDS.split())


_COMMON_ZH = re.compile("你好|您好|谢谢你?|好的|不客气|哈+|是的|嗯+|再见|抱歉|没关系|不知道")
_FEWEST_TERMS = 2


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with its terms, weighted; `worth` is what its kind counts for."""

    text: str
    terms: Counter[str]
    keys: frozenset[str]
    worth: float
    by_assistant: bool


def summarise(turns: Sequence[Turn], texts: Texts, limit: int = LIMIT) -> str:
    """At most `limit` characters of what the last ten of the turns said, in their order, under a line that says what
    it is; nothing where there is nothing to tell."""
    said = [sentence for turn in turns[-_TURNS:] for sentence in _sentences(turn)]
    told = [sentence for sentence in said if sentence.keys or len(sentence.terms) >= _FEWEST_TERMS]
    chosen = _chosen(told, texts, limit - len(texts.summary) - 1)
    return "\n".join([texts.summary, _joined(chosen)]) if chosen else ""


# --- sentences ----------------------------------------------------------------------------------------------------


def _sentences(turn: Turn) -> Iterator[_Sentence]:
    for text, by_assistant in ((turn.message, False), (turn.reply, True)):
        for sentence in _telling(text):
            worth = (_REPLY if by_assistant else 1.0) * (_QUESTION if ends_asking(sentence) else 1.0)
            yield _read(sentence, worth, by_assistant)


def _telling(text: str) -> list[str]:
    """The sentences of one side's words that may be told; of a pasted text, those at its beginning and its end."""
    if len(text) > _PASTED:
        text = text[:_BESIDE_PASTED].rpartition("\n")[0] + "\n" + text[-_BESIDE_PASTED:].partition("\n")[2]
    clean = [sentence for sentence in sentences(redacted(text)[0]) if len(sentence) >= _SHORTEST]
    told = [sentence for sentence in clean if not _NOT_TOLD.search(sentence)]
    half = _MOST_SENTENCES // 2
    return told if len(told) <= _MOST_SENTENCES else told[:half] + told[-half:]


def _read(sentence: str, worth: float, by_assistant: bool) -> _Sentence:
    keys = [found[0].strip().lower() for pattern in (_KEY, _NAME) for found in pattern.finditer(sentence)]
    return _Sentence(sentence, Counter([*_words(sentence), *keys]), frozenset(keys), worth, by_assistant)


def _words(sentence: str) -> Iterator[str]:
    for run in _OWN_WORDS.findall(_COMMON_ZH.sub(" ", sentence)):
        if "\u3400" <= run[0] <= "\u9fff":
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        elif len(run) > 2 and run.lower() not in _COMMON:
            yield run.lower()


# --- LexRank ------------------------------------------------------------------------------------------------------


def _ranks(told: Sequence[_Sentence], likeness: Sequence[Sequence[float]]) -> list[float]:
    """The share of votes of each sentence, for what it tells."""
    votes = [[value / (sum(row) or 1.0) for value in row] for row in likeness]
    masses = [each.worth * (1.0 + _mass(each)) for each in told]
    start = [mass / sum(masses) for mass in masses]
    ranks = start
    for _ in range(_ROUNDS):
        ranks = [
            _DAMPING * start[to] + (1 - _DAMPING) * sum(rank * row[to] for rank, row in zip(ranks, votes, strict=True))
            for to in range(len(told))
        ]
    return [rank * each.worth * (1.0 + _mass(each)) for rank, each in zip(ranks, told, strict=True)]


def _mass(sentence: _Sentence) -> float:
    """How much a sentence tells for its length."""
    terms = len(sentence.terms) + (_WEIGHT - 1) * len(sentence.keys)
    return terms / math.sqrt(20 + len(sentence.text))


def _vectors(told: Sequence[_Sentence]) -> list[dict[str, float]]:
    held = Counter(term for sentence in told for term in sentence.terms)
    count = len(told)
    vectors = []
    for sentence in told:
        weighted = {
            term: times * (1.0 + math.log(count / held[term])) * (_WEIGHT if term in sentence.keys else 1.0)
            for term, times in sentence.terms.items()
        }
        length = math.sqrt(sum(value * value for value in weighted.values())) or 1.0
        vectors.append({term: value / length for term, value in weighted.items()})
    return vectors


def _likeness(told: Sequence[_Sentence]) -> list[list[float]]:
    vectors = _vectors(told)
    rows = [[_cosine(one, other) for other in vectors[:at]] for at, one in enumerate(vectors)]
    return [[*row, 1.0, *(rows[below][at] for below in range(at + 1, len(rows)))] for at, row in enumerate(rows)]


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(value * other[term] for term, value in one.items() if term in other)


# --- what is told -------------------------------------------------------------------------------------------------


def _chosen(told: Sequence[_Sentence], texts: Texts, room: int) -> list[str]:
    """The best sentences that fit together and say different things, in the order they were said."""
    likeness = _likeness(told)
    ranks = _ranks(told, likeness)
    taken: dict[int, str] = {}
    for at in sorted(range(len(told)), key=lambda at: (-ranks[at], at)):
        if ranks[at] < _WORTH_TELLING * max(ranks):
            break
        if any(likeness[at][other] > _ALIKE for other in taken):
            continue
        words = _line(told[at], texts, room) if not taken else _line(told[at], texts)
        if len(_joined([*taken.values(), words])) <= room:
            taken[at] = words
    return [taken[at] for at in sorted(taken)]


def _line(sentence: _Sentence, texts: Texts, limit: int | None = None) -> str:
    """A sentence as the summary has it: ended, and with who said it where that was the assistant."""
    who = texts.assistant if sentence.by_assistant else ""
    words = sentence.text if limit is None else compress(sentence.text, max(1, limit - len(who) - 1))
    if not words[-1:].isalnum():
        return who + words
    return who + words + ("。" if "\u3400" <= words[-1] <= "\u9fff" else ".")


def _joined(lines: Sequence[str]) -> str:
    joined = ""
    for line in lines:
        joined += ("" if not joined or not (joined[-1].isascii() or line[0].isascii()) else " ") + line
    return joined
