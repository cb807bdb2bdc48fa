"""The route that forgets everything of an owner: for that owner, and for root, who may read and remove the files
anyway. The user who runs the daemon may forget no more than their own."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial

from aiohttp import web

from edge.daemon.exchange import body_of, json_answer, owner_of
from edge.daemon.requests import Fields
from edge.daemon.streams import Told, stream
from edge.daemon.views import error_wire
from edge.engine.forgetting_all import ForgettingAll
from edge.engine.ports import Worker
from edge.errors import EdgeError, NotPermitted, RequestInvalid
from edge.memory.units import OwnerId
from edge.wire import ForgetAllPreview, ForgotAllEvent

_OWNER = re.compile(r"uid:(0|[1-9][0-9]{0,9})")
_ROOT = OwnerId("uid:0")


class ForgettingAllRoutes:
    """`POST /v1/forget-all`."""

    def __init__(self, forgetting: ForgettingAll, worker: Worker, written: Callable[[], None]) -> None:
        self._forgetting = forgetting
        self._worker = worker
        self._written = written

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.post("/v1/forget-all", self.forget)]

    async def forget(self, request: web.Request) -> web.StreamResponse:
        asker, fields = owner_of(request), await body_of(request)
        owner = _owner(fields, asker)
        preview, token = fields.boolean("preview", False), fields.optional_text("token", longest=64)
        fields.done()
        if preview:
            held = await self._worker.run(partial(self._forgetting.preview, owner))
            shown: ForgetAllPreview = {
                "owner": owner, "token": held.token, "memories": held.units, "turns": held.turns,
                "sessions": held.sessions,
            }  # fmt: skip
            return json_answer(shown)
        async with aclosing(self._forgot(owner, token)) as told:
            return await stream(request, told)

    async def _forgot(self, owner: OwnerId, token: str | None) -> AsyncGenerator[Told]:
        steps = self._forgetting.forget(owner, token)
        units = turns = 0
        try:
            while (gone := await self._worker.run(partial(next, steps, None))) is not None:
                units, turns = units + len(gone.units), turns + gone.turns
                yield "progress", _event(owner, units, turns), None
            yield "done", _event(owner, units, turns), None
        except EdgeError as error:
            yield "error", error_wire(error), error
        finally:
            self._written()  # the vectors in the index's files are blanked in the background


def _owner(fields: Fields, asker: OwnerId) -> OwnerId:
    """Whose memory is meant: the asker's, or, for root, whose is named."""
    name = fields.optional_text("owner", longest=20) or asker
    if not _OWNER.fullmatch(name):
        raise RequestInvalid("owner must be like uid:1000.", field="owner")
    if name != asker and asker != _ROOT:
        raise NotPermitted("Only root may forget what is another user's.", hint="Leave owner out to forget your own.")
    return OwnerId(name)


def _event(owner: OwnerId, units: int, turns: int) -> ForgotAllEvent:
    return {"owner": owner, "memories": units, "turns": turns}
