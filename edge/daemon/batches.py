"""The routes of batches: begin, advance, fail, resume, cancel, list and show, and their failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from aiohttp import web

from edge.clock import Clock
from edge.daemon.exchange import body_of, id_of, json_answer, no_fields, owner_of
from edge.daemon.requests import LARGEST_ID, Fields, whole_number
from edge.daemon.views import batch_page_wire, batch_wire, failure_page_wire
from edge.engine.batches import Batches
from edge.engine.ports import Worker
from edge.errors import BatchNotFound, RequestInvalid
from edge.memory.batches import Batch, BatchId, BatchState
from edge.memory.secrets import redacted
from edge.memory.units import OwnerId, SessionId
from edge.wire import DEFAULT_PAGE, MAX_PAGE, MAX_REASON_CHARS

LONGEST_TITLE = 150
LONGEST_TASK = 200
MOST_ITEMS = 10**9
_NUMBERS = ("before", "limit")


@dataclass(frozen=True, slots=True)
class BeginRequest:
    """Which batch to begin, or to go on with."""

    session: SessionId
    task: str
    title: str
    total: int

    @staticmethod
    def read(fields: Fields) -> BeginRequest:
        """From the body of `POST /v1/batches`."""
        request = BeginRequest(
            session=fields.session(),
            task=_name(fields.text("task", longest=LONGEST_TASK)),
            title=" ".join(redacted(fields.text("title", longest=LONGEST_TITLE))[0].split()),
            total=_required(fields, "total", MOST_ITEMS),
        )
        fields.done()
        return request


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which batches to list."""

    session: SessionId | None
    state: BatchState | None
    before: BatchId | None
    limit: int

    @staticmethod
    def read(query: Mapping[str, str]) -> ListRequest:
        """From the query of `GET /v1/batches`."""
        fields = _query_fields(query)
        request = ListRequest(
            session=fields.optional_session(),
            state=_state(fields.optional_text("state", longest=40)),
            before=BatchId(before) if (before := fields.integer("before", 0, low=0, high=LARGEST_ID)) else None,
            limit=fields.integer("limit", DEFAULT_PAGE, low=1, high=MAX_PAGE),
        )
        fields.done()
        return request


@dataclass(frozen=True, slots=True)
class FailuresRequest:
    """Which failures of a batch to list."""

    before: int | None
    limit: int

    @staticmethod
    def read(query: Mapping[str, str]) -> FailuresRequest:
        """From the query of `GET /v1/batches/{id}/failures`."""
        fields = _query_fields(query)
        request = FailuresRequest(
            before=fields.integer("before", 0, low=0, high=LARGEST_ID) or None,
            limit=fields.integer("limit", DEFAULT_PAGE, low=1, high=MAX_PAGE),
        )
        fields.done()
        return request


def _query_fields(query: Mapping[str, str]) -> Fields:
    return Fields({name: whole_number(name, text) if name in _NUMBERS else text for name, text in query.items()})


def _required(fields: Fields, name: str, high: int) -> int:
    if fields.given([name]) is None:
        raise RequestInvalid(f"{name} is missing.", field=name)
    return fields.integer(name, 1, low=1, high=high)


def _name(task: str) -> str:
    """An agent's name for a batch. It finds the batch again, so nothing can be taken out of it."""
    if labels := redacted(task)[1]:
        raise RequestInvalid(f"task holds a secret ({labels[0]}); call the batch something else.", field="task")
    return task


def _state(name: str | None) -> BatchState | None:
    if name is None:
        return None
    if name not in {state.value for state in BatchState}:
        raise RequestInvalid(f"state must be one of {', '.join(BatchState)}.", field="state")
    return BatchState(name)


class BatchRoutes:
    """`/v1/batches` and below."""

    def __init__(self, batches: Batches, worker: Worker, clock: Clock, written: Callable[[], None]) -> None:
        self._batches = batches
        self._worker = worker
        self._clock = clock
        self._written = written

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [
            web.post("/v1/batches", self.begin),
            web.get("/v1/batches", self.page),
            web.get("/v1/batches/{id}", self.show),
            web.get("/v1/batches/{id}/failures", self.failures),
            web.post("/v1/batches/{id}/advance", self.advance),
            web.post("/v1/batches/{id}/fail", self.fail),
            web.post("/v1/batches/{id}/resume", self.resume),
            web.post("/v1/batches/{id}/cancel", self.cancel),
        ]

    async def begin(self, request: web.Request) -> web.Response:
        owner, wanted = owner_of(request), BeginRequest.read(await body_of(request))
        batch, is_new = await self._worker.run(partial(self._begin, owner, wanted))
        if is_new:
            self._written()
        return json_answer(batch_wire(batch), status=201 if is_new else 200)

    def _begin(self, owner: OwnerId, wanted: BeginRequest) -> tuple[Batch, bool]:
        now = self._clock.now()
        return self._batches.begin(owner, wanted.session, wanted.task, wanted.title, wanted.total, now)

    async def page(self, request: web.Request) -> web.Response:
        owner, wanted = owner_of(request), ListRequest.read(request.query)
        find = partial(self._batches.page, owner, wanted.session, wanted.state, wanted.before, wanted.limit)
        return json_answer(batch_page_wire(await self._worker.run(find)))

    async def show(self, request: web.Request) -> web.Response:
        return await self._answer(partial(self._batches.show, owner_of(request), _batch(request)))

    async def failures(self, request: web.Request) -> web.Response:
        owner, batch, wanted = owner_of(request), _batch(request), FailuresRequest.read(request.query)
        find = partial(self._batches.failures, owner, batch, wanted.before, wanted.limit)
        return json_answer(failure_page_wire(await self._worker.run(find)))

    async def advance(self, request: web.Request) -> web.Response:
        owner, batch, fields = owner_of(request), _batch(request), await body_of(request)
        item = _required(fields, "item", MOST_ITEMS)
        fields.done()
        return await self._answer(lambda: self._batches.advance(owner, batch, item, self._clock.now()))

    async def fail(self, request: web.Request) -> web.Response:
        owner, batch, fields = owner_of(request), _batch(request), await body_of(request)
        item = _required(fields, "item", MOST_ITEMS)
        reason = redacted(fields.text("reason", longest=MAX_REASON_CHARS))[0]
        fields.done()
        return await self._answer(lambda: self._batches.fail(owner, batch, item, reason, self._clock.now()))

    async def resume(self, request: web.Request) -> web.Response:
        owner, batch = owner_of(request), _batch(request)
        await no_fields(request)
        return await self._answer(lambda: self._batches.resume(owner, batch, self._clock.now()))

    async def cancel(self, request: web.Request) -> web.Response:
        owner, batch = owner_of(request), _batch(request)
        await no_fields(request)
        return await self._answer(lambda: self._batches.cancel(owner, batch, self._clock.now()))

    async def _answer(self, work: Callable[[], Batch]) -> web.Response:
        return json_answer(batch_wire(await self._worker.run(work)))


def _batch(request: web.Request) -> BatchId:
    return BatchId(id_of(request, BatchNotFound, "batch"))
