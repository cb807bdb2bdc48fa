"""What this machine offers a model: its cores."""

from __future__ import annotations

import os
from pathlib import Path

CPU_FOLDER = Path("/sys/devices/system/cpu")

BATCH = 256
"""Tokens of one step where the settings leave it open. Measured with the 0.5B model on x86-64 (64, 128, 256, 512):
168, 173, 179, 177 prompt tokens/s a core; 130, 135, 144, 163 MB of private memory. Short steps lose more on a
busy machine, and what a stop throws away is at most a step."""


def usable_cpus() -> frozenset[int]:
    """The logical CPUs this process may run on."""
    return frozenset(os.sched_getaffinity(0))


def physical_cores(cpus: frozenset[int], folder: Path = CPU_FOLDER) -> int:
    """How many cores the CPUs are: two threads of one core share its arithmetic and gain nothing when generating.

    Where the kernel does not say (a sandbox hides it), every CPU counts as a core.
    """
    return len({_core(cpu, folder) for cpu in cpus}) or 1


def embedder_threads(cpus: frozenset[int]) -> int:
    """Threads for the embedder where the settings leave them open: two, so that a question is read sooner, but one
    where they would take all the cores from the language model."""
    return 1 if len(cpus) <= 2 else 2


def _core(cpu: int, folder: Path) -> tuple[str, str]:
    topology = folder / f"cpu{cpu}" / "topology"
    try:
        return (topology / "physical_package_id").read_text().strip(), (topology / "core_id").read_text().strip()
    except OSError:
        return "cpu", str(cpu)
