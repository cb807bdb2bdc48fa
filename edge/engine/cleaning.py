"""The step that cleans: where too much of what is active holds no more, what ended is archived before its time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from edge.clock import Clock
from edge.engine.archive_ports import ArchiveStore
from edge.engine.night_ports import NightStore
from edge.engine.offpeak import AsideModel, Worked
from edge.engine.ports import Worker
from edge.memory.archive import Decay, Why, due
from edge.memory.nights import StepName, Thresholds, is_stale
from edge.memory.units import OwnerId

_AT_ONCE = Decay(expired=timedelta(0), superseded=timedelta(0))
_BATCH = 64
"""Units that one unit of work archives: some milliseconds."""


class Cleaning:
    """One step of a night (see `Step`). What it archives is what would leave in some days anyhow: history stays, and is
    found where nothing else is."""

    name = StepName.CLEAN
    needs_model = False

    def __init__(
        self,
        memory: Worker,
        nights: NightStore,
        store: ArchiveStore,
        thresholds: Thresholds,
        clock: Clock,
    ) -> None:
        """`memory` is the memory thread, to which the stores belong."""
        self._memory = memory
        self._nights = nights
        self._store = store
        self._thresholds = thresholds
        self._clock = clock

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:  # noqa: ARG002  asks none
        counts = await self._memory.run(lambda: self._clean(owner))
        return Worked(bool(counts), counts)

    def _clean(self, owner: OwnerId) -> Mapping[str, int]:
        """Some of what ended longest ago is archived; nothing where enough holds."""
        at = self._clock.now()
        if not is_stale(self._nights.count(owner, at), self._thresholds):
            return {}
        leaving = self._store.leaving(owner, at, _AT_ONCE, _BATCH)
        moved = 0
        for why in (Why.EXPIRED, Why.SUPERSEDED):
            ids = [each.unit.id for each in leaving if due(each.unit, at, _AT_ONCE, superseded=each.superseded) is why]
            moved += len(self._store.archive(owner, ids, why, at)) if ids else 0
        return {"archived": moved} if moved else {}
