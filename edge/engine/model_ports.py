"""What the engine needs of models: an embedder, a language model and its tokenizer. `edge.models` implements these;
fakes in tests do too. `ports` says which thread each belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from edge.engine.kv_ports import NO_SESSION, Lane, Lanes
from edge.engine.ports import Vector


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text as the embedder sees it: one vector and one-bit token codes for each chunk of at most 256 tokens."""

    vectors: Vector
    codes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """A question for late interaction: its vector, and for each token its L2-normalised vector (tokens, dimension)
    and its characters [start, end) in the text. No tokens for a text that has none."""

    vector: Vector
    tokens: Vector
    spans: tuple[tuple[int, int], ...]


class TextEmbedder(Protocol):
    """Turns text into vectors."""

    @property
    def id(self) -> str:
        """The embedder's id in the manifest."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed each text, in chunks where it is long. Raises EmbedderFailed."""

    def split(self, text: str) -> list[str]:
        """The chunks that `embed` makes of a text, as texts that are each embedded in one pass."""

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,) for a question, cut at the embedder's limit. Raises EmbedderFailed."""

    def read_query(self, text: str) -> QueryEmbedding:
        """The same vector and those of the tokens, from one pass. Raises EmbedderFailed."""


class Tokenizer(Protocol):
    """The language model's own tokenizer. Thread-safe."""

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text: nothing in it becomes a special token, no start token is added."""

    def special(self, name: str) -> int:
        """The id of a special token, such as `<|im_start|>`. Raises KeyError."""

    def decode(self, tokens: Sequence[int]) -> bytes:
        """The bytes of tokens; special tokens give nothing. May end inside a UTF-8 character."""


class StopSignal(Protocol):
    """Asks a running evaluation to stop. Set from any thread."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...


class Finish(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen. Temperature 0 takes the likeliest. A reply does not begin with one of the tokens
    `not_first`."""

    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 0.9
    repeat_penalty: float = 1.05
    seed: int = 0
    not_first: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply: text that is valid UTF-8 at its end, and the token ids it took."""

    text: str
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generation cost and how it ended. `evaluated` prompt tokens were computed, `reused` were in the KV
    cache; `tokens` is the reply, without the end token. The last `behind` of these the model made behind others that
    are left out."""

    finish: Finish
    tokens: tuple[int, ...]
    evaluated: int
    reused: int
    prefill_seconds: float
    generate_seconds: float
    behind: int = 0

    @property
    def unseen(self) -> int:
        """How many of the last tokens the model does not hold as they stand: also the one that it did not go on from,
        where it did not end by itself."""
        return max(self.behind, 0 if self.finish is Finish.STOP else 1)


class LanguageModel(Protocol):
    """A loaded model with one KV cache. One thread owns it."""

    @property
    def id(self) -> str: ...
    @property
    def fingerprint(self) -> str:
        """Another wherever keys and values of the same tokens would be others, or what is read from files no fit."""

    @property
    def lanes(self) -> Lanes:
        """The sessions' windows in the KV cache; to be used between two calls."""

    @property
    def context_tokens(self) -> int: ...
    @property
    def aside_tokens(self) -> int:
        """Most tokens of a prompt of `score` and `free_line` and what follows it. The cache has room for them beside a
        full window, which they never touch."""

    @property
    def tokenizer(self) -> Tokenizer: ...

    def new_stop(self) -> StopSignal:
        """A signal that `stream` and the others take; setting it stops them within a few milliseconds."""

    def stream(
        self, prompt: Sequence[int], sampling: Sampling, stop: StopSignal, lane: Lane = NO_SESSION
    ) -> Iterator[Piece | Generation]:
        """Evaluate what of the prompt is not in the KV cache yet, then yield pieces and, last, the Generation (also
        when stopped). The window stays in the lane, others as far as there is room; a beginning that the prompt shares
        with any of them is not evaluated again. Ends at `<|im_end|>`. Raises ModelFailed, ValueError if the prompt does
        not fit or `not_first` holds a token that the model does not have."""

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        """Mean log-probability of each candidate's tokens after the shared prefix, which is evaluated once.
        Raises Cancelled when stopped, ModelFailed, ValueError where it does not fit `aside_tokens`."""

    def free_line(
        self, prompt: Sequence[int], max_tokens: int, stop: StopSignal, *, temperature: float = 0.0, seed: int = 0
    ) -> str:
        """One short line of free text, ended at a line break; may be empty. Temperature 0 takes the likeliest tokens,
        otherwise the seed decides. Raises as `score` does."""

    def memory(self) -> dict[str, int]:
        """Bytes by part: `weights`, `kv`, `compute`."""

    def close(self) -> None:
        """Free it."""
