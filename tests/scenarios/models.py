"""The models of a scenario: a scripted one, or the real default models, which all scenarios share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property

from edge.clock import SystemClock
from edge.daemon.parts import FileModels
from edge.engine.kv_ports import NO_SESSION, Lane, Lanes
from edge.engine.model_ports import (
    Finish,
    Generation,
    LanguageModel,
    Piece,
    Sampling,
    StopSignal,
    TextEmbedder,
    Tokenizer,
)
from edge.errors import ModelMissing
from edge.models.manifest import Role, load_manifest
from edge.settings import Settings
from tests.fakes.language_model import ScriptedModel

Reply = Callable[[], str | None]
"""What the script has the model say in this turn, where it does."""


class Mode(StrEnum):
    """With what a scenario is run. `worded`: the real model words what the runtime would tell from memory itself."""

    SCRIPTED = "scripted"
    REAL = "real"
    WORDED = "worded"


class HeardModel:
    """The real language model as a scenario has it: it stays loaded, its prompts are kept, and it says what the script
    puts in its mouth."""

    def __init__(self, model: LanguageModel, reply: Reply) -> None:
        self.prompts: list[list[int]] = []
        self._model = model
        self._told = reply

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
        self.prompts.append(list(prompt))
        told = self._told()
        if told is None:
            return self._model.stream(prompt, sampling, stop, lane)
        return self._say(prompt, told, sampling, stop, lane)

    def _say(
        self, prompt: Sequence[int], told: str, sampling: Sampling, stop: StopSignal, lane: Lane
    ) -> Iterator[Piece | Generation]:
        tokens = tuple(self.tokenizer.encode(told))
        yield Piece(told, tokens)
        for item in self._model.stream((*prompt, *tokens), replace(sampling, max_tokens=1), stop, lane):
            if isinstance(item, Generation):
                yield replace(item, finish=Finish.STOP, tokens=tokens)

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        return self._model.score(prefix, candidates, stop)

    def free_line(
        self, prompt: Sequence[int], max_tokens: int, stop: StopSignal, *, temperature: float = 0.0, seed: int = 0
    ) -> str:
        return self._model.free_line(prompt, max_tokens, stop, temperature=temperature, seed=seed)

    def memory(self) -> dict[str, int]:
        return self._model.memory()

    def close(self) -> None:
        """It stays loaded for the next scenario."""


class RealModels:
    """The default models, each loaded once, when it is first needed."""

    def __init__(self, settings: Settings) -> None:
        default = load_manifest().default(Role.LANGUAGE).id
        self._files = FileModels(replace(settings, model=replace(settings.model, id=default)), SystemClock())

    @cached_property
    def language(self) -> LanguageModel:
        """The language model."""
        return self._files.load_language()

    @cached_property
    def embedder(self) -> TextEmbedder:
        """The embedder."""
        return self._files.load_embedder()

    def heard(self, reply: Reply) -> HeardModel:
        """The language model for one more scenario. It holds nothing of the one before, so that what it says does not
        depend on which are run."""
        for lane in self.language.lanes.names:
            self.language.lanes.drop(lane)
        return HeardModel(self.language, reply)

    def close(self) -> None:
        """Free the language model, where it was loaded."""
        if "language" in vars(self):
            self.language.close()


class OfScenario:
    """`edge.daemon.parts.Models` of one scenario, over its restarts."""

    def __init__(self, model: ScriptedModel | HeardModel, embedder: TextEmbedder) -> None:
        self.model = model
        self.embedder = embedder

    def language_id(self) -> str:
        return self.model.id

    def load_language(self) -> LanguageModel:
        if isinstance(self.model, ScriptedModel):
            self.model.closed = False
        return self.model

    def language_setup(self) -> str:
        return "scripted"

    def tried(self, model: LanguageModel) -> float | None:
        return None

    def load_embedder(self) -> TextEmbedder:
        return self.embedder

    def load_former(self, embedder_id: str, dimension: int) -> TextEmbedder:
        raise ModelMissing(f"{embedder_id} is in no scenario.")

    def embedder_bytes(self) -> int:
        return 0
