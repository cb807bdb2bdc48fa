"""Cuts a long text where an embedder can take it: at sentences, else at words, else between characters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end of a token as indexes into the text's characters."""

_SENTENCE_END = re.compile(
    r"""[.!?]+["'”’)\]]*(?=\s)"""  # Latin: only before white space, so that 3.5 and example.org stay whole
    r"""|[。！？；…]+["'”’」』）】]*"""
    r"""|[\n\r\u2028\u2029]+"""
)
_INSIDE_WORD = "_'’-"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Characters [start, end) of a text, which are its tokens [first, last)."""

    start: int
    end: int
    first: int
    last: int


def chunk(text: str, tokens: Sequence[Span], limit: int) -> list[Chunk]:
    """Cut a text into chunks of at most `limit` tokens, at the last good place before each is full.

    `tokens` are the spans of all tokens of the text, ascending; several may share a character. The chunks follow
    one another without a gap and cover the text; a text without tokens is one chunk. Raises ValueError for a limit
    under 1.
    """
    if limit < 1:
        raise ValueError(f"a chunk must take at least one token, not {limit}")
    firsts = _first_tokens(text, tokens, limit)
    starts = [0, *(tokens[first][0] for first in firsts[1:])]
    return [
        Chunk(start, end, first, last)
        for start, end, first, last in zip(
            starts, [*starts[1:], len(text)], firsts, [*firsts[1:], len(tokens)], strict=True
        )
    ]


def _first_tokens(text: str, tokens: Sequence[Span], limit: int) -> list[int]:
    """The first token of each chunk."""
    firsts = [0]
    if len(tokens) <= limit:
        return firsts
    sentences = _sentence_tokens(text, tokens)
    while len(tokens) - firsts[-1] > limit:
        firsts.append(_next_cut(text, tokens, sentences, firsts[-1], limit))
    return firsts


def _sentence_tokens(text: str, tokens: Sequence[Span]) -> frozenset[int]:
    """Tokens with which a sentence begins."""
    starts = [start for start, _ in tokens]
    return frozenset(bisect_left(starts, end.end()) for end in _SENTENCE_END.finditer(text))


def _next_cut(text: str, tokens: Sequence[Span], sentences: frozenset[int], first: int, limit: int) -> int:
    places: tuple[Callable[[int], bool], ...] = (
        lambda token: token in sentences and not _inside_character(tokens, token),
        lambda token: _after_space(text, tokens, token),
        lambda token: _begins_word(text, tokens, token),
        lambda token: not _inside_character(tokens, token),
    )
    for fits in places:
        for token in range(first + limit, first, -1):
            if fits(token):
                return token
    return first + limit


def _inside_character(tokens: Sequence[Span], token: int) -> bool:
    """A tokenizer that decomposes characters (Hangul into jamo) gives several tokens to one."""
    return tokens[token][0] < tokens[token - 1][1]


def _after_space(text: str, tokens: Sequence[Span], token: int) -> bool:
    """True where white space stands before the token, or where a script without spaces has a boundary."""
    start = tokens[token][0]
    if _inside_character(tokens, token):
        return False
    return text[start - 1].isspace() or (_is_ideograph(text[start - 1]) and _is_ideograph(text[start]))


def _begins_word(text: str, tokens: Sequence[Span], token: int) -> bool:
    start = tokens[token][0]
    if _inside_character(tokens, token):
        return False
    return not (_is_word_part(text[start - 1]) and _is_word_part(text[start]))


def _is_word_part(character: str) -> bool:
    return (character.isalnum() or character in _INSIDE_WORD) and not _is_ideograph(character)


def _is_ideograph(character: str) -> bool:
    """Chinese characters and kana: scripts that are written without spaces."""
    return (
        "\u3040" <= character <= "\u30ff"
        or "\u3400" <= character <= "\u9fff"
        or "\U00020000" <= character <= "\U0003ffff"
    )
