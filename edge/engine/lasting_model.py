"""A language model whose sessions' windows outlast their stay in its cache: what leaves is saved first, what comes back
is read from its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from edge.engine.kept_windows import KeptWindows, beginning_of, beginnings
from edge.engine.kv_ports import NO_SESSION, WORTHWHILE, Lane, LaneFiles, Lanes, shared
from edge.engine.model_ports import Generation, LanguageModel, Piece, Sampling, StopSignal, Tokenizer
from edge.prompt.composition import Tokens
from edge.prompt.window import Window


class LastingModel:
    """The `LanguageModel` that it wraps, with lanes that come and go by files. Lives on the model thread, but for
    `held`, which the memory thread calls: what it reads of the cache is an account that never changes, of when no turn
    ran."""

    def __init__(self, model: LanguageModel, windows: KeptWindows, files: LaneFiles) -> None:
        self._model = model
        self._windows = windows
        self._files = files
        self._saved: dict[Lane, Window] = {}
        self._there: Mapping[Lane, Tokens] = {}
        self._closed = False

    @property
    def id(self) -> str:
        return self._model.id

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    @property
    def lanes(self) -> Lanes:
        return self._model.lanes

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    @property
    def aside_tokens(self) -> int:
        return self._model.aside_tokens

    @property
    def tokenizer(self) -> Tokenizer:
        return self._model.tokenizer

    def new_stop(self) -> StopSignal:
        return self._model.new_stop()

    def stream(
        self, prompt: Sequence[int], sampling: Sampling, stop: StopSignal, lane: Lane = NO_SESSION
    ) -> Iterator[Piece | Generation]:
        """See LanguageModel. Sessions that have to leave the cache are saved; the lane is restored where its file has
        more of the prompt than the cache."""
        most = min(len(prompt) + sampling.max_tokens, self.context_tokens)
        if not self._model.lanes.held(lane):
            self._restore(lane, prompt, most)
        for each in self._model.lanes.leaving(lane, most):
            self.save(each, durable=False)
        return self._noted(self._model.stream(prompt, sampling, stop, lane))

    def _noted(self, stream: Iterator[Piece | Generation]) -> Iterator[Piece | Generation]:
        try:
            yield from stream
        finally:
            self._note()

    def _note(self) -> None:
        lanes = self._model.lanes
        self._there = {lane: tuple(lanes.held(lane)) for lane in lanes.names}

    def held(self, lane: Lane, prompt: Sequence[int]) -> int:
        """How many tokens of a prompt's beginning need no evaluation, because they are in the cache, or in a whole file
        that the lane can be restored from. On the memory thread."""
        there = self._there
        most = max((shared(each, prompt) for each in there.values()), default=0)
        if there.get(lane):
            return most
        for kept, file, tokens in self._on_disk(lane, prompt):
            if self._is_worth(kept, most, tokens) and self._files.body(file) is not None:
                return kept
        return most

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        return self._model.score(prefix, candidates, stop)

    def free_line(
        self, prompt: Sequence[int], max_tokens: int, stop: StopSignal, *, temperature: float = 0.0, seed: int = 0
    ) -> str:
        return self._model.free_line(prompt, max_tokens, stop, temperature=temperature, seed=seed)

    def memory(self) -> dict[str, int]:
        return self._model.memory()

    def save_all(self) -> None:
        """Save every session's window; the last one used is the newest file."""
        for lane in self._model.lanes.names:
            self.save(lane, durable=True)

    def save(self, lane: Lane, *, durable: bool) -> None:
        """Save what is evaluated of a session's window, where that is worth it and its file has not got it."""
        window = self._windows.window(lane)
        if window is None or (self._saved.get(lane) is window and self._files.head(lane) is not None):
            return
        evaluated = shared(self._model.lanes.held(lane), window.tokens)
        if evaluated < WORTHWHILE:
            return
        if self._files.write(
            lane,
            lambda: self._windows.header(lane, window, evaluated),
            lambda path: self._model.lanes.save(lane, evaluated, path),
            durable=durable,
        ):
            self._saved[lane] = window

    def drop(self, owner: str) -> None:
        """Let go of the windows of an owner, by how their lanes begin."""
        if self._closed:
            return
        for lane in self._model.lanes.names:
            if lane.startswith(owner):
                self._model.lanes.drop(lane)
        self._note()
        self._saved = {lane: window for lane, window in self._saved.items() if not lane.startswith(owner)}

    def close(self) -> None:
        """Save the windows and how they begin, and free the model. Its weights go with the last reference to its
        tokenizer."""
        if not self._closed:
            self.save_all()
            self._save_beginnings()
            self._closed = True
            self._model.close()

    def _save_beginnings(self) -> None:
        """Save the role text and core facts of the newest window of each owner and language, for new sessions to begin
        with. Nothing else stays in their lanes."""
        done: set[Lane] = set()
        for lane in reversed(self._model.lanes.names):
            window = self._windows.window(lane)
            file = None if window is None else beginning_of(lane, window.language)
            if window is not None and file is not None and file not in done:
                done.add(file)
                self._save_beginning(file, lane, window)

    def _save_beginning(self, file: Lane, lane: Lane, window: Window) -> None:
        head = window.tokens[: window.head]
        is_whole = shared(self._model.lanes.held(lane), head) == len(head)
        if is_whole and len(head) >= WORTHWHILE and self._windows.evaluated(file) != head:
            self._files.write(
                file,
                lambda: self._windows.beginning(lane, window),
                lambda path: self._model.lanes.save(lane, len(head), path),
                durable=True,
            )

    def _restore(self, lane: Lane, prompt: Sequence[int], most: int) -> None:
        """Bring back what its file, or one of how its owner's windows begin, has more of the prompt than the cache."""
        others = max((shared(self._model.lanes.held(each), prompt) for each in self._model.lanes.names), default=0)
        for kept, file, tokens in self._on_disk(lane, prompt):
            if self._is_worth(kept, others, tokens) and self._restored(lane, file, tokens, most):
                return

    def _restored(self, lane: Lane, file: Lane, tokens: Tokens, most: int) -> bool:
        path = self._files.body(file)
        if path is None:
            return False
        for each in self._model.lanes.leaving(lane, max(most, len(tokens))):
            self.save(each, durable=False)
        if self._model.lanes.restore(lane, tokens, path):
            return True
        self._files.discard(file, "the model cannot read it")
        return False

    def _on_disk(self, lane: Lane, prompt: Sequence[int]) -> list[tuple[int, Lane, Tokens]]:
        """Files that a lane can be restored from, with how many tokens of the prompt's beginning each holds, the most
        first."""
        files = [(file, self._windows.evaluated(file)) for file in (lane, *beginnings(lane))]
        told = [(shared(tokens, prompt), file, tokens) for file, tokens in files]
        return sorted(told, key=lambda each: each[0], reverse=True)

    def _is_worth(self, kept: int, others: int, tokens: Tokens) -> bool:
        return kept >= others + WORTHWHILE and len(tokens) <= self.context_tokens
