"""The step of a night that archives what ended, where too much of what is active holds no more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest

from edge.daemon.workers import ThreadWorker
from edge.engine.cleaning import Cleaning
from edge.memory.archive import Why
from edge.memory.freshness import freshness
from edge.memory.nights import Thresholds
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.clock import SetClock
from tests.store.making import ANN, BOB, fact, insert


class House:
    """A store on a thread, and the step over it."""

    def __init__(self, worker: ThreadWorker, store: SqliteStore, clock: SetClock) -> None:
        self.worker, self.store, self.clock = worker, store, clock
        self.step = Cleaning(worker, store.nights, store.archive, Thresholds(), clock)

    def told(self, holds: int, expired: int, replaced: int) -> None:
        """Units of Ann: so many that hold, expired an hour ago, and were replaced by one that holds."""
        asyncio.run(self.worker.run(lambda: self._tell(holds, expired, replaced)))

    def _tell(self, holds: int, expired: int, replaced: int) -> None:
        now = self.clock.now()
        for number in range(holds):
            self.store.apply(ANN, [insert(fact(f"holds {number}"))], now)
        for number in range(expired):
            ends = now - timedelta(hours=1)
            self.store.apply(ANN, [insert(fact(f"offer {number}"), valid_until=ends)], now - timedelta(hours=2))
        for number in range(replaced):
            old = self.store.apply(ANN, [insert(fact(f"旧地址 {number}"))], now).added
            self.store.apply(ANN, [insert(fact(f"新地址 {number}"), supersedes=old)], now)
        self.clock.pass_by(minutes=1)

    def work(self) -> dict[str, int]:
        """Until it has nothing to do; what it counted."""
        counted: dict[str, int] = {}
        while (worked := asyncio.run(self.step.work(ANN, None))).more:
            for name, count in worked.counts.items():
                counted[name] = counted.get(name, 0) + count
        return counted

    def share(self) -> float:
        seen = asyncio.run(self.worker.run(lambda: self.store.nights.count(ANN, self.clock.now())))
        return freshness(seen.valid, seen.active)


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    clock, worker = SetClock(), ThreadWorker("memory", 64)
    path = tmp_path_factory.mktemp("store") / "memory.db"
    store = asyncio.run(worker.run(lambda: open_store(path, clock)))
    yield House(worker, store, clock)
    worker.close(store.close)


def test_where_enough_holds_nothing_is_touched(house: House) -> None:
    house.told(holds=8, expired=1, replaced=0)
    assert house.share() >= 0.85
    assert house.work() == {}


def test_under_that_what_ended_is_archived_though_its_days_are_not_over(house: House) -> None:
    house.told(holds=3, expired=2, replaced=2)
    assert house.share() < 0.85
    assert house.work() == {"archived": 4}
    assert house.share() == 1.0
    page = asyncio.run(
        house.worker.run(lambda: house.store.archive.page(ANN, session=None, kinds=None, before=None, limit=10))
    )
    assert sorted((unit.content, unit.archived_why) for unit in page.units) == [
        ("offer 0", Why.EXPIRED), ("offer 1", Why.EXPIRED),
        ("旧地址 0", Why.SUPERSEDED), ("旧地址 1", Why.SUPERSEDED),
    ]  # fmt: skip


def test_it_goes_in_small_steps_and_stops_where_it_is_fresh(house: House) -> None:
    house.told(holds=70, expired=130, replaced=0)
    assert house.work() == {"archived": 128}
    assert house.share() == pytest.approx(70 / 72)


def test_of_another_owner_nothing_goes(house: House) -> None:
    house.told(holds=0, expired=5, replaced=0)
    assert asyncio.run(house.step.work(BOB, None)).more is False
    assert house.share() == 0.0
