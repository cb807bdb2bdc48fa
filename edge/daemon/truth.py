"""The routes of how a memory came to be what it is: what took whose place, and the words it comes from."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from edge.daemon.exchange import json_answer, owner_of, unit_of
from edge.daemon.views import memory_wire, time_wire
from edge.engine.ports import Worker
from edge.engine.truth_ports import Provenance, TruthStore
from edge.memory.text import side
from edge.memory.units import Source, Turn, Unit
from edge.wire import HistoryAnswer, WhyAnswer, WordsWire


class TruthRoutes:
    """`/v1/memories/{id}/history` and `/v1/memories/{id}/why`."""

    def __init__(self, truth: TruthStore, worker: Worker) -> None:
        self._truth = truth
        self._worker = worker

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [
            web.get("/v1/memories/{id}/history", self.history),
            web.get("/v1/memories/{id}/why", self.why),
        ]

    async def history(self, request: web.Request) -> web.Response:
        found = await self._worker.run(partial(self._truth.history, owner_of(request), unit_of(request)))
        answer: HistoryAnswer = {"memories": [memory_wire(unit) for unit in found]}
        return json_answer(answer)

    async def why(self, request: web.Request) -> web.Response:
        found = await self._worker.run(partial(self._truth.provenance, owner_of(request), unit_of(request)))
        return json_answer(why_answer(found))


def why_answer(found: Provenance) -> WhyAnswer:
    """Where a unit comes from, as it is told."""
    said = None if found.turn is None else _words(found.unit, found.turn)
    return {
        "memory": memory_wire(found.unit),
        "quote": None if said is not None and said["words"] is None else found.quote,
        "said": said,
        "confirmed": [_words(found.unit, turn) for turn in found.confirmed_in],
    }


def _words(unit: Unit, turn: Turn) -> WordsWire:
    """What the side that the unit comes from said in a turn."""
    words = turn.reply if side(unit.source) is Source.ASSISTANT else turn.message
    return {"turn": turn.id, "session": turn.session, "at": time_wire(turn.started_at), "words": words or None}
