"""What this machine offers a model: its cores."""

from __future__ import annotations

import os
from pathlib import Path

CPU_FOLDER = Path("/sys/devices/system/cpu")

BATCH = 128
"""Tokens of one step where the settings leave it open. Measured on two and four cores: from 128 to 512 tokens the speed
changes by a few percent, the memory by tens of MB, and what a stop throws away by the factor itself."""


def usable_cpus() -> frozenset[int]:
    """The logical CPUs this process may run on."""
    return frozenset(os.sched_getaffinity(0))


def physical_cores(cpus: frozenset[int], folder: Path = CPU_FOLDER) -> int:
    """How many cores the CPUs are: two threads of one core share its arithmetic and gain nothing when generating.

    Where the kernel does not say (a sandbox hides it), every CPU counts as a core.
    """
    return len({_core(cpu, folder) for cpu in cpus}) or 1


def _core(cpu: int, folder: Path) -> tuple[str, str]:
    topology = folder / f"cpu{cpu}" / "topology"
    try:
        return (topology / "physical_package_id").read_text().strip(), (topology / "core_id").read_text().strip()
    except OSError:
        return "cpu", str(cpu)
