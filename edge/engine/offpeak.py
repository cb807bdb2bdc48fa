"""What off-peak work is made of: steps of small units, the model asked beside the turns, and what stops both.

All of it lives on the event loop; what a step reads and writes it does on the memory thread, through that thread's
`Worker`, in jobs of less than 50 ms each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from edge.engine.model_ports import LanguageModel, StopSignal, Tokenizer
from edge.engine.ports import Worker
from edge.errors import Cancelled
from edge.memory.nights import StepName as StepName  # noqa: PLC0414  part of the interface of steps
from edge.memory.units import OwnerId

T = TypeVar("T")
TEMPERATURE = 0.1
"""Of a free line: names repeat themselves less than with none, and stay what the notes say."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What a unit of work did: `counts` by what was counted ("placed": 3), in words that `edge consolidate` shows.
    `more`: work is left. The tokens that it took are counted by the AsideModel, also where it was interrupted."""

    more: bool
    counts: Mapping[str, int] = field(default_factory=dict)


class Step(Protocol):
    """One step of a night for one owner."""

    @property
    def name(self) -> StepName: ...

    @property
    def needs_model(self) -> bool:
        """Whether `work` is to be given a model; without one the step waits."""

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:
        """Do one small unit of work: it is what a turn that arrives may lose.

        Its result is written in one transaction, and what is to be known between two calls is in the store: after a
        crash the next call goes on. Raises Cancelled when interrupted; nothing of the unit is written then, and the
        next call does it again. Any other EdgeError makes the step wait for the next night.
        """


@runtime_checkable
class Sparing(Protocol):
    """A step that can tell without a model whether there is anything to do: loading one for nothing takes a board
    seconds and most of its memory."""

    async def is_due(self, owner: OwnerId) -> bool:
        """Whether `work` has something to ask. What can be done without a model may be done on the way."""


class Interrupts:
    """Stops what runs beside the turns, the moment a turn arrives."""

    def __init__(self) -> None:
        self._holds = 0
        self._running: list[StopSignal] = []

    @property
    def wanted(self) -> bool:
        """Whether what runs beside the turns is to stop, and not to begin."""
        return self._holds > 0

    def hold(self) -> None:
        """Stop what runs now; nothing begins until `release` was called as often."""
        self._holds += 1
        for signal in self._running:
            signal.set()

    def release(self) -> None:
        """Take back one `hold`."""
        self._holds -= 1

    @contextmanager
    def stopping(self, signal: StopSignal) -> Iterator[None]:
        """Let `hold` set the signal while the block runs. Raises Cancelled where it was called already."""
        if self.wanted:
            raise Cancelled("A turn goes first.")
        self._running.append(signal)
        try:
            yield
        finally:
            self._running.remove(signal)
            signal.set()  # who waited for the call may be gone: it must not go on without them


class AsideModel:
    """The language model, asked beside the turns. A session's window stays in the cache as it is, and an arriving
    turn stops the call. Prompts that begin with the same tokens cost those only once: instructions first, note last.
    """

    def __init__(self, model: LanguageModel, worker: Worker, interrupts: Interrupts) -> None:
        """`worker` is the model's thread."""
        self._model = model
        self._worker = worker
        self._interrupts = interrupts
        self._last: Sequence[int] = ()
        self._tokens = 0

    @property
    def id(self) -> str:
        """The model's id."""
        return self._model.id

    @property
    def tokenizer(self) -> Tokenizer:
        return self._model.tokenizer

    @property
    def context_tokens(self) -> int:
        """Most tokens of a prompt and what follows it."""
        return self._model.aside_tokens

    @property
    def tokens(self) -> int:
        """Tokens that were evaluated or made so far, as near as can be told from outside."""
        return self._tokens

    async def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]]) -> list[float]:
        """Mean log-probability of each candidate's tokens after the prefix.

        Raises Cancelled when interrupted, ModelFailed, ValueError where it does not fit `context_tokens`.
        """
        self._count(prefix, sum(len(candidate) - 1 for candidate in candidates))  # the last is not evaluated
        return await self._ask(lambda stop: partial(self._model.score, prefix, candidates, stop))

    async def line(self, prompt: Sequence[int], max_tokens: int, *, seed: int = 0) -> str:
        """One short line of free text, at a low temperature. Raises as `score` does."""
        asked = partial(self._model.free_line, prompt, max_tokens, temperature=TEMPERATURE, seed=seed)
        text = await self._ask(lambda stop: partial(asked, stop=stop))
        self._count(prompt, len(self.tokenizer.encode(text)))
        return text

    async def _ask(self, asked: Callable[[StopSignal], Callable[[], T]]) -> T:
        stop = self._model.new_stop()
        with self._interrupts.stopping(stop):
            return await self._worker.run(asked(stop))

    def _count(self, prompt: Sequence[int], made: int) -> None:
        known = 0
        for one, other in zip(self._last, prompt[:-1], strict=False):  # the last is evaluated again
            if one != other:
                break
            known += 1
        self._last = prompt
        self._tokens += len(prompt) - known + made
