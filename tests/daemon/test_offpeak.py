"""The schedule: nights begin off-peak, stop for turns, go on, and are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from edge.daemon.hindrances import Cause, Hindrance
from edge.daemon.offpeak import Progress, Schedule
from edge.daemon.workers import ThreadWorker
from edge.engine.consolidate import Budget, Consolidation
from edge.engine.night_ports import Night, NightState, Part
from edge.engine.nights import Nights
from edge.engine.offpeak import AsideModel, Worked
from edge.errors import Busy
from edge.memory.nights import Seen, StepName, Thresholds
from edge.memory.units import OwnerId
from tests.daemon.test_hindrances import Evening
from tests.engine.making import ANN, BOB
from tests.fakes.language_model import Gate, ScriptedModel
from tests.fakes.nights import FakeBackups, FakeNights


class Asking:
    """A step of three units, each of which asks the model once."""

    name = StepName.DISTIL
    needs_model = True

    def __init__(self) -> None:
        self.done: dict[OwnerId, int] = {}

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:
        assert model is not None
        await model.score([1, 2, 3], [[4]])
        self.done[owner] = self.done.get(owner, 0) + 1
        return Worked(self.done[owner] < 3, {"facts": 1})


class Watch(Evening):
    """A schedule on fakes."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.store, self.step, self.model = FakeNights(), Asking(), ScriptedModel()
        self.store.has = {ANN: Seen(20)}
        self.workers = ThreadWorker("memory", 9), ThreadWorker("model", 9)
        self.tidied = 0
        nights = Nights(self.store, FakeBackups(), (StepName.DISTIL,), Thresholds(), self.clock)
        consolidation = Consolidation(
            self.store, self.workers[0], [self.step], self._get, self.workers[1], self.interrupts, self.clock,
            Budget(1e6, 10**9),
        )  # fmt: skip
        self.schedule = Schedule(
            nights, consolidation, self.conditions, self.interrupts, self.workers[0], self.clock, meanwhile=self._tidy
        )

    async def _get(self) -> ScriptedModel:
        return self.model

    def _tidy(self) -> None:
        self.tidied += 1

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def patiently() -> None:
            await asyncio.wait_for(work(), 60)

        asyncio.run(patiently())

    @property
    def night(self) -> Night | None:
        return self.store.last()

    def ask(self, owner: OwnerId = ANN, *, now: bool = True) -> AsyncGenerator[Progress]:
        return self.schedule.consolidate(owner, None, now=now)


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    watch = Watch(tmp_path)
    yield watch
    for worker in watch.workers:
        worker.close()


def state_of(night: Night | None) -> NightState | None:
    return None if night is None else night.state


def test_a_night_that_is_due_is_worked_through_off_peak(watch: Watch) -> None:
    async def work() -> None:
        watch.use()
        await watch.schedule.look()
        assert watch.night is None
        standing = watch.schedule.look_only()
        assert (standing.is_working, standing.hindrance) == (False, watch.conditions.to_begin())
        watch.clock.pass_by(minutes=5)
        await watch.schedule.look()
        assert state_of(watch.night) is NightState.DONE
        assert await watch.schedule.night() == watch.night
        assert watch.schedule.look_only().hindrance is None

    watch.run(work)


def test_what_is_new_is_counted_once_a_minute(watch: Watch) -> None:
    async def work() -> None:
        watch.store.has = {}
        await watch.schedule.look()
        watch.store.has = {ANN: Seen(20)}
        await watch.schedule.look()
        assert watch.night is None
        watch.clock.pass_by(minutes=1)
        await watch.schedule.look()
        assert state_of(watch.night) is NightState.DONE

    watch.run(work)


def test_a_turn_stops_a_night_and_it_goes_on_after(watch: Watch) -> None:
    async def work() -> None:
        gate = Gate()
        watch.model.aside_gate = gate
        looking = asyncio.ensure_future(watch.schedule.look())
        await asyncio.to_thread(gate.reached.wait, 30)
        assert watch.schedule.look_only().is_working
        watch.interrupts.hold()
        await looking
        assert state_of(watch.night) is NightState.OPEN
        assert watch.step.done == {}
        await watch.schedule.look()
        gate.open()
        watch.interrupts.release()
        await watch.schedule.look()
        assert state_of(watch.night) is NightState.DONE

    watch.run(work)


def test_heat_stops_a_night_between_two_units(watch: Watch) -> None:
    async def work() -> None:
        gate = Gate()
        watch.model.aside_gate = gate
        looking = asyncio.ensure_future(watch.schedule.look())
        await asyncio.to_thread(gate.reached.wait, 30)
        watch.fake.cool(82.4)
        watch.clock.pass_by(seconds=3)
        gate.open()
        await looking
        assert (state_of(watch.night), watch.step.done) == (NightState.OPEN, {ANN: 1})
        standing = watch.schedule.look_only()
        assert standing.hindrance == Hindrance(Cause.HOT, "the board is hot, 82 °C")

    watch.run(work)


def test_one_that_is_asked_for_now_tells_its_progress(watch: Watch) -> None:
    async def work() -> None:
        watch.use()
        watch.fake.busy(9.0)
        told = [each async for each in watch.ask()]
        assert [each.works for each in told if isinstance(each, Part)] == [1, 2, 3]
        assert told[-1] == watch.night
        assert state_of(watch.night) is NightState.DONE

    watch.run(work)


def test_one_that_is_asked_for_now_waits_for_turns_alone(watch: Watch) -> None:
    async def work() -> None:
        watch.interrupts.hold()
        async with aclosing(watch.ask()) as asked:
            assert await anext(asked) == Hindrance(Cause.TURN, "a turn goes first")
            watch.interrupts.release()
            assert isinstance(await anext(asked), Part)

    watch.run(work)


def test_who_reads_no_further_stops_it_and_it_goes_on_off_peak(watch: Watch) -> None:
    async def work() -> None:
        watch.use()
        async with aclosing(watch.ask()) as asked:
            assert isinstance(await anext(asked), Part)
        assert state_of(watch.night) is NightState.OPEN
        assert not watch.interrupts.wanted
        watch.clock.pass_by(minutes=5)
        await watch.schedule.look()
        assert state_of(watch.night) is NightState.DONE
        assert watch.step.done == {ANN: 3}

    watch.run(work)


def test_only_one_can_be_asked_for_at_a_time(watch: Watch) -> None:
    async def work() -> None:
        async with aclosing(watch.ask()) as asked:
            await anext(asked)
            with pytest.raises(Busy):
                await anext(watch.ask(BOB))

    watch.run(work)


def test_one_that_is_asked_for_takes_the_place_of_the_one_that_runs(watch: Watch) -> None:
    async def work() -> None:
        gate = Gate()
        watch.model.aside_gate = gate
        looking = asyncio.ensure_future(watch.schedule.look())
        await asyncio.to_thread(gate.reached.wait, 30)
        gate.open()
        told = [each async for each in watch.ask(BOB)]
        await looking
        assert told[-1] == watch.night
        assert [night.owner for night in watch.store.nights] == [None, BOB]
        assert watch.step.done[BOB] == 3

    watch.run(work)


def test_a_wish_waits_until_it_is_off_peak(watch: Watch) -> None:
    async def work() -> None:
        watch.use()
        watch.store.has = {BOB: Seen(1)}
        told = [each async for each in watch.ask(BOB, now=False)]
        assert told == [Hindrance(Cause.IN_USE, "it was just used, 5 min to go")]
        watch.clock.pass_by(minutes=5)
        await watch.schedule.look()
        assert state_of(watch.night) is NightState.DONE
        assert watch.step.done == {BOB: 3}

    watch.run(work)


def test_a_wish_off_peak_is_done_at_once(watch: Watch) -> None:
    async def work() -> None:
        told = [each async for each in watch.ask(now=False)]
        assert told[-1] == watch.night

    watch.run(work)


def test_the_end_stops_what_is_worked_on_and_nothing_begins(watch: Watch) -> None:
    async def work() -> None:
        gate = Gate()
        watch.model.aside_gate = gate
        looking = asyncio.ensure_future(watch.schedule.look())
        await asyncio.to_thread(gate.reached.wait, 30)
        await watch.schedule.close()
        await looking
        await watch.schedule.look()
        assert state_of(watch.night) is NightState.OPEN
        assert watch.step.done == {}

    watch.run(work)


def test_it_looks_by_itself_and_tidies_up_once_a_minute(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        monkeypatch.setattr("edge.daemon.offpeak.LOOK_SECONDS", 0)
        watching = asyncio.ensure_future(watch.schedule.watch())
        while state_of(watch.night) is not NightState.DONE:
            await asyncio.sleep(0)
        assert watch.tidied == 0
        watch.clock.pass_by(minutes=1)
        while not watch.tidied:
            await asyncio.sleep(0)
        watching.cancel()

    watch.run(work)
