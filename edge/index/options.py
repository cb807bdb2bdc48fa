"""What an index may take of the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """`threads` build a graph; `head_vectors` stay in memory until they are sealed; a build stays inside
    `build_bytes`."""

    threads: int = 1
    head_vectors: int = 4096
    build_bytes: int = 256 << 20
