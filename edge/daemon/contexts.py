"""The routes of execution contexts: read, replace whole, clear."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aiohttp import web

from edge.clock import Clock
from edge.daemon.exchange import body_of, json_answer, no_fields, owner_of
from edge.daemon.requests import checked_context, session_name
from edge.daemon.views import context_wire
from edge.engine.contexts import Context, Contexts, SessionContext
from edge.engine.ports import Worker
from edge.memory.units import OwnerId, SessionId
from edge.prompt.structured import EXECUTION_FIELDS

_PATH = "/v1/sessions/{session}/context"


class ContextRoutes:
    """`/v1/sessions/{session}/context`; the session's name is percent-encoded in the path."""

    def __init__(self, contexts: Contexts, worker: Worker, clock: Clock, written: Callable[[], None]) -> None:
        self._contexts = contexts
        self._worker = worker
        self._clock = clock
        self._written = written

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.get(_PATH, self.read), web.put(_PATH, self.replace), web.delete(_PATH, self.clear)]

    async def read(self, request: web.Request) -> web.Response:
        owner, session = owner_of(request), _session(request)
        return json_answer(context_wire(await self._worker.run(partial(self._contexts.read, owner, session))))

    async def replace(self, request: web.Request) -> web.Response:
        owner, session, fields = owner_of(request), _session(request), await body_of(request)
        context = checked_context(fields.those_of(EXECUTION_FIELDS))
        fields.done()
        return await self._put(owner, session, context)

    async def clear(self, request: web.Request) -> web.Response:
        owner, session = owner_of(request), _session(request)
        await no_fields(request)
        return await self._put(owner, session, {})

    async def _put(self, owner: OwnerId, session: SessionId, context: Context) -> web.Response:
        answer = context_wire(await self._worker.run(partial(self._replace, owner, session, context)))
        self._written()
        return json_answer(answer)

    def _replace(self, owner: OwnerId, session: SessionId, context: Context) -> SessionContext:
        self._contexts.replace(owner, session, context, self._clock.now())
        return self._contexts.read(owner, session)


def _session(request: web.Request) -> SessionId:
    return session_name(request.match_info["session"])
