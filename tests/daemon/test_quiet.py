"""When nobody uses the daemon: not while it is used, not soon after, but however often somebody only looks."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

import edge.daemon.quiet
from edge.daemon.quiet import QUIET_SECONDS, Quiet, noting_use
from tests.fakes.clock import SetClock


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def quiet(clock: SetClock) -> Quiet:
    return Quiet(clock)


def ask(quiet: Quiet, clock: SetClock, method: str, seconds: float = 0.0) -> bool:
    """A request that takes so long; whether it was quiet at its end."""
    seen: list[bool] = []

    async def handler(request: web.Request) -> web.Response:
        clock.pass_by(seconds=seconds)
        seen.append(quiet.is_now)
        return web.Response()

    async def answer() -> None:
        await noting_use(quiet)(make_mocked_request(method, "/v1/turns"), handler)

    asyncio.run(answer())
    return seen[0]


def test_it_is_quiet_when_nobody_has_used_it_for_some_time(quiet: Quiet, clock: SetClock) -> None:
    clock.pass_by(seconds=QUIET_SECONDS - 1)
    assert not quiet.is_now
    clock.pass_by(seconds=1)
    assert quiet.is_now


def test_it_is_not_quiet_while_a_turn_goes_on_nor_soon_after(quiet: Quiet, clock: SetClock) -> None:
    assert not ask(quiet, clock, "POST", 2 * QUIET_SECONDS)
    assert not quiet.is_now
    clock.pass_by(seconds=QUIET_SECONDS)
    assert quiet.is_now


def test_who_only_looks_does_not_use_it(quiet: Quiet, clock: SetClock) -> None:
    for _ in range(10):
        clock.pass_by(seconds=QUIET_SECONDS / 10)
        ask(quiet, clock, "GET")
    assert quiet.is_now


def test_a_use_that_fails_has_ended(quiet: Quiet, clock: SetClock) -> None:
    with pytest.raises(ConnectionError), quiet.use():
        raise ConnectionError
    clock.pass_by(seconds=QUIET_SECONDS)
    assert quiet.is_now


def test_a_jump_of_the_wall_clock_is_no_quiet_time(quiet: Quiet, clock: SetClock) -> None:
    clock.set(clock.now().replace(year=2099))
    assert not quiet.is_now


def test_work_is_done_as_long_as_it_is_quiet(quiet: Quiet, clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge.daemon.quiet, "_LOOK_SECONDS", 0)
    done: list[float] = []
    looks: list[float] = []

    async def watch() -> None:
        look = quiet.watch(lambda: done.append(clock.monotonic()), meanwhile=lambda: looks.append(clock.monotonic()))
        watching = asyncio.ensure_future(look)
        while len(done) < 2:
            clock.pass_by(seconds=QUIET_SECONDS / 3)
            await asyncio.sleep(0)
        watching.cancel()

    asyncio.run(watch())
    assert QUIET_SECONDS <= done[0] < done[1]
    assert looks[0] < QUIET_SECONDS
    assert set(done) <= set(looks)
