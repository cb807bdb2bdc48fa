"""The language model: Qwen2.5 in a GGUF file, evaluated by llama.cpp."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager

from edge.clock import Clock
from edge.engine.kv_ports import NO_SESSION, Lane
from edge.engine.model_ports import Finish, Generation, Piece, Sampling, StopSignal
from edge.errors import Cancelled
from edge.models.llama_context import BRANCHES, ROWS, SCRATCH, Cell, LlamaContext, Stopped
from edge.models.llama_lanes import LlamaLanes
from edge.models.llama_sampling import log_probabilities, log_probability, sampler
from edge.models.llama_stop import LlamaStop
from edge.models.llama_tokenizer import LlamaTokenizer
from edge.models.pieces import PieceBuilder


class LlamaModel:
    """The `LanguageModel` of a loaded file; `edge.models.llama_loading.load_llama` makes it.

    `stream` works on a sequence of the KV cache for each session, `score` and `free_line` on another with room of its
    own, so that asking the model something on the side costs a session nothing.
    """

    def __init__(
        self,
        model_id: str,
        context: LlamaContext,
        tokenizer: LlamaTokenizer,
        *,
        fingerprint: str,
        context_tokens: int,
        resident_tokens: int,
        aside_tokens: int,
        memory: dict[str, int],
        clock: Clock,
    ) -> None:
        self._id = model_id
        self._context = context
        self._tokenizer = tokenizer
        self._fingerprint = fingerprint
        self._lanes = LlamaLanes(context, context_tokens + resident_tokens)
        self._context_tokens = context_tokens
        self._aside_tokens = aside_tokens
        self._memory = memory
        self._clock = clock
        self._busy = False
        self._closed = False

    @property
    def id(self) -> str:
        return self._id

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def lanes(self) -> LlamaLanes:
        return self._lanes

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    @property
    def aside_tokens(self) -> int:
        return self._aside_tokens

    @property
    def tokenizer(self) -> LlamaTokenizer:
        return self._tokenizer

    def new_stop(self) -> LlamaStop:
        return LlamaStop()

    def memory(self) -> dict[str, int]:
        return dict(self._memory)

    def close(self) -> None:
        """Free cache and buffers. The weights go with the last reference to the tokenizer, which stays usable."""
        if not self._closed:
            self._closed = True
            self._context.close()

    def stream(
        self, prompt: Sequence[int], sampling: Sampling, stop: StopSignal, lane: Lane = NO_SESSION
    ) -> Iterator[Piece | Generation]:
        self._check_fit(prompt, 1, self._context_tokens)
        if sampling.max_tokens < 1:
            raise ValueError(f"max_tokens is {sampling.max_tokens}; at least 1 is needed")
        self._check_known(sampling.not_first)
        return self._stream(prompt, sampling, stop, lane)

    def _stream(
        self, prompt: Sequence[int], sampling: Sampling, stop: StopSignal, lane: Lane
    ) -> Iterator[Piece | Generation]:
        with self._call(stop):
            started = self._clock.monotonic()
            reused = self._lanes.enter(lane, prompt, self._most(prompt, sampling))
            sequence = self._lanes.sequence(lane)
            stopped = not self._prefill(sequence, prompt[reused:])
            evaluated = self._context.held(sequence) - reused
            prefilled = self._clock.monotonic()
            tokens: list[int] = []
            finish = Finish.CANCELLED
            if not stopped:
                finish = yield from self._pieces(sequence, self._most(prompt, sampling) - len(prompt), sampling, tokens)
            ended = self._clock.monotonic()
            yield Generation(finish, tuple(tokens), evaluated, reused, prefilled - started, ended - prefilled)

    def _most(self, prompt: Sequence[int], sampling: Sampling) -> int:
        """Tokens that a prompt and its reply may come to."""
        return min(len(prompt) + sampling.max_tokens, self._context_tokens)

    def _prefill(self, sequence: int, tokens: Sequence[int]) -> bool:
        try:
            self._context.evaluate(sequence, tokens)
        except Stopped:
            return False
        return True

    def _pieces(
        self, sequence: int, limit: int, sampling: Sampling, taken: list[int]
    ) -> Generator[Piece, None, Finish]:
        """Yield the reply as whole characters, adding each token to `taken`; returns why it ended."""
        builder = PieceBuilder()
        with closing(self._sampled(sequence, sampling, limit)) as sampled:
            while True:
                try:
                    token = next(sampled)
                except StopIteration as end:
                    finish: Finish = end.value
                    break
                taken.append(token)
                piece = builder.add(token, self._tokenizer.decode((token,)))
                if piece is not None:
                    yield piece
        rest = builder.rest()
        if rest is not None:
            yield rest
        return finish

    def _sampled(self, sequence: int, sampling: Sampling, limit: int) -> Generator[int, None, Finish]:
        """Yield up to `limit` sampled tokens; returns why it ended. The last one is not evaluated."""
        with sampler(self._context, sampling, self._tokenizer.size) as choose:
            for count in range(1, limit + 1):
                token = choose()
                if self._tokenizer.ends(token):
                    return Finish.STOP
                yield token
                if count < limit:
                    try:
                        self._context.evaluate(sequence, [token])
                    except Stopped:
                        return Finish.CANCELLED
        return Finish.LENGTH

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        if not candidates or not all(candidates):
            raise ValueError("there is nothing to score: no candidates, or an empty one")
        self._check_fit(prefix, max(map(len, candidates)), self._aside_tokens)
        self._check_known([token for candidate in candidates for token in candidate])
        with self._call(stop), self._cancelled():
            kept = self._context.reuse(SCRATCH, prefix)
            self._context.evaluate(SCRATCH, prefix[kept:])
            first = log_probabilities(self._context.row(-1), [candidate[0] for candidate in candidates])
            rests = self._score_rests(len(prefix), candidates)
            return [(a + b) / len(c) for a, b, c in zip(first, rests, candidates, strict=True)]

    def _score_rests(self, prefix_tokens: int, candidates: Sequence[Sequence[int]]) -> list[float]:
        """Sum of log-probabilities of each candidate's tokens after its first."""
        sums = [0.0] * len(candidates)
        if all(len(candidate) == 1 for candidate in candidates):
            return sums
        for group in self._groups(prefix_tokens, candidates):
            try:
                self._score_group(prefix_tokens, candidates, group, sums)
            finally:
                self._context.drop_branches()
        return sums

    def _groups(self, prefix_tokens: int, candidates: Sequence[Sequence[int]]) -> Iterator[range]:
        """Candidates that are evaluated side by side: as many as there are branches, and cells for them."""
        start, cells = 0, prefix_tokens
        for i, candidate in enumerate(candidates):
            full = i - start == len(BRANCHES) or cells + len(candidate) > self._aside_tokens
            if full and i > start:
                yield range(start, i)
                start, cells = i, prefix_tokens
            cells += len(candidate)
        yield range(start, len(candidates))

    def _score_group(
        self, prefix_tokens: int, candidates: Sequence[Sequence[int]], group: range, sums: list[float]
    ) -> None:
        work: list[tuple[int, int, Cell]] = []  # candidate, the token that follows, the cell it is read from
        for branch, i in zip(BRANCHES, group, strict=False):
            self._context.branch(branch)
            pairs = zip(candidates[i], candidates[i][1:], strict=False)
            work += [(i, next_, Cell(t, prefix_tokens + at, branch, True)) for at, (t, next_) in enumerate(pairs)]
        step = min(ROWS, self._context.step)
        for start in range(0, len(work), step):
            part = work[start : start + step]
            self._context.decode([cell for _, _, cell in part])
            for row, (i, following, _) in enumerate(part):
                sums[i] += log_probability(self._context.row(row), following)

    def free_line(
        self, prompt: Sequence[int], max_tokens: int, stop: StopSignal, *, temperature: float = 0.0, seed: int = 0
    ) -> str:
        self._check_fit(prompt, 1, self._aside_tokens)
        limit = min(max_tokens, self._aside_tokens - len(prompt))
        sampling = Sampling(temperature=temperature, seed=seed)
        with self._call(stop), self._cancelled():
            kept = self._context.reuse(SCRATCH, prompt)
            self._context.evaluate(SCRATCH, prompt[kept:])
            data = b""
            with closing(self._sampled(SCRATCH, sampling, limit)) as sampled:
                for token in sampled:
                    data += self._tokenizer.decode((token,))
                    if b"\n" in data.lstrip():
                        break
            self._raise_if_stopped(stop)
        return data.decode("utf-8", errors="ignore").lstrip().partition("\n")[0].strip()

    @staticmethod
    def _raise_if_stopped(stop: StopSignal) -> None:
        if stop.is_set():
            raise Stopped

    @contextmanager
    def _call(self, stop: StopSignal) -> Iterator[None]:
        """One call at a time, stoppable by its own signal. A stream is a call until it ends or is closed."""
        if self._closed or self._busy:
            raise RuntimeError("the model is closed" if self._closed else "another call of this model has not ended")
        if not isinstance(stop, LlamaStop):
            raise TypeError("the signal must come from new_stop()")
        self._busy = True
        try:
            with self._context.stoppable(stop):
                yield
        finally:
            self._busy = False

    @contextmanager
    def _cancelled(self) -> Iterator[None]:
        try:
            yield
        except Stopped:
            raise Cancelled("The model was stopped on request.") from None

    def _check_fit(self, tokens: Sequence[int], reply: int, room: int) -> None:
        if not tokens or len(tokens) + reply > room:
            raise ValueError(f"{len(tokens)} tokens and {reply} to follow do not fit a context of {room} tokens")
        self._check_known(tokens)

    def _check_known(self, tokens: Sequence[int]) -> None:
        if not self._tokenizer.knows(tokens):
            raise ValueError(f"a token id is not one of the model's {self._tokenizer.size}")
