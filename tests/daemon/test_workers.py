"""Worker threads: order, limits, background work that makes room, errors that end nothing, an orderly end."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager

import pytest

from edge.daemon.workers import ThreadWorker
from edge.errors import Busy, DiskFull, EdgeError, Stopping


@asynccontextmanager
async def worker(limit: int = 8) -> AsyncIterator[ThreadWorker]:
    made = ThreadWorker("test", limit)
    try:
        yield made
    finally:
        await asyncio.to_thread(made.close)


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(story(), 60)

    asyncio.run(bounded())


class Held:
    """A job that holds the thread until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self._let_go = threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self._let_go.wait(30)
        return "held"

    def let_go(self) -> None:
        self._let_go.set()


async def hold(at: ThreadWorker) -> tuple[Held, asyncio.Task[str]]:
    held = Held()
    task = asyncio.create_task(at.run(held))
    assert await asyncio.to_thread(held.begun.wait, 30)
    return held, task


def test_work_runs_on_the_thread_in_order_of_arrival() -> None:
    async def story() -> None:
        async with worker() as at:
            assert await at.run(lambda: threading.current_thread().name) == "test"
            held, task = await hold(at)
            done: list[int] = []
            tasks = [asyncio.create_task(at.run(lambda n=n: done.append(n))) for n in range(5)]  # type: ignore[misc]
            await asyncio.sleep(0)
            held.let_go()
            await asyncio.gather(task, *tasks)
            assert done == [0, 1, 2, 3, 4]

    run(story)


def test_one_more_than_may_wait_is_refused() -> None:
    async def story() -> None:
        async with worker(limit=2) as at:
            held, task = await hold(at)
            waiting = [asyncio.create_task(at.run(lambda: None)) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(Busy) as refused:
                await at.run(lambda: None)
            assert refused.value.details == {"waiting": 2}
            with pytest.raises(Busy):
                await anext(at.stream(lambda: iter([1])))
            held.let_go()
            await asyncio.gather(task, *waiting)
            assert await at.run(lambda: "again") == "again"

    run(story)


def test_an_expected_error_reaches_the_caller_and_an_unexpected_one_too(caplog: pytest.LogCaptureFixture) -> None:
    def fails(error: Exception) -> None:
        raise error

    async def story() -> None:
        async with worker() as at:
            full = DiskFull("full")
            with pytest.raises(DiskFull) as expected:
                await at.run(lambda: fails(full))
            assert expected.value is full
            for odd in (ZeroDivisionError("x"), StopIteration("x"), MemoryError("x")):
                with pytest.raises(EdgeError, match=type(odd).__name__) as unexpected:
                    await at.run(lambda odd=odd: fails(odd))  # type: ignore[misc]
                assert unexpected.value.code == "internal"
            assert at.alive

    with caplog.at_level(logging.ERROR):
        run(story)
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 3
    assert all(record.exc_info for record in caplog.records)


def test_a_caller_that_goes_away_leaves_the_thread_at_work() -> None:
    async def story() -> None:
        async with worker() as at:
            held, task = await hold(at)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            held.let_go()
            assert await at.run(lambda: 7) == 7

    run(story)


def test_a_result_for_a_loop_that_has_ended_is_dropped() -> None:
    at = ThreadWorker("test", 8)
    held = Held()

    async def leave() -> None:
        task = asyncio.create_task(at.run(held))
        assert await asyncio.to_thread(held.begun.wait, 30)
        task.cancel()

    asyncio.run(leave())
    held.let_go()
    at.close()
    assert not at.alive


# --- streams ---


def test_items_come_as_they_are_made_and_then_the_error() -> None:
    def work() -> Iterator[int]:
        yield 1
        yield 2
        raise DiskFull("full")

    async def story() -> None:
        async with worker() as at:
            stream = at.stream(work)
            assert [await anext(stream), await anext(stream)] == [1, 2]
            with pytest.raises(DiskFull):
                await anext(stream)
            assert [item async for item in at.stream(lambda: iter("ab"))] == ["a", "b"]

    run(story)


def test_a_stream_that_is_closed_ends_at_the_next_item_and_cleans_up() -> None:
    async def story() -> None:
        async with worker() as at:
            made: list[int] = []
            ended = threading.Event()
            may_go_on = threading.Event()

            def work() -> Iterator[int]:
                try:
                    for n in range(1000):
                        made.append(n)
                        yield n
                        assert may_go_on.wait(30)
                finally:
                    ended.set()

            async with aclosing(at.stream(work)) as stream:
                assert await anext(stream) == 0
            may_go_on.set()
            await at.run(lambda: None)
            assert ended.is_set()
            assert made == [0, 1]

    run(story)


def test_a_stream_that_nobody_reads_is_not_begun() -> None:
    async def story() -> None:
        async with worker() as at:
            begun = threading.Event()

            def work() -> Iterator[int]:
                begun.set()
                yield 1

            stream = at.stream(work)
            await at.run(lambda: None)
            await stream.aclose()
            assert not begun.is_set()

    run(story)


# --- background ---


def test_background_steps_yield_to_what_is_asked_for() -> None:
    async def story() -> None:
        async with worker() as at:
            log: list[str] = []
            held = Held()
            left = iter([True, True, False])

            def step() -> bool:
                log.append("step")
                if len(log) == 1:
                    held()
                return next(left)

            at.in_background(step)
            assert await asyncio.to_thread(held.begun.wait, 30)
            asked = [asyncio.create_task(at.run(lambda: log.append("asked"))) for _ in range(2)]
            await asyncio.sleep(0)
            held.let_go()
            await asyncio.gather(*asked)
            await asyncio.to_thread(at.close)
            assert log[:3] == ["step", "asked", "asked"]

    run(story)


def test_a_step_runs_until_it_has_nothing_left_and_is_queued_once() -> None:
    async def story() -> None:
        async with worker() as at:
            held, task = await hold(at)
            steps: list[int] = []
            done = threading.Event()

            def step() -> bool:
                steps.append(1)
                if len(steps) == 3:
                    done.set()
                return len(steps) < 3

            for _ in range(10):
                at.in_background(step)
            held.let_go()
            await task
            assert await asyncio.to_thread(done.wait, 30)
            await at.run(lambda: None)
            assert len(steps) == 3

    run(story)


def test_a_step_that_fails_is_logged_and_may_come_again(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with worker() as at:
            for _ in range(2):
                failed = threading.Event()

                def step(failed: threading.Event = failed) -> bool:
                    failed.set()
                    raise ZeroDivisionError

                at.in_background(step)
                assert await asyncio.to_thread(failed.wait, 30)
                assert await at.run(lambda: "alive") == "alive"

    with caplog.at_level(logging.ERROR):
        run(story)
    assert len(caplog.records) == 2


# --- the end ---


def test_closing_finishes_what_waits_then_the_last_work_and_takes_nothing_new() -> None:
    async def story() -> None:
        at = ThreadWorker("test", 8)
        held, task = await hold(at)
        log: list[str] = []
        waiting = asyncio.create_task(at.run(lambda: log.append("waiting")))
        await asyncio.sleep(0)
        closing = asyncio.create_task(asyncio.to_thread(at.close, lambda: log.append("last")))
        while not at._closing:
            await asyncio.sleep(0)
        with pytest.raises(Stopping):
            await at.run(lambda: log.append("late"))

        def step() -> bool:
            log.append("background")
            return False

        at.in_background(step)
        held.let_go()
        await asyncio.gather(task, waiting, closing)
        assert log == ["waiting", "last"]
        assert not at.alive

    run(story)


def test_last_work_that_fails_does_not_hold_the_end(caplog: pytest.LogCaptureFixture) -> None:
    def last() -> None:
        raise ZeroDivisionError

    at = ThreadWorker("test", 8)
    with caplog.at_level(logging.ERROR):
        at.close(last)
    assert not at.alive
    assert len(caplog.records) == 1
