"""The rows file of a segment: what hnswlib's own file does not say, and the sums that show whether that one is whole.

A line of JSON, filled up with spaces to a multiple of 64 bytes, then arrays, little-endian and without gaps: the unit
of each element (int64), the two sums of each record (uint32; see `checks`), units that were left out (int64), and the
elements that stand in upper levels (uint32) with their heights (uint8).
"""

from __future__ import annotations

import hashlib
import json
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from edge.engine.ports import Ids
from edge.index.checks import Sums
from edge.index.files import Entry, IndexUnfit, Shape, check_stamp, reading, rows_path, stamp
from edge.index.layout import HEADER_BYTES, UpperLevels

_ALIGNED = 64


@dataclass(frozen=True, slots=True)
class Side:
    """What a rows file holds: the embeddings with `after` < number <= `through`, but for forgotten ones. `left_out`:
    superseded units of the interval, whose vectors are not in the graph.

    `outline` is the sha256 of the graph file's header and upper levels; an empty segment has no graph file, and
    `graph_bytes` 0.
    """

    after: int
    through: int
    units: Ids
    sums: Sums
    left_out: Ids
    upper: UpperLevels
    graph_bytes: int
    outline: str


def write_side(path: Path, shape: Shape, side: Side) -> str:
    """Write one; gives the file's sha256."""
    arrays = _arrays(side)
    header = {
        **stamp(shape),
        "after": side.after,
        "through": side.through,
        "count": len(side.units),
        "left_out": len(side.left_out),
        "upper": len(side.upper.elements),
        "graph_bytes": side.graph_bytes,
        "outline": side.outline,
    }
    line = json.dumps(header).encode()
    line += b" " * (-(len(line) + 1) % _ALIGNED) + b"\n"
    content = b"".join([line, *(array.tobytes() for array in arrays)])
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def read_side(folder: Path, shape: Shape, entry: Entry) -> Side:
    """The rows file of a segment, mapped. Raises IndexUnfit with the reason.

    The manifest may give it a longer interval, where there is nothing before it, or the end of its own.
    """
    path = rows_path(folder, entry.name)
    with reading(path) as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # Read, not mapped: what a card cannot read is an error then, and not a signal that ends the process.
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != entry.sha256:
        raise IndexUnfit(f"{path.name} has another sha256 than the manifest says")
    line = mapped.readline()
    header = json.loads(line)
    check_stamp(header, shape, f"the {{}} of {path.name}")
    if not max(entry.after, header["after"]) < header["through"] == entry.through:
        raise IndexUnfit(f"{path.name} holds other vectors than the manifest says")
    return _read_arrays(mapped, len(line), header)


def outline_of(graph: BinaryIO, tail_at: int) -> str:
    """The sha256 of a graph file's header and upper levels: of all of it but the records. Raises OSError."""
    graph.seek(0)
    digest = hashlib.sha256(graph.read(HEADER_BYTES))
    graph.seek(tail_at)
    digest.update(graph.read())
    return digest.hexdigest()


def _arrays(side: Side) -> list[npt.NDArray[Any]]:
    upper = side.upper
    return [
        side.units.astype("<i8"),
        side.sums.astype("<u4"),
        side.left_out.astype("<i8"),
        upper.elements.astype("<u4"),
        upper.heights,
    ]


def _read_arrays(mapped: mmap.mmap, at: int, header: dict[str, Any]) -> Side:
    def take(kind: str, count: int) -> npt.NDArray[Any]:
        nonlocal at
        array = np.frombuffer(mapped, kind, count, at)
        at += array.nbytes
        return array

    count, upper = header["count"], header["upper"]
    units, sums, left_out = take("<i8", count), take("<u4", 2 * count), take("<i8", header["left_out"])
    levels = UpperLevels(take("<u4", upper), take("u1", upper))
    interval = header["after"], header["through"]
    return Side(*interval, units, sums.reshape(count, 2), left_out, levels, header["graph_bytes"], header["outline"])
