"""Text as terms for full text, and as a normal form for "the same was said again".

Terms are what a search compares: case, accents, width and inflection folded, codes and numbers whole and in parts,
scripts without spaces as overlapping pairs of characters. The same functions serve what is stored and what is asked.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

from edge.memory.numerals import NUMERALS, SPELLED_OUT
from edge.memory.stopwords import CHINESE_FUNCTION_CHARACTERS, CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from edge.memory.units import SELF, Draft, Kind, Source

TERM_LIMIT = 64
"""Longest term in characters; what is longer is cut, so that a pasted blob stays searchable by its beginning."""

LONG_TEXT = 4000
"""Characters from which on a text is not cut into terms for ranking: it would take milliseconds."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Burmese, Hangul letters, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"  # Han, Hangul
)
_MARKS = "\u064b-\u0652\u0900-\u0dff"  # vowel signs of Arabic and the Indic scripts: inside words, yet not \w
_RUN = re.compile(f"([{_UNSPACED}]+)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?:[-_./:'@]|,(?=[0-9]{3}(?![0-9])))[a-z0-9]+)*")
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+(?:(?:[-_./:'@]|,(?=\d{{3}}(?!\d)))(?:[^\W_]|[{_MARKS}])+)*")
_JOINER = re.compile(r"[-_./:'@,]")
_STRETCH = re.compile(r"\d+|[^\d]+")
_DIGIT_GROUPS = re.compile(r"(?<!\d)\d+(?:[ \-./()]{1,3}\d+)+")
_DECIMAL = re.compile(r"\d+\.\d+")
_NOT_IN_ADDRESS = re.compile(r"[^\w.@]|_")
_MAIL = re.compile(r"[^@]+@[^@]+\.[^@]+")
_SPOKEN_DIGITS = re.compile(f"[{NUMERALS}幺]{{5,}}")
_UNDECOMPOSED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "’": "'", "ʼ": "'"})
_TRAILING = " .!。,;:、"
_SEPARATORS = re.compile(r"[\W_]+")
_HAS_DIGIT = re.compile(r"\d")


def search_terms(text: str) -> list[str]:
    """The terms under which a text is found, in order, with repetitions. Terms hold letters, digits, `.` and `@`.

    A run of a script without spaces gives its pairs of characters and, last, its final character: every character
    then begins a term, and a question of one character is a search by prefix (see `is_prefix`).
    """
    return [term for _, term in _tokens(folded(text))]


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question, without English and Chinese stop words unless nothing else is left."""
    telling = telling_terms(text)
    if telling:
        return telling
    return list(dict.fromkeys(term for word, term in _tokens(folded(text)) if not _is_run_end(word, term)))


def telling_terms(text: str) -> list[str]:
    """The distinct terms of a text that are no stop words; none where nothing else is in it."""
    tokens = [(word, term) for word, term in _tokens(folded(text)) if not _is_run_end(word, term)]
    return list(dict.fromkeys(term for word, term in tokens if not _is_stop_word(word)))


def text_terms(text: str) -> frozenset[str]:
    """The terms of a text for ranking; none of one with more than LONG_TEXT characters, in which the few that are
    asked for are looked for."""
    return frozenset() if len(text) > LONG_TEXT else frozenset(search_terms(text))


def draft_terms(draft: Draft) -> list[str]:
    """The terms under which a unit is found: its content's, and what its value, subject and entities add to them."""
    terms = search_terms(draft.content)
    present = set(terms)
    for text in (draft.value or "", "" if draft.subject == SELF else draft.subject, *draft.entities):
        added = [term for term in search_terms(text) if term not in present]
        terms += added
        present.update(added)
    return terms


def may_hold(folded_text: str, terms: Collection[str]) -> bool:
    """False only where a text surely lacks one of the terms, at a small part of the cost of its own terms."""
    return all(term.isdecimal() or (term if _RUN.fullmatch(term) else term[0]) in folded_text for term in terms)


def is_prefix(term: str) -> bool:
    """Whether a question's term stands for every term that begins with it: a single unspaced character."""
    return len(term) == 1 and _RUN.match(term) is not None


def normal_form(text: str) -> str:
    """What makes two statements the same: Unicode's compatibility form, case, white space and final punctuation.

    A final question mark stays: a question is not its answer.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.rstrip(_TRAILING) or folded


def side(source: Source) -> Source:
    """Whose words a source stands for: an import is the person's, as if said here."""
    return Source.USER if source is Source.IMPORT else source


def content_key(kind: Kind, subject: str, source: Source, text: str) -> str:
    """A key that is equal for two units that say the same: of one kind, about one subject, from one side."""
    parts = (kind.value, normal_form(subject), side(source).value, normal_form(text))
    said = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(said, digest_size=16).hexdigest()


def squeezed(text: str) -> str:
    """A text with nothing but its letters and digits, so that spacing and punctuation do not hide a value."""
    return _SEPARATORS.sub("", _unified(text))


def holds(text: str, value: str) -> bool:
    """Whether a value stands in a text, however it is spaced: 13800138000 in "138-0013-8000"."""
    return holds_any(text, (value,))


def holds_any(text: str, values: Iterable[str]) -> bool:
    """Whether one of the values does."""
    unified = _unified(text)
    return any((wanted := _however_spaced(value)) is not None and wanted.search(unified) for value in values)


@lru_cache(maxsize=128)  # some 7 kB each
def _however_spaced(value: str) -> re.Pattern[str] | None:
    """What finds a value in a text of one form; None for one without letters and digits."""
    bare = squeezed(value)
    return re.compile(r"[\W_]*".join(map(re.escape, bare))) if bare else None


def _unified(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def is_identifying(value: str) -> bool:
    """Whether a value means one thing wherever it stands: an address with `@`, or a code or number of 5 or more."""
    bare = squeezed(value)
    return len(bare) >= 5 and ("@" in value or _HAS_DIGIT.search(bare) is not None)


# --- from text to tokens: pairs of the word as written (folded) and its term -------------------------------------

_Token = tuple[str, str]


def folded(text: str) -> str:
    """A text in one case, width and without accents: what its terms are made of."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", _SURROGATE.sub(" ", text)).casefold().translate(_UNDECOMPOSED)
    return "".join([char if char < "\u00c0" else _without_accent(char) for char in text])


def _without_accent(char: str) -> str:
    if char < "\u0250" or "\u1e00" <= char < "\u2000":
        return unicodedata.normalize("NFKD", char)[0]
    return "" if "\u0300" <= char < "\u0370" else char


def _tokens(text: str) -> Iterator[_Token]:
    if text.isascii():
        yield from _spaced_tokens(text, _ASCII_WORD)
        return
    for index, piece in enumerate(_RUN.split(text)):
        if index % 2:
            yield from _run_tokens(piece)
        elif piece:
            yield from _spaced_tokens(piece, _WORD)
            yield from ((char, char) for char in piece if unicodedata.category(char) == "So")


def _run_tokens(run: str) -> Iterator[_Token]:
    for first, second in pairwise(run):
        pair = first + second
        yield pair, pair
    yield run, run[-1]
    for spoken in _SPOKEN_DIGITS.findall(run):
        digits = spoken.translate(SPELLED_OUT)
        yield digits, digits


def _spaced_tokens(text: str, pattern: re.Pattern[str]) -> Iterator[_Token]:
    for word in pattern.findall(text):
        if word.isalpha():
            yield word, _word_term(word)
        else:
            yield from _compound_tokens(word)
    for group in _DIGIT_GROUPS.findall(text):
        digits = re.sub(r"\D", "", group)
        if " " in group and 7 <= len(digits) <= 20:
            yield digits, digits


def _compound_tokens(word: str) -> Iterator[_Token]:
    """A code, a number, an address, or words joined by hyphens and apostrophes: whole, then in parts."""
    if _HAS_DIGIT.search(word) is None and "'" in word:
        yield from _apostrophe_tokens(word)
        return
    whole = _whole(word)
    parts = [part for joined in _JOINER.split(word) for part in _STRETCH.findall(joined)]
    yield word, whole[:TERM_LIMIT]
    if len(parts) > 1:
        yield from ((part, _word_term(part)) for part in parts)


def _whole(word: str) -> str:
    if _DECIMAL.fullmatch(word) or _MAIL.fullmatch(word):
        return _NOT_IN_ADDRESS.sub("", word)
    return _JOINER.sub("", word)


def _apostrophe_tokens(word: str) -> Iterator[_Token]:
    """Ann's is Ann, don't is one word, O'Brien and l'hotel are found with and without their first part."""
    for joined in re.split(r"[-_./:@,]", word):
        head, _, tail = joined.partition("'")
        if tail in {"s", ""}:
            yield head, _word_term(head)
            continue
        bare = joined.replace("'", "")
        yield bare, _word_term(bare)
        if len(head) <= 2 < len(tail):
            yield tail, _word_term(tail)


def _word_term(word: str) -> str:
    return _stem(word) if len(word) < TERM_LIMIT else word[:TERM_LIMIT]


@lru_cache(maxsize=16384)
def _stem(word: str) -> str:
    """English (Porter 2) stem of a word in a-z, any other as it is. A stemmer has state, so each miss has its own."""
    if not (word.isascii() and word.isalpha()):
        return word
    stem: str = snowballstemmer.stemmer("english").stemWord(word)
    return stem


def _is_run_end(word: str, term: str) -> bool:
    return len(term) == 1 and len(word) > 1 and word[-1] == term and is_prefix(term)


def _is_stop_word(word: str) -> bool:
    if word in ENGLISH_STOP_WORDS or word in CHINESE_STOP_WORDS:
        return True
    return len(word) <= 2 and all(char in CHINESE_FUNCTION_CHARACTERS for char in word)
