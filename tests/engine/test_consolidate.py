"""A night: steps in order, round and round, until the budget is spent; what fails waits; what is interrupted is lost
alone; what was done is known after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from edge.daemon.workers import ThreadWorker
from edge.engine.consolidate import SLICE_SECONDS, Budget, Consolidation
from edge.engine.model_ports import LanguageModel
from edge.engine.night_ports import Night, NightState, Part, PartState
from edge.engine.offpeak import AsideModel, Interrupts, Step, Worked
from edge.errors import Cancelled, ModelMissing, StoreFailed
from edge.memory.nights import COMMON, StepName, Trigger
from edge.memory.units import OwnerId
from tests.engine.making import ANN, BOB
from tests.fakes.clock import SetClock
from tests.fakes.language_model import Gate, ScriptedModel
from tests.fakes.nights import FakeNights

Did = list[tuple[StepName, OwnerId | None]]


@dataclass
class Counted:
    """A step of so many units of work, each of which takes so long. `fails` are raised first."""

    name: StepName
    clock: SetClock
    did: Did
    units: int = 1
    seconds: float = 1.0
    needs_model: bool = False
    fails: list[Exception] = field(default_factory=list)
    asks: bool = False
    left: dict[OwnerId, int] = field(default_factory=dict)

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:
        if self.fails:
            raise self.fails.pop(0)
        if self.asks:
            assert model is not None
            await model.score([1, 2, 3], [[4]])
        self.clock.pass_by(seconds=self.seconds)
        self.did.append((self.name, owner or None))
        self.left[owner] = self.left.get(owner, self.units) - 1
        return Worked(self.left[owner] > 0, {"done": 1})


class House:
    """What a night needs, on fakes."""

    def __init__(self) -> None:
        self.store, self.clock, self.interrupts = FakeNights(), SetClock(), Interrupts()
        self.workers = ThreadWorker("memory", 9), ThreadWorker("model", 9)
        self.model: LanguageModel | Exception = ScriptedModel()
        self.did: Did = []
        self.told: list[Part] = []

    def step(self, name: StepName, **how: object) -> Counted:
        return Counted(name, self.clock, self.did, **how)  # type: ignore[arg-type]

    def begin(self, steps: Sequence[Step], owners: Sequence[OwnerId] = (ANN,)) -> Night:
        parts = [
            Part(step.name, owner) for step in steps for owner in ((None,) if step.name in COMMON else tuple(owners))
        ]
        return self.store.begin(Trigger.UNITS, None, parts, {}, self.clock.now())

    def run(
        self,
        night: Night,
        steps: Sequence[Step],
        *,
        seconds: float = 1e6,
        tokens: int = 10**9,
        is_hindered: Callable[[], bool] = lambda: False,
    ) -> Night:
        async def get() -> LanguageModel:
            if isinstance(self.model, Exception):
                raise self.model
            return self.model

        consolidation = Consolidation(
            self.store,
            self.workers[0],
            steps,
            get,
            self.workers[1],
            self.interrupts,
            self.clock,
            Budget(seconds, tokens),
        )
        return asyncio.run(consolidation.run(night, is_hindered, lambda _, part: self.told.append(part)))


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    for worker in house.workers:
        worker.close()


def stored(house: House) -> Night:
    night = house.store.last()
    assert night is not None
    return night


def states(night: Night) -> dict[StepName, PartState]:
    return {part.step: part.state for part in night.parts}


def test_what_found_nothing_looks_again_when_the_step_before_it_is_done(house: House) -> None:
    """As merging does before there are clusters."""
    clusters = house.step(StepName.CLUSTER, units=3, seconds=SLICE_SECONDS)
    merge, seal = house.step(StepName.MERGE), house.step(StepName.SEAL)
    night = house.run(house.begin([clusters, merge, seal], (ANN, BOB)), [clusters, merge, seal])
    assert night.state is NightState.DONE
    for owner in (ANN, BOB):
        did = [name for name, whose in house.did if whose == owner]
        assert did == [StepName.CLUSTER, StepName.MERGE, StepName.CLUSTER, StepName.CLUSTER, StepName.MERGE]
    assert house.did.count((StepName.SEAL, None)) == 1


def test_nothing_looks_again_behind_a_step_that_did_nothing(house: House) -> None:
    class Idle(Counted):
        async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:
            return replace(await super().work(owner, model), counts={})

    clusters = Idle(StepName.CLUSTER, house.clock, house.did, units=2, seconds=SLICE_SECONDS)
    merge = house.step(StepName.MERGE)
    house.run(house.begin([clusters, merge]), [clusters, merge])
    assert house.did.count((StepName.MERGE, ANN)) == 1


def test_steps_come_in_their_order_and_house_keeping_last(house: House) -> None:
    names = (StepName.BACKLOG, StepName.DISTIL, StepName.CLUSTER, StepName.SEAL, StepName.BACKUP)
    steps = [house.step(name, units=2) for name in names]
    night = house.run(house.begin(steps), steps)
    assert [name for name, _ in house.did] == [name for name in names for _ in range(2)]
    assert (night.state, night.ended_at) == (NightState.DONE, house.clock.now())
    assert stored(house) == night
    assert {part.works for part in night.parts} == {2}
    assert night.parts[1].counts == {"done": 2}
    assert [part.works for part in house.told if part.step is StepName.DISTIL] == [1, 2]


def test_owners_and_steps_take_turns(house: House) -> None:
    long = house.step(StepName.DISTIL, units=5, seconds=SLICE_SECONDS)
    short = house.step(StepName.CLUSTER, units=1)
    house.run(house.begin([long, short], [ANN, BOB]), [long, short])
    assert house.did[:4] == [
        (StepName.DISTIL, ANN), (StepName.DISTIL, BOB), (StepName.CLUSTER, ANN), (StepName.CLUSTER, BOB),
    ]  # fmt: skip
    assert house.did[4:6] == [(StepName.DISTIL, ANN), (StepName.DISTIL, BOB)]


def test_house_keeping_does_not_starve_behind_a_step_that_never_ends(house: House) -> None:
    steps = [house.step(StepName.DISTIL, units=10**6, seconds=SLICE_SECONDS), house.step(StepName.BACKUP)]
    house.run(house.begin(steps), steps, is_hindered=lambda: len(house.did) > 8)
    assert (StepName.BACKUP, None) in house.did


@pytest.mark.parametrize("budget", [{"seconds": 5.0}, {"tokens": 20}])
def test_a_spent_budget_ends_the_steps_of_owners_and_no_house_keeping(house: House, budget: dict[str, int]) -> None:
    distil = house.step(StepName.DISTIL, units=100, needs_model=True, asks=True)
    steps = [distil, house.step(StepName.BACKUP, units=2)]
    night = house.run(house.begin(steps), steps, **budget)  # type: ignore[arg-type]
    assert 5 <= sum(name is StepName.DISTIL for name, _ in house.did) <= 20
    assert states(night) == {StepName.DISTIL: PartState.WAITING, StepName.BACKUP: PartState.DONE}
    assert stored(house).state is NightState.SPENT


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StoreFailed("The disk is gone."), "The disk is gone."),
        (KeyError("x"), "Something unexpected went wrong: KeyError."),
    ],
)
def test_what_fails_waits_for_the_next_night_and_the_rest_goes_on(house: House, error: Exception, words: str) -> None:
    steps = [house.step(StepName.DISTIL, fails=[error]), house.step(StepName.CLUSTER)]
    night = house.run(house.begin(steps), steps)
    assert [part.failure for part in night.parts] == [words, None]
    assert states(night) == {StepName.DISTIL: PartState.FAILED, StepName.CLUSTER: PartState.DONE}
    assert night.state is NightState.DONE
    assert stored(house) == night


def test_without_a_model_the_steps_that_need_one_wait(house: House) -> None:
    house.model = ModelMissing("There is no model.")
    steps = [house.step(StepName.DISTIL, needs_model=True), house.step(StepName.SEAL)]
    night = house.run(house.begin(steps), steps)
    assert [part.failure for part in night.parts] == ["There is no model.", None]


@dataclass
class Waiting(Counted):
    """A step that knows for which owners there is anything to do."""

    due: tuple[OwnerId, ...] = ()

    async def is_due(self, owner: OwnerId) -> bool:
        return owner in self.due


def test_no_model_is_loaded_where_a_step_knows_that_there_is_nothing_to_do(house: House) -> None:
    house.model = ModelMissing("There is no model.")
    waiting = Waiting(StepName.DISTIL, house.clock, house.did, needs_model=True, due=(BOB,))
    night = house.run(house.begin([waiting], [ANN, BOB]), [waiting])
    assert [(part.owner, part.state, part.works) for part in night.parts] == [
        (ANN, PartState.DONE, 1), (BOB, PartState.FAILED, 0),
    ]  # fmt: skip
    house.model = ScriptedModel()
    night = house.run(house.begin([waiting], [ANN, BOB]), [waiting])
    assert house.did == [(StepName.DISTIL, BOB)]
    assert states(night) == {StepName.DISTIL: PartState.DONE}


def test_an_interrupted_unit_is_done_again(house: House) -> None:
    steps = [house.step(StepName.DISTIL, units=2, fails=[Cancelled("a turn")]), house.step(StepName.SEAL)]
    night = house.run(house.begin(steps), steps)
    assert (night.state, house.did) == (NightState.OPEN, [])
    assert stored(house).state is NightState.OPEN
    night = house.run(night, steps)
    assert night.state is NightState.DONE
    assert night.parts[0].works == 2


def test_a_turn_stops_the_model_and_the_night(house: House) -> None:
    gate = Gate()
    house.model = ScriptedModel(aside_gate=gate)
    steps = [house.step(StepName.DISTIL, needs_model=True, asks=True)]
    night = house.begin(steps)

    async def run() -> Night:
        async def get() -> LanguageModel:
            assert not isinstance(house.model, Exception)
            return house.model

        consolidation = Consolidation(
            house.store, house.workers[0], steps, get, house.workers[1], house.interrupts, house.clock, Budget(9, 9)
        )
        running = asyncio.ensure_future(consolidation.run(night, lambda: False, lambda *_: None))
        await asyncio.to_thread(gate.reached.wait, 30)
        house.interrupts.hold()
        return await running

    assert asyncio.run(run()).state is NightState.OPEN
    assert house.did == []


def test_after_a_crash_it_goes_on_where_it_was(house: House) -> None:
    steps = [house.step(StepName.DISTIL, units=9, seconds=4.0), house.step(StepName.CLUSTER)]
    house.run(house.begin(steps), steps, is_hindered=lambda: len(house.did) == 5)
    night = stored(house)
    assert (night.parts[0].works, night.seconds) == (5, 20.0)
    again = [house.step(StepName.DISTIL, units=4, seconds=4.0), house.step(StepName.CLUSTER)]
    assert house.run(night, again).parts[0].works == 9


def test_it_is_seldom_written_how_far_it_is(house: House) -> None:
    steps = [house.step(StepName.DISTIL, units=1000, seconds=0.1)]
    house.run(house.begin(steps), steps)
    assert house.store.writes <= 21


def test_a_step_that_this_version_does_not_have_is_left(house: House) -> None:
    night = house.begin([house.step(StepName.EVOLVE), house.step(StepName.SEAL)])
    night = house.run(night, [house.step(StepName.SEAL)])
    assert states(night) == {StepName.EVOLVE: PartState.WAITING, StepName.SEAL: PartState.DONE}
    assert night.state is not NightState.OPEN
