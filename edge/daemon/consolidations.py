"""The routes of off-peak work: ask for it, and see how it stands."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from aiohttp import web

from edge.daemon.exchange import body_of, json_answer, owner_of
from edge.daemon.hindrances import Hindrance
from edge.daemon.night_views import night_wire, offpeak_wire, step_wire, waits_wire
from edge.daemon.offpeak import Progress, Schedule
from edge.daemon.requests import Fields
from edge.daemon.streams import Told, stream
from edge.daemon.views import error_wire
from edge.engine.night_ports import Part
from edge.errors import EdgeError, RequestInvalid
from edge.memory.nights import StepName
from edge.memory.units import OwnerId
from edge.wire import ConsolidationAnswer


class ConsolidationRoutes:
    """`/v1/consolidations`."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.post("/v1/consolidations", self.begin), web.get("/v1/consolidations", self.show)]

    async def begin(self, request: web.Request) -> web.StreamResponse:
        owner, fields = owner_of(request), await body_of(request)
        now, only = fields.boolean("now", False), _step(fields)
        fields.done()
        async with aclosing(_told(self._schedule.consolidate(owner, only, now=now), owner)) as told:
            return await stream(request, told)

    async def show(self, request: web.Request) -> web.Response:
        owner, night = owner_of(request), await self._schedule.night()
        seen = night is not None and night.owner in (None, owner)
        answer: ConsolidationAnswer = {
            "offpeak": offpeak_wire(self._schedule.look_only()),
            "night": night_wire(night, owner) if night is not None and seen else None,
        }
        return json_answer(answer)


def _step(fields: Fields) -> StepName | None:
    name = fields.optional_text("only", longest=40)
    if name is None:
        return None
    if name not in {step.value for step in StepName}:
        raise RequestInvalid(f"only must be one of {', '.join(StepName)}.", field="only")
    return StepName(name)


async def _told(progress: AsyncGenerator[Progress], owner: OwnerId) -> AsyncGenerator[Told]:
    ended = False
    try:
        async with aclosing(progress) as telling:
            async for each in telling:
                if isinstance(each, Part):
                    yield "progress", step_wire(each), None
                elif isinstance(each, Hindrance):
                    yield "waits", waits_wire(each), None
                else:
                    ended = True
                    yield "done", {"night": night_wire(each, owner)}, None
        if not ended:
            yield "done", {"night": None}, None
    except EdgeError as error:
        yield "error", error_wire(error), error
