"""HTTP/1.1 on the Unix socket: routes, and errors in one shape."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol, TypeVar

from aiohttp import web

from edge.clock import Clock
from edge.daemon import memories, requests
from edge.daemon.archive import ArchiveRoutes
from edge.daemon.backups import BackupRoutes, WatchedBackups
from edge.daemon.batches import BatchRoutes
from edge.daemon.clusters import ClusterRoutes
from edge.daemon.consolidations import ConsolidationRoutes
from edge.daemon.contexts import ContextRoutes
from edge.daemon.exchange import body_of, json_answer, no_fields, owner_of, refusal, too_large, unit_of
from edge.daemon.forgetting import ForgettingRoutes
from edge.daemon.forgetting_all import ForgettingAllRoutes
from edge.daemon.health import HealthReader
from edge.daemon.indexes import Indexes
from edge.daemon.memory import Memory
from edge.daemon.offpeak import Schedule
from edge.daemon.openai import OpenAiRoutes, openai_refusal, speaks_openai
from edge.daemon.streams import Told, broke_off, stream
from edge.daemon.transfers import TransferRoutes
from edge.daemon.truth import TruthRoutes
from edge.daemon.views import event_wire, session_wire
from edge.daemon.watching import WatchingRoutes
from edge.engine.batches import Batches
from edge.engine.clusters import Clusters
from edge.engine.contexts import Contexts
from edge.engine.events import TurnDone, TurnFailed
from edge.engine.forgetting import Forgetting
from edge.engine.forgetting_all import ForgettingAll
from edge.engine.model_ports import Sampling
from edge.engine.ports import Worker
from edge.engine.running import RunningTurn
from edge.engine.transfer import Transfer
from edge.engine.truth_ports import TruthStore
from edge.engine.turn import Turns
from edge.errors import BodyInvalid, EdgeError, RouteNotFound
from edge.memory.units import OwnerId
from edge.wire import MAX_BODY_BYTES, SessionsAnswer, StatusWire

_log = logging.getLogger(__name__)
T = TypeVar("T")
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class StatusReader(Protocol):
    """Gathers what `GET /v1/status` tells."""

    async def read(self, owner: OwnerId) -> StatusWire:
        """The status, as that owner may see it."""


@dataclass(frozen=True, slots=True)
class Service:
    """What the routes are served from."""

    memory: Memory
    memory_worker: Worker
    indexes: Indexes
    turns: Turns
    contexts: Contexts
    batches: Batches
    clusters: Clusters
    truth: TruthStore
    forgetting: Forgetting
    forgetting_all: ForgettingAll
    backups: WatchedBackups
    transfer: Transfer
    status: StatusReader
    health: HealthReader
    model_name: Callable[[], Awaitable[str]]
    schedule: Schedule
    sampling: Sampling
    recall_limit: int
    clock: Clock
    written: Callable[[], None]


def make_app(service: Service) -> web.Application:
    """The application with all routes."""
    app = web.Application(middlewares=[_errors], client_max_size=MAX_BODY_BYTES)
    routes = _Routes(service)
    app.add_routes(
        [
            web.post("/v1/turns", routes.turn),
            web.get("/v1/memories", routes.page),
            web.post("/v1/memories", routes.remember),
            web.get("/v1/memories/{id}", routes.show),
            web.post("/v1/recall", routes.recall),
            web.get("/v1/sessions", routes.sessions),
            web.get("/v1/status", routes.status),
            web.get("/v1/index", routes.index),
            web.post("/v1/index/rebuild", routes.rebuild),
            web.post("/v1/index/verify", routes.verify),
            web.get("/healthz", routes.health),
            *ContextRoutes(service.contexts, service.memory_worker, service.clock, service.written).table(),
            *ArchiveRoutes(service.memory, service.memory_worker, service.clock, service.written).table(),
            *ForgettingRoutes(
                service.forgetting,
                service.memory,
                service.memory_worker,
                service.clock,
                service.written,
            ).table(),
            *ForgettingAllRoutes(service.forgetting_all, service.memory_worker, service.written).table(),
            *BackupRoutes(service.backups).table(),
            *TransferRoutes(service.transfer, service.memory_worker, service.written).table(),
            *ConsolidationRoutes(service.schedule).table(),
            *WatchingRoutes(service.health).table(),
            *TruthRoutes(service.truth, service.memory_worker).table(),
            *BatchRoutes(service.batches, service.memory_worker, service.clock, service.written).table(),
            *OpenAiRoutes(service.turns, service.sampling, service.model_name, service.clock).table(),
            *ClusterRoutes(service.clusters, service.memory.store, service.memory_worker, service.clock).table(),
        ]
    )
    return app


@web.middleware
async def _errors(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """The outer boundary of a request: every failure becomes an error of one shape, and the daemon goes on."""
    try:
        return await handler(request)
    except EdgeError as error:
        return _refused(request, error)
    except web.HTTPRequestEntityTooLarge:
        return _refused(request, too_large())
    except web.RequestPayloadError:
        return _refused(request, BodyInvalid("The body is not encoded as its headers say."))
    except web.HTTPException as error:
        missing = RouteNotFound(f"{request.method} {request.path} is not served here ({error.status}).")
        return _refused(request, missing)
    except ConnectionError:  # the client hung up; the server closes its side
        raise
    except Exception as error:  # noqa: BLE001  outer boundary
        _log.exception("%s %s failed", request.method, request.path)
        return _refused(request, EdgeError(f"Something unexpected went wrong: {type(error).__name__}."))


def _refused(request: web.Request, error: EdgeError) -> web.Response:
    """An error in the form of the interface that was called."""
    return openai_refusal(error) if speaks_openai(request.path) else refusal(error)


class _Routes:
    def __init__(self, service: Service) -> None:
        self._service = service

    # --- turns -----------------------------------------------------------------------------------------------------

    async def turn(self, request: web.Request) -> web.StreamResponse:
        owner, fields = owner_of(request), await body_of(request)
        session = fields.session()
        message = fields.text("message")
        streamed = fields.boolean("stream", True)
        sampling = self._service.sampling
        most = sampling.max_tokens
        sampling = replace(sampling, max_tokens=fields.integer("reply_tokens", most, low=1, high=most))
        context = requests.turn_context(fields)
        fields.done()
        turn = self._service.turns.start(owner, session, message, sampling, context)
        try:
            return await (stream(request, _told(turn)) if streamed else _whole(turn))
        except (asyncio.CancelledError, ConnectionError):
            turn.cancel()
            raise

    # --- memories --------------------------------------------------------------------------------------------------

    async def page(self, request: web.Request) -> web.Response:
        wanted = memories.PageRequest.read(memories.query_fields(request.query))
        return json_answer(
            await self._run(partial(memories.page, self._memory, owner_of(request), wanted, self._now()))
        )

    async def remember(self, request: web.Request) -> web.Response:
        owner, now = owner_of(request), self._now()
        wanted = memories.RememberRequest.read(await body_of(request), now)
        answer = await self._run(partial(memories.remember, self._memory, owner, wanted, now))
        self._service.written()
        return json_answer(answer, status=201)

    async def show(self, request: web.Request) -> web.Response:
        return json_answer(await self._run(partial(memories.show, self._memory, owner_of(request), unit_of(request))))

    async def recall(self, request: web.Request) -> web.Response:
        owner = owner_of(request)
        wanted = memories.RecallRequest.read(await body_of(request), self._service.recall_limit)
        answer = await self._run(partial(memories.recall, self._memory, owner, wanted, self._now()))
        if "index" in answer["degraded"]:
            self._service.written()  # what a search found to be damaged is mended in the background
        return json_answer(answer)

    # --- the indexes -----------------------------------------------------------------------------------------------

    async def index(self, request: web.Request) -> web.Response:  # noqa: ARG002  aiohttp's signature
        return json_answer(await self._service.indexes.state())

    async def rebuild(self, request: web.Request) -> web.Response:
        await no_fields(request)
        return json_answer(await self._service.indexes.rebuild(), status=202)

    async def verify(self, request: web.Request) -> web.StreamResponse:
        await no_fields(request)
        async with aclosing(self._service.indexes.verify()) as told:
            return await stream(request, told)

    # --- the rest --------------------------------------------------------------------------------------------------

    async def sessions(self, request: web.Request) -> web.Response:
        found = await self._run(partial(self._memory.store.sessions, owner_of(request)))
        answer: SessionsAnswer = {"sessions": [session_wire(session) for session in found]}
        return json_answer(answer)

    async def status(self, request: web.Request) -> web.Response:
        return json_answer(await self._service.status.read(owner_of(request)))

    async def health(self, request: web.Request) -> web.Response:  # noqa: ARG002  aiohttp's signature
        return json_answer({"status": "ok"})

    @property
    def _memory(self) -> Memory:
        return self._service.memory

    def _now(self) -> datetime:
        return self._service.clock.now()

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._service.memory_worker.run(work)


async def _whole(turn: RunningTurn) -> web.Response:
    async for name, wire, error in _told(turn):
        if error is not None:
            return refusal(error)
        if name == "done":
            return json_answer(wire)
    return refusal(broke_off())


async def _told(turn: RunningTurn) -> AsyncIterator[Told]:
    """The events of a turn: name, data, and the error of one that failed."""
    while (event := await turn.events.get()) is not None:
        name, wire = event_wire(event)
        yield name, wire, event.error if isinstance(event, TurnFailed) else None
        if isinstance(event, TurnDone | TurnFailed):
            return
