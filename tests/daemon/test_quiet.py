"""When nobody uses the daemon: not while it is used, not soon after, but however often somebody only looks."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from edge.daemon.quiet import Quiet, noting_use
from tests.fakes.clock import SetClock

LONG = 300.0


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def quiet(clock: SetClock) -> Quiet:
    return Quiet(clock)


def ask(quiet: Quiet, clock: SetClock, method: str, seconds: float = 0.0, path: str = "/v1/turns") -> float | None:
    """A request that takes so long; since when it was idle at its end."""
    seen: list[float | None] = []

    async def handler(request: web.Request) -> web.Response:
        clock.pass_by(seconds=seconds)
        seen.append(quiet.idle_seconds)
        return web.Response()

    async def answer() -> None:
        await noting_use(quiet)(make_mocked_request(method, path), handler)

    asyncio.run(answer())
    return seen[0]


def test_it_is_quiet_when_nobody_has_used_it_for_some_time(quiet: Quiet, clock: SetClock) -> None:
    clock.pass_by(seconds=LONG - 1)
    assert quiet.idle_seconds == LONG - 1
    clock.pass_by(seconds=1)
    assert quiet.idle_seconds == LONG


def test_it_is_not_quiet_while_a_turn_goes_on_nor_soon_after(quiet: Quiet, clock: SetClock) -> None:
    assert ask(quiet, clock, "POST", 2 * LONG) is None
    assert quiet.idle_seconds == 0
    clock.pass_by(seconds=LONG)
    assert quiet.idle_seconds == LONG


def test_who_only_looks_does_not_use_it(quiet: Quiet, clock: SetClock) -> None:
    for _ in range(10):
        clock.pass_by(seconds=LONG / 10)
        ask(quiet, clock, "GET")
    assert quiet.idle_seconds == pytest.approx(LONG)


def test_a_use_that_fails_has_ended(quiet: Quiet, clock: SetClock) -> None:
    with pytest.raises(ConnectionError), quiet.use():
        raise ConnectionError
    clock.pass_by(seconds=LONG)
    assert quiet.idle_seconds == LONG


def test_a_jump_of_the_wall_clock_is_no_quiet_time(quiet: Quiet, clock: SetClock) -> None:
    clock.set(clock.now().replace(year=2099))
    assert quiet.idle_seconds == 0


def test_a_wish_for_off_peak_work_is_no_use(quiet: Quiet, clock: SetClock) -> None:
    clock.pass_by(seconds=LONG)
    ask(quiet, clock, "POST", path="/v1/consolidations")
    assert quiet.idle_seconds == LONG
