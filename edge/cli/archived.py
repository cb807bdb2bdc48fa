"""Putting memories away and bringing them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edge.cli.options import Options


def move(options: Options, archive: Sequence[int], restore: Sequence[int]) -> None:
    """Archive or restore memories, and print each as it is then. Raises MemoryNotFound."""
    from edge.cli.terminal import print_json
    from edge.cli.units import print_units

    client = options.client()
    moved = [client.archive(unit) for unit in archive] + [client.restore(unit) for unit in restore]
    if options.as_json:
        print_json({"memories": moved, "next_before": None})
    else:
        print_units(moved)
