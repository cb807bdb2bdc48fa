"""Whether a line about a person says nothing that does not stand in the words it was made of.

For whoever made the line: code, or a model, which invents names, takes an example for the person's words, drops a "not"
or makes of "if" a fact. The line must be about the person, in the language of the words and in one of the forms that
rules draft; each of its names, numbers and codes, and nearly all its other telling words, stand in the words; it
negates as often as they do, and keeps what makes a hypothesis of them.
"""

from __future__ import annotations

import re
import unicodedata

from edge.memory.compression import LIMIT
from edge.memory.language import Language, language_of
from edge.memory.questions import asks
from edge.memory.text import search_terms, squeezed, telling_terms

_SHARE = 0.8
"""Of the telling words that are neither name nor number."""
_ABOUT = re.compile(r"\bthe user\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w'-]*|《[^》]+》|[“\"「][^”\"」]+[”\"」]")
_NUMBER = re.compile(r"[\w.:/@-]*\d[\w.:/@-]*|\S+@\S+")
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万亿]+(?=[点个天月日号分元块岁楼层次年周])")
_COUNTED = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million first second third half "
    "twice dozen monday tuesday wednesday thursday friday saturday sunday january february march april june july "
    "august september october november december yesterday today tomorrow"
)
_NUMBER_WORDS = frozenset(_COUNTED.split())
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|unless|except|hardly|cannot|fail\w*|stop\w*|quit)\b"
    r"|n't\b|[不没无别未非勿莫]|除了|除非|停止|戒",
    re.IGNORECASE,
)
_HYPOTHESIS = re.compile(
    r"\b(?:if|might|may|maybe|perhaps|probably|would|could|should|want\w*|plan\w*|hop\w+|wish\w*|think\w*|consider\w*"
    r"|almost|nearly|unless|try\w*|tried|used to|going to|will|about to|need\w*)\b"
    r"|如果|要是|假如|的话|可能|也许|大概|或许|想|打算|计划|希望|准备|差点|曾|将|要",
    re.IGNORECASE,
)
_OWN_WORDS = frozenset({"user", "用户", "户的"})
_OTHER_SCRIPTS = re.compile("[\u3040-\u30ff\uac00-\ud7a3\u0400-\u04ff\u0600-\u06ff\u0e00-\u0e7f\u0900-\u097f]")
_ENGLISH = re.compile(
    r"\b(?:I|I'm|I've|my|me|we|the|a|an|to|of|and|is|was|in|on|at|it|for|with|have|had|has|that|this)\b", re.IGNORECASE
)


def known_language(text: str) -> Language | None:
    """English or Chinese where it is clear that a text is in one of them, else None: by its script, and by small words,
    of which English has one in any sentence and other languages in Latin letters have not."""
    if _OTHER_SCRIPTS.search(text):
        return None
    language = language_of(text)
    if language == "zh":
        return language
    words = re.findall(r"[^\W\d_]+", text)
    foreign = sum(1 for word in words if not word.isascii())
    small = len(_ENGLISH.findall(text))
    return "en" if words and small * 8 >= len(words) and foreign * 5 <= len(words) else None


def is_stated(line: str, words: str) -> bool:
    """Whether a line about the user says only what a person's own words say."""
    if not line or len(line) > LIMIT or "\n" in line or asks(line):
        return False
    line, words = _plain(line), _plain(words)
    language = language_of(words)
    if language != language_of(line) or not _is_about_the_user(line, language):
        return False
    return _keeps_sense(line, words) and _names_stand(line, words) and _words_stand(line, words)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def _is_about_the_user(line: str, language: Language) -> bool:
    return line.startswith("用户") if language == "zh" else _ABOUT.search(line) is not None


def _keeps_sense(line: str, words: str) -> bool:
    """Whether as much is negated, and nothing that was a wish, a plan or a guess has become a fact."""
    if len(_NEGATION.findall(line)) != len(_NEGATION.findall(words)):
        return False
    there = {found.lower() for found in _HYPOTHESIS.findall(line)}
    return all(found.lower() in there for found in _HYPOTHESIS.findall(words))


def _names_stand(line: str, words: str) -> bool:
    there = squeezed(words)
    told = [*_NAME.findall(_ABOUT.sub("", line)), *_NUMBER.findall(line), *_HAN_NUMBER.findall(line)]
    exact = [word for word in re.findall(r"[a-z]+", line.lower()) if word in _NUMBER_WORDS]
    there_words = set(re.findall(r"[a-z]+", words.lower()))
    return all(squeezed(name.removesuffix("'s")) in there for name in told) and there_words.issuperset(exact)


def _words_stand(line: str, words: str) -> bool:
    telling = [term for term in telling_terms(line) if term not in _OWN_WORDS]
    there = {*search_terms(words), *search_terms(words.replace("我的", "自己的"))}
    standing = [term for term in telling if term in there]
    return bool(standing) and len(standing) >= _SHARE * len(telling)
