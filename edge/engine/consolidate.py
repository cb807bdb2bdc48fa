"""A night: its steps in small units of work, round and round between owners and steps, until all is done or its budget
is spent. Lives on the event loop.

All that is to be known between two units is in the store: a night that was interrupted, by a turn or by a power cut,
goes on where it was.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from edge.clock import Clock
from edge.engine.model_ports import LanguageModel
from edge.engine.night_ports import Night, NightState, NightStore, Part, PartState
from edge.engine.offpeak import AsideModel, Interrupts, Sparing, Step, Worked
from edge.engine.ports import Worker
from edge.errors import Busy, Cancelled, EdgeError
from edge.memory.nights import COMMON, StepName
from edge.memory.units import OwnerId

_log = logging.getLogger(__name__)
SLICE_SECONDS = 60.0
"""A step works so long for an owner before the next one has its turn: long enough that the instructions it shares
between its questions are evaluated seldom."""
_HOUSE_ROUND = 5
"""House-keeping comes after the other steps, but at the latest when each of these had so many slices: a night that is
always interrupted makes its backup all the same."""
_KEEP_SECONDS = 5.0
"""Of work, after which it is noted how far a step is: a card wears with every write."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What the steps of owners may take in a night; house-keeping, which is short, is always done."""

    seconds: float
    tokens: int

    def is_spent(self, parts: Sequence[Part]) -> bool:
        """Whether it was used up."""
        return _seconds(parts) >= self.seconds or sum(part.tokens for part in parts) >= self.tokens


class Consolidation:
    """Works through a night."""

    def __init__(
        self,
        store: NightStore,
        worker: Worker,
        steps: Sequence[Step],
        model: Callable[[], Awaitable[LanguageModel]],
        model_worker: Worker,
        interrupts: Interrupts,
        clock: Clock,
        budget: Budget,
    ) -> None:
        """`worker` is the memory thread; `model` gives the loaded model or raises why there is none."""
        self._store = store
        self._worker = worker
        self._steps = {step.name: step for step in steps}
        self._model = model
        self._model_worker = model_worker
        self._interrupts = interrupts
        self._clock = clock
        self._budget = budget
        self._aside: tuple[LanguageModel, AsideModel] | None = None

    async def run(self, night: Night, is_hindered: Callable[[], bool], tell: Callable[[Night, Part], None]) -> Night:
        """Work until it is hindered or interrupted, and then until the night ends; how it stands then. `tell` is given
        the night and the part after each unit of work. Raises what the store does."""
        try:
            return await self._run(night, is_hindered, tell)
        finally:
            self._aside = None  # nothing of it may keep a model that is to be freed

    async def _run(self, night: Night, is_hindered: Callable[[], bool], tell: Callable[[Night, Part], None]) -> Night:
        parts, kept = list(night.parts), list(night.parts)
        while (at := self._next(parts)) is not None and not is_hindered():
            parts[at], was_interrupted = await self._work(parts[at])
            _reopen_behind(parts, at)
            tell(replace(night, parts=tuple(parts)), parts[at])
            if was_interrupted:
                break
            if parts[at].state is not PartState.WAITING or _seconds(parts) - _seconds(kept) >= _KEEP_SECONDS:
                await self._keep(night, parts, kept)
        await self._keep(night, parts, kept)
        if at is not None:
            return replace(night, parts=tuple(parts))
        state = NightState.SPENT if any(part.state is PartState.WAITING for part in parts) else NightState.DONE
        ended_at = self._clock.now()
        await self._worker.run(partial(self._store.end, night.id, state, ended_at))
        return replace(night, parts=tuple(parts), state=state, ended_at=ended_at)

    def _next(self, parts: Sequence[Part]) -> int | None:
        """The part whose turn it is: the one with the fewest slices so far, in the order of the steps."""
        spent = self._budget.is_spent(parts)
        waiting = [
            (_round(part), at)
            for at, part in enumerate(parts)
            if part.state is PartState.WAITING and part.step in self._steps and not (spent and part.step not in COMMON)
        ]
        return min(waiting)[1] if waiting else None

    async def _work(self, part: Part) -> tuple[Part, bool]:
        """A unit of work, and whether it was interrupted."""
        began, tokens = self._clock.monotonic(), self._tokens
        task = asyncio.ensure_future(self._step(part))
        await asyncio.wait({task})
        seconds = self._clock.monotonic() - began
        tokens = max(0, self._tokens - tokens)
        part = replace(part, seconds=part.seconds + seconds, tokens=part.tokens + tokens)
        error = task.exception()
        if error is None:
            return _after(part, task.result()), False
        if isinstance(error, Cancelled | Busy):
            return part, True
        return replace(part, state=PartState.FAILED, failure=_reason(part, error)), False

    async def _step(self, part: Part) -> Worked:
        step, owner = self._steps[part.step], part.owner or OwnerId("")
        if isinstance(step, Sparing) and not await step.is_due(owner):
            return Worked(more=False)
        model = await self._aside_model() if step.needs_model else None
        return await step.work(owner, model)

    async def _aside_model(self) -> AsideModel:
        model = await self._model()
        if self._aside is None or self._aside[0] is not model:
            self._aside = model, AsideModel(model, self._model_worker, self._interrupts)
        return self._aside[1]

    @property
    def _tokens(self) -> int:
        return 0 if self._aside is None else self._aside[1].tokens

    async def _keep(self, night: Night, parts: list[Part], kept: list[Part]) -> None:
        changed = [part for part, before in zip(parts, kept, strict=True) if part is not before]
        if changed:
            await self._worker.run(partial(self._store.keep_parts, night.id, changed))
            kept[:] = parts


def _seconds(parts: Sequence[Part]) -> float:
    return sum(part.seconds for part in parts)


def _round(part: Part) -> int:
    done = int(part.seconds / SLICE_SECONDS)
    is_house_keeping = part.step in COMMON and part.step is not StepName.BACKLOG
    return max(done, _HOUSE_ROUND) if is_house_keeping else done


def _after(part: Part, worked: Worked) -> Part:
    counts = dict(part.counts)
    for name, count in worked.counts.items():
        counts[name] = counts.get(name, 0) + count
    state = PartState.WAITING if worked.more else PartState.DONE
    return replace(part, state=state, works=part.works + 1, counts=counts)


def _reopen_behind(parts: list[Part], at: int) -> None:
    """Let what comes behind a part in the order of the steps look again, now that the part is done with what it did:
    in its own first slices it may have found nothing yet, as merging does before there are clusters."""
    done = parts[at]
    if done.state is not PartState.DONE or not done.counts or done.owner is None:
        return
    for behind in range(at + 1, len(parts)):
        part = parts[behind]
        if part.owner == done.owner and part.state is PartState.DONE:
            parts[behind] = replace(part, state=PartState.WAITING)


def _reason(part: Part, error: BaseException) -> str:
    """Why a step failed, for the person; what nobody foresaw goes to the log with where it happened."""
    if isinstance(error, EdgeError):
        _log.warning("the step %s waits for the next night: %s %s", part.step, error.message, error.hint)
        return error.message
    _log.error("the step %s failed", part.step, exc_info=error)
    return f"Something unexpected went wrong: {type(error).__name__}."
