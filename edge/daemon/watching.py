"""The routes of those who watch: an owner's health, and figures for Prometheus."""

from __future__ import annotations

from aiohttp import web

from edge.daemon.exchange import json_answer, owner_of
from edge.daemon.health import HealthReader
from edge.daemon.metrics import CONTENT_TYPE, figures_of


class WatchingRoutes:
    """`/memory/health` and `/metrics`."""

    def __init__(self, health: HealthReader) -> None:
        self._health = health

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [web.get("/memory/health", self.health), web.get("/metrics", self.metrics)]

    async def health(self, request: web.Request) -> web.Response:
        return json_answer(await self._health.read(owner_of(request)))

    async def metrics(self, request: web.Request) -> web.Response:  # noqa: ARG002  aiohttp's signature
        return web.Response(body=await figures_of(self._health), headers={"Content-Type": CONTENT_TYPE})
