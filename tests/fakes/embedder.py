"""An embedder without a model: a bag of hashed words and pairs of Chinese characters."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from edge.engine.model_ports import Embedded, QueryEmbedding
from edge.engine.ports import Vector
from edge.memory.chunks import Chunk, Span, chunk

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")


class HashEmbedder:
    """A `TextEmbedder` in which texts are near when they share words, in any case, or pairs of Chinese characters."""

    def __init__(self, dimension: int = 64, *, model_id: str = "hash", limit: int = 254) -> None:
        self._dimension = dimension
        self._id = model_id
        self._limit = limit

    @property
    def id(self) -> str:
        return self._id

    @property
    def dimension(self) -> int:
        return self._dimension

    def chunks(self, text: str) -> list[Chunk]:
        return chunk(text, _tokens(text), self._limit)

    def split(self, text: str) -> list[str]:
        return [text[part.start : part.end] for part in self.chunks(text)]

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self.read_query(text).vector

    def read_query(self, text: str) -> QueryEmbedding:
        spans = _tokens(text)[: self._limit]
        tokens = self._token_vectors(text, spans)
        return QueryEmbedding(self._mean(tokens), tokens, tuple(spans))

    def _embed(self, text: str) -> Embedded:
        tokens = self._token_vectors(text, _tokens(text))
        parts = [tokens[part.first : part.last] for part in self.chunks(text)]
        codes = tuple(np.packbits(part > 0, axis=1).tobytes() for part in parts)
        return Embedded(np.stack([self._mean(part) for part in parts]), codes)

    def _token_vectors(self, text: str, spans: Sequence[Span]) -> Vector:
        words = [text[start:end].casefold() for start, end in spans]
        if not words:
            return np.zeros((0, self._dimension), dtype=np.float32)
        pairs = [word + after if _is_chinese(word) else "" for word, after in pairwise([*words, ""])]
        rows = np.stack(
            [self._feature(word) + 2 * self._feature(pair) for word, pair in zip(words, pairs, strict=True)]
        )
        return _normalised(rows)

    def _feature(self, feature: str) -> Vector:
        if not feature:
            return np.zeros(self._dimension, dtype=np.float32)
        seed = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
        return np.random.default_rng(seed).standard_normal(self._dimension, dtype=np.float32)

    def _mean(self, tokens: Vector) -> Vector:
        total = tokens.sum(axis=0) if len(tokens) else self._feature("\0")
        return _normalised(total)


def _normalised(rows: Vector) -> Vector:
    normalised: Vector = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return normalised


def _tokens(text: str) -> list[Span]:
    return [found.span() for found in _TOKEN.finditer(text)]


def _is_chinese(word: str) -> bool:
    return "\u3400" <= word <= "\u9fff"
