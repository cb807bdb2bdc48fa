"""Requests for the indexes: how they are, a rebuild, a verification. Nothing in them shows what is remembered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from functools import partial

from edge.daemon.memory import Memory
from edge.daemon.streams import Told
from edge.daemon.views import error_wire, index_wire
from edge.daemon.workers import ThreadWorker
from edge.engine.vector_ports import Verified
from edge.engine.vectors import Pair
from edge.errors import Busy, EdgeError
from edge.wire import ChangeWire, IndexAnswer, VerifyDone


class Indexes:
    """What the routes below `/v1/index` do. Lives on the event loop; the work is done on the memory thread."""

    def __init__(self, memory: Memory, worker: ThreadWorker, wake: Callable[[], None]) -> None:
        """`wake` lets the memory thread go on with what is due in the background."""
        self._memory = memory
        self._worker = worker
        self._wake = wake
        self._verifying = False

    async def state(self) -> IndexAnswer:
        """How the indexes are."""
        return await self._worker.run(self._state)

    async def rebuild(self) -> IndexAnswer:
        """Begin to build all anew; where that has begun already, let it go on. Raises what keeps an index from being
        there."""
        answer = await self._worker.run(self._rebuild)
        self._wake()
        return answer

    async def verify(self) -> AsyncGenerator[Told]:
        """Compare all vectors, a little at a time, so that turns come between; the events of it.

        Only one at a time: a second would read the same again and take twice the time.
        """
        if self._verifying:
            error = Busy("The index is being verified already.", hint="Wait until that has ended; see `edge index`.")
            yield "error", error_wire(error), error
            return
        self._verifying = True
        try:
            async with aclosing(self._verified()) as events:
                async for told in events:
                    yield told
        except EdgeError as error:
            yield "error", error_wire(error), error
        finally:
            self._verifying = False
            self._wake()

    async def _verified(self) -> AsyncGenerator[Told]:
        vectors, faults = 0, list[str]()
        for pair in await self._worker.run(self._pairs):
            last: Verified | None = None
            items = await self._worker.run(pair.index.verify)
            try:
                while (item := await self._worker.run(partial(next, items, None))) is not None:
                    last = item
                    yield "progress", {"embedder": pair.key, "done": item.done, "total": item.total}, None
            finally:
                self._worker.in_background(partial(_end, items))
            if last is not None:
                vectors += last.done
                faults += last.faults
        yield "done", await self._worker.run(partial(self._done, vectors, faults)), None

    # --- on the memory thread ---

    def _pairs(self) -> tuple[Pair, ...]:
        pairs = self._memory.vectors.pairs
        if not pairs:
            raise self._memory.embedder_error or Busy("The embedder is still being loaded.")
        return pairs

    def _state(self) -> IndexAnswer:
        vectors, held_up = self._memory.vectors, self._memory.waiting.get("index")
        return {
            "serving": None if vectors.serving is None else index_wire(vectors.serving),
            "coming": None if vectors.coming is None else index_wire(vectors.coming),
            "changing": change_wire(self._memory),
            "held_up": None if held_up is None else held_up.to_wire(),
        }

    def _rebuild(self) -> IndexAnswer:
        for pair in self._pairs():
            pair.rebuild()
        self._memory.waiting.pop("index", None)
        return self._state()

    def _done(self, vectors: int, faults: list[str]) -> VerifyDone:
        rebuilding = any(pair.is_rebuilding for pair in self._memory.vectors.pairs)
        return {"vectors": vectors, "faults": faults, "rebuilding": rebuilding}


def change_wire(memory: Memory) -> ChangeWire | None:
    """How far a change of embedder is; on the memory thread."""
    coming = memory.vectors.coming
    if coming is None:
        return None
    total = memory.store.counts(None)["units"]
    return {"embedder": coming.key, "done": total - memory.store.count_missing(coming.key), "total": total}


def _end(items: Iterator[Verified]) -> bool:
    """End a verification on the thread that it ran on, also where nobody wanted its end."""
    close = getattr(items, "close", None)
    if close is not None:
        close()
    return False
