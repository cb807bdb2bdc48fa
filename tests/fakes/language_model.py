"""A `LanguageModel` that says what a test tells it to, and keeps the same account of its cache as the real one."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import dropwhile
from uuid import uuid4

from edge.engine.kv_ports import NO_SESSION, Lane
from edge.engine.model_ports import Finish, Generation, Piece, Sampling, StopSignal
from edge.errors import Cancelled
from edge.models.pieces import PieceBuilder
from tests.fakes.lanes import HeldTokens, ScriptedLanes

SPECIALS = {"<|im_start|>": 256, "<|im_end|>": 257, "<|endoftext|>": 258}
"""Ids under 256 are single bytes, ids from FIRST_WORD on are words or characters, in the order they were first seen."""
FIRST_WORD = 300

_WORD = re.compile(r" ?[A-Za-z]{1,12}| ?[0-9]{1,3}|.", re.DOTALL)


class ScriptedTokenizer:
    """Words, groups of digits and characters are a token each; what is beyond U+FFFF takes a token for each byte."""

    def __init__(self) -> None:
        self.key = uuid4().hex
        """Another for each: what one made of words, another cannot read."""
        self._ids: dict[str, int] = {}
        self._words: list[bytes] = []
        self._lock = threading.Lock()

    def encode(self, text: str) -> list[int]:
        words = _WORD.findall(text.encode(errors="replace").decode())
        return [token for word in words for token in self._word(word)]

    def special(self, name: str) -> int:
        return SPECIALS[name]

    def decode(self, tokens: Sequence[int]) -> bytes:
        return b"".join(self._bytes(token) for token in tokens)

    def _word(self, word: str) -> Iterable[int]:
        if word > "\uffff":
            return word.encode()
        with self._lock:
            if word not in self._ids:
                self._ids[word] = FIRST_WORD + len(self._words)
                self._words.append(word.encode())
            return (self._ids[word],)

    def _bytes(self, token: int) -> bytes:
        if token < 256:
            return bytes((token,))
        return b"" if token < FIRST_WORD else self._words[token - FIRST_WORD]


class Gate:
    """Holds a model in its prefill. `reached` is set when it waits there; `open` lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._moved = threading.Condition()
        self._open = False

    def open(self) -> None:
        with self._moved:
            self._open = True
            self._moved.notify_all()

    def wake(self) -> None:
        with self._moved:
            self._moved.notify_all()

    def wait(self, stop: StopSignal) -> None:
        """Wait until it is open or the signal is set."""
        self.reached.set()
        with self._moved:
            self._moved.wait_for(lambda: self._open or stop.is_set(), timeout=30)


class ScriptedStop:
    """A signal that also wakes a model waiting at a gate."""

    def __init__(self, *gates: Gate) -> None:
        self._gates = gates
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()
        for gate in self._gates:
            gate.wake()

    def is_set(self) -> bool:
        return self._event.is_set()


class ScriptedModel:
    """Answers from a list of replies, in order and then its last one again, or from a function of the prompt's text.

    What may not come first is left out at a reply's beginning. An exception in the list, or raised by the function, is
    raised after the prefill in place of a reply. `prompts` are the prompts of all streams, `samplings` how each was to
    be sampled, `aside` the prompts of `score` and `free_line`. With a `gate` each prefill of two tokens or more waits
    half-way, with an `aside_gate` each call beside the streams. Lanes are as those of the real one, in a cache of
    `context` and `resident` tokens; one that shares the `tokenizer` and `fingerprint` of another is the same model.
    """

    def __init__(
        self,
        replies: Sequence[str | Exception] | Callable[[str], str] = ("I see.",),
        *,
        context: int = 4096,
        resident: int = 2048,
        tokenizer: ScriptedTokenizer | None = None,
        fingerprint: str = "",
        gate: Gate | None = None,
        aside_gate: Gate | None = None,
        model_id: str = "scripted",
    ) -> None:
        self.prompts: list[list[int]] = []
        self.samplings: list[Sampling] = []
        self.closed = False
        self.aside: list[list[int]] = []
        self.gate = gate
        self.aside_gate = aside_gate
        self._replies = replies
        self._context = context
        self._id = model_id
        self._tokenizer = tokenizer or ScriptedTokenizer()
        self._fingerprint = f"{self._tokenizer.key} {fingerprint}"
        self._resident = resident
        self._lanes = ScriptedLanes(context + resident)
        self._held: HeldTokens
        self._turn = 0
        self._busy = False

    @property
    def id(self) -> str:
        return self._id

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def lanes(self) -> ScriptedLanes:
        return self._lanes

    @property
    def context_tokens(self) -> int:
        return self._context

    @property
    def aside_tokens(self) -> int:
        return 1024

    @property
    def tokenizer(self) -> ScriptedTokenizer:
        return self._tokenizer

    def new_stop(self) -> ScriptedStop:
        return ScriptedStop(*(gate for gate in (self.gate, self.aside_gate) if gate is not None))

    def memory(self) -> dict[str, int]:
        return {"weights": 1, "kv": 12288 * self._context, "compute": 1}

    def close(self) -> None:
        self.closed = True

    def opened(self) -> ScriptedModel:
        """It is loaded, for the first time or again: nothing is in its cache."""
        self.closed = False
        self._lanes = ScriptedLanes(self._context + self._resident)
        return self

    def stream(
        self, prompt: Sequence[int], sampling: Sampling, stop: StopSignal, lane: Lane = NO_SESSION
    ) -> Iterator[Piece | Generation]:
        self._check_fit(prompt, 1, self._context)
        if sampling.max_tokens < 1:
            raise ValueError(f"max_tokens is {sampling.max_tokens}; at least 1 is needed")
        if min(sampling.not_first, default=0) < 0:
            raise ValueError("a token id is not one of the model's")
        return self._stream(list(prompt), sampling, stop, lane)

    def _stream(
        self, prompt: list[int], sampling: Sampling, stop: StopSignal, lane: Lane
    ) -> Iterator[Piece | Generation]:
        with self._call():
            self.prompts.append(prompt)
            self.samplings.append(sampling)
            reused = self._lanes.enter(lane, prompt, min(len(prompt) + sampling.max_tokens, self._context))
            self._held = self._lanes.tokens(lane)
            self._prefill(prompt[reused:], stop)
            evaluated = len(self._held) - reused
            tokens: list[int] = []
            finish = Finish.CANCELLED
            if len(self._held) == len(prompt):
                reply = self._tokenizer.encode(self._reply(prompt))
                reply = list(dropwhile(lambda token: token in sampling.not_first, reply))
                limit = min(sampling.max_tokens, self._context - len(prompt))
                finish = Finish.STOP if len(reply) < limit else Finish.LENGTH
                yield from self._pieces(reply[:limit], finish, tokens, stop)
                finish = Finish.CANCELLED if len(tokens) < len(reply[:limit]) else finish
            yield Generation(finish, tuple(tokens), evaluated, reused, 0.0, 0.0)

    def _pieces(self, reply: list[int], finish: Finish, taken: list[int], stop: StopSignal) -> Iterator[Piece]:
        builder = PieceBuilder()
        for count, token in enumerate(reply, 1):
            if stop.is_set():
                break
            taken.append(token)
            piece = builder.add(token, self._tokenizer.decode((token,)))
            if piece is not None:
                yield piece
            if (count < len(reply) or finish is Finish.STOP) and not stop.is_set():
                self._held.append([token])
        rest = builder.rest()
        if rest is not None:
            yield rest

    def _reply(self, prompt: Sequence[int]) -> str:
        if callable(self._replies):
            return self._replies(self._tokenizer.decode(prompt).decode(errors="replace"))
        reply = self._replies[min(self._turn, len(self._replies) - 1)]
        self._turn += 1
        if isinstance(reply, Exception):
            self._lanes.clear()
            raise reply
        return reply

    def _prefill(self, tokens: list[int], stop: StopSignal) -> None:
        half = len(tokens) // 2
        if half and self.gate is not None and not stop.is_set():
            self._held.append(tokens[:half])
            self.gate.wait(stop)
            tokens = tokens[half:]
        if not stop.is_set():
            self._held.append(tokens)

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        """Log of the share of a candidate's tokens that stand in the prefix (smoothed by its length)."""
        if not candidates or not all(candidates):
            raise ValueError("there is nothing to score: no candidates, or an empty one")
        self._check_fit(prefix, max(map(len, candidates)), self.aside_tokens)
        with self._call():
            self._ask_aside(prefix, stop)
            seen = set(prefix)
            return [math.log((sum(t in seen for t in c) + 0.5) / (len(c) + 1)) for c in candidates]

    def free_line(
        self, prompt: Sequence[int], max_tokens: int, stop: StopSignal, *, temperature: float = 0.0, seed: int = 0
    ) -> str:
        self._check_fit(prompt, 1, self.aside_tokens)
        with self._call():
            self._ask_aside(prompt, stop)
            tokens = self._tokenizer.encode(self._reply(prompt))[:max_tokens]
            return self._tokenizer.decode(tokens).decode(errors="ignore").lstrip().partition("\n")[0].strip()

    def _ask_aside(self, prompt: Sequence[int], stop: StopSignal) -> None:
        self.aside.append(list(prompt))
        if self.aside_gate is not None and not stop.is_set():
            self.aside_gate.wait(stop)
        if stop.is_set():
            raise Cancelled("The model was stopped on request.")

    @contextmanager
    def _call(self) -> Iterator[None]:
        if self.closed or self._busy:
            raise RuntimeError("the model is closed" if self.closed else "another call of this model has not ended")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def _check_fit(self, tokens: Sequence[int], reply: int, room: int) -> None:
        if not tokens or len(tokens) + reply > room:
            raise ValueError(f"{len(tokens)} tokens and {reply} to follow do not fit a context of {room} tokens")
