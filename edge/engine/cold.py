"""The step that archives clusters which nothing touched for long, each as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from edge.clock import Clock
from edge.engine.cold_ports import ColdStore
from edge.engine.offpeak import AsideModel, Worked
from edge.engine.ports import Worker
from edge.memory.nights import StepName
from edge.memory.units import OwnerId

_MENDED = 256
"""Units that one unit of work brings back where they are to be archived no longer."""


class Cold:
    """One step of a night (see `Step`); a unit of work is one cluster. What recall finds in one brings it back whole
    (see `Serving`)."""

    name = StepName.COLD
    needs_model = False

    def __init__(self, memory: Worker, store: ColdStore, untouched: timedelta, clock: Clock) -> None:
        """`memory` is the memory thread, to which the store belongs; a cluster is cold that was not touched so long."""
        self._memory = memory
        self._store = store
        self._untouched = untouched
        self._clock = clock

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:  # noqa: ARG002  asks none
        counts = await self._memory.run(lambda: self._move(owner))
        return Worked(bool(counts), counts)

    def _move(self, owner: OwnerId) -> Mapping[str, int]:
        """What came back or left; nothing where all is in its place."""
        at = self._clock.now()
        mended = self._store.mend(owner, at, _MENDED)
        if mended:
            return {"brought back": mended}
        before = at - self._untouched
        for cluster in self._store.cold(owner, before, at, 1):
            left = self._store.put_away(owner, cluster, before, at)
            return {"clusters": 1, "archived": len(left)} if left else {}
        return {}
