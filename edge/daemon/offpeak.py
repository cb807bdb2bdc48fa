"""The schedule of nights: one begins by itself or is asked for, and is told of. Lives on the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

from edge.clock import Clock
from edge.daemon.hindrances import Conditions, Hindrance
from edge.engine.consolidate import Consolidation
from edge.engine.night_ports import Night, NightState, Part
from edge.engine.nights import Nights
from edge.engine.offpeak import Interrupts
from edge.engine.ports import Worker
from edge.errors import Busy, EdgeError
from edge.memory.nights import StepName
from edge.memory.units import OwnerId

_log = logging.getLogger(__name__)
LOOK_SECONDS = 5.0
"""Between two looks at whether it is off-peak."""
_COUNT_SECONDS = 60.0
"""Between two counts of what is new, and between two times of tidying up."""
_ASKED_LOOK_SECONDS = 0.2
"""The same while somebody waits for a night that they asked for."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What off-peak does: the part it worked on last, or what hinders it; nothing hinders it where nothing is due."""

    is_working: bool
    part: Part | None
    hindrance: Hindrance | None


Progress = Part | Hindrance | Night
"""What a person who asked is told: a unit of work was done, it waits, and last how the night stands."""


class Schedule:
    """Lets nights be worked through. One is worked on at a time."""

    def __init__(
        self,
        nights: Nights,
        consolidation: Consolidation,
        conditions: Conditions,
        interrupts: Interrupts,
        worker: Worker,
        clock: Clock,
        *,
        meanwhile: Callable[[], None],
    ) -> None:
        """`worker` is the memory thread; `meanwhile` is called once a minute, off-peak or not."""
        self._nights = nights
        self._consolidation = consolidation
        self._conditions = conditions
        self._interrupts = interrupts
        self._worker = worker
        self._clock = clock
        self._meanwhile = meanwhile
        self._working = asyncio.Lock()
        self._closing = False
        self._night: Night | None = None
        self._part: Part | None = None
        self._resting = asyncio.Event()
        self._resting.set()
        self._is_asked = False
        self._wishes: list[tuple[OwnerId, StepName | None]] = []
        self._counted: float | None = None
        self._tidied = clock.monotonic()

    # --- by itself ---

    async def watch(self) -> None:
        """Look again and again whether it is off-peak and a night is due. Never ends by itself."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._clock.monotonic() - self._tidied >= _COUNT_SECONDS:
                self._tidied = self._clock.monotonic()
                self._meanwhile()
            try:
                await self.look()
            except EdgeError as error:  # of the store; it was named where it first failed, and is asked again
                _log.warning("no night now: %s", error.message)

    async def look(self) -> None:
        """Work through a night where it is off-peak and one is due, until something hinders it."""
        if self._working.locked() or self._conditions.to_begin() is not None:
            return
        async with self._working:
            night = await self._due()
            if night is not None:
                await self._run(night, lambda: self._conditions.to_go_on() is not None, lambda _: None)

    async def _due(self) -> Night | None:
        if self._wishes:
            owner, only = self._wishes.pop(0)
            return await self._worker.run(partial(self._nights.ask, owner, only))
        now = self._clock.monotonic()
        is_open = self._night is not None and self._night.state is NightState.OPEN
        if not is_open and self._counted is not None and now - self._counted < _COUNT_SECONDS:
            return None
        self._counted = now
        return await self._worker.run(self._nights.due)

    # --- asked for ---

    async def consolidate(self, owner: OwnerId, only: StepName | None, *, now: bool) -> AsyncGenerator[Progress]:
        """Work through a night for an owner, of all steps or one; ends with the night.

        `now` waits for nothing but turns and a board in danger, and stops when the generator is closed; what is left is
        done off-peak. Else it is begun where it is off-peak now, and where it is not the wish is kept, until the daemon
        ends: then only a Hindrance is told. Raises Busy while another asked for one now.
        """
        hindrance = None if now else self._conditions.to_begin()
        if hindrance is not None:
            self._wishes = [wish for wish in self._wishes if wish != (owner, only)] + [(owner, only)]
            yield hindrance
            return
        if self._is_asked:
            raise Busy("A night that was asked for is under way already.", hint="Wait until it has ended.")
        self._is_asked = True
        try:
            async with self._alone():
                night = await self._worker.run(partial(self._nights.ask, owner, only))
                looking = self._conditions.of_the_machine if now else self._conditions.to_go_on
                async with aclosing(self._followed(night, looking)) as progress:
                    async for each in progress:
                        yield each
        finally:
            self._is_asked = False

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Stop the night that is worked on, and let none begin meanwhile."""
        with self._held():
            await self._working.acquire()
        try:
            yield
        finally:
            self._working.release()

    async def _followed(self, night: Night, looking: Callable[[], Hindrance | None]) -> AsyncGenerator[Progress]:
        said: Hindrance | None = None
        while night.state is NightState.OPEN and not self._closing:
            hindrance = looking()
            if hindrance is not None and hindrance != said:
                yield hindrance
            said = hindrance
            if hindrance is not None:
                await asyncio.sleep(_ASKED_LOOK_SECONDS)
                continue
            async with aclosing(self._worked(night, looking)) as parts:
                async for part in parts:
                    yield part
            assert self._night is not None
            night = self._night
        yield night

    async def _worked(self, night: Night, looking: Callable[[], Hindrance | None]) -> AsyncGenerator[Part]:
        """The parts as they are worked on, until a hindrance or the end. Who reads no further stops the work."""
        told: asyncio.Queue[Part | None] = asyncio.Queue()
        working = asyncio.ensure_future(self._run(night, lambda: looking() is not None, told.put_nowait))
        working.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (part := await told.get()) is not None:
                yield part
        finally:
            with self._held():
                await asyncio.wait({working})
        working.result()

    # --- both ---

    async def _run(self, night: Night, is_hindered: Callable[[], bool], tell: Callable[[Part], None]) -> Night:
        def told(night: Night, part: Part) -> None:
            self._night, self._part = night, part
            tell(part)

        self._night, self._part = night, None
        self._resting.clear()
        try:
            self._night = await self._consolidation.run(night, lambda: self._closing or is_hindered(), told)
        finally:
            self._resting.set()
        return self._night

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Stop what asks the model, and what looks at `wanted`."""
        self._interrupts.hold()
        try:
            yield
        finally:
            self._interrupts.release()

    @property
    def is_working(self) -> bool:
        """Whether a night is worked on, or somebody waits for one."""
        return self._working.locked()

    def look_only(self) -> Standing:
        """What off-peak does now."""
        if not self._resting.is_set():
            return Standing(True, self._part, None)
        return Standing(False, None, self._conditions.to_begin())

    async def night(self) -> Night | None:
        """The newest night, as it stands now. Raises what the store does."""
        return self._night or await self._worker.run(self._nights.last)

    async def close(self) -> None:
        """Stop what is worked on, and wait until it has. Nothing begins any more."""
        self._closing = True
        self._interrupts.hold()
        await self._resting.wait()
