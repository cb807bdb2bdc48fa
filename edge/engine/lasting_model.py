"""A language model whose sessions' windows outlast their stay in its cache: what leaves is saved first, what comes back
is read from its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edge.engine.kept_windows import KeptWindows
from edge.engine.kv_ports import NO_SESSION, Lane, LaneFiles, Lanes, shared
from edge.engine.model_ports import Generation, LanguageModel, Piece, Sampling, StopSignal, Tokenizer
from edge.prompt.window import Window

WORTHWHILE = 16
"""Fewer evaluated tokens than this are sooner evaluated again than kept and read back."""


class LastingModel:
    """The `LanguageModel` that it wraps, with lanes that come and go by files. Lives on the model thread."""

    def __init__(self, model: LanguageModel, windows: KeptWindows, files: LaneFiles) -> None:
        self._model = model
        self._windows = windows
        self._files = files
        self._saved: dict[Lane, Window] = {}
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
        return self._model.stream(prompt, sampling, stop, lane)

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
        self._saved = {lane: window for lane, window in self._saved.items() if not lane.startswith(owner)}

    def close(self) -> None:
        """Save the windows, and free the model. Its weights go with the last reference to its tokenizer."""
        if not self._closed:
            self.save_all()
            self._closed = True
            self._model.close()

    def _restore(self, lane: Lane, prompt: Sequence[int], most: int) -> None:
        tokens = self._windows.evaluated(lane)
        others = max((shared(self._model.lanes.held(each), prompt) for each in self._model.lanes.names), default=0)
        if shared(tokens, prompt) < others + WORTHWHILE or len(tokens) > self.context_tokens:
            return
        for each in self._model.lanes.leaving(lane, max(most, len(tokens))):
            self.save(each, durable=False)
        path = self._files.body(lane)
        if path is not None and not self._model.lanes.restore(lane, tokens, path):
            self._files.discard(lane, "the model cannot read it")
