"""The library alone: llama-cpp-python's own `Llama`, set up as the daemon sets up its model."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from llama_cpp import Llama

from edge.clock import SystemClock
from edge.daemon.parts import FileModels, llama_options
from edge.models.files import ModelFiles
from edge.models.manifest import load_manifest
from edge.settings import ModelSettings
from scripts.benchmarks.memory import current_settings

_PROSE = "The old clock in the hall had stopped again, and nobody could say when. 时钟又停了，没有人知道是什么时候。"


def model_file(model: str | None) -> Path:
    """The file of a model, or of the one that the daemon would take. Raises ModelMissing."""
    settings = current_settings()
    files = ModelFiles(load_manifest(), settings.places.models)
    chosen = files.manifest.model(model or FileModels(settings, SystemClock()).language_id())
    return files.usable_path(chosen.id, chosen.files[0].name)


def _load(path: Path, context: int | None = None) -> Llama:
    """The model as the daemon sets it up, with another size of context where one is given."""
    options = llama_options(ModelSettings()).for_device()
    return Llama(
        str(path),
        n_ctx=context or options.context,
        n_batch=options.batch,
        n_ubatch=options.batch,
        n_threads=options.threads,
        n_threads_batch=options.prefill_threads,
        flash_attn=options.flash_attention,
        no_perf=True,
        verbose=False,
    )


class BareLlama:
    """Measures the time to the first token, with as many tokens in the KV cache as a turn of the daemon had.

    Which tokens they are does not matter for the time; these are drawn from a sentence in two languages.
    """

    def __init__(self, path: Path) -> None:
        self._llama = _load(path)
        self._chance = random.Random(1)
        self._pool = self._llama.tokenize(_PROSE.encode(), add_bos=False)
        self._held: list[int] = []

    def first_token_ms(self, reused: int, evaluated: int) -> float:
        """Milliseconds from the call to the first sampled token, `reused` tokens being in the cache already."""
        self._hold(reused)
        prompt = self._held + self._new(evaluated)
        started = time.perf_counter()
        generator = self._llama.generate(prompt, temp=0.2, top_p=0.9, repeat_penalty=1.05)
        next(generator)
        taken = (time.perf_counter() - started) * 1000
        generator.close()
        self._held = prompt
        return taken

    def tokens(self, text: str) -> int:
        """How many tokens plain text takes."""
        return len(self._llama.tokenize(text.encode(), add_bos=False, special=False))

    def close(self) -> None:
        """Free the model."""
        self._llama.close()

    def _hold(self, count: int) -> None:
        """Bring the cache to so many tokens. A new turn begins where the last ended, so few are missing."""
        missing = count - len(self._held)
        self._held = self._held[:count] + self._new(max(0, missing))
        if missing > 0:
            generator = self._llama.generate(self._held, temp=0.2)
            next(generator)
            generator.close()

    def _new(self, count: int) -> list[int]:
        return self._chance.choices(self._pool, k=count)


class BareTalk:
    """Replies of the library alone to prompts in tokens, and the time to their first; also an encoder for prompts."""

    def __init__(self, path: Path, context: int) -> None:
        self._llama = _load(path, context)
        self._end = self.special("<|im_end|>")

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text."""
        return list(self._llama.tokenize(text.encode(), add_bos=False, special=False))

    def special(self, name: str) -> int:
        """The id of a special token."""
        (token,) = self._llama.tokenize(name.encode(), add_bos=False, special=True)
        return int(token)

    def reply(self, held: Sequence[int], prompt: Sequence[int], limit: int) -> tuple[str, float]:
        """The likeliest reply of at most `limit` tokens, and the milliseconds to its first token with `held` in the
        cache before, which the prompt begins with; all is evaluated where nothing is held."""
        self._llama.reset()  # type: ignore[no-untyped-call]
        if held:
            self._llama.eval(held)
        started = time.perf_counter()
        tokens: list[int] = []
        first_ms = 0.0
        for token in self._llama.generate(prompt, temp=0.0):
            first_ms = first_ms or (time.perf_counter() - started) * 1000
            if token == self._end or len(tokens) == limit:
                break
            tokens.append(token)
        return self._llama.detokenize(tokens).decode(errors="replace"), first_ms

    def close(self) -> None:
        """Free the model."""
        self._llama.close()
