"""Cores as the kernel lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.models.device import BATCH, embedder_threads, physical_cores, usable_cpus
from edge.models.llama_loading import LlamaOptions


def made_cpus(folder: Path, cores: list[tuple[int, int]]) -> frozenset[int]:
    """A CPU for each (package, core)."""
    for cpu, (package, core) in enumerate(cores):
        topology = folder / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text(f"{package}\n")
        (topology / "core_id").write_text(f"{core}\n")
    return frozenset(range(len(cores)))


def test_two_threads_of_a_core_count_once(tmp_path: Path) -> None:
    assert physical_cores(made_cpus(tmp_path, [(0, 0), (0, 1), (0, 0), (0, 1)]), tmp_path) == 2


def test_the_same_core_number_in_two_packages_counts_twice(tmp_path: Path) -> None:
    assert physical_cores(made_cpus(tmp_path, [(0, 0), (1, 0)]), tmp_path) == 2


def test_only_usable_cpus_count(tmp_path: Path) -> None:
    made_cpus(tmp_path, [(0, 0), (0, 1), (0, 2), (0, 3)])
    assert physical_cores(frozenset({1, 3}), tmp_path) == 2


def test_a_hidden_topology_counts_every_cpu(tmp_path: Path) -> None:
    assert physical_cores(frozenset({0, 1, 2, 3}), tmp_path) == 4


@pytest.mark.parametrize(("cpus", "threads"), [(1, 1), (2, 1), (3, 2), (4, 2), (8, 2)])
def test_the_embedder_leaves_cores_to_the_language_model(cpus: int, threads: int) -> None:
    assert embedder_threads(frozenset(range(cpus))) == threads


def test_zero_takes_what_fits_the_machine_and_a_number_stays() -> None:
    chosen = LlamaOptions().for_device()
    assert chosen.prefill_threads == len(usable_cpus())
    assert 1 <= chosen.threads <= chosen.prefill_threads
    assert chosen.batch == BATCH
    given = LlamaOptions(threads=3, prefill_threads=5, batch=64)
    assert given.for_device() == given


def test_a_step_is_no_longer_than_the_context() -> None:
    assert LlamaOptions(context=512, batch=2048).for_device().batch == 512
