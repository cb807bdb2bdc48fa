"""The model asked beside the turns: stopped the moment one arrives, and what it cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from edge.daemon.workers import ThreadWorker
from edge.engine.offpeak import AsideModel, Interrupts
from edge.errors import Cancelled
from tests.fakes.language_model import Gate, ScriptedModel

GROUPS = ([1, 2], [3])


@pytest.fixture
def worker() -> Iterator[ThreadWorker]:
    worker = ThreadWorker("model", 4)
    yield worker
    worker.close()


def asking(model: ScriptedModel, worker: ThreadWorker) -> tuple[AsideModel, Interrupts]:
    interrupts = Interrupts()
    return AsideModel(model, worker, interrupts), interrupts


def test_it_is_the_model_with_the_room_it_has(worker: ThreadWorker) -> None:
    model = ScriptedModel(["Tea 茶\nand more"], model_id="tiny")
    aside, _ = asking(model, worker)
    assert (aside.id, aside.context_tokens, aside.tokenizer) == ("tiny", model.aside_tokens, model.tokenizer)
    assert asyncio.run(aside.line([1, 2, 3], 9)) == "Tea 茶"
    assert len(asyncio.run(aside.score([1, 2, 3], GROUPS))) == 2


def test_what_two_prompts_begin_with_is_counted_once(worker: ThreadWorker) -> None:
    aside, _ = asking(ScriptedModel(["x"]), worker)
    asyncio.run(aside.score([1, 2, 3, 4], GROUPS))
    assert aside.tokens == 4 + 1
    asyncio.run(aside.score([1, 2, 3, 5], GROUPS))
    assert aside.tokens == 5 + 1 + 1
    asyncio.run(aside.line([9, 9], 5))
    assert aside.tokens == 7 + 2 + 1


@pytest.mark.parametrize("how", ["score", "line"])
def test_a_hold_stops_what_runs(how: str, worker: ThreadWorker) -> None:
    gate = Gate()
    aside, interrupts = asking(ScriptedModel(aside_gate=gate), worker)

    async def run() -> None:
        asked = aside.score([1, 2], GROUPS) if how == "score" else aside.line([1, 2], 3)
        asking = asyncio.ensure_future(asked)
        await asyncio.to_thread(gate.reached.wait, 30)
        interrupts.hold()
        with pytest.raises(Cancelled):
            await asking

    asyncio.run(run())


def test_nothing_begins_until_every_hold_is_released(worker: ThreadWorker) -> None:
    model = ScriptedModel()
    aside, interrupts = asking(model, worker)
    interrupts.hold()
    interrupts.hold()
    interrupts.release()
    with pytest.raises(Cancelled):
        asyncio.run(aside.score([1], GROUPS))
    assert model.aside == []
    interrupts.release()
    assert not interrupts.wanted
    assert asyncio.run(aside.score([1], GROUPS))


def test_a_call_that_nobody_waits_for_any_more_is_stopped(worker: ThreadWorker) -> None:
    gate = Gate()
    aside, interrupts = asking(ScriptedModel(aside_gate=gate), worker)

    async def run() -> None:
        asked = asyncio.ensure_future(aside.score([1, 2], GROUPS))
        await asyncio.to_thread(gate.reached.wait, 30)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await worker.run(lambda: None)  # the model's thread is free again

    asyncio.run(run())
    assert not interrupts.wanted
