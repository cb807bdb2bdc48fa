"""Requests for the indexes: told as they are, rebuilt once, verified piece by piece while other work goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_type_hints

import pytest

from edge import wire
from edge.daemon.indexes import Indexes
from edge.daemon.views import EventWire
from edge.daemon.workers import ThreadWorker
from edge.engine.vector_ports import IndexState, IndexWork, SegmentState, Verified
from edge.errors import Busy, DiskFull, ModelMissing, StoreFailed
from tests.daemon.making import Life, NamedModels
from tests.engine.making import ANN
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex


@dataclass
class Daemon:
    """The parts that answer for the indexes, on a memory thread of their own."""

    life: Life
    worker: ThreadWorker
    woken: int = 0
    indexes: Indexes = field(init=False)

    def __post_init__(self) -> None:
        self.indexes = Indexes(self.life.memory, self.worker, self.wake)

    def wake(self) -> None:
        self.woken += 1

    def index(self, key: str = "hash/64") -> ExactIndex:
        return self.life.indexes[key]

    async def verified(self) -> list[tuple[str, EventWire]]:
        return [(name, data) async for name, data, _ in self.indexes.verify()]


@asynccontextmanager
async def daemon(folder: Path, *embedders: HashEmbedder, told: int = 5) -> AsyncIterator[Daemon]:
    life = Life(folder, NamedModels("hash", *(embedders or (HashEmbedder(),))))
    life.start()
    for number in range(told):
        life.desk.remember.statement(ANN, None, f"第{number}只飞艇", life.desk.clock.now())
    life.idle()
    worker = ThreadWorker("memory", 8)
    try:
        yield Daemon(life, worker)
    finally:
        await asyncio.to_thread(worker.close)


def changing(folder: Path, first: Daemon) -> Daemon:
    """A later daemon on the memory of a first, on its way to another embedder: one of five units is still to do."""
    life = Life(folder, NamedModels("other", HashEmbedder(), HashEmbedder(32, model_id="other")), first.life.desk)
    life.start()
    life.idle(1)
    return Daemon(life, first.worker)


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(story(), 60)

    asyncio.run(bounded())


def keys(shape: type) -> set[str]:
    return set(get_type_hints(shape))


def test_an_index_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = IndexState(
        vectors=70, fresh=5, missing=2, segments=(SegmentState("s-1", 65, 3, 4096),),
        work=IndexWork("merge", 10, 65), unfit=("一处坏了",),
    )  # fmt: skip

    async def story() -> None:
        async with daemon(tmp_path) as at:
            monkeypatch.setattr(at.index(), "state", lambda: state)
            answer = await at.indexes.state()
            assert answer.keys() == keys(wire.IndexAnswer)
            serving = answer["serving"]
            assert serving is not None
            assert serving == {
                "embedder": "hash/64", "vectors": 70, "fresh": 5, "missing": 2,
                "segments": [{"name": "s-1", "vectors": 65, "dead": 3, "bytes": 4096}],
                "work": {"task": "merge", "done": 10, "total": 65}, "rebuilding": True, "unfit": ["一处坏了"],
                "memory_bytes": at.index().memory_bytes(),
            }  # fmt: skip
            assert serving.keys() == keys(wire.IndexWire)
            assert (answer["coming"], answer["changing"], answer["held_up"]) == (None, None, None)

    run(story)


def test_a_change_of_embedder_is_told_with_how_far_it_is(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as first:
            at = changing(tmp_path, first)
            answer = await at.indexes.state()
            assert answer["changing"] == {"embedder": "other/32", "done": 4, "total": 5}
            serving, coming = answer["serving"], answer["coming"]
            assert serving is not None
            assert coming is not None
            assert (serving["embedder"], coming["embedder"]) == ("hash/64", "other/32")

    run(story)


def test_what_holds_an_index_up_is_told_until_it_is_asked_to_go_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at:
            at.index().due, at.index().failure = 1, DiskFull("满了")
            at.life.idle()
            assert ((await at.indexes.state())["held_up"] or {})["code"] == "disk_full"
            assert (await at.indexes.rebuild())["held_up"] is None

    run(story)


def test_a_rebuild_is_answered_at_once_and_asked_for_twice_is_one(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at:
            for _ in range(2):
                serving = (await at.indexes.rebuild())["serving"]
                assert serving is not None
                assert serving["rebuilding"]
                assert serving["vectors"] == 5
            assert (at.index().rebuilds, at.woken) == (1, 2)
            at.life.idle()
            serving = (await at.indexes.state())["serving"]
            assert serving is not None
            assert not serving["rebuilding"]

    run(story)


def test_without_an_index_the_reason_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path, HashEmbedder(model_id="elsewhere")) as at:
            assert (await at.indexes.state())["serving"] is None
            with pytest.raises(ModelMissing):
                await at.indexes.rebuild()
            ((_, _, error),) = [told async for told in at.indexes.verify()]
            assert isinstance(error, ModelMissing)
            at.life.memory.embedder_error = None
            with pytest.raises(Busy):
                await at.indexes.rebuild()

    run(story)


def test_a_whole_index_is_verified_vector_by_vector(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at:
            *progress, (name, done) = await at.verified()
            assert [data for _, data in progress] == [
                {"embedder": "hash/64", "done": number, "total": 5} for number in range(6)
            ]
            assert {name for name, _ in progress} == {"progress"}
            assert (name, done) == ("done", {"vectors": 5, "faults": [], "rebuilding": False})

    run(story)


def test_faults_are_told_and_rebuilt(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at:
            at.index().broken = ("第一段坏了",)
            name, done = (await at.verified())[-1]
            assert (name, done) == ("done", {"vectors": 5, "faults": ["第一段坏了"], "rebuilding": True})
            assert at.woken == 1
            at.life.idle()
            assert (await at.verified())[-1][1] == {"vectors": 5, "faults": [], "rebuilding": False}

    run(story)


def test_both_indexes_are_verified_during_a_change(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as first:
            at = changing(tmp_path, first)
            at.index("other/32").broken = ("坏了",)
            *progress, (_, done) = await at.verified()
            assert {data["embedder"] for _, data in progress} == {"hash/64", "other/32"}  # type: ignore[typeddict-item]
            assert done == {"vectors": 9, "faults": ["坏了"], "rebuilding": True}

    run(story)


def test_other_work_comes_between_the_pieces(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at, aclosing(at.indexes.verify()) as events:
            await anext(events)
            told = await at.worker.run(
                lambda: at.life.desk.remember.statement(ANN, None, "中间说的话", at.life.desk.clock.now())
            )
            assert told.added
            await anext(events)

    run(story)


def test_a_second_verification_is_told_busy_and_one_that_was_left_makes_room(tmp_path: Path) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at:
            async with aclosing(at.indexes.verify()) as first:
                assert (await anext(first))[0] == "progress"
                ((name, _, error),) = [told async for told in at.indexes.verify()]
                assert (name, type(error)) == ("error", Busy)
                assert (await anext(first))[0] == "progress"
            assert (await at.verified())[-1][0] == "done"

    run(story)


def test_one_that_is_left_is_ended_on_its_own_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    async def story() -> None:
        async with daemon(tmp_path) as at:
            whole = at.index().verify

            def verify() -> Iterator[Verified]:
                try:
                    yield from whole()
                finally:
                    ended.append(threading.current_thread().name)

            monkeypatch.setattr(at.index(), "verify", verify)
            async with aclosing(at.indexes.verify()) as events:
                await anext(events)
            after = threading.Event()

            def set_after() -> bool:
                after.set()
                return False

            at.worker.in_background(set_after)
            assert await asyncio.to_thread(after.wait, 30)
        assert ended == ["memory"]

    run(story)


def test_a_verification_that_breaks_off_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with daemon(tmp_path) as at:
            first = next(at.index().verify())

            def verify() -> Iterator[Verified]:
                yield first
                raise StoreFailed("读不了")

            monkeypatch.setattr(at.index(), "verify", verify)
            _, (name, _, error) = [told async for told in at.indexes.verify()]
            assert (name, type(error)) == ("error", StoreFailed)

    run(story)
