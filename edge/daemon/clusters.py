"""The routes of clusters: list, show, history, undo, rename, merge, and moving a memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from aiohttp import web

from edge.clock import Clock
from edge.daemon.cluster_views import (
    cluster_page_wire,
    cluster_wire,
    clusters_wire,
    done_wire,
    run_wire,
    runs_wire,
)
from edge.daemon.exchange import body_of, id_of, json_answer, owner_of, unit_of
from edge.daemon.requests import LARGEST_ID, Fields, whole_number
from edge.daemon.views import memory_wire
from edge.engine.clusters import Clusters
from edge.engine.ports import MemoryStore, Worker
from edge.errors import ClusterNotFound, ClusterRunNotFound, RequestInvalid
from edge.memory.clusters import Cluster, Run, RunId
from edge.memory.secrets import redacted
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.wire import DEFAULT_PAGE, MAX_PAGE, MemoryMoved

_LONGEST_KEY = 200


class ClusterRoutes:
    """`/v1/clusters` and below, and `/v1/memories/{id}/move`."""

    def __init__(self, clusters: Clusters, store: MemoryStore, worker: Worker, clock: Clock) -> None:
        self._clusters = clusters
        self._store = store
        self._worker = worker
        self._clock = clock

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [
            web.get("/v1/clusters", self.all),
            web.get("/v1/clusters/history", self.history),
            web.get("/v1/clusters/history/{id}", self.run),
            web.post("/v1/clusters/undo", self.undo),
            web.get("/v1/clusters/{id}", self.show),
            web.post("/v1/clusters/{id}/rename", self.rename),
            web.post("/v1/clusters/{id}/merge", self.merge),
            web.post("/v1/memories/{id}/move", self.move),
        ]

    async def all(self, request: web.Request) -> web.Response:
        owner, fields = owner_of(request), _query(request.query)
        archived = fields.boolean("archived", False)
        fields.done()
        found = await self._worker.run(partial(self._clusters.all, owner, include_archived=archived))
        return json_answer(clusters_wire(*found))

    async def show(self, request: web.Request) -> web.Response:
        owner, cluster, fields = owner_of(request), _cluster(request), _query(request.query)
        before, limit = _page(fields)
        unit = None if before is None else UnitId(before)
        found = await self._worker.run(partial(self._clusters.show, owner, cluster, unit, limit))
        return json_answer(cluster_page_wire(*found))

    async def history(self, request: web.Request) -> web.Response:
        owner, fields = owner_of(request), _query(request.query)
        before, limit = _page(fields)
        run = None if before is None else RunId(before)
        return json_answer(runs_wire(*await self._worker.run(partial(self._clusters.history, owner, run, limit))))

    async def run(self, request: web.Request) -> web.Response:
        owner, run = owner_of(request), RunId(id_of(request, ClusterRunNotFound, "run"))
        return json_answer(done_wire(await self._worker.run(partial(self._clusters.run, owner, run))))

    async def undo(self, request: web.Request) -> web.Response:
        owner, fields = owner_of(request), await body_of(request)
        named = _optional_id(fields, "run")
        fields.done()
        run = None if named is None else RunId(named)
        done = await self._worker.run(lambda: self._clusters.undo(owner, run, self._clock.now()))
        return json_answer(done_wire(done))

    async def rename(self, request: web.Request) -> web.Response:
        owner, cluster, fields = owner_of(request), _cluster(request), await body_of(request)
        key = _key(fields)
        fields.done()
        return await self._edit(lambda: self._clusters.rename(owner, cluster, key, self._clock.now()))

    async def merge(self, request: web.Request) -> web.Response:
        owner, cluster, fields = owner_of(request), _cluster(request), await body_of(request)
        into = _optional_id(fields, "into")
        if into is None:
            raise RequestInvalid("into is missing: the cluster that takes the memories.", field="into")
        fields.done()
        return await self._edit(lambda: self._clusters.merge(owner, cluster, ClusterId(into), self._clock.now()))

    async def move(self, request: web.Request) -> web.Response:
        """`cluster` (null: out of any) or the `key` of a new one."""
        owner, unit, fields = owner_of(request), unit_of(request), await body_of(request)
        is_new = fields.given(["key"]) is not None
        if is_new == (fields.given(["cluster"]) is not None):
            raise RequestInvalid("Name either cluster (null: out of any) or the key of a new one.", field="cluster")
        key = _key(fields) if is_new else None
        named = None if is_new else _optional_id(fields, "cluster")
        fields.done()
        to = None if named is None else ClusterId(named)
        return json_answer(await self._worker.run(lambda: self._move(owner, unit, to, key)))

    def _move(self, owner: OwnerId, unit: UnitId, to: ClusterId | None, key: str | None) -> MemoryMoved:
        at = self._clock.now()
        if key is None:
            run = self._clusters.move(owner, unit, to, at)
        else:
            run = self._clusters.move_to_new(owner, unit, key, at)
        return {"run": run_wire(run), "memory": memory_wire(self._store.unit(owner, unit))}

    async def _edit(self, work: Callable[[], tuple[Run, Cluster]]) -> web.Response:
        run, cluster = await self._worker.run(work)
        return json_answer({"run": run_wire(run), "cluster": cluster_wire(cluster)})


def _cluster(request: web.Request) -> ClusterId:
    return ClusterId(id_of(request, ClusterNotFound, "cluster"))


def _query(query: Mapping[str, str]) -> Fields:
    values: dict[str, Any] = dict(query)
    for name in ("before", "limit"):
        if name in values:
            values[name] = whole_number(name, values[name])
    if "archived" in values:
        values["archived"] = {"true": True, "1": True, "false": False, "0": False}.get(values["archived"])
    return Fields(values)


def _page(fields: Fields) -> tuple[int | None, int]:
    before = fields.integer("before", 0, low=0, high=LARGEST_ID)
    limit = fields.integer("limit", DEFAULT_PAGE, low=1, high=MAX_PAGE)
    fields.done()
    return before or None, limit


def _optional_id(fields: Fields, name: str) -> int | None:
    """An id, or None where the field is missing or null."""
    found = fields.those_of([name]).get(name)
    return None if found is None else Fields({name: found}).integer(name, 0, low=1, high=LARGEST_ID)


def _key(fields: Fields) -> str:
    """A key that the person gives. It is shown wherever the cluster is, so nothing can be taken out of it."""
    key = fields.text("key", longest=_LONGEST_KEY)
    if labels := redacted(key)[1]:
        raise RequestInvalid(f"key holds a secret ({labels[0]}); call the cluster something else.", field="key")
    return key
