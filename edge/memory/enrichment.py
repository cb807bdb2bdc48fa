"""What a question leaves unsaid, from the talk before it: "And when was that?" is about what was talked of last.

Only a question that lacks words of its own, or points with a pronoun, is enriched; the words it gets count half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from edge.memory.language import language_of
from edge.memory.questions import asks
from edge.memory.text import telling_terms
from edge.memory.topic_phrases import Cue, listen
from edge.memory.units import Turn

TURNS_LOOKED_AT = 4
"""Turns of a session that are read; most often the last alone tells what it is about."""
_POINTS = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|theirs|she|he|her|hers|his|him|there|then|same|one|ones)\b"
    r"|^\W*(?:and |but )?(?:what|how) about\b|[那这它她他]|当时|其中|此事|^(?:然后|后来|还有)?.{0,6}呢\W*$",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:she|he|her|hers|his|him|they|them|their|theirs)\b|[她他](?!们?的?什么)", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay)\b[\s,]*)?(?:when|where|why|who|whose|which|how (?:much|many|long|often|far|old)"
    r"|since when|what (?:for|kind|else|time|day|colou?r))\b"
    r"|^\W*(?:那|然后|还有|后来)?(?:什么时候|哪里|哪儿|在哪|为什么|谁|多少|多久|几点|几号|哪天|怎么样)",
    re.IGNORECASE,
)
_OF_THE_ASSISTANT = re.compile(r"\b(?:are|can|could|do|will|would) you\b|^你(?:是|叫|会|能|好)|你是谁", re.IGNORECASE)
_OF_NOW = re.compile(
    r"\bwhat(?:'s| is)? (?:the )?(?:time|day|date)\b(?: is it)?(?: now| today)?\W*$|现在几点|今天几号", re.I
)
_GENERAL = frozenset(
    telling_terms(
        "say said says tell told talk mention happen happened time date day year month place thing go went gone going "
        "mean know knew remember again much many long cost name called one more else detail details exactly really "
        "first last still now well ok okay yes no also happen take took get got old often far so what when how like "
        "again anything something else happen before after end let us speak please think"
    )
)
"""Words that a question may hold and still be about nothing."""
_GENERAL_ZH = re.compile(
    r"什么|时候|时间|地方|怎么样|怎么|为什么|多少|哪里|哪儿|哪个|哪天|哪些|几点|几号|几个|多久|多大|名字|还记得|记得|知道|告诉|"
    r"事情|东西|那个|这个|那件|这件|那次|这次|那里|那儿|那时|当时|后来|然后|还有|具体|到底|真的|我们|你们|他们|她们|"
    r"[的了吗呢吧啊呀么我你您他她它这那哪谁是在有和与就都也还又把被给跟对让请个嘛说叫过去来事钱人天年月日号件次些用要到从]"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’.@_-][^\W_]+)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'-]*|\b\w*\d[\w.:-]*")
_OWN_WORDS = {"en": 2, "zh": 3}
"""Words (Chinese: characters) with which a question that points may still mean something said before."""
_OWN_WORDS_UNPOINTED = {"en": 0, "zh": 2}
"""The same of one that begins as one that goes on: in Chinese what is meant may be left out, as in 在哪里卖的."""
_SHORT_REPLY = {"en": 60, "zh": 30}
_LONGEST_WORDS, _LONGEST_CHARACTERS = 24, 60
_READ = 2000
"""Characters of an earlier message: a pasted megabyte takes a second to read, and begins with what it is about."""


def needs_context(question: str) -> bool:
    """Whether a question means something that it does not name."""
    if not asks(question) or _OF_NOW.search(question):
        return False
    own, language = _own_words(question), language_of(question)
    if _POINTS.search(question):
        return own <= _OWN_WORDS[language]
    goes_on = _GOES_ON.search(question) is not None and not _OF_THE_ASSISTANT.search(question)
    return goes_on and own <= _OWN_WORDS_UNPOINTED[language]


def points_at_a_person(question: str) -> bool:
    """Whether a question speaks of somebody by a pronoun: "What did she say?", 他住哪里."""
    return _PERSON.search(question) is not None


def context_of(turns: Sequence[Turn]) -> str:
    """The words that turns, oldest first, were about: of the last one that named something, and of those after it.
    What was said before the subject was changed is about something else."""
    parts: list[str] = []
    for turn in reversed(turns[-TURNS_LOOKED_AT:]):
        message = turn.message[:_READ]
        names_something = _own_words(message) > 0
        said = [_from_message(message)] if names_something else []
        parts += [part for part in (*said, _from_reply(turn.reply)) if part]
        if (names_something and not needs_context(message)) or _begins_anew(message):
            break
    return " ".join(dict.fromkeys(parts))


def _begins_anew(message: str) -> bool:
    return listen(message, language_of(message)).cue is Cue.NEW


def _own_words(text: str) -> int:
    if language_of(text) == "zh":
        return len(_HAN.findall(_GENERAL_ZH.sub("", text))) + len(_NAME.findall(text))
    return len([term for term in telling_terms(text) if term not in _GENERAL])


def _from_message(text: str) -> str:
    return text[:_LONGEST_CHARACTERS] if language_of(text) == "zh" else _telling_words(text)


def _from_reply(text: str) -> str:
    """A short reply as it is, of a longer one its names and numbers: the rest may be anything."""
    if len(text) <= _SHORT_REPLY[language_of(text)]:
        return _from_message(text)
    return " ".join(dict.fromkeys(_NAME.findall(text)[:_LONGEST_WORDS]))


def _telling_words(text: str) -> str:
    words = [word for word in _WORD.findall(text) if not _GENERAL.issuperset(telling_terms(word))]
    return " ".join(words[:_LONGEST_WORDS])
