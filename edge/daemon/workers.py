"""Threads that own what is not thread-safe: the memory thread and the model thread."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import TypeVar

from edge.errors import Busy, EdgeError, Stopping

_log = logging.getLogger(__name__)
T = TypeVar("T")
_Job = Callable[[], None]
_END = object()


class ThreadWorker:
    """A `Worker` on a thread of its own. Work from the front goes first, in order; background steps fill the gaps.

    An unexpected error in a job is logged with its traceback and reaches the caller as an EdgeError; the thread goes
    on.
    """

    def __init__(self, name: str, limit: int) -> None:
        """`limit` jobs may wait; one more is refused with Busy."""
        self._limit = limit
        self._jobs: deque[_Job] = deque()
        self._steps: deque[Callable[[], bool]] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread still works."""
        return self._thread.is_alive()

    async def run(self, work: Callable[[], T]) -> T:
        """See Worker.run."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def job() -> None:
            try:
                result = self._guarded(work)
            except EdgeError as error:
                _tell(loop, _fail, future, error)
            else:
                _tell(loop, _resolve, future, result)

        self._put(job)
        return await future

    async def stream(self, work: Callable[[], Iterator[T]]) -> AsyncGenerator[T]:
        """See Worker.stream. Closing the generator ends the iteration at the next item."""
        loop = asyncio.get_running_loop()
        items: asyncio.Queue[object] = asyncio.Queue()
        closed = threading.Event()

        def job() -> None:
            try:
                self._guarded(lambda: _pump(work, closed, lambda item: _tell(loop, items.put_nowait, item)))
            except EdgeError as error:
                _tell(loop, items.put_nowait, error)
            _tell(loop, items.put_nowait, _END)

        self._put(job)
        try:
            while (item := await items.get()) is not _END:
                if isinstance(item, EdgeError):
                    raise item
                yield item  # type: ignore[misc]
        finally:
            closed.set()

    def in_background(self, step: Callable[[], bool]) -> None:
        """Run a short step when nothing else waits, again and again while it returns True."""
        with self._changed:
            if step not in self._steps and not self._closing:
                self._steps.append(step)
                self._changed.notify()

    def close(self, last: Callable[[], None] | None = None) -> None:
        """Finish what waits, run `last` on the thread, and end it. Blocks until then."""
        with self._changed:
            if last is not None:
                self._jobs.append(last)
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _put(self, job: _Job) -> None:
        with self._changed:
            if self._closing:
                raise Stopping("The daemon is shutting down.")
            if len(self._jobs) >= self._limit:
                raise Busy(f"{len(self._jobs)} requests are waiting already.", waiting=len(self._jobs))
            self._jobs.append(job)
            self._changed.notify()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                job()
            except Exception:  # noqa: BLE001  outer boundary: the thread must go on
                _log.exception("a job of the %s thread failed", self._thread.name)
            del job  # it may hold a model, and the next may be long in coming

    def _next(self) -> _Job | None:
        with self._changed:
            while not self._jobs and not self._closing and not self._steps:
                self._changed.wait()
            if self._jobs:
                return self._jobs.popleft()
            if self._closing:
                return None
            step = self._steps.popleft()
        return lambda: self._take_step(step)

    def _take_step(self, step: Callable[[], bool]) -> None:
        if step():
            self.in_background(step)

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except EdgeError:
            raise
        except Exception as error:
            _log.exception("a request failed on the %s thread", self._thread.name)
            raise EdgeError(f"Something unexpected went wrong: {type(error).__name__}.") from error


def _pump(work: Callable[[], Iterator[T]], closed: threading.Event, hand_over: Callable[[T], None]) -> None:
    for item in work():
        if closed.is_set():
            return
        hand_over(item)


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *args: object) -> None:
    """Call it on the loop; a loop that has ended meanwhile has nobody left to tell."""
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:
        _log.debug("a result came after the event loop had ended")


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: EdgeError) -> None:
    if not future.done():
        future.set_exception(error)
