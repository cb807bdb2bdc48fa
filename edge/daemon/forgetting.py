"""The routes that forget: one memory, or by ids, by words or by session, with a preview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from aiohttp import web

from edge.clock import Clock
from edge.daemon.exchange import body_of, json_answer, owner_of, unit_of
from edge.daemon.memory import Memory
from edge.daemon.requests import Fields
from edge.daemon.views import memory_wire
from edge.engine.forgetting import Forgetting, Wanted
from edge.engine.ports import Worker
from edge.errors import RequestInvalid
from edge.memory.units import OwnerId, UnitId
from edge.wire import ForgetAnswer, ForgetPreview, ForgotAnswer, MemoryWire

SHOWN = 50
"""Units that a preview shows whole; of the others it tells the ids."""
_MOST_IDS = 500
_LONGEST_QUERY = 1000
_WAYS = ("ids", "query", "session")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What to forget, or to show before."""

    wanted: Wanted
    preview: bool
    token: str | None

    @staticmethod
    def read(fields: Fields) -> ForgetRequest:
        """From the body of `POST /v1/forget`."""
        first = fields.given(_WAYS)
        if first is None:
            raise RequestInvalid("ids, query or session is missing: one of them says what to forget.", field="ids")
        wanted = Wanted(
            ids=fields.ids("ids", most=_MOST_IDS) if first == "ids" else (),
            query=fields.text("query", longest=_LONGEST_QUERY) if first == "query" else None,
            session=fields.session() if first == "session" else None,
            facts=fields.boolean("facts", False) if first == "session" else False,
        )
        second = fields.given(_WAYS)
        if second is not None:
            raise RequestInvalid(f"{first} and {second} do not go together: name one.", field=second)
        request = ForgetRequest(wanted, fields.boolean("preview", False), fields.optional_text("token", longest=64))
        fields.done()
        return request


class ForgettingRoutes:
    """`/v1/forget`, and a memory's own `DELETE`."""

    def __init__(
        self,
        forgetting: Forgetting,
        memory: Memory,
        worker: Worker,
        clock: Clock,
        written: Callable[[], None],
    ) -> None:
        self._forgetting = forgetting
        self._memory = memory
        self._worker = worker
        self._clock = clock
        self._written = written

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.delete("/v1/memories/{id}", self.forget_unit), web.post("/v1/forget", self.forget)]

    async def forget_unit(self, request: web.Request) -> web.Response:
        owner, unit = owner_of(request), unit_of(request)
        answer: ForgetAnswer = {
            "forgotten": list(await self._worker.run(partial(self._forgetting.forget_unit, owner, unit)))
        }
        self._written()  # the vectors in the index's files are blanked in the background
        return json_answer(answer)

    async def forget(self, request: web.Request) -> web.Response:
        owner, asked = owner_of(request), ForgetRequest.read(await body_of(request))
        if asked.preview:
            return json_answer(await self._worker.run(partial(self._preview, owner, asked.wanted, self._clock.now())))
        answer = await self._worker.run(partial(self._forget, owner, asked, self._clock.now()))
        self._written()  # as above
        return json_answer(answer)

    def _preview(self, owner: OwnerId, wanted: Wanted, at: datetime) -> ForgetPreview:
        shown = self._forgetting.preview(owner, wanted, at)
        leaving = shown.leaving
        named = [unit for unit in wanted.ids if unit in leaving.units]
        first = [*named, *(unit for unit in leaving.units if unit not in set(named))]
        return {
            "token": leaving.token,
            "found_by": None if shown.found_by is None else shown.found_by.value,
            "ids": list(leaving.units),
            "memories": self._shown(owner, first),
            "turns": leaving.turns,
            "kept_ids": list(leaving.kept),
            "kept": self._shown(owner, leaving.kept),
        }

    def _forget(self, owner: OwnerId, asked: ForgetRequest, at: datetime) -> ForgotAnswer:
        leaving = self._forgetting.forget(owner, asked.wanted, asked.token, at)
        return {"forgotten": list(leaving.units), "turns": leaving.turns, "kept": list(leaving.kept)}

    def _shown(self, owner: OwnerId, units: Sequence[UnitId]) -> list[MemoryWire]:
        return [memory_wire(self._memory.store.unit(owner, unit)) for unit in units[:SHOWN]]
