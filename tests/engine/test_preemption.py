"""A turn goes before what runs beside it, from the moment it arrives until its end is stored."""

from __future__ import annotations

import asyncio

import pytest

from edge.engine.events import TurnDone, TurnFailed
from edge.engine.offpeak import AsideModel
from edge.errors import Busy, Cancelled, EdgeError, ModelMissing
from tests.engine.test_turn import House, house, reached, run, told
from tests.fakes.language_model import Gate, ScriptedModel


def aside_of(at: House) -> AsideModel:
    return AsideModel(at.model, at.workers[1], at.interrupts)


def test_a_turn_stops_what_asks_the_model_and_is_answered() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(["Hello."], aside_gate=gate)) as at:
            asking = asyncio.ensure_future(aside_of(at).score([1, 2, 3], [[4], [5]]))
            await reached(gate)
            turn = at.start("你好。")
            events = await told(turn)
            with pytest.raises(Cancelled):
                await asking
            assert isinstance(events[-1], TurnDone)
            await at.turns.close()
            assert not at.interrupts.wanted

    run(story)


def test_nothing_begins_beside_a_turn_until_it_has_ended() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(["Hello."], gate=gate)) as at:
            turn = at.start("Hello there.")
            with pytest.raises(Cancelled):
                await aside_of(at).line([1, 2], 3)
            await reached(gate)
            with pytest.raises(Cancelled):
                await aside_of(at).line([1, 2], 3)
            gate.open()
            await told(turn)
            await at.turns.close()
            assert await aside_of(at).line([1, 2], 3) == "Hello."
            assert at.model.aside == [[1, 2]]

    run(story)


@pytest.mark.parametrize("error", [ModelMissing("There is no model.")])
def test_a_turn_that_fails_lets_others_begin(error: EdgeError) -> None:
    async def story() -> None:
        async with house() as at:
            at.missing = error
            (failed,) = await told(at.start("Hello there."))
            assert isinstance(failed, TurnFailed)
            await at.turns.close()
            assert not at.interrupts.wanted

    run(story)


def test_a_turn_that_is_refused_stops_nothing() -> None:
    async def story() -> None:
        gate = Gate()
        async with house(ScriptedModel(gate=gate), waiting=0) as at:
            turn = at.start("one")
            with pytest.raises(Busy):
                at.start("two")
            gate.open()
            await told(turn)
            await at.turns.close()
            assert not at.interrupts.wanted

    run(story)
