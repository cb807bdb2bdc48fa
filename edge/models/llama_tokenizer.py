"""The vocabulary of a loaded model: text to token ids and back."""

from __future__ import annotations

import ctypes
import re
import weakref
from collections.abc import Sequence
from typing import Any

import llama_cpp.llama_cpp as lib

_FREE_OF_SPECIALS = re.compile("(?!)")


class LlamaWeights:
    """A loaded model file. Freed when the last object that uses it is gone: a context, or a tokenizer in use."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer
        self.vocabulary = lib.llama_model_get_vocab(pointer)
        weakref.finalize(self, lib.llama_model_free, pointer)


class LlamaTokenizer:
    """The `Tokenizer` of a model file. Keeps no state between calls, so any thread may use it.

    llama.cpp turns the text of a *user-defined* token (`<tool_call>`) into that token even in plain text. Such a text
    is cut after its first character and both parts are tokenised alone: the same bytes, without the special meaning.
    """

    def __init__(self, weights: LlamaWeights) -> None:
        self._weights = weights
        self._vocabulary = weights.vocabulary
        self.size: int = lib.llama_vocab_n_tokens(self._vocabulary)
        self._special_ids = self._find_special_ids()
        self._risky = _FREE_OF_SPECIALS
        self._risky = self._risky_texts()

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = []
        start = 0
        for match in self._risky.finditer(text):
            tokens += self._tokenize(text[start : match.start() + 1], parse_special=False)
            start = match.start() + 1
        return tokens + self._tokenize(text[start:], parse_special=False)

    def special(self, name: str) -> int:
        tokens = self._tokenize(name, parse_special=True)
        if len(tokens) != 1 or tokens[0] not in self._special_ids:
            raise KeyError(name)
        return tokens[0]

    def decode(self, tokens: Sequence[int]) -> bytes:
        return b"".join(self._piece(token) for token in tokens)

    def ends(self, token: int) -> bool:
        """Whether the token ends a generation."""
        return bool(lib.llama_vocab_is_eog(self._vocabulary, token))

    def knows(self, tokens: Sequence[int]) -> bool:
        """Whether all tokens are of this vocabulary; llama.cpp must not be given others."""
        return not tokens or (min(tokens) >= 0 and max(tokens) < self.size)

    def _find_special_ids(self) -> frozenset[int]:
        special = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_USER_DEFINED | lib.LLAMA_TOKEN_ATTR_UNKNOWN
        attributes = (lib.llama_vocab_get_attr(self._vocabulary, token) for token in range(self.size))
        return frozenset(token for token, attribute in enumerate(attributes) if attribute & special)

    def _risky_texts(self) -> re.Pattern[str]:
        """Matches the start of what llama.cpp would read as a special token in plain text."""
        texts = [lib.llama_vocab_get_text(self._vocabulary, token).decode("utf-8") for token in self._special_ids]
        risky = [text for text in texts if len(text) > 1 and self._special_ids.intersection(self.encode(text))]
        return re.compile("|".join(map(re.escape, sorted(risky, key=len, reverse=True)))) if risky else self._risky

    def _tokenize(self, text: str, *, parse_special: bool) -> list[int]:
        data = text.encode("utf-8", errors="replace")
        room = len(data) + 8  # a token takes at least one byte
        buffer = (lib.llama_token * room)()
        count = lib.llama_tokenize(self._vocabulary, data, len(data), buffer, room, False, parse_special)
        if count < 0:
            raise ValueError(f"{len(data)} bytes of text could not be tokenised ({count})")
        return buffer[:count]

    def _piece(self, token: int) -> bytes:
        if token in self._special_ids:
            return b""
        buffer = ctypes.create_string_buffer(512)  # the longest token of Qwen2.5 has 256 bytes
        size = lib.llama_token_to_piece(self._vocabulary, token, buffer, len(buffer), 0, False)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = lib.llama_token_to_piece(self._vocabulary, token, buffer, len(buffer), 0, False)
        return buffer.raw[:size]
