"""The steps of a night that keep house: what waits is embedded, the index sealed, the full text merged, the write-ahead
log emptied, a backup made. They are the whole store's, and ask no model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from edge.engine.night_ports import Backups
from edge.engine.offpeak import AsideModel, Interrupts, Worked
from edge.engine.ports import Worker
from edge.memory.nights import StepName
from edge.memory.units import OwnerId


@dataclass(frozen=True, slots=True)
class Job:
    """A step whose units of work are short jobs on the memory thread."""

    name: StepName
    worker: Worker
    do: Callable[[], bool]
    """A unit of work; True while work is left."""
    counted: str
    """What one that had something to do is counted as."""
    needs_model: bool = False

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:  # noqa: ARG002  the whole store's
        more = await self.worker.run(self.do)
        return Worked(more, {self.counted: 1} if more else {})


@dataclass(frozen=True, slots=True)
class BackupStep:
    """Makes a backup, beside the turns; one that arrives stops it, and the whole backup is made again later."""

    backups: Backups
    interrupts: Interrupts
    name: StepName = StepName.BACKUP
    needs_model: bool = False

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:  # noqa: ARG002  the whole store's
        made = await asyncio.to_thread(self.backups.make, lambda: self.interrupts.wanted)
        return Worked(False, {"backups": 1, "bytes": made.bytes, "removed": made.removed})
