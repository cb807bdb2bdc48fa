"""House-keeping in small steps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from edge.daemon.workers import ThreadWorker
from edge.engine.housekeeping import BackupStep, Job
from edge.engine.offpeak import Interrupts, Worked
from edge.errors import Cancelled
from edge.memory.nights import StepName
from tests.engine.making import ANN
from tests.fakes.nights import FakeBackups


@pytest.fixture
def worker() -> Iterator[ThreadWorker]:
    worker = ThreadWorker("memory", 4)
    yield worker
    worker.close()


def test_a_job_does_a_little_at_a_time_on_the_memory_thread(worker: ThreadWorker) -> None:
    left = [True, True, False]
    job = Job(StepName.SEAL, worker, lambda: left.pop(0), "steps")
    worked = [asyncio.run(job.work(ANN, None)) for _ in range(3)]
    assert worked == [Worked(True, {"steps": 1}), Worked(True, {"steps": 1}), Worked(False, {})]
    assert not job.needs_model


def test_a_backup_is_made_unless_a_turn_goes_first() -> None:
    backups, interrupts = FakeBackups(), Interrupts()
    step = BackupStep(backups, interrupts)
    interrupts.hold()
    with pytest.raises(Cancelled):
        asyncio.run(step.work(ANN, None))
    interrupts.release()
    assert asyncio.run(step.work(ANN, None)) == Worked(False, {"backups": 1, "bytes": 4096, "removed": 0})
    assert (step.name, step.needs_model) == (StepName.BACKUP, False)
